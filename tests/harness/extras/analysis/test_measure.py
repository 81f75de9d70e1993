"""The loss of a decision: not biased by taking a maximum, and exact where nothing is noisy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from bowerbird.bots.champion.judging import Opinion
from bowerbird.engine import Action
from bowerbird.harness.extras.analysis.measure import halves_of, loss_of

ACTIONS = tuple(map(Action, ("pass", "order", "order alone", "call s")))


def opinion(worths: NDArray[np.float64]) -> Opinion:
    return Opinion(ACTIONS[: worths.shape[1]], worths, is_solved=False)


def test_actions_that_differ_by_luck_alone_lose_nothing_on_average() -> None:
    rng = np.random.default_rng(1)
    opinions = [opinion(rng.normal(size=(20, 4))) for _ in range(4000)]
    losses = [loss_of(one, 3).points for one in opinions]
    maxima = [float(one.worths.mean(axis=0).max() - one.worths.mean(axis=0)[3]) for one in opinions]
    error = float(np.std(losses)) / len(losses) ** 0.5
    assert abs(np.mean(losses)) < 4 * error
    assert np.mean(maxima) > 20 * error, "the best of the means looks better than it is"


def test_the_standard_error_is_that_of_repeated_estimates() -> None:
    rng = np.random.default_rng(2)
    found = [loss_of(opinion(rng.normal([2.0, 0.0], size=(40, 2))), 1) for _ in range(2000)]
    spread = float(np.std([one.points for one in found]))
    assert float(np.mean([one.error for one in found])) == pytest.approx(spread, rel=0.1)


def test_what_differs_in_every_world_is_lost_exactly() -> None:
    worths = np.tile([1.0, 0.25, -2.0], (8, 1))
    found = loss_of(opinion(worths), 2)
    assert (found.points, found.error) == (3.0, 0.0)


def test_the_choice_of_the_judge_loses_nothing() -> None:
    worths = np.random.default_rng(3).normal([5.0, 0.0, 0.0], size=(12, 3))
    found = loss_of(opinion(worths), 0)
    assert (found.points, found.error) == (0.0, 0.0)


def test_the_two_halves_agree() -> None:
    rng = np.random.default_rng(4)
    halves = np.array([halves_of(opinion(rng.normal([0.4, 0.0, 0.0], size=(20, 3))), 2) for _ in range(2000)])
    differences = halves[:, 0] - halves[:, 1]
    assert abs(differences.mean()) < 4 * differences.std() / len(differences) ** 0.5
    assert halves.mean() == pytest.approx(0.4, abs=0.1)
