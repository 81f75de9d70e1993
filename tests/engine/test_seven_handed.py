"""V21, seven-handed Euchre: at least one test for each number on its page. Seat 6 deals, seat 0 is the eldest."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, resolve_options, rules_of, sample_game
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, hands_in_a_row, play, play_out, scenario, tokens, trick, view

OTHERS = {
    1: "Ah Kh Qh Jh Th 9h 8h",
    2: "Ad Kd Qd Jd Td 9d 8d",
    3: "Ac Kc Qc Tc 9c 8c 7c",
    4: "9s 8s 7s 6s 5s 4s 3s",
}
ALL = {**OTHERS, 0: "X1 Js Jc As Ks Qs Ts", 5: "2s 2h 3h 4h 5h 6h 7h", 6: "2d 3d 4d 5d 6d 7d 2c"}
"""With spades as trump seat 0 takes all seven tricks."""

FIVE = {**OTHERS, 0: "X1 Js Jc As Ks 2h 2d", 5: "Qs Ts 2s 3h 4h 5h 6h", 6: "7h 3d 4d 5d 6d 7d 2c"}
"""With spades as trump seat 0 takes the first five tricks, and seat 4 the last two."""

FIVE_TRICKS = (
    "0: X1 8h 8d 7c 3s 2s 2c",
    "0: Js 9h 9d 8c 4s Ts 3d",
    "0: Jc Th Td 9c 5s Qs 4d",
    "0: As Jh Jd Tc 6s 3h 5d",
    "0: Ks Qh Qd Qc 7s 4h 6d",
    "0: 2h Kh Kd Kc 8s 5h 7h",
)

WIDOW = {"widow": "3c 4c 5c 6c"}
PASSES = "1 pass, 2 pass, 3 pass, 4 pass, 5 pass, 6 pass"
PUT_AWAY = "0 discard 3c, 0 discard 4c, 0 discard 5c, 0 discard 6c"


def deal(hands: Mapping[int, str], **options: object) -> Game:
    return scenario("seven-handed", dealer=6, hands=hands, piles=WIDOW, options=options)


def made(hands: Mapping[int, str], bid: int, *partners: int, **options: object) -> Game:
    """Return the game after seat 0 bid in spades, put the widow away again, and chose partners."""
    game = play(deal(hands, **options), f"0 bid {bid} s", PASSES)
    if bid != 20:
        play(game, PUT_AWAY)
    return play(game, *(f"0 partner {seat}" for seat in partners)) if partners else game


def changes(game: Game, hands: Mapping[int, str]) -> tuple[int, ...]:
    """Play the hand of `hands` out; return each seat's change."""
    for line in FIVE_TRICKS if hands is FIVE else ():
        trick(game, line)
    play_out(game)
    return change(game)


def test_seven_players_each_for_himself_and_53_cards() -> None:
    """V21.1, V21.2, V21.12.8; points count upwards."""
    game = deal(ALL)
    pack = game.rules.pack
    assert (game.players, game.scores, pack.size, pack.ranks, pack.jokers) == (
        7, (0,) * 7, 53, "AKQJT98765432", ("X1",),
    )  # fmt: skip
    assert (rules_of("seven-handed").better, rules_of("seven-handed").teams()) == ("high", None)


def test_the_joker_is_the_highest_trump_and_the_left_bower_one() -> None:
    """V21.3."""
    hands = {**ALL, 0: "Js Jc As Ks Qs Ts 2s", 5: "X1 2h 3h 4h 5h 6h 7h"}
    game = made(hands, 20)
    play(game, "0 play Js, 1 play Ah, 2 play Ad, 3 play Ac, 4 play 9s")
    assert tokens(game) == ["play X1"]
    play(game, "5 play X1, 6 play 2d")
    assert game.actor == 5
    play(game, "5 play 2h, 6 play 3d, 0 play Jc")
    play(game, "1 play Kh, 2 play Kd, 3 play Kc, 4 play 8s")
    assert game.actor == 0, "the left bower trumps"


def test_packets_of_two_three_and_two_and_a_widow_of_four() -> None:
    """V21.4."""
    codes = deal({}).rules.pack.codes
    game = new_game("seven-handed", packs=[[" ".join(codes)]], first_dealer=6)
    for seat in range(7):
        places = (2 * seat, 2 * seat + 1, *(14 + 3 * seat + k for k in range(3)), 35 + 2 * seat, 36 + 2 * seat)
        assert game.view(seat).hand == tuple(codes[place] for place in places)
    play(game, "0 bid 10 s", PASSES)
    assert game.view(0).memory[1].cards == codes[-4:]


def test_points_and_suit_are_bid_once_each_and_higher_every_time() -> None:
    """V21.5.1, V21.12.3, V21.12.4: 1 to 7, 10, 20; the suit bid is trump."""
    game = deal(ALL)
    assert tokens(game) == ["pass", *(f"bid {n} {suit}" for n in (*range(1, 8), 10, 20) for suit in "shdc")]
    play(game, "0 bid 7 c")
    assert tokens(game) == ["pass", *(f"bid {n} {suit}" for n in (10, 20) for suit in "shdc")]
    play(game, "1 bid 20 h")
    for seat in (2, 3, 4, 5, 6):
        assert (game.actor, tokens(game)) == (seat, ["pass"])
        game.apply("pass")
    assert (view(game).maker, view(game).contract, view(game).trump) == (1, 20, "h")


def test_all_pass_is_thrown_in() -> None:
    """V21.5.1, V21.12.10."""
    game = play(deal(ALL), "0 pass", PASSES)
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (0,) * 7, 0)


@pytest.mark.parametrize("bid", [1, 7, 10])
def test_the_maker_takes_the_widow_and_discards_any_four_of_eleven(bid: int) -> None:
    """V21.5.2, V21.12.1, V21.12.5."""
    game = play(deal(ALL), f"0 bid {bid} s", PASSES)
    assert (game.actor, view(game).stage, len(tokens(game))) == (0, "discard", 11)
    play(game, "0 discard 3c, 0 discard X1, 0 discard 4c, 0 discard Ts")
    assert game.view(0).hand == ("As", "Ks", "Qs", "Js", "Jc", "6c", "5c")


def test_with_twenty_the_widow_stays_unseen() -> None:
    """V21.5.2, V21.12.2: the bid was made before anybody saw it, and stands."""
    game = play(deal(ALL), "0 bid 20 s", PASSES)
    assert (view(game).stage, len(game.view(0).memory)) == ("play", 1)


@pytest.mark.parametrize(("bid", "partners"), [(1, 2), (5, 2), (6, 3), (7, 3)])
def test_exactly_so_many_partners_are_chosen_after_the_exchange(bid: int, partners: int) -> None:
    """V21.5.3, V21.12.6."""
    game = play(deal(ALL), f"0 bid {bid} s", PASSES, PUT_AWAY)
    assert tokens(game) == [f"partner {seat}" for seat in range(1, 7)]
    play(game, *(f"0 partner {seat}" for seat in (5, 2, 6)[:partners]))
    seen = game.view(1)
    makers = [seat for seat in range(7) if seen.sides[seat] == seen.sides[0]]
    assert (seen.stage, makers) == ("play", [0, 2, 5] if partners == 2 else [0, 2, 5, 6])


@pytest.mark.parametrize("bid", [10, 20])
def test_ten_and_twenty_are_played_without_partners(bid: int) -> None:
    """V21.5.3, V21.5.4, V21.12.1: all seats play."""
    seen = view(made(ALL, bid))
    assert (seen.stage, seen.active, seen.sides) == ("play", tuple(range(7)), (0, 1, 1, 1, 1, 1, 1))


def test_the_widow_is_seen_by_the_maker_only() -> None:
    """V21.6: maker, partners and all calls are public, cards are not."""
    game = made(ALL, 5, 3, 1)
    assert [memory.what for memory in game.view(0).memory] == ["dealt", "widow", *["discarded"] * 4]
    assert all(len(game.view(seat).memory) == 1 for seat in range(1, 7))
    assert [str(event.action) for event in game.view(6).history][-3:] == ["discard", "partner 3", "partner 1"]
    sample = sample_game(game.view(0), Random(1))
    assert sample.rules.pack.text(state_of(sample).dead) == ("6c", "5c", "4c", "3c")


def test_the_maker_leads() -> None:
    """V21.7."""
    game = play(deal(ALL), "0 pass, 1 pass, 2 bid 20 d, 3 pass, 4 pass, 5 pass, 6 pass")
    assert (game.actor, view(game).leader) == (2, 2)


POINTS = [
    (FIVE, 1, (1, 2), (1, 1, 1, 0, 0, 0, 0)),
    (FIVE, 5, (1, 2), (5, 5, 5, 0, 0, 0, 0)),
    (FIVE, 6, (1, 2, 3), (0, 0, 0, 0, 6, 6, 6)),
    (FIVE, 6, (1, 2, 4), (6, 6, 6, 0, 6, 0, 0)),
    (FIVE, 7, (4, 5, 6), (7, 0, 0, 0, 7, 7, 7)),
    (FIVE, 7, (1, 5, 6), (0, 0, 7, 7, 7, 0, 0)),
    (FIVE, 10, (), (0, 10, 10, 10, 10, 10, 10)),
    (ALL, 10, (), (10, 0, 0, 0, 0, 0, 0)),
    (FIVE, 20, (), (0, 20, 20, 20, 20, 20, 20)),
    (ALL, 20, (), (20, 0, 0, 0, 0, 0, 0)),
]


@pytest.mark.parametrize(("hands", "bid", "partners", "expected"), POINTS)
def test_the_points(hands: Mapping[int, str], bid: int, partners: tuple[int, ...], expected: tuple[int, ...]) -> None:
    """V21.8: the tricks of maker and partners together; nothing extra, nothing subtracted."""
    assert changes(made(hands, bid, *partners), hands) == expected


def two_hands(**options: object) -> Game:
    """Return a game after two hands: first seats 0, 2 and 4 make 3, then seats 0, 1 and 3 make 4."""
    game = hands_in_a_row("seven-handed", ALL, piles=WIDOW, options={"target": 4, **options})
    play(game, "0 bid 3 s", PASSES, PUT_AWAY, "0 partner 2, 0 partner 4")
    play_out(game)
    play(game, "1 bid 4 s, 2 pass, 3 pass, 4 pass, 5 pass, 6 pass, 0 pass", PUT_AWAY.replace("0 ", "1 "))
    play(game, "1 partner 0, 1 partner 3")
    play_out(game, 1)
    return game


def test_the_highest_at_the_target_wins() -> None:
    """V21.9, V21.12.7, V21.12.9."""
    game = two_hands()
    assert (game.ended, game.scores, game.winners) == ("target", (7, 4, 3, 4, 3, 0, 0), (0,))
    game = made(ALL, 5, 1, 2, target=5)
    play_out(game)
    assert game.winners == (0, 1, 2), "equal ones share"


def test_the_options_of_the_page() -> None:
    """V21.10."""
    assert resolve_options("seven-handed") == {
        "target": 100, "simultaneous_win": "highest", "min_bid": 1, "ten_partners": 0,
        "reveal_at_end": False, "max_hands": 0,
    }  # fmt: skip


def test_option_target() -> None:
    """V21.10."""
    for target, over in ((20, True), (21, False)):
        game = made(ALL, 20, target=target)
        play_out(game)
        assert game.is_over is over


def test_option_simultaneous_win_joint() -> None:
    """V21.10."""
    assert two_hands(simultaneous_win="joint").winners == (0, 1, 3)


@pytest.mark.parametrize("lowest", [2, 3, 4, 5, 6, 7])
def test_option_min_bid(lowest: int) -> None:
    """V21.10, E16: 1 to 7."""
    assert tokens(deal(ALL, min_bid=lowest))[:2] == ["pass", f"bid {lowest} s"]
    with pytest.raises(InvalidOption, match="min_bid of seven-handed must be 1, 2, 3, 4, 5, 6 or 7, not 8"):
        deal(ALL, min_bid=8)


def test_option_ten_partners() -> None:
    """V21.10, V21.12.1: three partners for a 10, and still none for a 20."""
    assert changes(made(FIVE, 10, 1, 2, 4, ten_partners=3), FIVE) == (10, 10, 10, 0, 10, 0, 0)
    assert view(made(ALL, 20, ten_partners=3)).stage == "play"
