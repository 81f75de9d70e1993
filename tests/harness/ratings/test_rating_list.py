"""The standings of record: rank by interval, the zero of the scale, several variants together."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from bowerbird.harness.ratings.normalised import ELO_PER_DEVIATION
from bowerbird.harness.ratings.standings.pool import pooled_ratings
from bowerbird.harness.ratings.standings.rating_list import NOT_ROTATED, normalised, rating_list
from bowerbird.harness.records.values.game_result import GameResult
from tests.support.tournament.rated_games import mirrored, series, tournament


def test_a_bot_is_above_only_where_the_interval_of_the_difference_excludes_0() -> None:
    close = rating_list(series(20, lambda number: (1, number % 10 != 0 and number % 2)))
    assert [line.rank for line in close.lines] == [1, 2]
    open_ = rating_list(series(6, lambda number: (1, number % 2)))
    assert [(line.bot, line.rank) for line in open_.lines][:1] == [("a", 1)]
    even = rating_list(series(20, lambda number: (1, 0) if number % 2 else (1, 1) if number % 4 else (0, 0)))
    assert [line.rank for line in even.lines] == [1, 1]


def test_the_likelihood_of_superiority_is_over_the_next() -> None:
    found = rating_list(series(40, lambda number: (1, number % 2)))
    first, last = found.lines
    assert first.ahead is not None
    assert first.ahead > 0.99
    assert last.ahead is None


def test_the_sentence_says_what_stands_at_0() -> None:
    without = rating_list(series(10, lambda number: (1, number % 2)))
    assert without.sentence == "Elo: the mean of all is 0 (the anchor random did not play)"
    anchored = rating_list(series(10, lambda number: (1, number % 2), other="random"))
    assert anchored.sentence == "Elo: the anchor random is fixed at 0"
    beaten = series(10, lambda number: (1, number % 2)) + series(10, lambda _: (1, 1), other="random")
    assert "a and b is 0 (the anchor random won or lost everything" in rating_list(beaten).sentence


def test_bots_that_never_met_are_named_and_not_rated() -> None:
    found = rating_list(mirrored(0, "a", "b", (1, 0)) + mirrored(0, "c", "d", (1, 0)))
    assert found.lines == ()
    assert "a, b | c, d" in found.sentence


def test_no_digit_of_the_rating_list_depends_on_the_order_of_the_games() -> None:
    games = two_variants()
    shuffled = list(games)
    random.Random(2).shuffle(shuffled)
    assert rating_list(shuffled) == rating_list(games)
    assert pooled_ratings(shuffled) == pooled_ratings(games)


def two_variants() -> list[GameResult]:
    rng = np.random.default_rng(8)
    return [
        replace(one, id=replace(one.id, entry=f"{variant}-0"), variant=variant)
        for variant, strengths in (("buck", (0, 0.3, 0.5, 0.9)), ("dirty-clubs", (0, 0.6, 0.5, 0.4)))
        for one in tournament(rng, strengths, 40, luck=1.0)
    ]


def test_pooled_ratings_are_the_means_of_the_variants() -> None:
    games = two_variants()
    each = [rating_list([one for one in games if one.variant == variant], "b0") for variant in ("buck", "dirty-clubs")]
    found = pooled_ratings(games, "b0")
    for bot in ("b1", "b2", "b3"):
        lines = [one.line(bot) for one in each]
        assert found[bot].equal.value == pytest.approx(sum(line.rating.value for line in lines if line) / 2)
        assert found[bot].variants == 2
    assert found["b0"].equal.value == 0


def test_points_of_several_variants_are_not_mixed() -> None:
    games = two_variants()
    assert all(line.points is None for line in rating_list(games).lines)
    assert all(line.points is not None for line in rating_list([one for one in games if one.variant == "buck"]).lines)


def test_normalised_elo_is_the_mean_in_standard_deviations_of_a_game() -> None:
    """Sets of 1, 1/2, 1, 0: mean 1/8 above one half, standard deviation .4146 a set, times sqrt 2 a game."""
    games = series(4, lambda number: ((1, 1), (1, 0), (1, 1), (0, 0))[number])
    found = normalised(games)["a"]
    assert found is not None
    assert found.value == pytest.approx(0.125 / (math.sqrt(0.171875) * math.sqrt(2)) * ELO_PER_DEVIATION)
    assert "a" not in normalised(series(4, lambda _: (1, 0)))


def test_forecasts_count_the_deal_sets_of_all_line_ups() -> None:
    """Three line-ups play the same ten packs: 30 deal sets, as a run counts them."""
    games = [
        one
        for number in range(10)
        for pair in (("a", "b"), ("b", "c"), ("a", "c"))
        for one in mirrored(number, *pair, (1, 1) if number < 3 else (0, 0) if number == 3 else (1, 0))
    ]
    pair = next(one for one in rating_list(games).undecided if one.more_sets is not None)
    assert pair.more_sets is not None
    assert pair.times == pytest.approx(1 + pair.more_sets / 30)


def test_games_that_nobody_rotated_have_a_list_and_a_remark_unless_they_are_asked_for() -> None:
    games = [one for one in series(40, lambda number: (1, number % 2)) if one.id.rotation == 0]
    for found, is_remarked in ((rating_list(games), True), (rating_list(games, complete_only=False), False)):
        assert [line.bot for line in found.lines] == ["a", "b"]
        assert (NOT_ROTATED in found.remarks) == is_remarked
