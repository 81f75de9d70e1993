"""Points for each deal and their clustered error (ratings.md, Deal sets and Ratings kept, 3)."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.points import COIN_FLIPS, points, points_fit, set_differences
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId, SetKey


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


def sets_of(values: Sequence[int], one: str = "a", other: str = "b", start: int = 0) -> list[GameResult]:
    """Return deal sets of one game each in which `one` is better by these points."""
    return [
        deal(f"{one}+{other}", number, 0, one + other, (30 - value, 30))
        for number, value in enumerate(values, start=start)
    ]


def test_the_difference_of_two_bots_is_that_of_their_sets() -> None:
    """Sets of +4, +2, +6, +1, +5, +3, +7, +4, twice: mean 4, squares 56, Student's t with 15 degrees of freedom."""
    values = (4, 2, 6, 1, 5, 3, 7, 4) * 2
    found = points_fit(sets_of(values)).difference("a", "b")
    assert found.value == 4
    assert found.se == pytest.approx(math.sqrt(56 / 15 / 16))
    assert found.dof == pytest.approx(15)
    assert found.settled()
    assert points_fit(sets_of(values)).difference("b", "a").value == -4


def test_a_bot_and_its_deterministic_copy_differ_by_0_with_p_1() -> None:
    """a and b are copies: they score alike against c on the same packs, whose tables have means of thirds."""
    games = [
        deal(f"{bot}+c+d", number, 0, f"{bot}cd", (20 + number % 7, 25, 24)) for number in range(30) for bot in "ab"
    ]
    found = points_fit(games).difference("a", "b")
    assert (found.value, found.interval(), found.p_value) == (0, (0, 0), 1)
    assert points_fit(games).difference("a", "c").p_value < 0.01


@pytest.mark.parametrize("sets", range(2, COIN_FLIPS + 1))
def test_a_few_sets_that_all_end_alike_are_no_surer_than_coins(sets: int) -> None:
    found = points_fit(sets_of([3] * sets))
    assert found.difference("a", "b").p_value == pytest.approx(2 * 0.5**sets)
    assert found.p_values()[0, 1] == pytest.approx(2 * 0.5**sets)
    assert found.difference("a", "b").settled() == (sets >= 6)


def test_level_sets_are_no_coins() -> None:
    found = points_fit(sets_of([3] * 4 + [0] * 40)).difference("a", "b")
    assert found.p_value == pytest.approx(2 * 0.5**4)


def test_many_sets_that_all_end_alike_still_have_an_error() -> None:
    found = points_fit(sets_of([3] * 30))
    assert found.difference("a", "b").se == pytest.approx(3 / 31)
    assert found.rows["a"].error == pytest.approx(1.5 / 31)


def test_many_sets_are_not_widened() -> None:
    values = [1 + number % 9 for number in range(90)]
    found = points_fit(sets_of(values)).difference("a", "b")
    assert found.se == pytest.approx(statistics.stdev(values) / math.sqrt(90))


def test_bots_that_met_others_only_are_two_samples() -> None:
    """Welch with equal spreads: n + m - 2 degrees of freedom; the squares of the errors add up."""
    ours, theirs = (2, 4, 6, 1, 7, 9), (8, 1, 5, 0, 9, 7)
    found = points_fit(sets_of(ours, "a", "c") + sets_of(theirs, "b", "c", start=10)).difference("a", "b")
    assert found.value == pytest.approx((statistics.mean(ours) - statistics.mean(theirs)) / 2)
    assert found.se == pytest.approx(math.sqrt(statistics.variance(ours) / 6 + statistics.variance(theirs) / 6) / 2)
    assert found.dof == pytest.approx(10)


def test_few_sets_of_one_bot_give_few_degrees_of_freedom() -> None:
    """Defect D2: 300 sets of one bot do not help where the other has 3."""
    many = [number % 11 for number in range(300)]
    found = points_fit(sets_of(many, "a", "c") + sets_of((2, 5, 9), "b", "c", start=400)).difference("a", "b")
    assert found.dof == pytest.approx(2, abs=0.2)


def test_a_set_that_dominates_leaves_few_degrees_of_freedom() -> None:
    """Nine sets of one deal and one of 30: the mean is nearly the mean of one set."""
    games = sets_of(range(9)) + [replace(one, hands=30) for one in sets_of((90,), start=20)]
    (row, _) = points(games)
    assert row.estimate.dof is not None
    assert row.estimate.dof < 1


def test_one_set_leaves_the_difference_open() -> None:
    found = points_fit(sets_of((3,)) + sets_of(range(8), "a", "c", start=5))
    assert found.difference("a", "b").interval() == (-math.inf, math.inf)
    assert found.difference("a", "b").p_value == 1
    assert found.rows["b"].error is None


def test_p_values_of_all_pairs_are_those_of_the_differences() -> None:
    rng = random.Random(4)
    games = [
        one
        for place, pair in enumerate(("ab", "bc", "ac", "cd"))
        for one in sets_of([rng.randint(-9, 9) + place for _ in range(3 + 4 * place)], pair[0], pair[1], 2 * place)
    ]
    found = points_fit(games)
    values, p_values = found.values(), found.p_values()
    for row, bot in enumerate(found.bots):
        assert values[row] == found.rows[bot].mean
        for column, other in enumerate(found.bots):
            assert p_values[row, column] == pytest.approx(found.difference(bot, other).p_value)
    assert p_values.diagonal().tolist() == [1] * 4


def test_no_digit_depends_on_the_order_of_the_games() -> None:
    games = sets_of((3, 1, -2, 5), "a", "b") + sets_of((1, 7, -3), "b", "c") + sets_of((2, 2, 9), "c", "a", start=2)
    one, other = points_fit(games), points_fit(games[::-1])
    assert one.rows == other.rows
    assert one.p_values().tolist() == other.p_values().tolist()


def test_points_of_several_variants_are_refused() -> None:
    with pytest.raises(RatingError, match="buck, dirty-clubs"):
        points_fit([*sets_of((1, 2)), deal("a+b", 0, 0, "ab", (1, 2), variant="dirty-clubs")])


def test_an_unrated_bot_has_no_difference() -> None:
    with pytest.raises(RatingError, match="'z' has no rated game"):
        points_fit(sets_of((1, 2))).difference("a", "z")


def test_no_games_have_no_points() -> None:
    found = points_fit([])
    assert (found.bots, found.p_values().shape) == ((), (0, 0))


@pytest.mark.usefixtures("simulations")
def test_a_thousand_bots_take_seconds() -> None:
    """100,000 games: two to a set of their own, or all in 100 sets of common packs."""
    rng = random.Random(1)
    for common in (False, True):
        games = []
        for number in range(50_000):
            one, other = number % 500, 500 + number // 100 if not common else 500 + number % 500
            score = (rng.randint(0, 30), rng.randint(0, 30))
            bots, place = (f"b{one}", f"b{other}"), number // 500 if common else number
            games.append(replace(deal(f"{one}+{other}", place, 0, "ab", score), bots=bots))
            games.append(replace(deal(f"{one}+{other}", place, 1, "ab", score[::-1]), bots=bots[::-1]))
        started = time.process_time()
        assert points_fit(games).p_values().shape == (1000, 1000)
        took = time.process_time() - started
        assert took < 60, f"{took:.0f} s of processor time; 1.5 s on a slow core, minutes in Python over all pairs"


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize(
    ("both", "alone"), [(10, 0), (40, 0), (0, 10), (6, 6), pytest.param(12, 100, marks=pytest.mark.long)]
)
def test_intervals_of_differences_cover_the_truth(both: int, alone: int) -> None:
    """Equal bots, luck that mirrored games share: 93.5% to 97% of the intervals hold 0, up to chance."""
    rng = random.Random(both + alone)
    held, runs = 0, 1000
    for _ in range(runs):
        games = []
        for first, pair, sets in ((0, "ab", both), (1000, "ac", alone), (2000, "bc", alone)):
            for number in range(first, first + sets):
                luck = rng.gauss(0, 4)
                for turn in (0, 1):
                    score = round(30 + (luck if turn == 0 else -luck) + rng.gauss(0, 5))
                    bots, scores = (pair, (score, 30)) if turn == 0 else (pair[::-1], (30, score))
                    games.append(deal(pair, number, turn, bots, scores))
        low, high = points_fit(games).difference("a", "b").interval()
        held += low <= 0 <= high
    assert 0.935 - 0.015 <= held / runs <= 0.97 + 0.015
