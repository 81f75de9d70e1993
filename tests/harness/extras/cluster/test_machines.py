"""The machines of a cluster's workers, as they are stored with a run."""

from __future__ import annotations

import pytest

from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.machines import Machine, MachineTotal
from bowerbird.harness.tournament.playing.machines import cpu_model
from bowerbird.harness.tournament.preparation.isolation import TierChoice
from tests.support.command.bowerbird_command import Bowerbird

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


def facts(machine: str, speed: float) -> WorkerFacts:
    return WorkerFacts(machine, f"host-of-{machine}", "3.11.7", "1", "abc", "Frobnicator 9", 4, speed)


def test_the_workers_of_a_machine_are_one_machine_as_fast_as_its_least_disturbed_worker() -> None:
    from bowerbird.harness.extras.cluster.roll_call import Candidate, machines_of

    found = [facts("one", 99_000.4), facts("one", 150_000.6), facts("two", 149_000.0)]
    workers = [Candidate(f"tls://{n}", str(n), one, TierChoice("none", "")) for n, one in enumerate(found)]
    assert machines_of(workers) == {"one": Machine("Frobnicator 9", 150_001), "two": Machine("Frobnicator 9", 149_000)}


@pytest.mark.usefixtures("processes")
def test_a_run_on_a_cluster_stores_its_machines_with_their_speed(bowerbird: Bowerbird) -> None:
    options = ("--variant", "euchre", "--sets", "2", "--cluster", "local:1", "--db", "x.db")
    bowerbird.done("match", "greedy", "random", *options)
    with Store.open(bowerbird.folder / "x.db") as store:
        [total] = store.run().machines()
    assert total == MachineTotal(Machine(cpu_model(), total.machine.speed), 2)
    assert total.machine.speed > 0
