"""What is known of the ratings: the filter's numbers are right, and made only of exactly rounded operations."""

from __future__ import annotations

import ast
import inspect
import math

import pytest

from bowerbird.harness.tournament.pairing import beliefs
from bowerbird.harness.tournament.pairing.beliefs import Beliefs, SetNoise, exact_exp, expected_score

SINGLE = ((0, 1.0), (1, -1.0))


@pytest.mark.parametrize("x", [0.0, -1e-9, -0.3, -1.0, -17.5, -300.0])
def test_exact_exp_is_the_exponential(x: float) -> None:
    assert exact_exp(x) == pytest.approx(math.exp(x), rel=1e-13)


def test_no_function_of_the_system_decides() -> None:
    """`exp`, `log` and powers differ in the last bit between machines; `sqrt` and `ldexp` do not."""
    tree = ast.parse(inspect.getsource(beliefs))
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_math(node.value)}
    assert called <= {"sqrt", "ldexp"}, f"{called} of math may round differently on other machines"
    assert not any(isinstance(node, ast.Pow) for node in ast.walk(tree)), "a power is computed by the system"


def _is_math(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "math"


def test_the_scores_of_two_sides_add_up_to_1() -> None:
    assert expected_score(0) == 0.5
    for difference in (1.0, 37.4, 400.0, 5000.0):
        assert expected_score(difference) + expected_score(-difference) == 1.0
    assert expected_score(400) == pytest.approx(10 / 11)


def test_a_win_moves_the_winner_up_and_the_loser_down_by_as_much_as_they_are_uncertain() -> None:
    known = Beliefs([1500.0, 1500.0], [300.0, 30.0])
    known.observe(SINGLE, 1.0, 0.5)
    up, down = known.means[0] - 1500, 1500 - known.means[1]
    assert up > 0 < down
    assert up / down == pytest.approx(100), "the moves are not in proportion to the variances"


def test_an_expected_set_reduces_variances_as_a_played_one() -> None:
    played = Beliefs([1520.0, 1480.0, 1500.0], [200.0, 100.0, 150.0])
    foreseen = played.copy()
    played.observe(SINGLE, 0.9, 0.4)
    foreseen.expect(SINGLE, 0.4)
    assert foreseen.covariance == played.covariance
    assert foreseen.means == [1520.0, 1480.0, 1500.0]


def test_a_difference_that_was_measured_often_is_known_and_a_chain_of_it_adds_up() -> None:
    known = Beliefs([1500.0] * 3, [350.0] * 3)
    for _ in range(200):
        known.observe(SINGLE, expected_score(100), 0.2)
        known.observe(((1, 1.0), (2, -1.0)), expected_score(50), 0.2)
    assert known.difference(SINGLE) == pytest.approx(100, abs=3)
    assert known.difference(((0, 1.0), (2, -1.0))) == pytest.approx(150, abs=5)
    assert known.variance(((0, 1.0), (2, -1.0))) == pytest.approx(
        known.variance(SINGLE) + known.variance(((1, 1.0), (2, -1.0))), rel=0.05
    )


def test_noise_is_learnt_and_stays_within_bounds() -> None:
    quiet, loud = SetNoise(2), SetNoise(2)
    assert quiet.value == 0.5
    for _ in range(2000):
        quiet.add(0.5, 0.5)
        loud.add(1.0, 0.5)
    assert quiet.value == beliefs.LEAST_NOISE
    assert loud.value == pytest.approx(beliefs.MOST_NOISE, abs=0.01)


def test_deviations_are_against_the_mean_of_all() -> None:
    """Two bots that have met often are well known, though their common level is not."""
    known = Beliefs([1500.0, 1500.0], [350.0, 350.0])
    for _ in range(500):
        known.observe(SINGLE, 0.5, 0.3)
    assert max(known.deviations()) < 20, known.deviations()
    assert known.covariance[0][0] > 200 * 200, "the level of both is not measured by games between them"
