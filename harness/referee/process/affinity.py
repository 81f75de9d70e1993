"""Pins a busy referee to one processor core (on Linux; elsewhere it does nothing).

Only one thread of an interpreter runs at a time, and a message passes through several threads. If the system spreads
them over cores, each step wakes another core, and a decision costs 1.5 times as much processor time. So the threads of
a busy referee share one core, and move together when other processes need it. A referee that mostly waits for thinking
bots is not pinned, and neither are bots, which the supervisor starts.

If a run has as many referees as there are cores (`--jobs`), each has a dedicated core. Its bots are pinned there too
while no other core has room for them, since only one of them thinks at a time, and its messages need not cross cores.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import trio

from bowerbird.harness.referee.process.procfs import all_processes, process_tree, stat_fields

SAMPLE_S = 0.5
"""How often the load of the referee and of the cores is sampled."""

PIN_ABOVE = 0.3
UNPIN_BELOW = 0.15
"""The shares of a core that the referee must use to become pinned and to stay pinned."""

MIN_GAIN = 0.2
"""How much more of another core must be free before the referee moves there, or its bots are unpinned."""

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_CORE = 36
"""The index in `stat_fields` of the core on which a thread last ran."""


@dataclass(frozen=True, slots=True)
class LoadSample:
    """Processor time in seconds, sampled at time `at`: of this process (`own`), and of all processes on each core."""

    at: float
    own: float
    cores: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Pinning:
    """The core to which the referee's threads are pinned, and its bots' core; None if they may run on any core."""

    referee: int | None = None
    bots: int | None = None


def allowed_cores() -> frozenset[int]:
    """Return the cores on which this thread may run now; none if the system does not report them."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()


def let_run_on(pid: int, cores: Collection[int]) -> None:
    """Let a process run on `cores`, if any.

    A process started by a pinned referee inherits its single core.
    """
    if cores:
        with contextlib.suppress(OSError):  # it has ended, or the system forbids it
            _set_affinity(pid, cores)


def dedicated_core(number: int, of: int) -> int | None:
    """Return the core for referee `number` out of `of` in a run; None if there are fewer referees than cores."""
    cores = sorted(allowed_cores())
    return cores[number % len(cores)] if of >= len(cores) > 1 else None


def choose_pinning(
    before: LoadSample, now: LoadSample, current: Pinning, dedicated: int | None, running_on: int
) -> Pinning:
    """Return the new pinning according to the load between two samples.

    dedicated: this referee's own core, if it has one.
    running_on: the core on which the main thread runs.
    """
    passed = now.at - before.at
    own = (now.own - before.own) / passed
    if own < (PIN_ABOVE if current.referee is None else UNPIN_BELOW):
        return Pinning()
    free = {core: 1 - (seconds - before.cores.get(core, 0.0)) / passed for core, seconds in now.cores.items()}
    if dedicated is not None:
        most_elsewhere = max(share for core, share in free.items() if core != dedicated)
        return Pinning(dedicated, dedicated if most_elsewhere < MIN_GAIN else None)
    if current.referee is None:
        return Pinning(running_on)
    free[current.referee] += own
    best = max(free, key=lambda core: free[core])
    return Pinning(best) if free[best] > free[current.referee] + MIN_GAIN else current


async def pin_to_one_core(dedicated: int | None = None, sample_s: float = SAMPLE_S) -> None:
    """Pin this process and the processes that it started, as their load requires, until cancelled; then unpin them.

    `dedicated` is what `dedicated_core` returned.
    """
    allowed = allowed_cores()
    if len(allowed) < 2:
        return
    try:
        await _sample_and_pin(allowed, dedicated, sample_s)
    except OSError:
        return  # this system does not report its load, or forbids pinning: the referee works, but more slowly


async def _sample_and_pin(allowed: Collection[int], dedicated: int | None, sample_s: float) -> None:
    current = Pinning()
    before = _sample_load(allowed)
    try:
        while True:
            await trio.sleep(sample_s)
            now = _sample_load(allowed)
            chosen = choose_pinning(before, now, current, dedicated, _core_of_main_thread())
            _apply(current, chosen, allowed)
            current, before = chosen, now
    finally:
        _apply(current, Pinning(), allowed)


def _sample_load(cores: Collection[int]) -> LoadSample:
    used = {}
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *ticks = line.split()
        if name.startswith("cpu") and name != "cpu" and int(name[3:]) in cores:
            user, nice, system, _idle, _waiting, *rest = map(int, ticks[:8])
            used[int(name[3:])] = (user + nice + system + sum(rest)) * TICK_S
    return LoadSample(time.monotonic(), time.process_time(), used)


def _core_of_main_thread() -> int:
    return int(stat_fields(f"self/task/{os.getpid()}")[_CORE])


def _apply(current: Pinning, chosen: Pinning, allowed: Collection[int]) -> None:
    if chosen.referee != current.referee:
        _set_affinity(os.getpid(), allowed if chosen.referee is None else {chosen.referee})
    if chosen.bots != current.bots:
        old, new = ({core} if core is not None else set(allowed) for core in (current.bots, chosen.bots))
        _move_descendants(old, new)


def _move_descendants(old: Collection[int], new: Collection[int]) -> None:
    """Move all our descendants, except those that chose their own cores or belong to another user."""
    us = os.getpid()
    for pid in process_tree(us, all_processes()):
        with contextlib.suppress(OSError):
            if pid != us and os.sched_getaffinity(pid) == old:
                _set_affinity(pid, new)


def _set_affinity(pid: int, cores: Collection[int]) -> None:
    """Restrict all threads of a process to `cores`. New threads and processes inherit that."""
    for name in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(name), cores)
