"""kill -9 of the referee at any moment of a tournament, each time gone on with (FAULTS.md, row 22)."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from bowerbird_command import DEADLINE_S, Bowerbird
from verdicts import played

from harness.records.store import Store

FILE = """
[tournament]
seed = "killed"
sets = 100
[[variant]]
name = "euchre"
options = { target = 5 }
[[variant]]
name = "buck"
options = { start = 10 }
"""
"""Bots that decide by the number of the decision alone: every run of it is the same, times apart."""


class Tournament:
    """The command on one tournament file, and what it has acknowledged in each database."""

    def __init__(self, bowerbird: Bowerbird) -> None:
        self._bowerbird = bowerbird
        bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "last")
        self._file = bowerbird.tournament(FILE, *bots)
        self.acknowledged = 0

    def run(self, database: Path, kill_after: float | None) -> bool:
        """Begin or go on; whether it came to its end before it was killed."""
        resume = ["--resume"] if _has_run(database) else []
        with self._bowerbird.start("tournament", self._file, "--db", database, *resume) as process:
            try:
                _, said = process.communicate(timeout=DEADLINE_S if kill_after is None else kill_after)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                _, said = process.communicate(timeout=DEADLINE_S)
        assert process.returncode in (0, -signal.SIGKILL), f"exit code {process.returncode}: {said}"
        counts = [int(count) for count in re.findall(r"^(\d+) of \d+ deal sets;", said, re.MULTILINE)]
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
        return len(store.stored_sets(store.run().fingerprint))


@pytest.mark.slow
@pytest.mark.row(22)
def test_a_tournament_whose_referee_is_killed_again_and_again_ends_as_an_undisturbed_one(
    bowerbird: Bowerbird, seen, request
):
    """No process is left by any kill, no set that was said to be stored is lost, none is counted twice.

    The moments are spread evenly over the time that the undisturbed run takes.
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
