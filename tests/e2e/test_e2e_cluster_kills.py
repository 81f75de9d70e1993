"""A run on a scheduler and workers that are processes of their own, over TLS, with kill -9 of each of them.

`make test-long` plays all variants and kills ten workers, the scheduler and two runs.
"""

from __future__ import annotations

import random
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.run_records import untimed_games

pytest.importorskip("distributed", reason="the extra bowerbird[cluster] is not installed")
from tests.support.tournament.dask_cluster import DaskCluster, dask_cluster  # needs the extra

DEADLINE_S = 1800.0
"""For one command: it plays all variants, or verifies them, on one core."""

WORKERS = ("one", "two", "three")
FEW = ("euchre", "two-handed")
LEASE_DEADLINE_S = 90.0
"""How long a bot may be left on a worker whose run was killed: the lease, and the end of the bots."""


@dataclass(frozen=True)
class Kills:
    """How many processes of each kind are killed, after how many seconds each."""

    workers: int
    runs: int
    schedulers: int
    every_s: float


@pytest.mark.parametrize(
    ("variants", "sets", "kills"),
    [
        pytest.param(FEW, 6, Kills(workers=2, runs=0, schedulers=0, every_s=3), id="few", marks=pytest.mark.long),
        pytest.param(
            variant_names(), 4, Kills(workers=10, runs=2, schedulers=1, every_s=8), id="all", marks=pytest.mark.long
        ),
    ],
)
def test_no_kill_of_any_process_of_a_cluster_changes_a_run(
    bowerbird: Bowerbird, tmp_path: Path, variants: tuple[str, ...], sets: int, kills: Kills
) -> None:
    """faults.md row 22: records and ratings of one process, every set once, no process left."""
    file = _tournament(bowerbird, variants, sets)
    _done(bowerbird, "tournament", file.name, "--db", "one.db", "--quiet")
    rng, left = random.Random(18), kills
    for number in range(1 + kills.schedulers):
        with dask_cluster(tmp_path / f"cluster-{number}", *WORKERS) as cluster:
            left = _play_and_kill(bowerbird, file, cluster, left, rng, is_last=number == kills.schedulers)
            assert not bowerbird.wait_until_gone(), "bots are left on the workers"
    assert (left.workers, left.runs, left.schedulers) == (0, 0, 0), f"the run was over before all kills: {left}"
    one, cluster_db = bowerbird.folder / "one.db", bowerbird.folder / "cluster.db"
    assert untimed_games(cluster_db) == untimed_games(one)
    with Store.open(one) as here, Store.open(cluster_db) as there:
        assert there.run().ratings() == here.run().ratings()
    _done(bowerbird, "verify", "--db", "cluster.db")


def _done(bowerbird: Bowerbird, *words: str) -> None:
    finished = bowerbird.run(COMMAND, *words, timeout_s=DEADLINE_S)
    assert finished.returncode == 0, finished.stderr


def _tournament(bowerbird: Bowerbird, variants: tuple[str, ...], sets: int) -> Path:
    """Return a tournament of five bots whose answers follow from their seeds."""
    entries = "".join(f'[[variant]]\nname = "{name}"\n' for name in variants)
    head = f'[tournament]\nsets = {sets}\nseed = "kills"\nunit = "deals"\nisolation = "limits"\n{entries}'
    bots = [bowerbird.bundled("greedy"), bowerbird.bundled("random"), bowerbird.bot("last", "last")]
    bots += [bowerbird.bot("honest", "honest"), bowerbird.bot("first", "honest")]
    return bowerbird.tournament(head, *bots)


def _play_and_kill(
    bowerbird: Bowerbird, file: Path, cluster: DaskCluster, kills: Kills, rng: random.Random, *, is_last: bool
) -> Kills:
    """Play on a cluster while killing its processes. Return the kills that remain: if a scheduler is among them, it is
    the last."""
    while True:
        with _started(bowerbird, file, cluster) as process:
            kills = _kill_workers(process, cluster, kills, rng, until=5 if not is_last else 0)
            if not is_last:
                cluster.kill_scheduler()
                said = process.communicate(timeout=DEADLINE_S)[1]
                assert process.returncode == 2, said
                assert "Traceback" not in said, said
                return Kills(kills.workers, kills.runs, kills.schedulers - 1, kills.every_s)
            if kills.runs:
                process.send_signal(signal.SIGKILL)
                process.communicate(timeout=DEADLINE_S)
                kills = Kills(kills.workers, kills.runs - 1, kills.schedulers, kills.every_s)
                if kills.runs % 2:  # the next run waits itself
                    continue
                assert not _wait_for_lease(bowerbird), "bots of a killed run outlive its lease"
                continue
            _, said = process.communicate(timeout=DEADLINE_S)
            assert process.returncode == 0, said
            assert "Traceback" not in said, said
            return kills


def _kill_workers(
    process: subprocess.Popen[str], cluster: DaskCluster, kills: Kills, rng: random.Random, until: int
) -> Kills:
    """Kill one worker after another. Stop when `until` kills are left, or when the run ends."""
    while kills.workers > until:
        try:
            process.wait(kills.every_s)
        except subprocess.TimeoutExpired:
            name = rng.choice(WORKERS)
            cluster.wait_for_workers(name)
            cluster.kill(name)
            kills = Kills(kills.workers - 1, kills.runs, kills.schedulers, kills.every_s)
        else:
            break
    return kills


def _wait_for_lease(bowerbird: Bowerbird) -> list[str]:
    """Wait until no bot of the test is left; return those that remain."""
    for _ in range(int(LEASE_DEADLINE_S // 10)):
        left = bowerbird.wait_until_gone()
        if not left:
            break
    return left


@contextmanager
def _started(bowerbird: Bowerbird, file: Path, cluster: DaskCluster) -> Iterator[subprocess.Popen[str]]:
    """Start the run, or resume it, and wait until its first set is stored."""
    with bowerbird.start("tournament", file.name, "--db", "cluster.db", *cluster.options) as process:
        assert process.stderr is not None
        assert any(re.search(r"\d of \d+ deal sets", line) for line in process.stderr), "it ended before its first set"
        try:
            yield process
        finally:
            process.kill()
