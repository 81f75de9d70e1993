"""Ratings of results that no database holds (python.md, bowerbird.ratings)."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest

from bowerbird.engine import UnknownVariant
from bowerbird.ratings import (
    GameResult,
    Hypotheses,
    RatingError,
    expected_score,
    fit,
    game_result,
    points,
    rating_list,
    sequential_strength,
    sequential_test,
)


def rotated(deals: int, lost: int = 4) -> list[GameResult]:
    """Return deal sets of two games of ann against bob, who wins one deal of `lost`."""
    results = []
    for deal in range(deals):
        winner = "ann" if deal % lost else "bob"
        for rotation, seats in enumerate((["ann", "bob"] * 2, ["bob", "ann"] * 2)):
            ranks = [1 if bot == winner else 2 for bot in seats]
            results.append(game_result(seats, ranks, deal_set=deal, rotation=rotation))
    return results


def test_a_fit_finds_the_strength_behind_own_results() -> None:
    fitted = fit(rotated(400), anchor="bob")
    assert fitted.rating("bob").value == 0
    assert expected_score(fitted.rating("ann").value, 0) == pytest.approx(0.75, abs=0.01)
    low, high = fitted.difference("ann", "bob").interval()
    assert low < fitted.difference("ann", "bob").value < high


def test_the_order_of_results_and_repeated_ones_change_nothing() -> None:
    results = rotated(40)
    again = fit([*reversed(results), *results[:10]], anchor="bob")
    assert again.difference("ann", "bob") == fit(results, anchor="bob").difference("ann", "bob")


def test_results_that_were_not_rotated_count_only_where_that_is_asked_for() -> None:
    one_sided = [result for result in rotated(100) if result.id.rotation == 0]
    assert fit(one_sided).bots == ()
    assert fit(one_sided, complete_only=False, anchor="bob").rating("ann").value > 50


def test_contradicting_results_of_one_game_are_refused() -> None:
    results = [game_result(["ann", "bob"] * 2, ranks, deal_set=0) for ranks in ([1, 2, 1, 2], [2, 1, 2, 1])]
    for complete_only in (True, False):
        with pytest.raises(RatingError, match="given twice with different results"):
            fit(results, complete_only=complete_only)


def test_seats_that_do_not_match_are_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="got 4 bots and 2 ranks"):
        game_result(["ann", "bob"] * 2, [1, 2], deal_set=0)
    with pytest.raises(ValueError, match="got 4 bots and 3 sides"):
        game_result(["ann", "bob"] * 2, [1, 2, 1, 2], deal_set=0, variant="three-handed")
    with pytest.raises(UnknownVariant):
        game_result(["ann", "bob"], [1, 2], deal_set=0, variant="whist")


def test_a_game_of_another_kind_is_rated_with_its_sides() -> None:
    results = []
    for deal in range(20):
        for rotation, seats in enumerate((["ann", "bob"], ["bob", "ann"])):
            ranks = [1, 2] if seats[deal % 2] == "ann" else [2, 1]
            results.append(game_result(seats, ranks, deal_set=deal, rotation=rotation, variant="chess", sides=[0, 1]))
    assert {line.bot for line in rating_list(results, anchor="bob").lines} == {"ann", "bob"}


def test_points_are_above_the_mean_of_the_table() -> None:
    results = [
        game_result(seats, [1, 2, 1, 2], scores=[4, 2, 4, 2], hands=1, deal_set=0, rotation=n)
        for n, seats in enumerate((["ann", "bob"] * 2, ["bob", "ann"] * 2))
    ]
    assert [(row.bot, row.mean) for row in points(results)] == [("ann", 0.0), ("bob", 0.0)]
    assert [(row.bot, row.mean) for row in points(results[:1])] == [("ann", 1.0), ("bob", -1.0)]


def test_a_side_at_fault_loses() -> None:
    at_fault = game_result(["ann", "bob"] * 2, [1, 2, 1, 2], deal_set=0, offenders=[2])
    again = game_result(["bob", "ann"] * 2, [1, 2, 1, 2], deal_set=0, rotation=1, offenders=[1])
    assert fit([at_fault, again], anchor="bob").rating("ann").value < 0


def test_the_sequential_test_decides_once_and_for_all() -> None:
    hypotheses = Hypotheses(elo0=0, elo1=40)
    decided = sequential_test(rotated(400), "ann", "bob", hypotheses)
    assert decided.accepted == "H1"
    assert sequential_test(rotated(decided.sets), "ann", "bob", hypotheses) == decided
    assert sequential_test(rotated(decided.sets - 1), "ann", "bob", hypotheses).accepted == ""
    assert sequential_test(rotated(4000, lost=2), "ann", "bob", hypotheses).accepted == "H0"
    assert sequential_test([], "ann", "bob").sets == 0


def test_points_need_normalised_elo() -> None:
    with pytest.raises(RatingError, match="normalised"):
        sequential_test(rotated(4), "ann", "bob", measure="points")


def test_the_strength_of_a_test_comes_with_its_error() -> None:
    strength = sequential_strength(rotated(400), "ann", "bob")
    assert strength is not None
    assert strength.elo is not None
    assert expected_score(strength.elo.value, 0) == pytest.approx(0.75)
    assert sequential_strength([], "ann", "bob") is None
    assert strength.corrected is None


def test_a_strength_is_corrected_for_the_stop_of_its_test() -> None:
    hypotheses = Hypotheses(elo0=0, elo1=40)
    strength = sequential_strength(rotated(400), "ann", "bob", hypotheses)
    assert strength is not None
    stopped = rotated(sequential_test(rotated(400), "ann", "bob", hypotheses).sets)
    assert strength == sequential_strength(stopped, "ann", "bob", hypotheses)
    assert strength.corrected is not None
    assert strength.corrected.elo is not None
    assert strength.elo is not None
    assert strength.corrected.elo.low < strength.corrected.elo.value < strength.elo.value


@pytest.mark.parametrize("number", [math.nan, math.inf, 10**400])
def test_numbers_that_are_not_finite_are_refused(number: float) -> None:
    with pytest.raises(RatingError, match="elo1"):
        Hypotheses(elo1=number)
    with pytest.raises(RatingError, match="a rating is not a number"):
        expected_score(number, 0)
    whole = cast(int, number)
    for ranks, scores in (([1, whole], [0, 0]), ([1, 2], [0, whole])):
        with pytest.raises(RatingError, match="must be a whole number from"):
            game_result(["ann", "bob"], ranks, deal_set=0, variant="chess", sides=[0, 1], scores=scores)
    with pytest.raises(RatingError, match="not a number between"):
        fit(rotated(4), anchor_rating=number)
    with pytest.raises(RatingError, match="not a number between"):
        fit(rotated(4), penalty=number)


def test_changing_partners_and_copies_are_line_ups_of_their_own() -> None:
    """Who plays with whom makes a line-up, in whatever seats."""
    table = ["a", "b", "c", "d"]
    rotated, others = [*table[1:], table[0]], ["a", "c", "b", "d"]
    names = [game_result(seats, [1, 2, 1, 2], deal_set=0).id.lineup for seats in (table, rotated, others)]
    assert names == ["a&c+b&d", "a&c+b&d", "a&b+c&d"]
    copies = [["a", "b", "b"], ["b", "a", "a"]]
    found = [game_result(seats, [1, 2, 3], deal_set=0, sides=(0, 1, 2)).id.lineup for seats in copies]
    assert found == ["a+b+b", "a+a+b"]
    assert game_result(["a", "b", "a", "b"], [1, 2, 1, 2], deal_set=0).id.lineup == "a+b"


@pytest.mark.parametrize("wrong", [{"deal_set": 1.5}, {"deal_set": -1}, {"rotation": math.nan}, {"hands": "2"}])
def test_a_number_that_is_none_is_refused_in_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(RatingError, match="must be a whole number"):
        game_result(["a", "b"] * 2, [1, 2] * 2, **{"deal_set": 0, **wrong})


def test_a_rank_must_be_a_whole_number_from_1() -> None:
    for ranks in ([0, 1, 0, 1], [1, 1.5, 1, 1.5], [1, None, 1, None]):
        with pytest.raises(RatingError, match="a rank must be a whole number from 1 to"):
            game_result(["a", "b"] * 2, cast(Any, ranks), deal_set=0)
