"""Processes that are on their way before there is a referee (`harness.referee.ahead`); real processes."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio
from tables import LIMIT_S, MARK, ROOT, Club, bot, conditions, running, table

from harness.referee.ahead import STARTS_AT_ONCE, HeadStart
from harness.referee.isolation import Unconfined
from harness.referee.lifeline import Lifeline
from harness.referee.referee import Referee
from harness.referee.roster import BotStory
from harness.referee.spec import BotSpec

STARTUP_MS = conditions().time.startup_ms


@contextmanager
def head_start(workspace: Path, bots: Sequence[BotSpec]) -> Iterator[HeadStart]:
    """These bots have been sent for."""
    with Lifeline.start() as lifeline, HeadStart(lifeline) as ahead:
        ahead.send_for(bots, Unconfined(), workspace, STARTUP_MS)
        yield ahead


def marked(workspace: Path, *bots: BotSpec) -> list[BotSpec]:
    return [dataclasses.replace(spec, environment={**spec.environment, MARK: str(workspace)}) for spec in bots]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert condition()


def referee_of(bots: Sequence[BotSpec], workspace: Path, ahead: HeadStart) -> Referee:
    by_name = {spec.name: spec for spec in bots}
    return Referee(by_name, conditions(), workspace=workspace, slots=2, tables=4, ahead=ahead)


def roll_call(referee: Referee, then: Sequence[str] = ()) -> tuple[tuple[BotStory, ...], list[str]]:
    """The absent, and by its faults how a game between the bots `then` went."""
    absent: list[BotStory] = []
    faults: list[str] = []

    async def main() -> None:
        with trio.fail_after(LIMIT_S):
            async with referee:
                absent.extend(await referee.roll_call())
                if then:
                    [record] = await Club(referee).play([table(then, shared=True)])
                    faults.extend(fault.kind for fault in record.faults)

    trio.run(main)
    return tuple(absent), faults


def test_a_process_that_was_sent_for_is_the_one_that_plays(tmp_path):
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

        referee.play = play  # type: ignore[method-assign,assignment]  # to look while they still run
        assert roll_call(referee, "abab") == ((), [])
    assert seen == early, "nobody was started a second time"
    assert not running(tmp_path)
    assert {path.name for path in tmp_path.glob("*.log")} == {"a-0-1.log", "b-0-1.log"}, "all that they wrote is kept"


def test_more_bots_than_start_at_once_all_come_in(tmp_path):
    bots = marked(tmp_path, *(bot(f"b{number}") for number in range(STARTS_AT_ONCE + 2)))
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
def test_why_a_process_did_not_come_is_told_as_of_any_other(tmp_path, command, failure):
    bots = marked(tmp_path, bot("good"), bot("bad", command=command))
    with head_start(tmp_path, bots) as ahead:
        [story], _ = roll_call(referee_of(bots, tmp_path, ahead))
    assert (story.bot, story.failure) == ("bad", failure)
    assert not running(tmp_path)


def test_what_cannot_be_done_ahead_is_left_to_the_referee(tmp_path):
    bots = marked(tmp_path, bot("a"), dataclasses.replace(bot("b"), remote=True))
    with Lifeline.start() as lifeline, HeadStart(lifeline) as ahead:
        lifeline.folder.joinpath("ahead-1").mkdir()  # nobody can listen there
        ahead.send_for(bots, Unconfined(), tmp_path, STARTUP_MS)
        assert not lifeline.orders
        assert roll_call(referee_of(bots[:1], tmp_path, ahead)) == ((), [])


KILLED = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_ahead import bot, head_start, marked, until
folder = Path(sys.argv[2])
bots = marked(folder, bot("a"), bot("b"))
with head_start(folder, bots) as ahead:
    until(lambda: len(ahead.post._calls) >= 2 * len(bots))  # each has said Hello and Ready, and waits
    os.kill(os.getpid(), int(sys.argv[3]))
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [2, 9])
def test_a_signal_before_there_is_a_referee_leaves_no_process(tmp_path, number):
    """FAULTS.md 21 and 28. And the command ends at once, though bots are connected to it."""
    arguments = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(tmp_path), str(number)]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, timeout=LIMIT_S, check=False)
    assert done.returncode == -number
    until(lambda: not running(tmp_path))
