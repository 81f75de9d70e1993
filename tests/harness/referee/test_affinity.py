"""A busy referee is pinned to one core, moves if others need that core, and is unpinned at the end."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
import trio

from bowerbird.harness.referee.process import affinity
from bowerbird.harness.referee.process.affinity import (
    LoadSample,
    Pinning,
    choose_pinning,
    dedicated_core,
    pin_to_one_core,
)
from tests.support.deadline import DEADLINE_S

START = LoadSample(10.0, 5.0, {0: 100.0, 1: 200.0})
LOOK_S = 0.05


def second_later(own: float, *cores: float) -> LoadSample:
    """Return the sample a second later: this process ran for `own` seconds, all processes for `cores` on each core."""
    return LoadSample(11.0, 5.0 + own, {core: START.cores[core] + used for core, used in enumerate(cores)})


def lone(now: LoadSample, kept: int | None) -> Pinning:
    """Return what a referee chooses that runs on core 1 and has no dedicated core."""
    return choose_pinning(START, now, Pinning(kept), dedicated=None, running_on=1)


def one_of_many(now: LoadSample, held: Pinning) -> Pinning:
    """Return what a referee chooses with the dedicated core 0."""
    return choose_pinning(START, now, held, dedicated=0, running_on=1)


def test_a_referee_that_waits_for_its_bots_may_run_anywhere() -> None:
    assert lone(second_later(0.1, 1.0, 1.0), None) == Pinning()


def test_a_busy_referee_keeps_to_the_core_where_it_is() -> None:
    assert lone(second_later(0.6, 0.5, 0.5), None) == Pinning(1)


def test_it_stays_while_its_own_bots_run_elsewhere() -> None:
    assert lone(second_later(0.8, 0.8, 0.5), 0) == Pinning(0)


def test_it_moves_from_a_core_that_others_need_to_a_free_one() -> None:
    assert lone(second_later(0.5, 1.0, 0.1), 0) == Pinning(1)


def test_it_stays_where_all_cores_are_needed_alike() -> None:
    assert lone(second_later(0.5, 1.0, 1.0), 0) == Pinning(0)


def test_it_is_free_again_when_it_is_not_busy_any_more() -> None:
    assert lone(second_later(0.2, 0.2, 0.0), 0) == Pinning(0), "it stays a little below the load at which it was pinned"
    assert lone(second_later(0.1, 0.1, 0.0), 0) == Pinning()


def test_one_of_as_many_referees_as_cores_shares_its_own_with_its_bots() -> None:
    assert one_of_many(second_later(0.6, 1.0, 0.9), Pinning()) == Pinning(0, 0)
    assert one_of_many(second_later(0.2, 1.0, 0.9), Pinning(0, 0)) == Pinning(0, 0), "still busy enough to stay pinned"


def test_its_bots_run_anywhere_while_another_core_has_room() -> None:
    assert one_of_many(second_later(0.6, 1.0, 0.3), Pinning(0, 0)) == Pinning(0)


def test_it_stays_on_its_own_core_though_others_need_it() -> None:
    assert one_of_many(second_later(0.4, 1.0, 0.1), Pinning(0, 0)) == Pinning(0), (
        "otherwise two referees would share one core"
    )


def test_one_of_many_that_waits_for_its_bots_may_run_anywhere_and_so_may_they() -> None:
    assert one_of_many(second_later(0.1, 1.0, 1.0), Pinning(0, 0)) == Pinning()


def test_each_core_is_the_own_of_one_where_there_are_enough_referees() -> None:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        assert [dedicated_core(number, len(cores)) for number in range(len(cores))] == cores
    assert dedicated_core(0, len(cores) - 1) is None, "fewer referees than cores: none is shared out"


def cores_of_threads() -> set[frozenset[int]]:
    found = set()
    for name in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # the thread has just ended
            found.add(frozenset(os.sched_getaffinity(int(name))))
    return found


async def busy_until(done: Callable[[], bool]) -> None:
    with trio.fail_after(DEADLINE_S):
        while not done():
            sum(range(20_000))
            await trio.lowlevel.checkpoint()


@pytest.fixture
def always_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process count as busy however little time a loaded machine gives it."""
    monkeypatch.setattr(affinity, "PIN_ABOVE", 0.0)
    monkeypatch.setattr(affinity, "UNPIN_BELOW", 0.0)


@pytest.mark.usefixtures("always_busy")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core, and nothing to choose")
def test_threads_of_a_busy_process_stay_together_and_are_let_go_at_the_end() -> None:
    before = cores_of_threads()
    asleep = threading.Event()
    other = threading.Thread(target=asleep.wait, args=(DEADLINE_S,))
    other.start()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pin_to_one_core, None, LOOK_S)
            await busy_until(lambda: [len(cores) for cores in cores_of_threads()] == [1])
            nursery.cancel_scope.cancel()

    try:
        trio.run(main)
        assert cores_of_threads() == before, "threads are still bound after the referee has ended"
    finally:
        asleep.set()
        other.join()


@pytest.mark.usefixtures("processes")
@pytest.mark.usefixtures("always_busy")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core, and nothing to choose")
def test_what_a_process_started_is_bound_with_it_unless_it_chose_for_itself_and_let_go_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The threshold is set so that no other core ever counts as free."""
    monkeypatch.setattr(affinity, "MIN_GAIN", 1.1)
    home, other = sorted(os.sched_getaffinity(0))[:2]
    everywhere = os.sched_getaffinity(0)
    with (
        subprocess.Popen(["cat"], stdin=subprocess.PIPE) as bot,
        subprocess.Popen(["cat"], stdin=subprocess.PIPE) as choosy,
    ):
        os.sched_setaffinity(choosy.pid, {other})

        async def main() -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pin_to_one_core, home, LOOK_S)
                await busy_until(lambda: os.sched_getaffinity(bot.pid) == {home})
                assert os.sched_getaffinity(choosy.pid) == {other}
                nursery.cancel_scope.cancel()

        try:
            trio.run(main)
            assert os.sched_getaffinity(bot.pid) == everywhere
            assert os.sched_getaffinity(choosy.pid) == {other}
        finally:
            bot.kill()
            choosy.kill()
