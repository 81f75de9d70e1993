"""Real bot processes that start before their referee exists (`bowerbird.harness.referee.connection.prestart`)."""

from __future__ import annotations

import dataclasses
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from bowerbird.harness.referee.connection.prestart import MAX_STARTING, Prestart
from bowerbird.harness.referee.isolation.tiers import Unconfined
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import BotSpec, InstanceKey
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.referee.prestarted import STARTUP_MS, head_start, marked, until
from tests.support.referee.tables import Club, bot, conditions, running, table

pytestmark = pytest.mark.usefixtures("processes")


def referee_of(bots: Sequence[BotSpec], workspace: Path, ahead: Prestart) -> Referee:
    by_name = {spec.name: spec for spec in bots}
    return Referee(by_name, conditions(), workspace=workspace, slots=2, tables=4, prestart=ahead)


def roll_call(referee: Referee, then: Sequence[str] = ()) -> tuple[tuple[BotStory, ...], list[str]]:
    """Return the absent bots, and the faults of a game between the bots `then`."""
    absent: list[BotStory] = []
    faults: list[str] = []

    async def main() -> None:
        with trio.fail_after(DEADLINE_S):
            async with referee:
                absent.extend(await referee.roll_call())
                if then:
                    [record] = await Club(referee).play([table(then, shared=True)])
                    faults.extend(fault.kind for fault in record.faults)

    trio.run(main)
    return tuple(absent), faults


def test_a_process_that_was_sent_for_is_the_one_that_plays(tmp_path: Path) -> None:
    bots = marked(tmp_path, bot("a", "noisy"), bot("b", "noisy"))
    with head_start(tmp_path, bots) as ahead:
        until(lambda: len(running(tmp_path)) == len(bots))
        early = set(running(tmp_path))
        referee = referee_of(bots, tmp_path, ahead)
        seen: set[int] = set()
        original = referee.play

        async def play(*arguments: object) -> None:
            await original(*arguments)  # type: ignore[arg-type]  # passed on as they are
            seen.update(running(tmp_path))

        referee.play = play  # type: ignore[method-assign,assignment] # to look while they still run
        assert roll_call(referee, "abab") == ((), [])
    assert seen == early, "no process may be started a second time"
    assert not running(tmp_path)
    assert {path.name for path in tmp_path.glob("*.log")} == {"a-0-1.log", "b-0-1.log"}, (
        "the output of both must be kept"
    )


def test_more_bots_than_start_at_once_all_come_in(tmp_path: Path) -> None:
    bots = marked(tmp_path, *(bot(f"b{number}") for number in range(MAX_STARTING + 2)))
    with head_start(tmp_path, bots) as ahead:
        assert roll_call(referee_of(bots, tmp_path, ahead)) == ((), [])
    assert not running(tmp_path)


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        (("/no/such/program",), "NEVER_STARTED: cannot be started: No such file or directory"),
        ((sys.executable, "-c", "raise SystemExit(7)"), "NEVER_STARTED: exit status 7 before its Hello"),
    ],
)
def test_why_a_process_did_not_come_is_told_as_of_any_other(
    tmp_path: Path, command: Sequence[str], failure: str
) -> None:
    bots = marked(tmp_path, bot("good"), bot("bad", command=command))
    with head_start(tmp_path, bots) as ahead:
        [story], _ = roll_call(referee_of(bots, tmp_path, ahead))
    assert (story.bot, story.failure) == ("bad", failure)
    assert not running(tmp_path)


def test_processes_that_no_referee_took_over_leave_nothing_open(tmp_path: Path) -> None:
    bots = marked(tmp_path, bot("a"), bot("b"))
    with SupervisorHandle.start() as handle:
        before = set(os.listdir("/proc/self/fd"))
        with Prestart(handle) as ahead:
            ahead.start_first(bots, Unconfined(), tmp_path, STARTUP_MS)
            assert len(os.listdir("/proc/self/fd")) > len(before)
        until(lambda: set(os.listdir("/proc/self/fd")) <= before)
    until(lambda: not running(tmp_path))


def test_what_cannot_be_done_ahead_is_left_to_the_referee(tmp_path: Path) -> None:
    bots = marked(tmp_path, bot("a"), dataclasses.replace(bot("b"), remote=True))
    with SupervisorHandle.start() as handle, Prestart(handle) as ahead:
        handle.folder.joinpath("ahead-1").mkdir()  # no server can listen there
        ahead.start_first(bots, Unconfined(), tmp_path, STARTUP_MS)
        assert not handle.start_requests
        assert roll_call(referee_of(bots[:1], tmp_path, ahead)) == ((), [])


def test_a_process_whose_start_is_broken_off_before_its_turn_ends_with_its_participant(tmp_path: Path) -> None:
    deaf = bot("a", command=(sys.executable, "-c", "import signal; signal.pause()"))
    [spec] = bots = marked(tmp_path, deaf)

    async def main(ahead: Prestart) -> None:
        with trio.fail_after(DEADLINE_S):
            async with referee_of(bots, tmp_path, ahead) as referee:
                participant = referee._starter.participant(spec, InstanceKey("a", 0), 1)
                await participant.leave("INTERRUPTED")
                while running(tmp_path):
                    await trio.sleep(0.005)

    with head_start(tmp_path, bots) as ahead:
        until(lambda: bool(running(tmp_path)))
        trio.run(main, ahead)


async def test_a_referee_that_cannot_be_entered_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a supervisor process nor its raised limit of open files."""
    handles: list[SupervisorHandle] = []

    def refuse(ahead: Prestart, *_: object) -> None:
        handles.append(ahead.supervisor)
        raise OSError("no tier")

    monkeypatch.setattr(Prestart, "tier", refuse)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = min(soft, 256)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lower, hard))
    try:
        with pytest.raises(OSError, match="no tier"):
            await Referee({}, conditions(), workspace=tmp_path, slots=1, tables=1).__aenter__()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (lower, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [handle._process.returncode for handle in handles] == [0]


KILLED = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.support.referee.prestarted import head_start, marked, until
from tests.support.referee.tables import bot, running
folder = Path(sys.argv[2])
bots = marked(folder, bot("a"), bot("b"))
with head_start(folder, bots) as ahead:
    until(lambda: len(running(folder)) == len(bots))  # each runs, and dials an address where nobody answers yet
    os.kill(os.getpid(), int(sys.argv[3]))
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [2, 9])
def test_a_signal_before_there_is_a_referee_leaves_no_process(tmp_path: Path, number: int) -> None:
    """faults.md rows 21 and 28. The command ends at once, although bots are connected to it."""
    arguments = [sys.executable, "-c", KILLED, str(ROOT), str(tmp_path), str(number)]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, timeout=DEADLINE_S, check=False)
    assert done.returncode == -number
    until(lambda: not running(tmp_path))
