"""The deadline timer of a session, with trio's own clock for tests."""

from __future__ import annotations

import math

import pytest
import trio

from bowerbird.harness.referee.connection.session import DeadlineTimer

pytestmark = pytest.mark.mock_clock


async def rings(moves: dict[float, float], until: float = 100) -> list[float]:
    """Return when an alarm rings, in seconds. `moves` maps the time of each setting to the alarm's new time."""
    due = math.inf
    rung: list[float] = []

    def ring() -> None:
        nonlocal due
        rung.append(trio.current_time() - start)
        if due <= trio.current_time():
            due = math.inf

    alarm = DeadlineTimer(lambda: due, ring)
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alarm.run)
        for moment, moved_to in moves.items():
            await trio.sleep_until(start + moment)
            due = start + moved_to
            alarm.update()
        await trio.sleep_until(start + until)
        nursery.cancel_scope.cancel()
    return rung


async def test_an_alarm_rings_at_its_moment() -> None:
    assert await rings({1: 5}) == [5]


async def test_an_alarm_never_rings_late_when_its_moment_comes_nearer() -> None:
    assert (await rings({1: 50, 2: 5}))[0] == 5


async def test_an_alarm_rings_at_the_moment_that_it_was_moved_on_to() -> None:
    assert await rings({1: 5, 2: 50}) == [5, 50], "first without effect at the old moment, then at the new one"


async def test_an_alarm_without_a_moment_is_silent() -> None:
    assert await rings({}) == []
