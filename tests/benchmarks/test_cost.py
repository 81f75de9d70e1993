"""`make bench ARGS=cost` (the measured cost model of scale.md)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.ratings.generators import made_results
from benchmarks.scale.cost import fitted, task
from bowerbird.harness.ratings.bradley_terry.fit import fit


def test_made_results_are_complete_sets_in_which_every_bot_can_be_rated() -> None:
    results = list(made_results(400, 10))
    assert len({result.id for result in results}) == len(results) == 400
    assert len(fit(results).basis) == 10, "a bot lost or won everything, or met no other"


def test_a_fit_is_measured_with_its_memory() -> None:
    found = fitted(100, 4)
    assert (found.games, found.bots) == (100, 4)
    assert found.fit > 0
    assert found.memory > 1 << 20


def test_a_task_is_a_whole_job(tmp_path: Path) -> None:
    found = task(tmp_path)
    assert found.sets == 64
    assert found.block < found.result_packed < found.result
