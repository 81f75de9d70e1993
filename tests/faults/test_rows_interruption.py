"""Ctrl-C once and twice: exit code 130, nothing lost, no process left (faults.md row 28; commands.md, Exit codes)."""

from __future__ import annotations

import shlex
import signal
import subprocess
import time

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird, said_until
from tests.support.deadline import DEADLINE_S
from tests.support.records.every_game import every_game
from tests.support.referee.fault_matrix import Seen

LONG = """
[tournament]
sets = {sets}
{seed}
[[variant]]
name = "euchre"
"""
SETS = 40


def interrupt(bowerbird: Bowerbird, seed: str, number: int, times: int, mode: str = "honest") -> tuple[str, int]:
    """Send a signal to a long tournament `times` times, from its first line about stored sets on.

    Return its output, and the milliseconds from the first signal to its end.
    """
    bots = bowerbird.bot("one", "slow", THINK_MS="3"), bowerbird.bot("two", mode)  # not over before the signal comes
    file = bowerbird.tournament(LONG.format(sets=SETS, seed=seed), *bots)
    with bowerbird.start("tournament", file.name, "--db", "x.db") as process:
        said = said_until(process, f"of {SETS} deal sets")
        begun = time.monotonic()
        for _ in range(times):
            process.send_signal(number)
            if times > 1:
                _wait_until_draining(process)
        try:
            _, rest = process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        ms = round(1000 * (time.monotonic() - begun))
        assert process.returncode == 130, f"exit code {process.returncode}: {said}{rest}"
        assert "Traceback" not in rest
        assert not bowerbird.wait_until_gone()
        return rest, ms


def _wait_until_draining(process: subprocess.Popen[str]) -> None:
    """Wait until the first signal is handled: the system merges two that arrive together."""
    try:
        process.wait(timeout=0.2)
    except subprocess.TimeoutExpired:
        return


def go_on(bowerbird: Bowerbird, said: str) -> None:
    """Run the printed resume command. The run must be played to its end, and stored sets must stay as they were."""
    last = said.splitlines()[-1]
    command = shlex.split(last)
    assert command[0].endswith("bowerbird")
    with Store.open(bowerbird.folder / "x.db") as store:
        (run,) = store.runs()
        assert run.row.ended is None
        assert run.row.seed is None, "the seed stays secret until the run is complete"
        before = {game.id: store.record_text(game.id) for game in every_game(store)}
    assert 0 < len(before) < 2 * SETS

    bowerbird.done(*command[1:], "--quiet")
    with Store.open(bowerbird.folder / "x.db") as store:
        (run,) = store.runs()
        assert run.row.ended is not None
        after = {game.id: store.record_text(game.id) for game in every_game(store)}
    assert len(after) == 2 * SETS
    assert before.items() <= after.items(), "what was stored stays as it was"
    bowerbird.done("verify", "--db", "x.db")


@pytest.mark.row(28)
@pytest.mark.parametrize(
    ("seed", "number"),
    [
        ("", signal.SIGINT),
        pytest.param('seed = "typed"', signal.SIGINT, marks=pytest.mark.long),
        ("", signal.SIGTERM),
    ],
    ids=["Ctrl-C", "Ctrl-C of a practice run", "SIGTERM"],
)
def test_interrupted_run_says_how_to_go_on_and_does(bowerbird: Bowerbird, seen: Seen, seed: str, number: int) -> None:
    said, ms = interrupt(bowerbird, seed, number, times=1)
    go_on(bowerbird, said)
    seen(f"{signal.Signals(number).name} once: drained, exit code 130, resumed, no process left", ms=ms)


@pytest.mark.row(28)
def test_interrupted_twice_it_waits_for_no_bot_and_still_says_how_to_go_on(bowerbird: Bowerbird, seen: Seen) -> None:
    """The bot ignores Goodbye. The first Ctrl-C gives it its grace period, the second does not."""
    said, ms = interrupt(bowerbird, "", signal.SIGINT, times=2, mode="deaf")
    go_on(bowerbird, said)
    seen("SIGINT twice: exit code 130, resumed, no process left", ms=ms)
