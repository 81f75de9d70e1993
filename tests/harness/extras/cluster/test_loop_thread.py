"""asyncio beside trio, in a thread of its own."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
import trio
import trio.testing

from bowerbird.harness.extras.cluster.loop_thread import LoopThread
from tests.support.deadline import DEADLINE_S


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    made = LoopThread()
    made.start()
    yield made
    made.stop()


async def _answer(value: int) -> int:
    await asyncio.sleep(0)
    return value


async def _fail() -> None:
    raise ValueError("no")


def test_a_coroutine_is_run_from_a_thread(loop: LoopThread) -> None:
    assert loop.wait_for(_answer(7), DEADLINE_S) == 7
    with pytest.raises(ValueError, match="no"):
        loop.wait_for(_fail(), DEADLINE_S)


def test_a_coroutine_is_run_from_trio_while_other_tasks_go_on(loop: LoopThread) -> None:
    released = threading.Event()

    async def wait_for_release() -> int:
        await asyncio.to_thread(released.wait, DEADLINE_S)
        return 7

    async def main() -> int:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, released.set)
            return await loop.run(wait_for_release())

    assert trio.run(main) == 7


def test_an_error_comes_out_where_the_coroutine_was_run(loop: LoopThread) -> None:
    with pytest.raises(ValueError, match="no"):
        trio.run(loop.run, _fail())


def test_a_cancellation_in_trio_cancels_the_coroutine(loop: LoopThread) -> None:
    began, ended = threading.Event(), threading.Event()

    async def wait_for_ever() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(loop.run, wait_for_ever())
            await trio.to_thread.run_sync(began.wait, DEADLINE_S)
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert ended.wait(DEADLINE_S), "the coroutine goes on without anybody"


def test_what_still_runs_is_cancelled_when_the_loop_stops() -> None:
    loop = LoopThread()
    loop.start()
    began, ended = threading.Event(), threading.Event()

    async def wait_for_ever() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    loop.begin(wait_for_ever())
    assert began.wait(DEADLINE_S)
    loop.stop()
    assert ended.is_set()


def test_a_loop_that_was_never_started_can_be_stopped() -> None:
    LoopThread().stop()


@pytest.mark.usefixtures("processes")
def test_processes_that_are_started_there_do_not_get_ctrl_c(loop: LoopThread) -> None:
    """A Ctrl-C at the terminal is for the run alone, which ends its workers in order."""
    code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"

    async def start() -> str:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert loop.wait_for(start(), DEADLINE_S) == "True"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
