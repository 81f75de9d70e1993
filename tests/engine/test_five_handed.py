"""V18, five-handed Euchre: at least one test for each number on its page. Seat 4 deals, seat 0 is the eldest."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from bowerbird.engine import Game, new_game, resolve_options, rules_of, sample_game
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, hands_in_a_row, play, play_out, scenario, tokens, view

OTHERS = {1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
ALL = {**OTHERS, 0: "Js Jc As Ks Qs", 4: "Ts 9s 8s 9h 8h"}
"""With spades as trump seat 0 takes all five tricks."""

FOUR = {**OTHERS, 0: "Js Jc As Ks 9h", 4: "Qs Ts 9s 8s 8h"}
"""With spades as trump seat 0 takes four tricks and seat 1 one, whatever seat 0 leads first."""

THREE = {**OTHERS, 0: "Js Jc As 9h 8h", 4: "Ks Qs Ts 9s 8s"}
"""With spades as trump seat 0 takes three tricks and seat 4 two."""

WIDOW = {"widow": "9d 8d 8c"}
PASSES = "1 pass, 2 pass, 3 pass, 4 pass"
PUT_AWAY = "0 discard 9d, 0 discard 8d, 0 discard 8c"


def deal(hands: Mapping[int, str], **options: object) -> Game:
    return scenario("five-handed", dealer=4, hands=hands, piles=WIDOW, options=options)


def made(hands: Mapping[int, str], bid: int, *partners: int, **options: object) -> Game:
    """Return the game after seat 0 bid in spades, put the widow away again, and chose partners."""
    game = play(deal(hands, **options), f"0 bid {bid} s", PASSES)
    if bid != 15:
        play(game, PUT_AWAY)
    return play(game, *(f"0 partner {seat}" for seat in partners)) if partners else game


def changes(game: Game) -> tuple[int, ...]:
    play_out(game)
    return change(game)


def test_five_players_each_for_himself_and_28_cards() -> None:
    """V18.1, V18.2: from the ace to the eight, no joker; points count upwards."""
    game = deal(ALL)
    pack = game.rules.pack
    assert (game.players, game.scores, pack.size, pack.ranks, pack.jokers) == (5, (0,) * 5, 28, "AKQJT98", ())
    assert (rules_of("five-handed").better, rules_of("five-handed").teams()) == ("high", None)


def test_the_left_bower_is_a_trump() -> None:
    """V18.3."""
    game = play(made(ALL, 3, 1), "0 play Jc, 1 play Ah, 2 play Ad, 3 play Ac")
    assert tokens(game) == ["play Ts", "play 9s", "play 8s"]


def test_packets_of_two_and_three_and_a_widow_of_three() -> None:
    """V18.4."""
    codes = deal({}).rules.pack.codes
    game = new_game("five-handed", packs=[[" ".join(codes)]], first_dealer=4)
    for seat in range(5):
        places = (2 * seat, 2 * seat + 1, *(10 + 3 * seat + k for k in range(3)))
        assert game.view(seat).hand == tuple(codes[place] for place in places)
    play(game, "0 bid 8 s", PASSES)
    assert game.view(0).memory[1].cards == codes[-3:]


def test_points_and_suit_are_bid_once_each_and_higher_every_time() -> None:
    """V18.5.1, V18.12.1, V18.12.2: 3, 4, 5, 8, 15; suits have no rank."""
    game = deal(ALL)
    assert tokens(game) == ["pass", *(f"bid {n} {suit}" for n in (3, 4, 5, 8, 15) for suit in "shdc")]
    play(game, "0 bid 5 c")
    assert tokens(game) == ["pass", *(f"bid {n} {suit}" for n in (8, 15) for suit in "shdc")]
    play(game, "1 bid 15 d")
    for seat in (2, 3, 4):
        assert (game.actor, tokens(game)) == (seat, ["pass"])
        game.apply("pass")
    seen = view(game)
    assert (seen.maker, seen.contract, seen.highest_bid, seen.highest_bidder, seen.trump) == (1, 15, 15, 1, "d")


def test_all_pass_is_thrown_in() -> None:
    """V18.5.1, V18.12.5, D2."""
    game = play(deal(ALL), "0 pass", PASSES)
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (0,) * 5, 0)


@pytest.mark.parametrize("bid", [3, 4, 5, 8])
def test_the_maker_takes_the_widow_and_discards_any_three_of_eight(bid: int) -> None:
    """V18.5.2, V18.12.4: cards of the widow or of his hand."""
    game = play(deal(ALL), f"0 bid {bid} s", PASSES)
    assert (game.actor, view(game).stage, len(tokens(game))) == (0, "discard", 8)
    assert not game.piles, "each card lies in one place"
    play(game, "0 discard 9d")
    assert len(tokens(game)) == 7
    play(game, "0 discard Qs, 0 discard 8c")
    assert game.view(0).hand == ("As", "Ks", "Js", "8d", "Jc")
    assert view(game).stage == ("play" if bid == 8 else "choose a partner")


def test_with_fifteen_the_widow_stays_unseen() -> None:
    """V18.5.2."""
    game = play(deal(ALL), "0 bid 15 s", PASSES)
    assert (game.actor, view(game).stage, len(game.view(0).memory)) == (0, "play", 1)


@pytest.mark.parametrize(("bid", "partners"), [(3, 1), (4, 2), (5, 2)])
def test_exactly_so_many_partners_are_chosen_in_public(bid: int, partners: int) -> None:
    """V18.5.3, V18.12.6: after the exchange, one decision for each partner, nobody twice."""
    game = play(deal(ALL), f"0 bid {bid} s", PASSES, PUT_AWAY)
    assert tokens(game) == ["partner 1", "partner 2", "partner 3", "partner 4"]
    play(game, "0 partner 3")
    if partners == 2:
        assert tokens(game) == ["partner 1", "partner 2", "partner 4"]
        play(game, "0 partner 1")
    seen = game.view(2)
    assert (seen.stage, seen.active) == ("play", (0, 1, 2, 3, 4))
    assert [seat for seat in range(5) if seen.sides[seat] == seen.sides[0]] == ([0, 3] if partners == 1 else [0, 1, 3])
    assert len(set(seen.sides)) == 2


@pytest.mark.parametrize("bid", [8, 15])
def test_eight_and_fifteen_are_played_without_partners(bid: int) -> None:
    """V18.5.3: by all five players (V18.5.4)."""
    seen = view(made(ALL, bid))
    assert (seen.stage, seen.active, seen.sides) == ("play", (0, 1, 2, 3, 4), (0, 1, 1, 1, 1))


def test_the_widow_is_seen_by_the_maker_only() -> None:
    """V18.6."""
    game = play(deal(ALL), "0 bid 8 s", PASSES, PUT_AWAY)
    assert [(memory.what, memory.cards) for memory in game.view(0).memory[1:]] == [
        ("widow", ("9d", "8d", "8c")),
        ("discarded", ("9d",)),
        ("discarded", ("8d",)),
        ("discarded", ("8c",)),
    ]
    assert all(len(game.view(seat).memory) == 1 for seat in (1, 2, 3, 4))
    assert [str(event.action) for event in game.view(1).history][-3:] == ["discard"] * 3


def test_samples_know_the_widow_as_the_maker_does() -> None:
    """V18.6: to him his discards are dead; to the others widow and discards may be any cards they have not seen."""
    game = play(deal(ALL), "0 bid 8 s", PASSES, PUT_AWAY)
    for number in range(20):
        sample = sample_game(game.view(0), Random(number))
        assert sample.view(0) == game.view(0)
        assert sample.rules.pack.text(state_of(sample).dead) == ("9d", "8d", "8c")
    dead = {
        card for k in range(60) for card in game.rules.pack.text(state_of(sample_game(game.view(1), Random(k))).dead)
    }
    assert dead == set(game.rules.pack.codes) - set(OTHERS[1].split())


def test_the_maker_leads() -> None:
    """V18.7, V18.12.8, D5."""
    game = play(deal(ALL), "0 pass, 1 pass, 2 bid 15 d, 3 pass, 4 pass")
    assert (game.actor, view(game).leader) == (2, 2)


POINTS = [
    (ALL, 3, (1,), (3, 3, 0, 0, 0)),
    (THREE, 3, (2,), (3, 0, 3, 0, 0)),
    (THREE, 4, (2, 3), (0, 4, 0, 0, 4)),
    (FOUR, 4, (2, 3), (4, 0, 4, 4, 0)),
    (FOUR, 5, (2, 3), (0, 5, 0, 0, 5)),
    (FOUR, 5, (1, 2), (5, 5, 5, 0, 0)),
    (ALL, 8, (), (8, 0, 0, 0, 0)),
    (FOUR, 8, (), (0, 8, 8, 8, 8)),
    (ALL, 15, (), (15, 0, 0, 0, 0)),
    (FOUR, 15, (), (0, 15, 15, 15, 15)),
]


@pytest.mark.parametrize(("hands", "bid", "partners", "expected"), POINTS)
def test_the_points(hands: Mapping[int, str], bid: int, partners: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """V18.8, V18.12.3: the tricks of maker and partners together; nothing extra, nothing subtracted."""
    assert changes(made(hands, bid, *partners)) == expected


def two_hands(**options: object) -> Game:
    """Return a game after two hands: first seats 0 and 2 make 3, then seats 0, 1 and 3 make 4."""
    game = hands_in_a_row("five-handed", ALL, piles=WIDOW, options={"target": 4, **options})
    play(game, "0 bid 3 s", PASSES, PUT_AWAY, "0 partner 2")
    play_out(game)
    play(game, "1 bid 4 s, 2 pass, 3 pass, 4 pass, 0 pass, 1 discard 9d, 1 discard 8d, 1 discard 8c")
    play(game, "1 partner 0, 1 partner 3")
    play_out(game, 1)
    return game


def test_the_highest_at_the_target_wins() -> None:
    """V18.9, V18.12.7, E1."""
    game = two_hands()
    assert (game.ended, game.scores, game.winners, game.ranks) == ("target", (7, 4, 3, 4, 0), (0,), (1, 2, 4, 2, 5))


def test_equal_highest_share() -> None:
    """V18.9, A14."""
    game = made(FOUR, 4, 2, 3, target=4)
    play_out(game)
    assert game.winners == (0, 2, 3)


def test_a_game_is_100() -> None:
    """V18.9, V18.10."""
    assert resolve_options("five-handed") == {
        "target": 100,
        "simultaneous_win": "highest",
        "reveal_at_end": False,
        "max_hands": 0,
    }
    game = made(ALL, 15, target=16)
    play_out(game)
    assert not game.is_over
    game = made(ALL, 15, target=15)
    play_out(game)
    assert (game.ended, game.winners) == ("target", (0,))


def test_option_simultaneous_win_joint() -> None:
    """V18.10: all who reached the target."""
    assert two_hands(simultaneous_win="joint").winners == (0, 1, 3)
