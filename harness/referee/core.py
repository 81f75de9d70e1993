"""Keeps a busy referee on one processor core (Linux; elsewhere nothing is done).

Of an interpreter's threads one runs at a time, and a message goes through several. Where the system spreads them over
the cores, each handing over wakes up another core; a decision then takes half as much processor time again. So while
the referee is busy all its threads stay on one core, and move together when others need that one. Bots, which the
launcher starts, run wherever the system likes; and so does a referee that mostly waits for bots that think.

Where a run has as many referees as there are cores (`--jobs`), each has one of its own. Its bots run there too while no
other core has room for them: one of them thinks at a time, and what it says need not cross over to another core.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import trio

from harness.referee.process_tree import family, processes, stat_fields

LOOK_S = 0.5
"""How often it is looked at how busy the referee and the cores are."""

BUSY = 0.3
QUIET = 0.15
"""The share of a core from which on the referee keeps to one, and below which it no longer does."""

GAIN = 0.2
"""So much more of another core must be free for it to move there."""

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_CORE = 36
"""Where a thread ran last: its place in /proc/PID/stat, counted behind the name of the program."""


@dataclass(frozen=True, slots=True)
class Load:
    """Seconds at one moment: the time `at` it, what this process has run so far, and by core what all have."""

    at: float
    own: float
    cores: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Hold:
    """The core to which the threads of the referee keep, and the one to which its bots do; None is for any."""

    referee: int | None = None
    bots: int | None = None


def own_core(number: int, of: int) -> int | None:
    """The core for referee `number` of so many at work in one run; None where they are fewer than the cores."""
    cores = sorted(_allowed())
    return cores[number % len(cores)] if of >= len(cores) > 1 else None


def chosen_hold(before: Load, now: Load, held: Hold, home: int | None, here: int) -> Hold:
    """Who keeps to which core from now on, by what happened between two looks; `held` is how it was.

    `home` is the core that is this referee's own, if it has one, and `here` the one where the main thread runs.
    """
    passed = now.at - before.at
    own = (now.own - before.own) / passed
    if own < (BUSY if held.referee is None else QUIET):
        return Hold()
    room = {core: 1 - (seconds - before.cores.get(core, 0.0)) / passed for core, seconds in now.cores.items()}
    if home is not None:
        elsewhere = max(share for core, share in room.items() if core != home)
        return Hold(home, home if elsewhere < GAIN else None)
    if held.referee is None:
        return Hold(here)
    room[held.referee] += own
    best = max(room, key=lambda core: room[core])
    return Hold(best) if room[best] > room[held.referee] + GAIN else held


async def keep_to_one_core(home: int | None = None, look_s: float = LOOK_S) -> None:
    """Look after the threads of this process, and the processes that it started, until cancelled.

    Then they may run anywhere again, as before. `home` is what `own_core` says.
    """
    allowed = _allowed()
    if len(allowed) < 2:
        return
    try:
        await _keep(allowed, home, look_s)
    except OSError:
        return  # this system does not say how busy it is, or lets nobody choose: slower, and nothing worse


async def _keep(allowed: Collection[int], home: int | None, look_s: float) -> None:
    held = Hold()
    before = _load(allowed)
    try:
        while True:
            await trio.sleep(look_s)
            now = _load(allowed)
            found = chosen_hold(before, now, held, home, _core_of_main_thread())
            _change(held, found, allowed)
            held, before = found, now
    finally:
        _change(held, Hold(), allowed)


def _allowed() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


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


def _change(held: Hold, found: Hold, allowed: Collection[int]) -> None:
    if found.referee != held.referee:
        _bind(os.getpid(), allowed if found.referee is None else {found.referee})
    if found.bots != held.bots:
        was, to = ({core} if core is not None else set(allowed) for core in (held.bots, found.bots))
        _move_started(was, to)


def _move_started(was: Collection[int], to: Collection[int]) -> None:
    """All processes that this one started, but those that chose other cores for themselves or are another user's."""
    us = os.getpid()
    for pid in family(us, processes()):
        with contextlib.suppress(OSError):
            if pid != us and os.sched_getaffinity(pid) == was:
                _bind(pid, to)


def _bind(pid: int, cores: Collection[int]) -> None:
    """Let all threads of a process run on these cores alone.

    A new thread or process begins with the cores of the one that starts it.
    """
    for name in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(name), cores)
