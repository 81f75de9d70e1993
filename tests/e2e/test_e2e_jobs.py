"""`--jobs N`: the same run in several worker processes, whatever happens to them (architecture.md, harness)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird, said_until
from tests.support.command.run_records import untimed_games
from tests.support.deadline import DEADLINE_S

CUP = """
[tournament]
sets = {sets}
seed = "jobs"
packs = "own"
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
"""
WORKER = "bowerbird.harness.tournament.executors.worker"


def cup(bowerbird: Bowerbird, sets: int) -> Path:
    """Return a tournament of two bots whose answers follow from their seed."""
    return bowerbird.tournament(CUP.format(sets=sets), bowerbird.bot("one", "draws"), bowerbird.bot("two", "draws"))


def games(bowerbird: Bowerbird, db: str) -> dict[str, str]:
    """Return every record of the only run without times, by game."""
    return untimed_games(bowerbird.folder / db)


def ratings(bowerbird: Bowerbird, db: str) -> object:
    with Store.open(bowerbird.folder / db) as store:
        return store.runs()[0].ratings()


def workers(bowerbird: Bowerbird) -> list[int]:
    """Return the pids of the worker processes."""
    return [int(line.split(" ")[0]) for line in bowerbird.processes() if WORKER in line]


@pytest.fixture
def playing(bowerbird: Bowerbird) -> Iterator[tuple[Bowerbird, subprocess.Popen[str]]]:
    """Start a tournament of 24 sets with two workers; wait until its first sets are stored."""
    file = cup(bowerbird, sets=12)
    with bowerbird.start("tournament", file.name, "--db", "two.db", "--jobs", "2") as process:
        said_until(process, "of 24 deal sets")
        try:
            yield bowerbird, process
        finally:
            process.kill()


def test_two_jobs_store_the_same_run_as_one(bowerbird: Bowerbird) -> None:
    """The second bot has its own clock, which every process knows."""
    file = cup(bowerbird, sets=1)
    file.write_text(f'{file.read_text()}time = {{ per_decision = "20s" }}\n')
    for db, jobs in (("one.db", "1"), ("two.db", "2")):
        bowerbird.done("tournament", file.name, "--db", db, "--jobs", jobs, "--quiet")
    assert games(bowerbird, "two.db") == games(bowerbird, "one.db")
    assert all(text.count("per_decision_ms = 20000") == 2 for text in games(bowerbird, "two.db").values())
    assert ratings(bowerbird, "two.db") == ratings(bowerbird, "one.db")
    bowerbird.done("verify", "--db", "two.db")
    assert not bowerbird.wait_until_gone()


def test_what_a_killed_worker_had_in_hand_is_played_again(playing: tuple[Bowerbird, subprocess.Popen[str]]) -> None:
    """faults.md, Durability: nothing acknowledged is lost, nothing is counted twice."""
    bowerbird, process = playing
    os.kill(workers(bowerbird)[0], signal.SIGKILL)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, said
    bowerbird.done("tournament", "cup.toml", "--db", "one.db", "--quiet")
    assert games(bowerbird, "two.db") == games(bowerbird, "one.db")
    assert not bowerbird.wait_until_gone(), "the bots of the killed worker are still alive"


def test_worker_after_worker_lost_ends_the_run_in_one_sentence(
    playing: tuple[Bowerbird, subprocess.Popen[str]],
) -> None:
    bowerbird, process = playing
    deadline = time.monotonic() + DEADLINE_S
    while process.poll() is None:
        assert time.monotonic() < deadline, "the run does not end"
        for pid in workers(bowerbird):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
    assert process.stderr is not None
    said = process.stderr.read()
    assert process.returncode == 2, said
    assert re.search(r"bowerbird: .*worker process.* \((the last one: )?SIGKILL\)", said), said
    assert "Traceback" not in said
    assert not bowerbird.wait_until_gone()


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_with_workers_goes_on_where_it_was(
    playing: tuple[Bowerbird, subprocess.Popen[str]], number: signal.Signals
) -> None:
    """faults.md rows 22 and 28: no process is left, and the records match an undisturbed run's."""
    bowerbird, process = playing
    process.send_signal(number)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == (130 if number == signal.SIGINT else -number), said
    assert not bowerbird.wait_until_gone()
    bowerbird.done("tournament", "cup.toml", "--db", "two.db", "--jobs", "2", "--resume", "--quiet")
    bowerbird.done("tournament", "cup.toml", "--db", "one.db", "--quiet")
    assert games(bowerbird, "two.db") == games(bowerbird, "one.db")
    assert ratings(bowerbird, "two.db") == ratings(bowerbird, "one.db")
