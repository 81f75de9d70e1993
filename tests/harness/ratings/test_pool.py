"""Ratings over several variants (ratings.md, Ratings kept, 4)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings.pool import equal_mean, pool, pooled_ratings
from bowerbird.harness.records.values.game_result import GameResult
from tests.support.tournament.rated_games import mirrored


def perfect(value: float, bound: float, side: int = 1) -> Estimate:
    return Estimate(value, abs(value - bound) / 1.96, side=side, bound=bound, doubt=0.01)


def test_equal_variants_give_their_value_and_no_spread() -> None:
    found = pool([Estimate(100, 10, 50)] * 4)
    assert found.equal.value == found.random.value == 100  # type: ignore[union-attr]  # four finite variants have one
    assert found.equal.se == pytest.approx(5)
    assert found.tau == 0
    assert found.tau_interval == (0, 0)


def test_each_variant_weighs_the_same_in_the_mean_however_sure_it_is() -> None:
    found = pool([Estimate(0, 1, 50), Estimate(100, 50, 50)])
    assert found.equal.value == 50
    assert found.equal.se == pytest.approx(math.hypot(1, 50) / 2)


def test_degrees_of_freedom_are_those_of_welch_and_satterthwaite() -> None:
    assert equal_mean([Estimate(0, 3, 4), Estimate(0, 3, 4)]).dof == pytest.approx(8)
    assert equal_mean([Estimate(0, 3, 4), Estimate(0, 0)]).dof == pytest.approx(4)
    assert equal_mean([Estimate(0, 3), Estimate(0, 2)]).dof is None


def test_the_narrower_of_the_two_intervals_of_a_variant_counts() -> None:
    """Two sets have a spread that is hardly known; the error of so many single games is narrower and normal."""
    one = Estimate(0, 40, 1, 50)
    assert equal_mean([one]).interval() == pytest.approx((-50 * 1.959964, 50 * 1.959964))
    assert equal_mean([one]).dof is None


def test_paule_and_mandel_by_hand() -> None:
    """With equal errors tau^2 is the variance of the values minus the variance of the errors."""
    values = (0.0, 40.0, 80.0)
    found = pool([Estimate(value, 10) for value in values])
    assert found.tau == pytest.approx(math.sqrt(np.var(values, ddof=1) - 100))
    assert found.random is not None
    assert found.random.value == pytest.approx(40)
    assert found.random.se == pytest.approx(40 / math.sqrt(3)), "its error is the spread of the variants"


def test_the_q_profile_by_hand() -> None:
    """With equal errors the squares over (10^2 + tau^2) are 3200 / (100 + tau^2): set equal to chi-square quantiles."""
    found = pool([Estimate(value, 10) for value in (0.0, 40.0, 80.0)])
    upper, lower = 7.377759, 0.0506356  # of chi-square with 2 degrees of freedom
    assert found.tau_interval == pytest.approx((math.sqrt(3200 / upper - 100), math.sqrt(3200 / lower - 100)), rel=1e-5)


def test_a_perfect_score_in_one_variant_leaves_a_bound_of_the_mean() -> None:
    """MOVER: the finite ends are 19.6 and 300 away, so the bound is sqrt(19.6^2 + 300^2) / 2 below the mean of 450."""
    found = pool([Estimate(100, 10), perfect(800, 500)])
    low, high = found.equal.interval()
    assert (found.equal.value, high, found.random, found.tau_interval) == (450, math.inf, None, None)
    assert low == pytest.approx(450 - math.hypot(19.59964, 300) / 2)
    assert found.equal.settled()


def test_the_far_end_of_a_nearly_perfect_score_is_that_of_the_mean() -> None:
    """MOVER above, where the ends are 39.2 and 500 away; Welch and Satterthwaite below."""
    found = equal_mean([Estimate(0, 20), Estimate(600, 50, far=1100)])
    low, high = found.interval()
    assert high == pytest.approx(300 + math.hypot(39.19928, 500) / 2)
    assert low == pytest.approx(300 - 1.959964 * math.hypot(20, 50) / 2)


def test_far_ends_in_both_directions_widen_both_ends() -> None:
    found = equal_mean([Estimate(-500, 50, far=-800), Estimate(600, 50, far=1100)])
    low, high = found.interval()
    assert high == pytest.approx(50 + math.hypot(97.9982, 500) / 2)
    assert low == pytest.approx(50 - math.hypot(97.9982, 300) / 2)


def test_a_hopeless_score_is_the_mirror_image() -> None:
    up, down = (
        pool([Estimate(-100, 90), perfect(400, 50)]).equal,
        pool([Estimate(100, 90), perfect(-400, -50, -1)]).equal,
    )
    assert down.interval()[1] == -up.interval()[0]
    assert down.superiority == pytest.approx(1 - up.superiority)
    assert down.p_value == pytest.approx(up.p_value)


def test_a_bound_above_0_and_settled_are_the_same() -> None:
    for other in (-700, -300, -260, -240, -200, 0):
        found = equal_mean([Estimate(other, 20), perfect(400, 230)])
        assert found.settled() == (found.interval()[0] > 0)


def test_perfect_and_hopeless_scores_have_a_mean_and_no_interval() -> None:
    found = pool([perfect(-600, -400, -1), perfect(700, 500)])
    assert found.equal.value == 50
    assert found.equal.interval() == (-math.inf, math.inf)
    assert not found.equal.settled()


def test_one_variant_has_no_spread() -> None:
    found = pool([Estimate(100, 10, 50)])
    assert (found.equal.value, found.random, found.tau, found.tau_interval) == (100, None, None, None)


def test_a_variant_of_which_nothing_is_known_leaves_a_mean_of_which_nothing_is_known() -> None:
    """One deal set of a variant gives no error for it, and the other variants provide none."""
    found = pool([Estimate(51.6, 59.9, 1), Estimate(0.0, math.inf), Estimate(-111.2, 112.5, 1)])
    assert found.equal.interval() == (-math.inf, math.inf)
    assert found.random is None
    assert found.tau is None


def games_of(variant: str, wins: dict[tuple[str, str], tuple[int, ...]]) -> list[GameResult]:
    """Return mirrored sets; `wins` holds by pair the games of each set that the first won, 0 to 2."""
    return [
        replace(one, variant=variant, id=replace(one.id, entry=f"{variant}-0"))
        for (bot, other), by_set in wins.items()
        for number, won in enumerate(by_set)
        for one in mirrored(number, bot, other, (min(won, 1), max(won - 1, 0)))
    ]


def test_ratings_are_pooled_after_a_perfect_score_in_one_variant() -> None:
    games = games_of("buck", {("a", "b"): (2, 1, 2, 1, 1, 0)}) + games_of("euchre", {("a", "b"): (2, 2, 2, 2, 2, 2)})
    found = pooled_ratings(games)
    assert list(found) == ["a", "b"]
    assert all(math.isfinite(line.equal.value) for line in found.values())
    assert {line.variants for line in found.values()} == {2}


def test_ratings_are_pooled_where_no_bot_has_two_finite_ends_in_every_variant() -> None:
    """In buck a and b are told from c and d by perfect scores, in euchre c and d from a and b: a is fixed at 0."""
    even = (2, 1, 0, 1)
    buck = {("a", "b"): even, ("b", "c"): (2, 2, 2), ("c", "d"): (2, 2, 2)}
    euchre = {("c", "d"): even, ("b", "c"): (2, 2, 2), ("a", "b"): (2, 2, 2)}
    found = pooled_ratings(games_of("buck", buck) + games_of("euchre", euchre))
    assert (found["a"].equal.value, found["a"].equal.interval()) == (0, (0, 0))
    assert all(math.isfinite(line.equal.value) for line in found.values())


@pytest.mark.usefixtures("simulations")
def test_random_effects_cover_the_true_mean() -> None:
    """Seven variants with a spread of 60 and errors from 10 to 40: 93% to 97% of the 95% intervals hold the mean."""
    rng = np.random.default_rng(4)
    errors = np.linspace(10, 40, 7)
    held = 0
    for _ in range(1000):
        values = 200 + rng.normal(0, 60, 7) + rng.normal(0, errors)
        random = pool([Estimate(value, error, 200) for value, error in zip(values, errors, strict=True)]).random
        assert random is not None
        low, high = random.interval()
        held += low <= 200 <= high
    assert 930 <= held <= 970


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("variants", [3, 7, 21])
@pytest.mark.parametrize(("tau", "dof"), [(30, 40), (60, 40), (60, 9)])
def test_intervals_of_tau_cover_it(variants: int, tau: float, dof: int) -> None:
    """Errors of 15 to 45, themselves estimated from 10 and 41 sets: 94% to 97% of the intervals hold tau, up to chance.

    The limits are wider than the target by three standard errors of 2,000 replications, 1.5%.
    """
    rng = np.random.default_rng(variants)
    true = np.linspace(15, 45, variants)
    held = 0
    for _ in range(2000):
        values = rng.normal(0, tau, variants) + rng.normal(0, true)
        errors = true * np.sqrt(rng.chisquare(dof, variants) / dof)
        interval = pool([Estimate(value, error, dof) for value, error in zip(values, errors, strict=True)]).tau_interval
        assert interval is not None
        held += interval[0] <= tau <= interval[1]
    assert 0.94 - 0.015 <= held / 2000 <= 0.97 + 0.015


@pytest.mark.usefixtures("simulations")
def test_pooled_bounds_hold_at_their_level() -> None:
    """D8: variants after sweeps beside ordinary ones; at least 97.5% of the bounds are below the truth, up to chance.

    In a swept variant the bound is where such a clear result still has 2.5%: after n won coin flips p^n = 0.025.
    """
    rng = np.random.default_rng(8)
    unit = 400 / math.log(10)
    swept, held, sets = 0, 0, 12
    for _ in range(6000):
        truth = np.array([350.0, 350.0, 50.0, 80.0])
        estimates = []
        for strength in truth:
            p = 1 / (1 + 10 ** (-strength / 400))
            won = int(rng.binomial(sets, p))
            share = (won + 0.5) / (sets + 1)
            value, error = unit * math.log(share / (1 - share)), unit / math.sqrt((sets + 1) * share * (1 - share))
            if won == sets:
                end = 0.025 ** (1 / sets)
                estimates.append(perfect(value, unit * math.log(end / (1 - end))))
            else:
                estimates.append(Estimate(value, error))
        found = equal_mean(estimates)
        if found.side:
            swept += 1
            held += found.interval()[0] <= truth.mean()
    assert swept > 2000
    assert held / swept >= 0.97
