"""Fair times where no control group shares the processors between bots (faults.md, Waits for a processor).

Input: the processes of local bots, each with its endpoint. Output: a clock for each, which stops while the process is
ready to run but gets no processor, and a fault for a bot that took more than its share.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import trio

from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.host.bot_clock import ANSWER, DEADLINE, ORDINARY, BotClock, JudgingClock, Span
from bowerbird.harness.referee.host.host_clock import NS_PER_S, HostClock
from bowerbird.harness.referee.process.affinity import allowed_cores
from bowerbird.harness.referee.process.procfs import (
    ProcessInfo,
    all_processes,
    cpu_ns_of_tree,
    has_in_environment,
    process_tree,
)
from bowerbird.harness.referee.process.supervisor import Process
from bowerbird.harness.referee.process.task_times import TaskTimes, TaskWaits, tasks_of

LOOK_S = 0.5
"""The time between two checks if none is requested."""

CLOSE_NS = 50_000_000
"""A check is not repeated within this time. The system counts processor time in steps of a few milliseconds."""

MAX_THREADS = 2
"""How many threads per processor a bot may have ready to run, on average, while another bot waits.

A bot with more is spared only that share of its own waits, so that more threads gain no more time. With control groups,
all threads of a bot together weigh as much as one.
"""

MAX_USE = 4
"""A bot that uses less than one `MAX_USE`-th of all processors is not blamed for another bot's wait."""

UNFAIR = "many threads of it took the processors while another bot was ready and waited for one"

EndOrphans = Callable[[Sequence[int]], Awaitable[None]]
"""Ends processes without a living parent, except bots."""


class _Watched:
    """A bot's process, its endpoint, its clock, and its state at the last check."""

    def __init__(self, bot: str, process: Process, endpoint: Endpoint, clock: BotClock, now_ns: int) -> None:
        self.bot = bot
        self.process = process
        self.endpoint = endpoint
        self.clock = clock
        self.looked_ns = now_ns
        self.cpu_ns = 0
        self.task_waits = TaskWaits()
        self.is_blamed = False


class Looks:
    """The system's readings for a check. Tests supply their own."""

    def now_ns(self) -> int:
        """Return the clock used for all deadlines."""
        return time.monotonic_ns()

    def processes(self) -> Mapping[int, ProcessInfo]:
        """Return all processes by pid."""
        return all_processes()

    def tasks(self, pids: Iterable[int]) -> Mapping[int, TaskTimes]:
        """Return the threads of these processes with at least the priority of this process."""
        return tasks_of(pids, os.getpriority(os.PRIO_PROCESS, 0))

    def belongs(self, pid: int, token: str) -> bool:
        """Return whether a process was started with this token in its environment."""
        return has_in_environment(pid, token)


class ProcessorShares:
    """A watcher of processes without a processor share from a control group. It is used only in the trio thread."""

    def __init__(
        self,
        host: HostClock,
        supervisor: int,
        end_orphans: EndOrphans,
        *,
        cores: int | None = None,
        looks: Looks | None = None,
    ) -> None:
        """Start without processes. Orphans of bots are children of the process `supervisor`."""
        self._host = host
        self._supervisor = supervisor
        self._end_orphans = end_orphans
        self._cores = cores or len(allowed_cores()) or os.cpu_count() or 1
        self._looks = looks or Looks()
        self._watched: dict[Process, _Watched] = {}
        self._looked_ns = self._looks.now_ns()
        self._took_ns = 0
        self._held_up_ns = 0
        self._owners: dict[int, Process | None] = {}
        """The process to which each orphan belongs according to its environment."""
        self._orphans: dict[int, int] = {}
        """The orphans of unknown origin at the last check, and their processor time then."""
        self._to_end: list[int] = []
        self._changed = trio.Event()

    def add(self, bot: str, process: Process, endpoint: Endpoint) -> None:
        """Watch a process of `bot` from its start, unless it has a guaranteed share."""
        if not process.has_share and process.pid:

            def accuse(since_ns: int, until_ns: int) -> None:
                self._accuse(process, since_ns, until_ns)

            clock = BotClock(self._host, self.look, accuse)
            self._watched[process] = _Watched(bot, process, endpoint, clock, self._looks.now_ns())
            self._changed.set()

    def remove(self, process: Process) -> None:
        """Stop watching a process. Do nothing if it is not watched."""
        self._watched.pop(process, None)

    def clock_of(self, process: Process | None) -> JudgingClock:
        """Return the clock for a process: the host's if the process has a guaranteed share or runs elsewhere."""
        watched = self._watched.get(process) if process is not None else None
        return watched.clock if watched is not None else self._host

    async def run(self) -> None:
        """Check every `LOOK_S` while anything is watched, until cancelled."""
        while True:
            if not self._watched:
                self._changed = trio.Event()
                await self._changed.wait()
            # A referee that hardly gets a processor must not waste it.
            with trio.move_on_after(max(LOOK_S, (ORDINARY - 1) * self._took_ns / NS_PER_S)):
                self._changed = trio.Event()
                await self._changed.wait()
            self.look(DEADLINE)
            if self._to_end:
                ending, self._to_end = self._to_end, []
                await self._end_orphans(ending)

    def look(self, rest: int) -> int:
        """Check every process, unless the last check began less than CLOSE_NS and `rest` times its cost ago.

        rest: `ORDINARY`, `DEADLINE`, or `ANSWER` to check in any case.

        Return how old the check of every process is, in ns; 0 if it was made now.
        """
        began_ns = self._looks.now_ns()
        passed_ns = began_ns - self._looked_ns
        if rest != ANSWER and passed_ns < CLOSE_NS + rest * self._took_ns:
            return passed_ns
        processes = self._looks.processes()
        orphans = self._orphans_by_owner(processes)
        self._host.beat()
        # While the referee does not run, answers and requests wait.
        before_ns, self._held_up_ns = self._held_up_ns, self._host.held_up_ns
        held_up_ns = self._held_up_ns - before_ns
        someone_waits = False
        for watched in self._watched.values():
            roots = [watched.process.pid, *orphans.get(watched.process, ())]
            someone_waits |= self._look_at(watched, roots, processes, held_up_ns)
        self._look_at_unknown(processes, passed_ns, someone_waits)
        self._looked_ns = began_ns
        self._took_ns = self._looks.now_ns() - began_ns
        return 0

    def _look_at(
        self, watched: _Watched, roots: Sequence[int], processes: Mapping[int, ProcessInfo], held_up_ns: int
    ) -> bool:
        """Note how long a process ran and waited. Return whether it waited for most of the time."""
        tree = [pid for root in roots for pid in process_tree(root, processes)]
        tasks = self._looks.tasks(tree)
        now_ns = self._looks.now_ns()
        passed_ns = now_ns - watched.looked_ns
        if passed_ns <= 0:
            return False
        cpu_ns = sum(processes[pid].cpu_ns for pid in tree)
        used_ns = min(self._cores * passed_ns, max(0, cpu_ns - watched.cpu_ns))
        waits_ns = watched.task_waits.add(tasks, passed_ns)
        # If several threads wait, or some wait and some run, only the time when none of them runs counts.
        idle_ns = max(0, self._host.running_ns(watched.looked_ns, now_ns) - used_ns)
        waited_ns = min(idle_ns, waits_ns + held_up_ns)
        # A bot with more threads ready makes them wait for each other, and would stop its own clock.
        wanted_ns, most_ns = used_ns + waits_ns, MAX_THREADS * self._cores * passed_ns
        unfinished_ns = max(0, min(idle_ns - waited_ns, watched.task_waits.unfinished_ns))
        if wanted_ns > most_ns:
            waited_ns, unfinished_ns = waited_ns * most_ns // wanted_ns, 0
        watched.clock.waits.unfinished_ns = unfinished_ns
        watched.clock.waits.add(Span(watched.looked_ns, now_ns, used_ns, waited_ns, wanted_ns))
        watched.looked_ns, watched.cpu_ns = now_ns, cpu_ns
        return 2 * waited_ns > passed_ns

    def _orphans_by_owner(self, processes: Mapping[int, ProcessInfo]) -> Mapping[Process, Sequence[int]]:
        """Return the orphans of watched processes that their environment identifies."""
        bots = {one.process.pid for one in self._watched.values()}
        roots = [pid for pid, info in processes.items() if info.parent == self._supervisor and pid not in bots]
        self._owners = {pid: self._owners[pid] if pid in self._owners else self._owner_of(pid) for pid in roots}
        found: dict[Process, list[int]] = {}
        for pid, owner in self._owners.items():
            if owner is not None and owner in self._watched:
                found.setdefault(owner, []).append(pid)
        return found

    def _owner_of(self, pid: int) -> Process | None:
        return next(
            (one.process for one in self._watched.values() if self._looks.belongs(pid, one.endpoint.token)), None
        )

    def _look_at_unknown(self, processes: Mapping[int, ProcessInfo], passed_ns: int, someone_waits: bool) -> None:
        """Have orphans that do not belong to a playing bot ended if they use much while a bot waits."""
        unknown = {
            pid: cpu_ns_of_tree(pid, processes) for pid, owner in self._owners.items() if owner not in self._watched
        }
        used = {pid: cpu_ns - self._orphans.get(pid, cpu_ns) for pid, cpu_ns in unknown.items()}
        self._orphans = unknown
        if someone_waits and MAX_USE * sum(used.values()) > self._cores * passed_ns:
            self._to_end = sorted(pid for pid, used_ns in used.items() if used_ns)
            self._changed.set()

    def _accuse(self, victim: Process, since_ns: int, until_ns: int) -> None:
        """Blame the bot, if any, that took the processors while `victim` waited for most of an interval."""
        if victim not in self._watched:
            return
        passed_ns = self._host.running_ns(since_ns, until_ns)
        waited_ns = self._watched[victim].clock.waits.waited_ns(since_ns, until_ns, self._host.running_ns)
        if 2 * waited_ns <= passed_ns:
            return
        used: Counter[str] = Counter()
        greedy: list[_Watched] = []
        for watched in self._watched.values():
            cpu_ns, wanted_ns = watched.clock.waits.load_ns(since_ns)
            if watched.process is not victim and wanted_ns > MAX_THREADS * self._cores * passed_ns:
                used[watched.bot] += cpu_ns
                greedy.append(watched)
        for watched in greedy:
            if MAX_USE * used[watched.bot] > self._cores * passed_ns and not watched.is_blamed:
                watched.is_blamed = True
                watched.endpoint.blame(UNFAIR, is_certain=True)
