"""The simulated cluster of `make bench ARGS=forecast`: real jobs and blocks, workers on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.scale.forecast import jobs_of, measured, simulations, swiss
from benchmarks.scale.simulation import Costs, Losses, simulate
from bowerbird.harness.tournament.jobs.job import Job
from tests.support.scale_results import BENCH, CLUSTER, COST, MILLION

COSTS = Costs(
    games=2, decisions=240.0, decision=0.0001, message=0.0005, start=0.1, call=0.005, deliver=0.0001, save=0.0002
)
NEVER = Losses(a_worker_and_day=0.0, away=20.0)
OFTEN = Losses(a_worker_and_day=10_000.0, away=5.0)
TABLES = 64
SETS = 200


@pytest.fixture(scope="module")
def rounds() -> Sequence[Sequence[Job]]:
    return list(jobs_of(swiss(8, 2, SETS)))


def all_sets(rounds: Sequence[Sequence[Job]]) -> int:
    return sum(len(job.sets) for jobs in rounds for job in jobs)


def test_a_swiss_tournament_has_half_as_many_matches_as_bots_in_each_round(rounds: Sequence[Sequence[Job]]) -> None:
    assert len(rounds) == 2
    assert all(len({job.lineup.text for job in jobs}) == 4 for jobs in rounds)
    assert all_sets(rounds) == 2 * 4 * SETS


@pytest.mark.parametrize("losses", [NEVER, OFTEN])
@pytest.mark.parametrize("workers", [1, 3, 40])
def test_every_deal_set_is_stored_once_whoever_is_lost(
    rounds: Sequence[Sequence[Job]], workers: int, losses: Losses
) -> None:
    found = simulate(rounds, workers, COSTS, losses, tables=TABLES)
    assert found.sets == all_sets(rounds)
    assert found.saving == pytest.approx(all_sets(rounds) * COSTS.save)
    assert found.delivering == pytest.approx(all_sets(rounds) * COSTS.deliver)
    assert 0 <= found.idle < 1
    assert 0 < found.busy <= 1 + 1e-9


def test_workers_that_are_never_lost_waste_nothing(rounds: Sequence[Sequence[Job]]) -> None:
    found = simulate(rounds, 3, COSTS, NEVER, tables=TABLES)
    assert (found.losses, found.wasted, found.away, found.most_losses) == (0, 0, 0, 0)


def test_lost_workers_cost_time(rounds: Sequence[Sequence[Job]]) -> None:
    calm, rough = (simulate(rounds, 3, COSTS, losses, tables=TABLES) for losses in (NEVER, OFTEN))
    assert rough.losses > 0
    assert rough.wasted > 0
    assert rough.away > 0
    assert rough.most_losses >= 1
    assert rough.wall > calm.wall


def test_two_simulations_differ_little(rounds: Sequence[Sequence[Job]]) -> None:
    """trio runs tasks that wake at the same moment in any order."""
    one, other = (simulate(rounds, 5, COSTS, NEVER, tables=TABLES) for _ in range(2))
    assert one.wall == pytest.approx(other.wall, rel=0.1)
    assert one.calls == pytest.approx(other.calls, rel=0.1)


def test_more_workers_are_faster_until_the_process_of_the_run_is_the_limit(rounds: Sequence[Sequence[Job]]) -> None:
    quick = [simulate(rounds, workers, COSTS, NEVER, tables=TABLES).wall for workers in (1, 2, 8)]
    assert quick[0] > 1.6 * quick[1] > 1.6 * 2 * quick[2]
    slow_store = replace(COSTS, save=0.05)
    least = all_sets(rounds) * slow_store.save
    bound = [simulate(rounds, workers, slow_store, NEVER, tables=TABLES) for workers in (4, 40)]
    assert all(least <= found.wall < 1.2 * least for found in bound)
    assert all(found.busy > 0.8 for found in bound)
    assert bound[1].idle > bound[0].idle


def test_a_decision_at_many_tables_is_quicker() -> None:
    assert COSTS.playing(1, TABLES) < COSTS.playing(1, 1)
    assert COSTS.playing(64, TABLES) == pytest.approx(64 * COSTS.playing(1, TABLES))


def test_one_worker_takes_as_long_as_its_blocks() -> None:
    (jobs,) = jobs_of(swiss(2, 1, 1))
    found = simulate([jobs], 1, COSTS, NEVER, tables=TABLES)
    playing = COSTS.call + 2 * COSTS.start + COSTS.playing(1, TABLES)
    assert found.calls == 1
    assert found.played == pytest.approx(playing)
    assert found.wall == pytest.approx(playing + COSTS.deliver + COSTS.save)


def test_what_was_not_measured_is_assumed_and_said() -> None:
    without, with_ = (measured(BENCH, MILLION, COST, cluster) for cluster in (None, CLUSTER))
    assert without.assumed == ("call", "deliver")
    assert with_.assumed == ()
    assert with_.costs.call == CLUSTER["call"]["median"]
    assert with_.costs.deliver == pytest.approx(CLUSTER["run_cpu_a_set"] - 1 / 400)


def test_costs_give_the_measured_rates_back() -> None:
    costs = measured(BENCH, MILLION, COST, None).costs
    assert 1 / (costs.decision + costs.message) == pytest.approx(1_500)
    assert 1 / (costs.decision + costs.message / TABLES) == pytest.approx(10_000)


def test_bots_that_think_take_longer(rounds: Sequence[Sequence[Job]]) -> None:
    known = measured(BENCH, MILLION, COST, None)
    (_, instant), (thinking, slow) = simulations(rounds, known, [4], [0.0, 5.0])
    assert thinking == 5.0
    assert slow.played > instant.played + 0.005 * known.costs.decisions * all_sets(rounds) * 0.99
