"""A busy referee keeps to one core, moves where others need it, and leaves its threads as they were."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import pytest
import trio

from harness.referee.core import Load, chosen_core, keep_to_one_core

START = Load(10.0, 5.0, {0: 100.0, 1: 200.0})
LIMIT_S = 20
LOOK_S = 0.05


def second_later(own: float, *cores: float) -> Load:
    """After a second in which this process ran for `own` seconds, and all together so long on each core."""
    return Load(11.0, 5.0 + own, {core: START.cores[core] + used for core, used in enumerate(cores)})


def test_a_referee_that_waits_for_its_bots_may_run_anywhere() -> None:
    assert chosen_core(START, second_later(0.1, 1.0, 1.0), None, here=1) is None


def test_a_busy_referee_keeps_to_the_core_where_it_is() -> None:
    assert chosen_core(START, second_later(0.6, 0.5, 0.5), None, here=1) == 1


def test_it_stays_while_its_own_bots_run_elsewhere() -> None:
    assert chosen_core(START, second_later(0.8, 0.8, 0.5), 0, here=0) == 0


def test_it_moves_from_a_core_that_others_need_to_a_free_one() -> None:
    assert chosen_core(START, second_later(0.5, 1.0, 0.1), 0, here=0) == 1


def test_it_stays_where_all_cores_are_needed_alike() -> None:
    assert chosen_core(START, second_later(0.5, 1.0, 1.0), 0, here=0) == 0


def test_it_is_free_again_when_it_is_not_busy_any_more() -> None:
    assert chosen_core(START, second_later(0.2, 0.2, 0.0), 0, here=0) == 0, "it was just below what made it keep"
    assert chosen_core(START, second_later(0.1, 0.1, 0.0), 0, here=0) is None


def cores_of_threads() -> set[frozenset[int]]:
    return {frozenset(os.sched_getaffinity(int(name))) for name in os.listdir("/proc/self/task")}


async def busy_until(done: Callable[[], bool]) -> None:
    with trio.fail_after(LIMIT_S):
        while not done():
            sum(range(20_000))
            await trio.lowlevel.checkpoint()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core, and nothing to choose")
def test_threads_of_a_busy_process_stay_together_and_are_let_go_at_the_end() -> None:
    before = cores_of_threads()
    asleep = threading.Event()
    other = threading.Thread(target=asleep.wait, args=(LIMIT_S,))
    other.start()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_to_one_core, LOOK_S)
            await busy_until(lambda: [len(cores) for cores in cores_of_threads()] == [1])
            nursery.cancel_scope.cancel()

    try:
        trio.run(main)
        assert cores_of_threads() == before, "threads are still bound after the referee has ended"
    finally:
        asleep.set()
        other.join()
