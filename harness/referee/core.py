"""Keeps a busy referee on one processor core (Linux; elsewhere nothing is done).

Of an interpreter's threads one runs at a time, and a message goes through several. Where the system spreads them over
the cores, each handing over wakes up another core; a decision then takes half as much processor time again. So while
the referee is busy all its threads stay on one core, and move together when others need that one. Bots, which the
launcher starts, run wherever the system likes; and so does a referee that mostly waits for bots that think.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import trio

from harness.referee.process_tree import stat_fields

LOOK_S = 0.5
"""How often it is looked at how busy the referee and the cores are."""

BUSY = 0.3
QUIET = 0.15
"""The share of a core from which on the referee keeps to one, and below which it no longer does."""

GAIN = 0.2
"""So much more of another core must be free for it to move there."""

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
THREADS = Path("/proc/self/task")
_CORE = 36
"""Where a thread ran last: its place in /proc/PID/stat, counted behind the name of the program."""


@dataclass(frozen=True, slots=True)
class Load:
    """Seconds at one moment: the time `at` it, what this process has run so far, and by core what all have."""

    at: float
    own: float
    cores: Mapping[int, float]


def chosen_core(before: Load, now: Load, kept: int | None, here: int) -> int | None:
    """The core to keep to from now on, None for none. `kept` is the one so far, `here` where the main thread runs."""
    passed = now.at - before.at
    own = (now.own - before.own) / passed
    if own < (BUSY if kept is None else QUIET):
        return None
    if kept is None:
        return here
    used = {core: (seconds - before.cores.get(core, 0.0)) / passed for core, seconds in now.cores.items()}
    room = {core: 1 - share for core, share in used.items()}
    room[kept] += own
    best = max(room, key=lambda core: room[core])
    return best if room[best] > room[kept] + GAIN else kept


async def keep_to_one_core(look_s: float = LOOK_S) -> None:
    """Look after the threads of this process until cancelled; then they may run anywhere again, as before."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if len(allowed) < 2:
        return
    try:
        await _keep(allowed, look_s)
    except OSError:
        return  # this system does not say how busy it is, or lets nobody choose: slower, and nothing worse


async def _keep(allowed: Collection[int], look_s: float) -> None:
    kept: int | None = None
    before = _load(allowed)
    try:
        while True:
            await trio.sleep(look_s)
            now = _load(allowed)
            found = chosen_core(before, now, kept, _core_of_main_thread())
            if found != kept:
                kept = found
                _bind(allowed if kept is None else {kept})
            before = now
    finally:
        if kept is not None:
            _bind(allowed)


def _load(cores: Collection[int]) -> Load:
    used = {}
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *ticks = line.split()
        if name.startswith("cpu") and name != "cpu" and int(name[3:]) in cores:
            user, nice, system, _idle, _waiting, *rest = map(int, ticks[:8])
            used[int(name[3:])] = (user + nice + system + sum(rest)) * TICK_S
    return Load(time.monotonic(), time.process_time(), used)


def _core_of_main_thread() -> int:
    return int(stat_fields(f"self/task/{os.getpid()}")[_CORE])


def _bind(cores: Collection[int]) -> None:
    """Let all threads run on these cores alone. A new thread begins with the cores of the one that starts it."""
    for name in os.listdir(THREADS):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(name), cores)
