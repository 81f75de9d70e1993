"""Always-valid p-values: many looks, and the errors of the whole table stay within 5% (ratings.md, Sequential test)."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.special import ndtri, stdtr

from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.sequential.always_valid import (
    FEWEST_SETS,
    MIXTURE_SETS,
    all_settled,
    always_valid_interval,
    always_valid_p_value,
)
from bowerbird.harness.ratings.standings.ranks import settled_above


@pytest.mark.parametrize("sets", [6.0, 20.0, 37.5, 640.0])
@pytest.mark.parametrize("t", [0.0, 1.0, 2.5, 4.0, 9.0])
def test_many_looks_ask_for_more_than_one_look(t: float, sets: float) -> None:
    one_look = Estimate(10 * t, 10.0, sets - 1)
    assert always_valid_p_value(one_look) >= one_look.p_value
    assert always_valid_p_value(Estimate(-10 * t, 10.0, sets - 1)) == always_valid_p_value(one_look)


def test_the_p_value_is_the_inverse_of_the_mixture_likelihood_ratio() -> None:
    """Integrate the likelihood ratio over normal differences of variance 1 / rho, in deviations of a set."""
    sets, t = 100.0, 4.2
    z = -float(ndtri(stdtr(sets - 1, -t)))
    differences = np.linspace(-3, 3, 200_001)
    prior = np.exp(-(differences**2) * MIXTURE_SETS / 2) * math.sqrt(MIXTURE_SETS / (2 * math.pi))
    ratios = np.exp(differences * z * math.sqrt(sets) - differences**2 * sets / 2)
    e_value = float(np.sum(prior * ratios)) * (differences[1] - differences[0])
    assert always_valid_p_value(Estimate(t, 1.0, sets - 1)) == pytest.approx(1 / e_value, rel=1e-6)


def test_straight_sets_are_tested_as_coins() -> None:
    """k heads in a row against a coin of unknown bias: the mean of p^k over all p is 1 / (k + 1)."""
    for straight in (1, 5, 8, 30):
        perfect = Estimate(300.0, math.inf, side=1, bound=20.0, doubt=0.5**straight)
        assert always_valid_p_value(perfect) == pytest.approx(min(1.0, (straight + 1) / 2**straight))
    assert always_valid_p_value(Estimate(300.0, math.inf, side=1, bound=20.0, doubt=1.0)) == 1


def test_no_few_sets_decide_and_nothing_unknown_does() -> None:
    assert always_valid_p_value(Estimate(1e6, 1.0, FEWEST_SETS - 1.5)) == 1
    assert always_valid_interval(Estimate(1e6, 1.0, FEWEST_SETS - 1.5)) == (-math.inf, math.inf)
    assert always_valid_p_value(Estimate(1e6, 1.0)) == 1, "the number of sets is not known"
    assert always_valid_p_value(Estimate(0.0, math.inf, 30.0)) == 1
    assert always_valid_p_value(Estimate(1e6, 1e-9, 99.0)) == 0


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_an_interval_excludes_0_if_and_only_if_the_p_value_is_small(level: float) -> None:
    for value in np.linspace(0.1, 8, 80).tolist():
        estimate = Estimate(value, 1.0, 49.0)
        low, high = always_valid_interval(estimate, level)
        assert (low > 0) == (always_valid_p_value(estimate) < 1 - level), f"value {value}"
        assert high - value == pytest.approx(value - low)
        assert low < estimate.interval(level)[0]


def test_an_interval_after_a_perfect_score_excludes_0_if_the_p_value_is_small() -> None:
    for straight in range(2, 20):
        bound = 400 * math.log10(0.025 ** (1 / straight) / (1 - 0.025 ** (1 / straight)))
        for side in (1, -1):
            perfect = Estimate(side * 400.0, math.inf, side=side, bound=side * bound, doubt=0.5**straight)
            low, high = always_valid_interval(perfect)
            assert math.isinf(high if side > 0 else low)
            assert (low > 0 or high < 0) == (always_valid_p_value(perfect) < 0.05), f"{straight} sets"


def test_the_step_down_is_holms() -> None:
    assert all_settled([0.049])
    assert not all_settled([0.051])
    assert all_settled([0.049, 0.024, 0.016]), "5% / 3, 5% / 2, 5% / 1"
    assert not all_settled([0.049, 0.026, 0.016])
    assert not all_settled([0.017, 0.017, 0.017])
    assert all_settled([0.2], level=0.75)


LOOKS = range(10, 641, 10)


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("bots", [2, pytest.param(5, marks=pytest.mark.long)])
def test_equal_bots_are_told_apart_in_at_most_one_table_of_twenty(bots: int) -> None:
    """Round robins of equal bots, checked 64 times: any pair that is ever settled is an error of the table."""
    tables = 600 if bots == 2 else 400
    rng = np.random.default_rng(19)
    pairs = list(combinations(range(bots), 2))
    wrong = wrong_without = 0
    for _ in range(tables):
        results = rng.choice([-0.5, -0.25, 0, 0.25, 0.5], p=[0.12, 0.14, 0.48, 0.14, 0.12], size=(640, len(pairs)))
        scores = np.zeros((640, bots))
        for number, (one, other) in enumerate(pairs):
            scores[:, one] += results[:, number]
            scores[:, other] -= results[:, number]
        differences = np.stack([scores[:, one] - scores[:, other] for one, other in pairs], axis=1)
        sums, squares = np.cumsum(differences, axis=0), np.cumsum(differences**2, axis=0)
        erred = erred_without = False
        for sets in LOOKS:
            means = sums[sets - 1] / sets
            errors = np.sqrt((squares[sets - 1] / sets - means**2) / (sets - 1))
            p_values = np.ones((bots, bots))
            for (one, other), mean, error in zip(pairs, means.tolist(), errors.tolist(), strict=True):
                estimate = Estimate(mean, error, sets - 1.0)
                p_values[one, other] = p_values[other, one] = always_valid_p_value(estimate)
                erred_without |= estimate.settled()
            erred |= bool(settled_above(scores[:sets].sum(axis=0), p_values).any())
        wrong += erred
        wrong_without += erred_without
    assert wrong / tables <= 0.05, f"{wrong} of {tables} tables settled equal bots"
    assert wrong_without / tables > 0.25, "looks that are not allowed for err often, so this design can fail"
