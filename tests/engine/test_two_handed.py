"""V5, Two-handed Euchre: at least one test for each number on its page. Seat 1 deals."""

from __future__ import annotations

from typing import Any

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, rules_of
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, view
from tests.support.engine.short_hands import DEALER, taking


def deal(tricks: int = 5, upcard: str = "9s", **options: object) -> Game:
    return scenario("two-handed", dealer=1, hands={0: taking(tricks), 1: DEALER}, upcard=upcard, options=options)


def ordered(tricks: int, **options: Any) -> Game:
    """Return a hand: the other one has ordered spades up and taken `tricks` tricks."""
    game = play(deal(tricks, **options), "0 order, 1 discard Qh")
    play_out(game)
    return game


def test_two_players_each_for_himself() -> None:
    """V5.1."""
    page = rules_of("two-handed")
    assert (page.seats(), page.teams(), page.better) == (2, None, "high")
    assert view(deal()).sides == (0, 1)


def test_the_pack_and_the_deal() -> None:
    """V5.2, V5.4: 32 cards; two to the other one, two to the dealer, three and three; card 11 is turned up."""
    codes = rules_of("two-handed").rules().pack.codes
    game = new_game("two-handed", packs=[[" ".join(codes)]], first_dealer=0)
    assert len(codes) == 32
    assert {code[0] for code in codes} == set("AKQJT987")
    assert game.view(1).hand == (*codes[0:2], *codes[4:7])
    assert game.view(0).hand == (*codes[2:4], *codes[7:10])
    assert game.view(0).upcard == codes[10]


def test_the_left_bower_is_the_second_trump() -> None:
    """V5.3, A3."""
    game = play(deal(), "0 order, 1 discard Qh, 0 play Jc")
    assert tokens(game) == ["play 9s"], "the left bower asks for trumps"
    play(game, "1 play 9s")
    assert view(game).tricks_won == (1, 0)


def test_the_first_round_asks_the_other_one_before_the_dealer() -> None:
    """V5.5, V5.12.4: no lone hands."""
    game = deal()
    assert (game.actor, view(game).stage, tokens(game)) == (0, "order up", ["pass", "order"])
    play(game, "0 pass")
    assert (game.actor, tokens(game)) == (1, ["pass", "order"])
    play(game, "1 order")
    assert (game.actor, view(game).stage, view(game).maker, view(game).trump) == (1, "discard", 1, "s")
    assert tokens(game) == ["discard Ah", "discard Kh", "discard Qh", "discard Ad", "discard Kd"]


def test_the_dealer_picks_up_when_he_is_ordered_to() -> None:
    """V5.5, T2."""
    game = play(deal(), "0 order, 1 discard Ad")
    assert game.view(1).hand == ("9s", "Ah", "Kh", "Qh", "Kd")
    assert [(note.what, note.cards) for note in game.view(1).memory[1:]] == [
        ("upcard", ("9s",)),
        ("discarded", ("Ad",)),
    ]


def test_the_second_round_names_any_other_suit() -> None:
    """V5.5, V5.12.1: nobody picks up."""
    game = play(deal(), "0 pass, 1 pass")
    assert (game.actor, tokens(game)) == (0, ["pass", "call h", "call d", "call c"])
    play(game, "0 pass, 1 call d")
    seen = view(game)
    assert (seen.maker, seen.trump, seen.upcard_place, seen.stage, game.actor) == (1, "d", "down", "play", 0)


def test_all_pass_is_thrown_in_and_the_deal_changes_hands() -> None:
    """V5.5, T4, A8."""
    game = play(deal(), "0 pass, 1 pass, 0 pass, 1 pass")
    assert (game.results[0].ended, game.scores, game.dealer, game.actor) == ("thrown in", (0, 0), 0, 1)


def test_hands_stay_hidden_from_each_other() -> None:
    """V5.6."""
    assert not set(deal().view(0).hand) & set(DEALER.split())


@pytest.mark.parametrize("maker", [0, 1])
def test_the_other_one_leads(maker: int) -> None:
    """V5.7: also if the dealer is the maker."""
    game = play(deal(), "0 order" if maker == 0 else "0 pass, 1 order", "1 discard Qh")
    assert (game.actor, view(game).stage, view(game).leader) == (0, "play", 0)


@pytest.mark.parametrize(
    ("tricks", "points"), [(5, (2, 0)), (4, (1, 0)), (3, (1, 0)), (2, (0, 2)), (1, (0, 2)), (0, (0, 2))]
)
def test_points(tricks: int, points: tuple[int, int]) -> None:
    """V5.8, V5.12.3: a march of the opponent is a euchre."""
    game = ordered(tricks)
    assert game.results[0].tricks == (tricks, 5 - tricks)
    assert change(game) == points


@pytest.mark.parametrize(("tricks", "points"), [(0, (0, 2)), (2, (0, 1)), (3, (2, 0))])
def test_points_of_the_dealer_as_maker(tricks: int, points: tuple[int, int]) -> None:
    """V5.8, by the tricks of the other one."""
    game = play(deal(tricks), "0 pass, 1 order, 1 discard Qh")
    play_out(game)
    assert change(game) == points


def test_the_first_with_five_points_wins() -> None:
    """V5.9."""
    assert rules_of("two-handed").rules().options["target"] == 5
    game = deal(target=5)
    state_of(game).scores = (4, 3)
    play_out(play(game, "0 order, 1 discard Qh"))
    assert (game.ended, game.winners, game.scores, game.ranks) == ("target", (0,), (6, 3), (1, 2))
    game = deal(target=5)
    state_of(game).scores = (2, 4)
    play_out(play(game, "0 order, 1 discard Qh"))
    assert not game.is_over, "4 points are not enough"


def test_option_target() -> None:
    """V5.10."""
    assert not ordered(5, target=3).is_over
    assert ordered(5, target=2).winners == (0,)


def test_option_deck() -> None:
    """V5.10: 24 cards."""
    codes = rules_of("two-handed").rules({"deck": 24}).pack.codes
    assert len(codes) == 24
    assert {code[0] for code in codes} == set("AKQJT9")
    assert ordered(4, deck=24).scores == (1, 0)


def test_option_stick_dealer() -> None:
    """V5.10: the dealer may not pass in the second round; the other one may."""
    game = play(deal(stick_dealer=True), "0 pass, 1 pass")
    assert tokens(game)[0] == "pass"
    play(game, "0 pass")
    assert tokens(game) == ["call h", "call d", "call c"]


def test_option_max_hands() -> None:
    """A15, E14: a hand thrown in counts; equal scores share the place."""
    game = play(deal(max_hands=1), "0 pass, 1 pass, 0 pass, 1 pass")
    assert (game.ended, game.winners, game.ranks) == ("limit", (0, 1), (1, 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": 20}, "must be 32, 28 or 24, not 20"),
        ({"target": 0}, "from 1 up"),
        ({"alone": True}, "unknown option 'alone'"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, object], message: str) -> None:
    """V5.10, E16."""
    with pytest.raises(InvalidOption, match=message):
        new_game("two-handed", options)
