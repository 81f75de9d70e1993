"""Points for each deal and their clustered error (ratings.md, Deal sets and Ratings kept, 3)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.ratings.points import points, set_differences
from harness.records.values.game_result import GameResult
from harness.records.values.run import GameId, SetKey


def deal(
    lineup: str,
    number: int,
    rotation: int,
    bots: str,
    scores: tuple[int, ...],
    *,
    variant: str = "buck",
    sides: tuple[int, ...] | None = None,
    offenders: tuple[int, ...] = (),
    rated: bool = True,
) -> GameResult:
    game = GameId("4f1c9a", f"{variant}-0", lineup, number, rotation)
    seats = sides or tuple(range(len(bots)))
    return GameResult(game, variant, tuple(bots), seats, (1,) * len(bots), scores, offenders, rated)


def test_a_bot_entered_twice_differs_by_exactly_0() -> None:
    """Every seat plays alike in each rotation; thirds would not add up to 0 in floating point."""
    scores = (25, 24, 24)
    rotations = [deal("a+b+c", 0, turn, "abc"[-turn:] + "abc"[:-turn] if turn else "abc", scores) for turn in range(3)]
    differences = set_differences(rotations)[SetKey("buck-0", "a+b+c", 0)]
    assert differences == {"a": Fraction(0), "b": Fraction(0), "c": Fraction(0)}


def test_fewer_points_are_better_where_the_variant_counts_down() -> None:
    """rules.md V12: start at 25, count down."""
    values = set_differences([deal("a+b+c+d", 0, 0, "abcd", (20, 25, 30, 25))])
    assert values[SetKey("buck-0", "a+b+c+d", 0)] == {"a": 5, "b": 0, "c": -5, "d": 0}


def test_more_points_are_better_in_euchre() -> None:
    """rules.md V1.8."""
    one = deal("a+b", 0, 0, "abab", (2, 0, 2, 0), variant="euchre", sides=(0, 1, 0, 1))
    assert set_differences([one])[SetKey("euchre-0", "a+b", 0)] == {"a": 1, "b": -1}


def test_the_error_is_clustered_by_deal_set() -> None:
    """Two sets of two games with set means +3 and +1 for A: the mean is 2 and its error sqrt((1^2 + 1^2) / 2) = 1."""
    games = [
        deal("a+b", 0, 0, "ab", (17, 25)),
        deal("a+b", 0, 1, "ba", (25, 21)),
        deal("a+b", 1, 0, "ab", (25, 23)),
        deal("a+b", 1, 1, "ba", (25, 19)),
    ]
    row = points(games)[0]
    assert (row.bot, row.mean, row.sets) == ("a", 2.0, 2)
    assert row.error == pytest.approx(1.0)


def test_line_ups_that_share_their_packs_are_one_observation() -> None:
    games = [
        deal("a+b", 0, 0, "ab", (21, 25)),
        deal("a+c", 0, 0, "ac", (21, 25)),
        deal("a+b", 1, 0, "ab", (25, 25)),
        deal("a+c", 1, 0, "ac", (25, 25)),
    ]
    row = points(games)[0]
    assert (row.mean, row.sets) == (1.0, 2)
    assert row.error == pytest.approx(1.0), "four games that share two deals must not count as four"


def test_one_set_has_no_error() -> None:
    assert points([deal("a+b", 0, 0, "ab", (20, 25))])[0].error is None


def test_an_offender_has_the_worst_of_its_set() -> None:
    """protocol.md, Faults at a table: the worse of its own result and the worst result in its set."""
    games = [
        deal("a+b", 0, 0, "ab", (20, 26)),
        deal("a+b", 0, 1, "ba", (30, 20), offenders=(1,)),
    ]
    values = set_differences(games)[SetKey("buck-0", "a+b", 0)]
    assert values["a"] == Fraction(3 - 5, 2), "A made +3, then at fault the set's worst, -5"
    assert values["b"] == Fraction(-3 - 5, 2)


def test_an_offender_without_a_finished_hand_has_the_worst_of_its_set() -> None:
    games = [deal("a+b", 0, 0, "ab", (20, 26)), deal("a+b", 0, 1, "ba", (), offenders=(1,))]
    assert set_differences(games)[SetKey("buck-0", "a+b", 0)] == {"a": 0, "b": Fraction(-3, 2)}


def test_a_game_that_was_not_played_has_no_points() -> None:
    assert points([deal("a+b", 0, 0, "ab", (), offenders=(0,), rated=False)]) == ()
