"""V9 Three-handed and V10 Cut-throat Euchre: at least one test for each number on their pages. Seat 2 deals."""

from __future__ import annotations

from typing import Any

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, rules_of
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view
from tests.support.engine.short_hands import DEALER, taking

BOTH = pytest.mark.parametrize("variant", ["three-handed", "cut-throat"])
BETWEEN = "Jh Th 9h Jd Kc"
"""Takes no trick while the two others do."""


def deal(variant: str, tricks: int = 5, upcard: str = "9s", **options: object) -> Game:
    hands = {0: taking(tricks), 1: BETWEEN, 2: DEALER}
    return scenario(variant, dealer=2, hands=hands, upcard=upcard, options=options)


def ordered(variant: str, tricks: int, scores: tuple[int, ...] = (0, 0, 0), **options: Any) -> Game:
    """Return a hand: the eldest has ordered spades up and taken `tricks` tricks."""
    game = deal(variant, tricks, **options)
    state_of(game).scores = scores
    play_out(play(game, "0 order, 2 discard Qh"))
    assert game.results[0].tricks[0] == tricks
    return game


@BOTH
def test_three_players_each_for_himself(variant: str) -> None:
    """V9.1, V10.1."""
    page = rules_of(variant)
    assert (page.seats(), page.teams(), page.better) == (3, None, "high")


@BOTH
def test_in_a_hand_the_others_are_allies_against_the_maker(variant: str) -> None:
    """V9.1, V10.1: for that hand only."""
    for call, maker in (("0 order", 0), ("0 pass, 1 order", 1), ("0 pass, 1 pass, 2 order", 2)):
        game = play(deal(variant), call, "2 discard Qh")
        assert view(game).sides == {0: (0, 1, 1), 1: (0, 1, 0), 2: (0, 0, 2)}[maker]
        play_out(game)
        assert view(game).sides == (0, 1, 2)


@BOTH
def test_the_pack_and_the_deal(variant: str) -> None:
    """V9.2, V9.4, V10.2, V10.4, V10.12.1: 32 cards, packets 2-3 from the eldest, card 16 is turned up."""
    codes = rules_of(variant).rules().pack.codes
    assert len(codes) == 32
    game = new_game(variant, packs=[[" ".join(codes)]], first_dealer=0)
    assert game.view(1).hand == (*codes[0:2], *codes[6:9])
    assert game.view(0).hand == (*codes[4:6], *codes[12:15])
    assert game.view(0).upcard == codes[15]


@BOTH
def test_the_left_bower_is_the_second_trump(variant: str) -> None:
    """V9.3, V10.3, A3."""
    game = trick(play(deal(variant), "0 order, 2 discard Qh"), "0: Jc Kc 9s")
    assert view(game).tricks_won == (1, 0, 0)


@BOTH
def test_procedure_t_without_lone_hands(variant: str) -> None:
    """V9.5, V9.12.4, V10.5, V10.12.3: T1, T2 by the dealer; T3, T4 thrown in."""
    game = deal(variant)
    assert (game.actor, tokens(game)) == (0, ["pass", "order"])
    play(game, "0 pass, 1 order")
    assert (game.actor, view(game).stage) == (2, "discard")
    game = play(deal(variant), "0 pass, 1 pass, 2 pass")
    assert (game.actor, tokens(game)) == (0, ["pass", "call h", "call d", "call c"])
    play(game, "0 pass, 1 pass, 2 pass")
    assert (game.results[0].ended, game.dealer, game.scores) == ("thrown in", 0, (0, 0, 0))


@BOTH
def test_the_upcard_is_public_and_hands_are_not(variant: str) -> None:
    """V9.6, V10.6."""
    game = play(deal(variant), "0 order, 2 discard Qh")
    assert (game.view(1).upcard, game.view(1).upcard_holder) == ("9s", 2)
    assert [str(event.action) for event in game.view(1).history] == ["order", "discard"]
    assert game.view(1).hand == ("Jh", "Th", "9h", "Jd", "Kc")


@BOTH
@pytest.mark.parametrize("call", ["0 order", "0 pass, 1 order", "0 pass, 1 pass, 2 order"])
def test_the_eldest_leads_five_tricks(variant: str, call: str) -> None:
    """V9.5, V9.7, V10.5, V10.7."""
    game = play(deal(variant), call, "2 discard Qh")
    assert game.actor == 0
    assert sum(play_out(game).tricks) == 5


@pytest.mark.parametrize(
    ("tricks", "three_handed", "cut_throat"),
    [
        (5, (2, 0, 0), (3, 0, 0)),
        (4, (1, 0, 0), (1, 0, 0)),
        (3, (1, 0, 0), (1, 0, 0)),
        (2, (0, 2, 2), (0, 2, 2)),
        (0, (0, 2, 2), (0, 2, 2)),
    ],
)
def test_points(tricks: int, three_handed: tuple[int, ...], cut_throat: tuple[int, ...]) -> None:
    """V9.8, V9.12.1, V9.12.2, V10.8: each of the others has the two points."""
    assert change(ordered("three-handed", tricks)) == three_handed
    assert change(ordered("cut-throat", tricks)) == cut_throat


def test_the_defenders_need_three_tricks_together() -> None:
    """V10.8, V10.12.2: two and one are enough."""
    hands = {0: "Js Jc 9d Td 9c", 1: "Ad Kd Th Jh 9h", 2: "Ac Kc Ah Kh Qh"}
    game = play(scenario("cut-throat", dealer=2, hands=hands, upcard="9s"), "0 order, 2 discard Qh")
    for line in ("0: Js 9h 9s", "0: Jc Th Kc", "0: 9d Ad Ac", "1: Jh Kh Td", "2: Ah 9c Kd"):
        trick(game, line)
    assert game.results[0].tricks == (2, 1, 2)
    assert change(game) == (0, 2, 2)


@BOTH
def test_the_first_with_five_points_wins(variant: str) -> None:
    """V9.9, V10.9."""
    game = ordered(variant, 5, (3, 3, 3))
    assert (game.ended, game.winners, game.ranks) == ("target", (0,), (1, 2, 2))
    assert not ordered(variant, 4, (3, 3, 3)).is_over


@BOTH
def test_all_who_arrive_together_win(variant: str) -> None:
    """V9.9, V9.12.3, V10.9, V10.12.4, D4, E1: with any scores at the target; the loser is third."""
    game = ordered(variant, 2, (4, 4, 3))
    assert (game.scores, game.winners, game.ranks) == ((4, 6, 5), (1, 2), (3, 1, 1))


@BOTH
def test_option_simultaneous_win(variant: str) -> None:
    """V9.10, V10.10: the higher score wins, equal ones share."""
    game = ordered(variant, 2, (4, 4, 3), simultaneous_win="highest")
    assert (game.winners, game.ranks) == ((1,), (3, 1, 2))
    game = ordered(variant, 2, (0, 3, 3), simultaneous_win="highest")
    assert (game.winners, game.ranks) == ((1, 2), (3, 1, 1))


@BOTH
def test_option_target(variant: str) -> None:
    """V9.10, V10.10."""
    assert not ordered(variant, 4, (8, 0, 0), target=10).is_over
    assert ordered(variant, 4, (9, 0, 0), target=10).winners == (0,)


@pytest.mark.parametrize(("variant", "march"), [("three-handed", 3), ("cut-throat", 2)])
def test_option_march(variant: str, march: int) -> None:
    """V9.10, V10.10, E16: 2 or 3."""
    assert change(ordered(variant, 5, march=march)) == (march, 0, 0)
    with pytest.raises(InvalidOption, match="march of"):
        new_game(variant, {"march": 4})


@BOTH
def test_option_deck(variant: str) -> None:
    """V9.10, V10.10: 24 cards."""
    codes = rules_of(variant).rules({"deck": 24}).pack.codes
    assert (len(codes), {code[0] for code in codes}) == (24, set("AKQJT9"))
    assert change(ordered(variant, 4, deck=24)) == (1, 0, 0)
