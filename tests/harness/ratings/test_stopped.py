"""Estimates after a sequential test are corrected (ratings.md, Sequential test; rating-checks.md, Known answers)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from bowerbird.harness.ratings.normalised import ELO_PER_DEVIATION
from bowerbird.harness.ratings.sequential.likelihood_ratio import mle_with_mean
from bowerbird.harness.ratings.sequential.set_values import POINTS, SCORE, SetValue
from bowerbird.harness.ratings.sequential.sprt import Hypotheses, SequentialTest, decide, strength_of
from bowerbird.harness.ratings.sequential.stopped import FEWEST_STEPS, STRONGEST_DRIFT, Outcome, StoppedEstimate

QUARTERS = [Fraction(quarter, 4) for quarter in (-2, -1, 0, 1, 2)]


def spread_out(counts: Sequence[int]) -> list[SetValue]:
    """Return sets of two games with these counts of LL to WW, each as evenly spread as can be."""
    places = [((number + 0.5) / count, value) for value, count in enumerate(counts) for number in range(count)]
    return [SetValue(QUARTERS[value], 2) for _, value in sorted(places)]


def test_known_answer_of_fishtest() -> None:
    """An unfinished test of 36,168 pairs of games, logistic Elo 0.2 against 0.9."""
    strength = strength_of(spread_out((39, 2226, 31451, 2412, 40)), SCORE, Hypotheses(0.2, 0.9))
    assert strength is not None
    assert strength.corrected is not None
    elo = strength.corrected.elo
    assert elo is not None
    assert elo.value == pytest.approx(0.86518, abs=5e-6)
    assert (elo.low, elo.high) == pytest.approx((0.16831, 1.54060), abs=5e-6)
    assert strength.corrected.superiority == pytest.approx(0.992, abs=5e-5)


def walks(drift: float, time: float, lower: float, upper: float, number: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Return when random walks of small steps reached a bound (or `time`), and where they were then.

    The bounds are brought nearer by the mean overshoot of a normal walk.
    """
    rng = np.random.default_rng(2)
    steps = 1000
    size = time / steps
    inward = 0.5826 * math.sqrt(size)
    position, ended = np.zeros(number), np.full(number, time)
    going = np.ones(number, dtype=bool)
    for step in range(1, steps + 1):
        position[going] += rng.normal(drift * size, math.sqrt(size), going.sum())
        out = going & ((position >= upper - inward) | (position <= lower + inward))
        ended[out], going[out] = step * size, False
    return ended, np.where(going, position, np.where(position > 0, upper, lower))


@pytest.mark.parametrize("drift", [-0.6, 0.0, 0.5])
def test_the_probability_of_a_worse_outcome_is_that_of_random_walks(drift: float) -> None:
    lower, upper, time = -2.0, 2.9, 4.0
    ended, position = walks(drift, time, lower, upper)
    for at in (1.0, 2.5, 4.0):
        at_lower = Outcome(lower, upper, at, lower).worse(drift)
        at_upper = Outcome(lower, upper, at, upper).worse(drift)
        assert at_lower == pytest.approx(np.mean((position == lower) & (ended <= at)), abs=0.012)
        assert at_upper == pytest.approx(1 - np.mean((position == upper) & (ended <= at)), abs=0.012)
    for level in (-1.0, 0.4, 2.0):
        inside = np.mean(((position == lower) & (ended < time)) | ((ended == time) & (position < level)))
        assert Outcome(lower, upper, time, level).worse(drift) == pytest.approx(inside, abs=0.012)


def test_in_the_end_a_test_without_drift_is_ruin() -> None:
    assert Outcome(-1.0, 3.0, 1e4, 3.0).worse(0.0) == pytest.approx(0.75)
    assert Outcome(-1.0, 3.0, 1e4, 3.0).worse(0.5) == pytest.approx((1 - math.exp(-3)) / (math.exp(1) - math.exp(-3)))


@pytest.mark.parametrize("position", [-2.9, -1.0, 1.0, 2.9])
def test_both_formulas_agree_where_one_follows_the_other(position: float) -> None:
    width = 5.8
    switch = FEWEST_STEPS * width**2
    for drift in (-1.0, 0.0, 0.7):
        before = Outcome(-2.9, 2.9, switch * (1 - 1e-9), position).worse(drift)
        after = Outcome(-2.9, 2.9, switch * (1 + 1e-9), position).worse(drift)
        assert before == pytest.approx(after, abs=1e-6)
    for sign in (1, -1):
        before, after = (
            Outcome(-2.9, 2.9, 1.0, position).worse(sign * STRONGEST_DRIFT / width * nearly)
            for nearly in (1 - 1e-9, 1 + 1e-9)
        )
        assert before == pytest.approx(after, abs=1e-6)


def test_a_larger_drift_makes_a_worse_outcome_less_likely() -> None:
    for outcome in (Outcome(-2.9, 2.9, 3.0, 2.9), Outcome(-2.9, 2.9, 0.1, -2.9), Outcome(-2.9, 2.9, 40.0, 1.0)):
        likely = [outcome.worse(drift) for drift in np.linspace(-8, 8, 400).tolist()]
        assert all(one >= other - 1e-9 for one, other in pairwise(likely))
        found = outcome.estimate()
        assert outcome.worse(found.value) == pytest.approx(0.5)
        assert outcome.worse(found.low) == pytest.approx(0.975)
        assert outcome.worse(found.high) == pytest.approx(0.025)


def test_both_ends_of_an_estimate_are_scaled_about_its_value() -> None:
    assert StoppedEstimate(10, 4, 20).scaled(2, 1.5) == StoppedEstimate(20, 2, 50)


def test_an_early_stop_is_drawn_back_towards_the_middle() -> None:
    won = [SetValue(QUARTERS[number % 3 + 2], 2) for number in range(200)]
    hypotheses = Hypotheses(0, 60)
    decision = decide(won, hypotheses)
    assert decision.accepted == "H1"
    strength = strength_of(won, SCORE, hypotheses)
    assert strength is not None
    assert strength == strength_of(won[: decision.sets], SCORE, hypotheses), "later sets change nothing"
    assert strength.corrected is not None
    assert strength.elo is not None
    assert strength.corrected.elo is not None
    assert 30 < strength.corrected.elo.value < strength.elo.value
    assert strength.corrected.superiority > 0.9


@pytest.mark.parametrize(("measure", "normalised"), [(SCORE, False), (SCORE, True), (POINTS, True)])
def test_every_estimate_is_finite_and_in_its_interval(measure: str, normalised: bool) -> None:
    rng = random.Random(4)
    for elo0, elo1 in ((0, 0.01), (0, 10), (-990, -980), (0, 999)):
        for sets in (2, 3, 40):
            for bias in (0, 4):
                drawn = [QUARTERS[max(rng.randrange(5), rng.randrange(1 + bias))] for _ in range(sets)]
                values = [SetValue(value, 2) for value in drawn]
                strength = strength_of(values, measure, Hypotheses(elo0, elo1, normalised=normalised))
                if strength is None or strength.corrected is None:
                    continue
                for one in (strength.corrected.elo, strength.corrected.normalised, strength.corrected.mean):
                    if one is not None:
                        assert math.isfinite(one.value)
                        assert one.low <= one.value <= one.high, f"{drawn}, {elo0} against {elo1}"
                assert 0 <= strength.corrected.superiority <= 1


def test_a_perfect_score_has_a_bound_and_a_finite_value() -> None:
    won = [SetValue(Fraction(1, 2), 2)] * 40
    lost = [SetValue(Fraction(-1, 2), 2)] * 40
    above, below = strength_of(won, SCORE, Hypotheses(0, 20)), strength_of(lost, SCORE, Hypotheses(0, 20))
    assert above is not None
    assert above.elo is not None
    assert below is not None
    assert below.elo is not None
    assert above.elo.interval() == (above.elo.bound, math.inf)
    sets = decide(won, Hypotheses(0, 20)).sets
    share = 1 / (1 + 10 ** (-(above.elo.bound or 0) / 400))
    assert share**sets == pytest.approx(0.025)
    assert math.isfinite(above.elo.value)
    assert below.elo.interval()[0] == -math.inf
    assert above.corrected is None


def sets_of(values: Sequence[SetValue], hypotheses: Hypotheses) -> int:
    """Return after how many of these sets the test ends. Sets after its end are not computed."""
    test = SequentialTest(hypotheses)
    for first in range(0, len(values), 60):
        decision = test.add(values[first : first + 60])
        if decision.accepted:
            break
    return decision.sets


BASE = np.array([0.12, 0.14, 0.5, 0.14, 0.1])


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("normalised", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("elo", [0, 25, 50, 100])
def test_corrected_estimates_are_right_on_average_and_cover_the_truth(elo: float, normalised: bool) -> None:
    """Half of them are too high, 95% of the intervals contain the truth; the plain mean is too far out."""
    support = np.array([float(value) for value in QUARTERS])
    shares = mle_with_mean(support, BASE, 1 / (1 + 10 ** (-elo / 400)) - 0.5)
    mean = float(support @ shares)
    nelo = mean / math.sqrt(float(support**2 @ shares) - mean**2) / math.sqrt(2) * ELO_PER_DEVIATION
    hypotheses = Hypotheses(0, 50, normalised=normalised)
    rng = np.random.default_rng(23)
    tests = 150 if normalised else 300
    high = covered = covered_normalised = 0
    plain = corrected = 0.0
    for _ in range(tests):
        values = [SetValue(QUARTERS[place], 2) for place in rng.choice(5, p=shares, size=1500).tolist()]
        strength = strength_of(values[: sets_of(values, hypotheses)], SCORE, hypotheses)
        assert strength is not None
        assert strength.corrected is not None
        found, in_deviations = strength.corrected.elo, strength.corrected.normalised
        assert found is not None
        assert strength.elo is not None
        high += found.value > elo
        covered += found.low <= elo <= found.high
        covered_normalised += in_deviations.low <= nelo <= in_deviations.high
        plain += strength.elo.value / tests
        corrected += found.value / tests
    assert abs(high / tests - 0.5) <= 2 * math.sqrt(0.25 / tests), f"{high} of {tests} estimates are too high"
    least = 0.95 - 2 * math.sqrt(0.05 * 0.95 / tests)
    assert covered / tests >= least, f"{covered} of {tests} intervals contain the truth"
    assert covered_normalised / tests >= least, f"{covered_normalised} of {tests} intervals contain the truth"
    if elo != 25:  # between the hypotheses the stop draws to neither side
        assert abs(corrected - elo) < abs(plain - elo), f"plain {plain:.1f}, corrected {corrected:.1f}, true {elo}"
