"""Part O of the rules: options that bring in rules of their own. Seat 3 deals unless it is said otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bowerbird.engine import Game
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

MARCH = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {**MARCH, 0: "Js Jc As Ks 9h"}
"""Seat 0 takes four tricks in spades, and seat 1 the last."""

NONE = {0: "9h Th 9d Td Qc", 1: "Js Jc As Ks Qs", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}
"""Seat 1 takes five tricks in spades."""

PASSED = "0 pass, 1 pass, 2 pass, 3 pass"


def deal(hands: Mapping[int, str], upcard: str = "9s", variant: str = "euchre", **options: object) -> Game:
    return scenario(variant, dealer=3, hands=hands, upcard=upcard, options=options)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


# O3.


@pytest.mark.parametrize("jambone", [False, True])
def test_no_trump_may_be_named_in_the_second_round_only(jambone: bool) -> None:
    """O3, in every way to play; by default it is no action."""
    game = deal(MARCH, name_no_trump=True, jambone=jambone)
    assert not any("nt" in token for token in tokens(game))
    play(game, PASSED)
    named = ["call nt", "call nt alone", *(["call nt jambone"] if jambone else [])]
    assert tokens(game)[-len(named) :] == named
    assert not any("nt" in token for token in tokens(play(deal(MARCH), PASSED)))


def test_at_no_trump_no_jack_is_a_bower_and_nothing_trumps() -> None:
    """O3, A3: the highest card of the suit led wins."""
    game = play(deal({**MARCH, 0: "Js As Ks Qs Jc"}, name_no_trump=True), PASSED, "0 call nt")
    assert (view(game).trump, view(game).maker, view(game).upcard_place) == ("nt", 0, "down")
    trick(game, "0: Jc Ah Ad Ac")
    assert game.actor == 3, "the ace of clubs takes the jack"
    assert tokens(trick(game, "3: Kc Js Kh Kd")) == ["play Qc", "play Tc", "play 9c"]


@pytest.mark.parametrize(
    ("call", "hands", "expected"),
    [
        ("call nt", {0: "As Ks Qs Js Ts"}, (2, 0)),
        ("call nt alone", {0: "As Ks Qs Js Ts"}, (4, 0)),
        ("call nt", {0: "As Ks Qs Js 9h"}, (1, 0)),
        ("call nt alone", {0: "9h Th 9d Td Qc", 1: "As Ks Qs Js Ah"}, (0, 2)),
    ],
)
def test_no_trump_scores_as_a_trump(call: str, hands: Mapping[int, str], expected: tuple[int, int]) -> None:
    """O3, V1.8. The game is to 20, so that no hand ends it."""
    game = deal({**hands} if 1 in hands else {**MARCH, **hands}, name_no_trump=True, target=20)
    assert points(play(game, PASSED, f"0 {call}")) == expected


def test_a_stuck_dealer_may_name_no_trump() -> None:
    """O3, V1.5.3."""
    game = play(deal(MARCH, name_no_trump=True, stick_dealer=True), PASSED, "0 pass, 1 pass, 2 pass")
    assert tokens(game)[-1] == "call nt alone"
    assert "pass" not in tokens(game)


def test_no_jamboree_comes_at_no_trump() -> None:
    """O3: without trumps there are no five highest."""
    game = play(deal(MARCH, name_no_trump=True, jamboree=True), PASSED, "0 call nt")
    assert game.stage == "play"


def test_a_void_jambone_player_at_no_trump_is_dictated_to() -> None:
    """O3, V4.5.5c: he holds no trump."""
    hands = {0: "Th 9h Ad Kd Ac", 1: "Js Jc As Ks 9d", 2: "Qh Jh Kc Qc Tc", 3: "Td Qd Jd 9c Ah"}
    game = play(deal(hands, name_no_trump=True, jambone=True), PASSED, "0 pass, 1 call nt jambone, 0 play Th")
    assert (game.actor, tokens(game)) == (0, ["dictate As", "dictate Ks", "dictate Js", "dictate 9d", "dictate Jc"])


def test_a_defender_may_play_alone_against_no_trump() -> None:
    """O3, L3."""
    game = play(deal(MARCH, name_no_trump=True, defend_alone="always"), PASSED, "0 call nt")
    assert tokens(game) == ["defend", "decline"]


# O6 and O7.


@pytest.mark.parametrize(
    ("hands", "call", "expected"),
    [
        (MARCH, "order alone", (4, 0)),
        (FOUR, "order alone", (0, 2)),
        (NONE, "order alone", (0, 2)),
        (FOUR, "order", (1, 0)),
    ],
)
@pytest.mark.parametrize("variant", ["euchre", "british"])
def test_a_lone_maker_below_five_tricks_is_euchred(
    variant: str, hands: Mapping[int, str], call: str, expected: tuple[int, int]
) -> None:
    """O6. With a partner nothing changes."""
    game = deal(hands, variant=variant, alone_needs_five=True, defend_alone="never", target=20)
    discard = "3 discard Tc"
    assert points(play(game, f"0 {call}", discard)) == expected


def test_a_lone_maker_with_four_tricks_loses_what_a_euchred_one_does() -> None:
    """O6: 2 or 4 to two defenders, 4 to a lone one; Jambone keeps its own table."""
    options: dict[str, object] = {"alone_needs_five": True, "target": 20}
    game = deal(FOUR, **options, lone_euchre_points=4)
    assert points(play(game, "0 order alone, 3 discard Tc")) == (0, 4)
    game = deal(FOUR, **options, defend_alone="vs_alone")
    assert points(play(game, "0 order alone, 3 discard Tc, 1 defend")) == (0, 4)
    game = deal(FOUR, **options, jambone=True)
    assert points(play(game, "0 order jambone, 3 discard Tc, 1 dictate 9h")) == (1, 0)


@pytest.mark.parametrize(
    ("hands", "call", "expected"),
    [(MARCH, "order alone", (6, 0)), (MARCH, "order", (2, 0)), (FOUR, "order alone", (1, 0))],
)
def test_option_alone_march_points(hands: Mapping[int, str], call: str, expected: tuple[int, int]) -> None:
    """O7: it takes the place of the 4 in one line."""
    game = deal(hands, alone_march_points=6, target=20)
    assert points(play(game, f"0 {call}", "3 discard Tc")) == expected
