"""The alarm of a session, with trio's own clock for tests."""

from __future__ import annotations

import math

import trio
import trio.testing

from harness.referee.alarm import Alarm


async def watch(moves: dict[float, float], until: float) -> list[float]:
    """When an alarm rings whose moment becomes each of these values at its key; a moment that has come is done with."""
    due = math.inf
    rung: list[float] = []

    def ring() -> None:
        nonlocal due
        rung.append(trio.current_time() - start)
        if due <= trio.current_time():
            due = math.inf

    alarm = Alarm(lambda: due, ring)
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alarm.watch)
        for moment, moved_to in moves.items():
            await trio.sleep_until(start + moment)
            due = start + moved_to
            alarm.look()
        await trio.sleep_until(start + until)
        nursery.cancel_scope.cancel()
    return rung


def run(moves: dict[float, float], until: float = 100) -> list[float]:
    return trio.run(watch, moves, until, clock=trio.testing.MockClock(autojump_threshold=0))


def test_an_alarm_rings_at_its_moment() -> None:
    assert run({1: 5}) == [5]


def test_an_alarm_never_rings_late_when_its_moment_comes_nearer() -> None:
    assert run({1: 50, 2: 5})[0] == 5


def test_an_alarm_rings_at_the_moment_that_it_was_moved_on_to() -> None:
    assert run({1: 5, 2: 50}) == [5, 50], "once in vain, at the moment that no longer counts, then in earnest"


def test_an_alarm_without_a_moment_is_silent() -> None:
    assert run({}) == []
