"""kill -9 of the referee at any moment of a tournament, which is resumed after each kill (faults.md row 22)."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.verdicts import played

FILE = """
[tournament]
seed = "killed"
sets = 20
[[variant]]
name = "euchre"
options = { target = 5 }
[[variant]]
name = "buck"
options = { start = 10 }
"""
"""Bots that decide by the number of the decision alone: all runs are equal except for times."""


class Tournament:
    """The command on one tournament file, with the sets that it has acknowledged in each database."""

    def __init__(self, bowerbird: Bowerbird) -> None:
        self._bowerbird = bowerbird
        bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "last")
        self._file = bowerbird.tournament(FILE, *bots)
        self.acknowledged = 0

    def run(self, database: Path, kill_after: float | None) -> bool:
        """Begin or resume; return whether the command ended before it was killed."""
        resume = ["--resume"] if _has_run(database) else []
        with self._bowerbird.start("tournament", self._file, "--db", database, *resume) as process:
            try:
                _, said = process.communicate(timeout=DEADLINE_S if kill_after is None else kill_after)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                _, said = process.communicate(timeout=DEADLINE_S)
        assert process.returncode in (0, -signal.SIGKILL), f"exit code {process.returncode}: {said}"
        counts = [int(count) for count in re.findall(r"^(\d+) of \d+ deal sets\b", said, re.MULTILINE)]
        self.acknowledged = max([self.acknowledged, *counts])
        return process.returncode == 0


def _has_run(database: Path) -> bool:
    if not database.exists():
        return False
    with Store.open(database) as store:
        return bool(store.runs())


def _stored(database: Path) -> int:
    if not _has_run(database):
        return 0
    with Store.open(database) as store:
        return len(store.run().stored_sets())


@pytest.mark.row(22)
def test_a_tournament_whose_referee_is_killed_again_and_again_ends_as_an_undisturbed_one(
    bowerbird: Bowerbird, seen: Seen, request: pytest.FixtureRequest
) -> None:
    """No kill leaves a process, loses a set reported as stored, or makes one count twice.

    The kills are spread evenly over the duration of the undisturbed run.
    """
    kills = request.config.getoption("--kills")
    rng = random.Random(22)
    undisturbed = bowerbird.folder / "undisturbed.db"
    begun = time.monotonic()
    assert Tournament(bowerbird).run(undisturbed, None)
    latest = time.monotonic() - begun
    expected = played(undisturbed)
    done, runs, middle = 0, 0, 0
    while done < kills:
        runs += 1
        database = bowerbird.folder / f"killed-{runs}.db"
        tournament = Tournament(bowerbird)
        while not tournament.run(database, rng.uniform(0, latest) if done < kills else None):
            done += 1
            left = bowerbird.wait_until_gone()
            assert not left, f"kill {done} left {left}"
            stored = _stored(database)
            middle += stored > 0
            assert stored >= tournament.acknowledged, (
                f"kill {done}: {tournament.acknowledged} sets were said to be safe"
            )
        assert played(database) == expected
        bowerbird.done("verify", "--db", database)
    seen(f"{done} kills ({middle} with sets stored already) in {runs} runs: records and ratings as undisturbed")
