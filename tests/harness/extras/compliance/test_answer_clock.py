"""`check-bot` times an answer without the time for which bot and command wait for a processor (answer_clock.py)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping

import pytest

from bowerbird.harness.extras.compliance.driver.answer_clock import AnswerClock, threads_of
from bowerbird.harness.referee.process.task_times import TaskTimes, tells_waits

MS = 1_000_000
ASLEEP = TaskTimes(ran_ns=500 * MS, waited_ns=90 * MS, turns=7, is_ready=False)


def later(ran_ms: int, waited_ms: int, *, is_ready: bool = False) -> TaskTimes:
    return TaskTimes(ASLEEP.ran_ns + ran_ms * MS, ASLEEP.waited_ns + waited_ms * MS, ASLEEP.turns + 1, is_ready)


def seconds(*looks: Mapping[int, TaskTimes], passed_ms: int) -> float:
    told: Iterator[Mapping[int, TaskTimes]] = iter(looks)
    clock = AnswerClock(lambda: next(told))
    clock.start()
    return clock.seconds(passed_ms * MS)


def test_a_bot_that_waits_for_a_processor_is_charged_only_what_it_ran() -> None:
    assert seconds({1: ASLEEP}, {1: later(20, 100)}, passed_ms=120) == pytest.approx(0.020)


def test_a_bot_that_sleeps_is_charged_all_of_it() -> None:
    assert seconds({1: ASLEEP}, {1: later(20, 0)}, passed_ms=320) == pytest.approx(0.320)


def test_a_thread_that_waits_while_another_one_computes_spares_nothing() -> None:
    assert seconds({1: ASLEEP, 2: ASLEEP}, {1: later(120, 0), 2: later(0, 120)}, passed_ms=120) == pytest.approx(0.120)


def test_a_system_that_tells_no_waits_leaves_the_time_as_it_is() -> None:
    assert seconds({}, {}, passed_ms=120) == pytest.approx(0.120)


@pytest.mark.skipif(not tells_waits(), reason="this system does not tell waits")
def test_this_process_is_among_the_threads_that_are_looked_at() -> None:
    began = time.thread_time_ns()
    look = threads_of(os.getpid())
    while time.thread_time_ns() < began + 20 * MS:
        pass
    assert sum(task.ran_ns for task in look().values()) >= 20 * MS
