"""faults.md, Waits for a processor: what counts where nothing shares the processors. All readings are made up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

import trio

from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.connection.processor_shares import (
    CLOSE_NS,
    MAX_THREADS,
    UNFAIR,
    Looks,
    ProcessorShares,
)
from bowerbird.harness.referee.host.bot_clock import (
    ANSWER,
    DEADLINE,
    LOOK_NS,
    MAX_WAIT_NS,
    ORDINARY,
    BotClock,
    Span,
    Waits,
)
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.procfs import ProcessInfo
from bowerbird.harness.referee.process.supervisor import Process, Supervisor
from bowerbird.harness.referee.process.task_times import TaskTimes, TaskWaits, tasks_of, tells_waits

MS = 1_000_000
S = 1000 * MS
SUPERVISOR, CORES = 7, 2


def plain(since: int, until: int) -> int:
    return until - since


def never(rest: int) -> int:
    """Check nothing: a test has told everything."""
    return 0


def noted(rests: list[int]) -> Callable[[int], int]:
    """Return a check that only notes what it is called with, and is too recent to be repeated without need."""

    def look(rest: int) -> int:
        rests.append(rest)
        return MS if rest == ORDINARY else 0

    return look


def test_a_wait_in_a_span_is_spared_once_and_no_longer_than_the_span_overlaps() -> None:
    waits = Waits()
    waits.add(Span(0, 1000, cpu_ns=0, waited_ns=600, wanted_ns=600))
    assert waits.waited_ns(0, 1000, plain) == 600
    assert waits.waited_ns(900, 1000, plain) == 100
    assert waits.waited_ns(1000, 2000, plain) == 0
    assert waits.waited_ns(0, 300, plain) == 300, "a bot is idle before it is asked"


def test_a_clock_stands_while_its_process_waits_and_runs_on_afterwards() -> None:
    clock = BotClock(HostClock(), never, lambda since, until: None)
    clock.waits.add(Span(0, 5 * S, cpu_ns=S, waited_ns=4 * S, wanted_ns=5 * S))
    assert clock.running_ns(0, 5 * S) == S
    assert clock.running_ns(0, 7 * S) == 3 * S
    assert clock.wait_ns(0, 4 * S, 7 * S) == S


def test_a_short_time_is_not_looked_into() -> None:
    rests: list[int] = []
    clock = BotClock(HostClock(), noted(rests), lambda since, until: None)
    assert clock.running_ns(0, LOOK_NS) == LOOK_NS
    assert rests == []
    clock.running_ns(0, LOOK_NS + 1)
    assert rests == [ORDINARY, ANSWER], "no limit is known"


def test_a_look_is_urgent_only_where_it_decides_whether_a_bot_is_late() -> None:
    rests: list[int] = []
    clock = BotClock(HostClock(), noted(rests), lambda since, until: None)
    assert clock.wait_ns(0, 5 * S, S) == 4 * S
    assert rests == []
    clock.running_ns(0, 4 * S)
    assert rests == [ORDINARY]
    clock.running_ns(0, 6 * S)
    assert rests == [ORDINARY, ORDINARY, ANSWER]
    clock.wait_ns(0, 5 * S, 6 * S)
    assert rests[3:] == [ORDINARY, DEADLINE]


def test_no_bot_is_late_by_what_was_seen_before_its_limit() -> None:
    """Where a check costs much, it is made less often, and the verdict waits for it."""
    age = [S]
    clock = BotClock(HostClock(), lambda rest: age[0], lambda since, until: None)
    assert clock.wait_ns(0, S, 2 * S) > 0, "since the check, at its limit, it may have waited"
    age[0] = S - 1
    assert clock.wait_ns(0, S, 2 * S) == -S
    age[0] += 10 * MS
    assert clock.wait_ns(0, S, 2 * S + 10 * MS) < 0, "and stays late, though that check gets older"


def test_no_bot_is_late_by_a_wait_that_the_system_will_tell_when_it_ends() -> None:
    clock = BotClock(HostClock(), never, lambda since, until: None)
    clock.waits.add(Span(0, 5 * S, cpu_ns=S, waited_ns=2 * S, wanted_ns=3 * S))
    clock.waits.unfinished_ns = S
    assert clock.wait_ns(0, 2 * S, 5 * S) > 0, "of the 3 s that count, the last may not"
    assert clock.wait_ns(0, 2 * S - 1, 5 * S) < 0
    assert clock.running_ns(0, 5 * S) == 3 * S, "a bot that has answered waits no more"


def test_every_wait_ends() -> None:
    """A bot may starve for ever; its game may not."""
    clock = BotClock(HostClock(), never, lambda since, until: None)
    clock.waits.add(Span(0, 10 * MAX_WAIT_NS, cpu_ns=0, waited_ns=10 * MAX_WAIT_NS, wanted_ns=10 * MAX_WAIT_NS))
    assert clock.running_ns(0, 3 * MAX_WAIT_NS) == 2 * MAX_WAIT_NS


def test_somebody_is_asked_who_took_the_processors_only_when_a_bot_would_be_late_but_for_its_waits() -> None:
    accused: list[tuple[int, int]] = []
    clock = BotClock(HostClock(), never, lambda since, until: accused.append((since, until)))
    clock.waits.add(Span(0, 5 * S, cpu_ns=0, waited_ns=4 * S, wanted_ns=4 * S))
    assert clock.wait_ns(0, 6 * S, 5 * S) == S
    assert accused == []
    assert clock.wait_ns(0, 3 * S, 5 * S) == 2 * S
    assert accused == [(0, 5 * S)]
    assert clock.wait_ns(0, S, 6 * S) < 0, "late all the same"
    assert len(accused) == 1


def test_a_wait_that_lasts_is_counted_while_it_lasts_and_not_again_when_it_ends() -> None:
    waits = TaskWaits()
    assert waits.add({1: TaskTimes(10, 0, 3, is_ready=False)}, 100) == 0
    assert waits.add({1: TaskTimes(20, 5, 4, is_ready=True)}, 100) == 5
    assert waits.add({1: TaskTimes(20, 5, 4, is_ready=True)}, 100) == 100
    assert waits.add({1: TaskTimes(20, 5, 4, is_ready=True)}, 100) == 100
    assert waits.add({1: TaskTimes(30, 235, 5, is_ready=False)}, 100) == 30, "of 230 the first 200 were counted"
    assert waits.add({1: TaskTimes(30, 235, 5, is_ready=False)}, 100) == 0, "it sleeps"


def test_what_a_ready_thread_neither_ran_nor_waited_may_be_a_wait_that_has_not_ended() -> None:
    waits = TaskWaits()
    waits.add({1: TaskTimes(10, 0, 3, is_ready=True)}, 100)
    assert waits.unfinished_ns == 90
    waits.add({1: TaskTimes(30, 50, 4, is_ready=True), 2: TaskTimes(0, 95, 1, is_ready=True)}, 100)
    assert waits.unfinished_ns == 30, "20 of 100 it ran, 50 it waited"
    waits.add({1: TaskTimes(30, 50, 4, is_ready=True)}, 100)
    assert waits.unfinished_ns == 0, "it waited all the time, and that is counted"
    waits.add({1: TaskTimes(40, 150, 5, is_ready=False)}, 100)
    assert waits.unfinished_ns == 0, "it sleeps"


def test_the_system_tells_of_our_own_threads() -> None:
    assert tells_waits() == Path("/proc/self/schedstat").exists()
    if tells_waits():
        mine = tasks_of([os.getpid()], 19)
        assert mine[os.getpid()].ran_ns > 0
        assert mine[os.getpid()].is_ready


class Blamed:
    """An endpoint that records what its bot is accused of."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.why: list[str] = []

    def blame(self, why: str, *, is_certain: bool) -> None:
        assert is_certain, "the referee saw it itself"
        self.why.append(why)


class MadeUpLooks(Looks):
    """A machine on which a test decides who runs and who waits, by pid."""

    def __init__(self) -> None:
        self.now = 100 * S
        self.found: dict[int, ProcessInfo] = {}
        self.waits: dict[int, int] = {}
        self.tokens: dict[int, str] = {}

    def now_ns(self) -> int:
        return self.now

    def processes(self) -> dict[int, ProcessInfo]:
        return dict(self.found)

    def tasks(self, pids: Iterable[int]) -> dict[int, TaskTimes]:
        return {
            pid: TaskTimes(self.found[pid].cpu_ns, self.waits.get(pid, 0), self.now, is_ready=False)
            for pid in pids
            if pid in self.found
        }

    def belongs(self, pid: int, token: str) -> bool:
        return self.tokens.get(pid) == token

    def run(self, ns: int, used: dict[int, int], waited: dict[int, int]) -> None:
        self.now += ns
        for pid, used_ns in used.items():
            info = self.found[pid]
            self.found[pid] = ProcessInfo(info.parent, 0, info.cpu_ns + used_ns)
        for pid, waited_ns in waited.items():
            self.waits[pid] = self.waits.get(pid, 0) + waited_ns


class Machine:
    """A victim, a hog with ten orphaned spinners, and what was found out about them."""

    def __init__(self, *, spinners_tell: bool = True, has_share: bool = False) -> None:
        self.looks = MadeUpLooks()
        self.ended: list[int] = []
        self.host = HostClock()
        self.shares = ProcessorShares(self.host, SUPERVISOR, self._end, cores=CORES, looks=self.looks)
        self.victim, self.hog = self._bot(10, has_share), self._bot(11, has_share)
        self.endpoints = {"victim": Blamed("v"), "hog": Blamed("h")}
        self.shares.add("victim", self.victim, cast(Endpoint, self.endpoints["victim"]))
        self.shares.add("hog", self.hog, cast(Endpoint, self.endpoints["hog"]))
        self.spinners = range(20, 30)
        for pid in self.spinners:
            self.looks.found[pid] = ProcessInfo(SUPERVISOR, 0)
            if spinners_tell:
                self.looks.tokens[pid] = "h"
        self.look_after(S, {}, {})

    async def _end(self, pids: Sequence[int]) -> None:
        self.ended = list(pids)

    def _bot(self, pid: int, has_share: bool) -> Process:
        process = Process(pid, OutputLog(Path("/dev/null")), cast(Supervisor, None), 0)
        process.pid, process.has_share = pid, has_share
        self.looks.found[pid] = ProcessInfo(SUPERVISOR, 0)
        return process

    def look_after(self, ns: int, used: dict[int, int], waited: dict[int, int]) -> None:
        self.looks.run(ns, used, waited)
        assert self.shares.look(DEADLINE) == 0

    def starve(self, ns: int) -> None:
        """The spinners take both processors; the victim waits for one."""
        each = CORES * ns // len(self.spinners)
        waits = dict.fromkeys(self.spinners, ns - each)
        self.look_after(ns, dict.fromkeys(self.spinners, each), {**waits, self.victim.pid: ns})


def test_a_starved_bot_is_charged_nothing_and_the_hog_is_charged_all_and_blamed() -> None:
    machine = Machine()
    began = machine.looks.now
    machine.starve(2 * S)
    now = machine.looks.now
    victim, hog = machine.shares.clock_of(machine.victim), machine.shares.clock_of(machine.hog)
    assert victim.running_ns(began, now) == 0
    assert hog.running_ns(began, now) == 2 * S
    assert victim.wait_ns(began, S, now) == S
    assert machine.endpoints["hog"].why == [UNFAIR]
    assert machine.endpoints["victim"].why == []
    machine.starve(S)
    victim.wait_ns(began, S, machine.looks.now)
    assert machine.endpoints["hog"].why == [UNFAIR], "once"


def test_checks_follow_each_other_at_once_only_for_an_answer_that_would_be_late() -> None:
    machine = Machine()
    began = machine.looks.now
    machine.looks.run(CLOSE_NS // 2, {}, {machine.victim.pid: CLOSE_NS // 2})
    assert machine.shares.look(DEADLINE) == CLOSE_NS // 2
    victim = machine.shares.clock_of(machine.victim)
    assert victim.running_ns(began - S, machine.looks.now) == S, "the latest wait is left out"


def test_while_the_referee_gets_no_processor_only_the_clock_of_the_bot_that_took_it_runs() -> None:
    machine = Machine()
    began = machine.looks.now
    machine.host.held_up_ns += 2 * S
    machine.look_after(2 * S, dict.fromkeys(machine.spinners, CORES * 2 * S // 10), dict.fromkeys(machine.spinners, S))
    assert machine.shares.clock_of(machine.hog).running_ns(began, machine.looks.now) == 2 * S
    assert machine.shares.clock_of(machine.victim).running_ns(began, machine.looks.now) == 0


def test_where_other_programs_take_the_processors_nobody_is_blamed() -> None:
    machine = Machine()
    began = machine.looks.now
    machine.look_after(4 * S, {machine.hog.pid: S // 10}, {machine.victim.pid: 4 * S, machine.hog.pid: 3 * S})
    victim = machine.shares.clock_of(machine.victim)
    assert victim.wait_ns(began, S, machine.looks.now) == S
    assert machine.endpoints["hog"].why == []


def test_a_bot_with_one_thread_may_use_a_whole_processor_while_another_waits() -> None:
    machine = Machine()
    began = machine.looks.now
    machine.look_after(4 * S, {machine.hog.pid: 4 * S}, {machine.victim.pid: 4 * S})
    machine.shares.clock_of(machine.victim).wait_ns(began, S, machine.looks.now)
    assert machine.endpoints["hog"].why == []


def test_more_threads_gain_no_more_time() -> None:
    """Other programs have the processors. The bot sleeps, while its threads are ready and wait."""
    spared = []
    for threads in (1, MAX_THREADS * CORES, 2 * MAX_THREADS * CORES, 10 * MAX_THREADS * CORES):
        machine = Machine()
        children = range(100, 100 + threads)
        machine.looks.found |= {pid: ProcessInfo(machine.victim.pid, 0) for pid in children}
        machine.look_after(S, {}, {})
        began = machine.looks.now
        machine.look_after(4 * S, {}, dict.fromkeys(children, 4 * S))
        spared.append(4 * S - machine.shares.clock_of(machine.victim).running_ns(began, machine.looks.now))
    assert spared == [4 * S, 4 * S, 2 * S, 4 * S // 10]


async def test_spinners_that_hide_whose_they_are_are_ended_while_a_bot_waits() -> None:
    machine = Machine(spinners_tell=False)
    began = machine.looks.now
    machine.starve(2 * S)
    assert machine.shares.clock_of(machine.victim).running_ns(began, machine.looks.now) == 0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(machine.shares.run)
        while not machine.ended:
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert machine.ended == list(machine.spinners)
    assert machine.endpoints["hog"].why == [], "it may have been another bot"


def test_a_process_with_a_share_is_judged_by_the_hosts_clock() -> None:
    machine = Machine(has_share=True)
    assert isinstance(machine.shares.clock_of(machine.victim), HostClock)
    assert isinstance(machine.shares.clock_of(None), HostClock)
