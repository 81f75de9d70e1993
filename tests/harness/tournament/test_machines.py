"""Which machine a deal set was played on (bowerbird.harness.tournament.playing.machines), and that a run stores it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.machines import LONGEST_CPU, Machine
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.executors import contract
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing import machines
from bowerbird.harness.tournament.playing.machines import MachineLog, cpu_model
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import LocalReferee

ELSEWHERE = Machine("Frobnicator 9", 160_000)


@pytest.fixture
def plan(yard: Yard) -> Plan:
    """Return a plan of two bots and three deal sets."""
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 3")))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "one.db")


def test_a_set_of_another_machine_is_taken_once_and_all_others_are_of_this_one(plan: Plan) -> None:
    job, other, *_ = next(plan.rounds()).jobs
    (first,), (second,) = job.keys, other.keys
    log = MachineLog()
    log.played(job.tables()[:1], ELSEWHERE)
    assert log.take(second) == Machine(cpu_model())
    assert log.take(first) == ELSEWHERE
    assert log.take(first) == Machine(cpu_model())


def test_a_set_that_is_played_again_is_of_the_last_machine(plan: Plan) -> None:
    job = next(plan.rounds()).jobs[0]
    log = MachineLog()
    log.played(job.tables(), ELSEWHERE)
    log.played(job.again(job.keys).tables(), Machine("Abacus", 4))
    assert {log.take(key) for key in job.keys} == {Machine("Abacus", 4)}


def test_the_model_is_the_first_in_cpuinfo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor : 0\nmodel name\t:  Frob   9 {'x' * LONGEST_CPU}\nmodel name : other\n")
    monkeypatch.setattr(machines, "_CPUINFO", file)
    assert cpu_model() == f"Frob 9 {'x' * LONGEST_CPU}"[:LONGEST_CPU]


@pytest.mark.parametrize("text", [None, "", "model name :\n", "Hardware : BCM2835\n"])
def test_a_machine_that_does_not_say_its_model_has_its_architecture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    file = tmp_path / "cpuinfo"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr(machines, "_CPUINFO", file)
    monkeypatch.setattr("platform.machine", lambda: "pdp11")
    assert cpu_model() == "pdp11"


@pytest.mark.usefixtures("processes")
def test_a_run_on_one_machine_stores_it_unmeasured(
    yard: Yard, plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "Referee", LocalReferee)
    play_tournament(plan, store, lambda event: None, RunOptions())
    [total] = store[plan.header.fingerprint].machines()
    assert total.machine == Machine(cpu_model())
    assert total.sets == store.run(plan.header.fingerprint).row.sets > 0
