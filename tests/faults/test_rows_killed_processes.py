"""kill -9 of any process of a run: the command, a worker, a supervisor (faults.md row 22).

`make test-long` kills 60 times as root and 60 times as an ordinary user. KILLS in the environment sets another
number.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.referee.process.procfs import all_processes, children_of, command_line_of, process_tree
from tests.support.command.bowerbird_command import COMMAND, MARK, Bowerbird, said_until
from tests.support.command.ordinary_command import NOBODY, can_run_as_another, ordinary_command
from tests.support.deadline import DEADLINE_S
from tests.support.paths import HOSTILE
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.verdicts import played

KILLS = int(os.environ.get("KILLS", "60"))
FILE = """
[tournament]
name = "killed"
seed = "killed"
sets = 24
isolation = "limits"
[[variant]]
name = "euchre"
options = { target = 5 }
[[variant]]
name = "buck"
options = { start = 10 }
[[bot]]
path = "bots/one"
[[bot]]
path = "bots/two"
"""
"""Bots that play the same in every run of a seed: all runs are equal except for times."""

MIN_KILLS = 50
"""A number of kills that reaches each kind of process."""

PROCESSES = {"worker": "-m bowerbird.harness.tournament.executors.worker", "supervisor": "supervisor_main"}
"""By kind of process, what its command line holds. The command itself is the process that was started."""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that an ordinary user can enter and write."""
    folder = Path(tempfile.mkdtemp(prefix="bowerbird-killed-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


class KilledRun:
    """One tournament, begun or resumed by `command`, whose processes are killed."""

    def __init__(self, bowerbird: Bowerbird, command: Sequence[str], rng: random.Random) -> None:
        self._bowerbird = bowerbird
        self._command = command
        self._rng = rng
        self.killed: Counter[str] = Counter()

    def run(self, database: Path, kill_after: float | None) -> bool:
        """Begin or resume; kill a process after `kill_after` seconds. Return whether the run is complete."""
        resume = ["--resume"] if _stored(database) is not None else []
        words = [*self._command, "tournament", "killed.toml", "--jobs", "2", "--db", database.name, *resume, "--quiet"]
        with subprocess.Popen(
            words,
            cwd=self._bowerbird.folder,
            env={**self._bowerbird.environment(), "HOME": str(self._bowerbird.folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            if kill_after is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(kill_after)
                if process.poll() is None:
                    self._kill_one(process.pid)
            _, said = process.communicate(timeout=DEADLINE_S)
        assert "Traceback" not in said, said
        return process.returncode == 0

    def _kill_one(self, command: int) -> None:
        found = self._processes(command)
        kind = self._rng.choice(sorted(found))
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._rng.choice(found[kind]), signal.SIGKILL)
            self.killed[kind] += 1

    def _processes(self, command: int) -> dict[str, list[int]]:
        """Return the pids of the run's own processes by kind."""
        found: dict[str, list[int]] = {"command": [command]}
        for pid in process_tree(command, all_processes()):
            for kind, part in PROCESSES.items():
                if part in command_line_of(pid):
                    found.setdefault(kind, []).append(pid)
        return found


def _write_bots(folder: Path, environment: Mapping[str, str]) -> None:
    """Write two bots whose processes have these variables, so that they are found if they are left over.

    Their program is copied, since an ordinary user may not be able to read the checkout.
    """
    program = folder / "tests" / "support" / "bots" / HOSTILE.name
    shutil.copytree(HOSTILE.parent, program.parent, ignore=shutil.ignore_patterns("__pycache__"))
    variables = "".join(f"{key} = {json.dumps(value)}\n" for key, value in environment.items())
    for name in ("one", "two"):
        place = folder / "bots" / name
        place.mkdir(parents=True)
        (place / "bot.toml").write_text(
            f'name = "{name}"\nversion = "1.0"\ncommand = ["{{python}}", "{program}", "draws"]\ntables = 16\n'
            f"[environment]\n{variables}"
        )


def _stored(database: Path) -> int | None:
    """Return how many deal sets of the run are stored; None until the run is stored."""
    if not database.exists():
        return None
    with Store.open(database) as store:
        runs = store.runs()
        return len(runs[0].stored_sets()) if runs else None


@pytest.mark.row(22)
def test_a_killed_supervisor_is_nobodys_fault_and_ends_the_run_in_one_sentence(open_folder: Path, seen: Seen) -> None:
    """It starts the bots. Without workers nobody could go on."""
    (open_folder / "killed.toml").write_text(FILE)
    bowerbird = Bowerbird(open_folder)
    _write_bots(open_folder, {MARK: bowerbird.mark})
    with bowerbird.start("tournament", "killed.toml", "--db", "killed.db") as process:
        said_until(process, "of 48 deal sets")
        [supervisor] = [pid for pid in children_of(process.pid) if PROCESSES["supervisor"] in command_line_of(pid)]
        os.kill(supervisor, signal.SIGKILL)
        _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 2, said
    assert "the supervisor process, which starts the bots, was killed" in said
    assert "Traceback" not in said
    assert not bowerbird.wait_until_gone()
    bowerbird.done("tournament", "killed.toml", "--db", "killed.db", "--quiet")
    bowerbird.done("tournament", "killed.toml", "--db", "undisturbed.db", "--quiet")
    assert played(open_folder / "killed.db") == played(open_folder / "undisturbed.db")
    seen("supervisor killed: one sentence, resumed: records and ratings as undisturbed")


@pytest.mark.long
@pytest.mark.row(22)
@pytest.mark.parametrize("user", ["root", "ordinary"])
def test_no_kill_of_any_process_of_a_run_loses_doubles_or_orphans_anything(
    open_folder: Path, seen: Seen, user: str
) -> None:
    if user == "ordinary" and not can_run_as_another():
        pytest.skip("needs root, setpriv and a Python that an ordinary user can run")
    (open_folder / "killed.toml").write_text(FILE)
    bowerbird = Bowerbird(open_folder)
    _write_bots(open_folder, {MARK: bowerbird.mark})
    command = ordinary_command() if user == "ordinary" else [str(COMMAND)]
    rng = random.Random(22)
    run = KilledRun(bowerbird, command, rng)
    undisturbed = open_folder / "undisturbed.db"
    begun = time.monotonic()
    assert run.run(undisturbed, None)
    duration = time.monotonic() - begun
    expected = played(undisturbed)
    runs = 0
    while run.killed.total() < KILLS:
        runs += 1
        database = open_folder / f"killed-{runs}.db"
        complete = False
        while not complete:
            before = _stored(database) or 0
            complete = run.run(database, rng.uniform(0, duration) if run.killed.total() < KILLS else None)
            left = bowerbird.wait_until_gone()
            assert not left, f"after {run.killed} kills: {left}"
            assert (_stored(database) or 0) >= before, "a stored deal set is gone"
        assert played(database) == expected, f"run {runs} differs from the undisturbed one"
        for path in open_folder.glob(f"{database.name}*"):
            path.unlink()
    assert run.killed.keys() == {"command", *PROCESSES} or KILLS < MIN_KILLS, f"one kind was never killed: {run.killed}"
    seen(f"{user}: kills {dict(run.killed)} in {runs} runs: records and ratings as undisturbed; user id {NOBODY}")
