"""Works on recorded games on the workers of a cluster (`bowerbird verify --cluster`, `analyse --cluster`).

The database stays here. The games go to a worker with the task, and the result comes back.

A worker needs no bots and no referee, only the same Bowerbird. This machine checks the workers by repeating some of
their work: each worker's first task, every result that accuses somebody or would end the work, one in `DRAWN` others,
and late tasks. A worker with a different result, or none, gets no more work.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from bowerbird.harness.extras.cluster.address import ClusterOptions
from bowerbird.harness.extras.cluster.answer_types import is_of_type
from bowerbird.harness.extras.cluster.blocks import LATE, LEAST_LATE_S
from bowerbird.harness.extras.cluster.connection import (
    ClusterConnection,
    WorkerAnswerError,
    WorkerBusyError,
    WorkerDefectError,
    WorkerGoneError,
    WorkerRefusalError,
)
from bowerbird.harness.extras.cluster.executor import DRAWN, LEAVE_S, LOOK_S, MAX_LOSSES, NO_WORKER_S
from bowerbird.harness.extras.cluster.on_worker.site import LEASE_S, WorkerSite
from bowerbird.harness.extras.cluster.on_worker.worker_facts import describe, difference
from bowerbird.harness.extras.cluster.retries import Retries
from bowerbird.harness.extras.cluster.roll_call import LeftOut, first_workers
from bowerbird.harness.extras.cluster.tls import TlsFiles
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.verify.game_checks import Block, Difference, RunFacts, StoredGame, examine, stored_games
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.events import Progress, WorkerJoined, WorkerLeftOut, WorkerLost
from bowerbird.harness.tournament.executors.other_machines import Work

T = TypeVar("T")
R = TypeVar("R")

BLOCKS_PER_WORKER = 2
"""How many blocks to read ahead for each worker: the one that it is examining and the next one."""


@contextmanager
def open_examiner(options: ClusterOptions, progress: Progress, verb: str = "verify") -> Iterator[ClusterExaminer]:
    """Connect to a cluster, check its workers, and disconnect at the end. Raises MachinesError if none can work.

    progress: called in this thread for each worker that is left out, is lost or joins.
    verb: what the workers do, for messages.
    """
    connection = ClusterConnection(options.address, TlsFiles.find(options.tls) if options.tls is not None else None)
    connection.open()
    try:
        with examiner_on(connection, progress, verb) as examiner:
            yield examiner
    finally:
        connection.close()


@contextmanager
def examiner_on(connection: ClusterConnection, progress: Progress, verb: str = "verify") -> Iterator[ClusterExaminer]:
    """Check the workers of an open connection, and leave them at the end. See `open_examiner`."""
    workers = ExaminingWorkers(connection, verb)
    connection.loop.wait_for(workers.enter_all())
    examiner = ClusterExaminer(connection, workers, progress)
    try:
        yield examiner
    finally:
        examiner.close()


class ClusterExaminer:
    """An `Examiner` and a `MachinePool` that shares work among the workers of a cluster. Use it in one thread."""

    def __init__(self, connection: ClusterConnection, workers: ExaminingWorkers, progress: Progress) -> None:
        """Let the admitted workers take blocks from now on."""
        self._connection = connection
        self._workers = workers
        self._progress = progress
        self._serving: Future[None] = connection.loop.begin(workers.serve())

    def __call__(self, store: Store, run: RunFacts, blocks: Sequence[Block]) -> Iterator[list[Difference]]:
        """Yield the differences in each block; see `Examiner`. Raises MachinesError if no workers are left."""
        return self._in_order(self._workers.examine(tuple(stored_games(store, block)), run) for block in blocks)

    def mapped(self, work: Work[T, R], items: Iterable[tuple[str, T]]) -> Iterator[R]:
        """Yield the result of each item; see `MachinePool`."""
        return self._in_order(self._workers.do(name, work, item) for name, item in items)

    def _in_order(self, calls: Iterator[Coroutine[Any, Any, R]]) -> Iterator[R]:
        """Yield the result of each call, in order. Only a few for each worker are in memory at a time."""
        results: deque[Future[R]] = deque()
        unfinished: set[Future[R]] = set()
        while True:
            while len(unfinished) < self._workers.window and (call := next(calls, None)) is not None:
                result = self._connection.loop.begin(call)
                results.append(result)
                unfinished.add(result)
            if not results:
                return
            if results[0].done():
                yield results.popleft().result()
            else:
                self._wait(unfinished)
            unfinished = {result for result in unfinished if not result.done()}

    def close(self) -> None:
        """End all work on the workers. Workers that cannot be reached end it themselves."""
        self._serving.cancel()
        with suppress(TimeoutError):
            self._connection.loop.wait_for(self._workers.leave_all(), LEAVE_S)
        self._tell()

    def _wait(self, unfinished: set[Future[R]]) -> None:
        """Wait until something has happened. Raises the error that ended the workers."""
        waited: set[Future[Any]] = {*unfinished, self._serving}
        wait(waited, LOOK_S, FIRST_COMPLETED)
        self._tell()
        if self._serving.done():
            self._serving.result()

    def _tell(self) -> None:
        while self._workers.events:
            self._progress(self._workers.events.popleft())


@dataclass(slots=True, eq=False)
class _Task:
    """Work for a worker.

    Attributes:
        name: its games, as the beginning of a sentence.
        work, item: the function and its argument.
        found: its result.
        losses: how many workers were lost while they had it.
    """

    name: str
    work: Work[Any, Any]
    item: object
    found: asyncio.Future[Any]
    losses: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker, from its admission until it is lost. A worker that comes back is a new one.

    is_proven: whether this machine has repeated some of its work with the same result.
    """

    address: str
    title: str
    is_proven: bool = False


class _LateError(WorkerGoneError):
    """A worker did not answer, so this machine did the work. `found` is the result."""

    def __init__(self, found: object, seconds: float) -> None:
        super().__init__(f"it has not answered for {seconds:.0f} s, and this machine was faster", is_lost=True)
        self.found = found


class ExaminingWorkers:
    """The workers, which carry out one call each at a time. All methods run in the loop of the connection.

    events: what happened to workers, the latest last. Another thread removes them.
    """

    def __init__(self, connection: ClusterConnection, verb: str) -> None:
        """Start without workers. `verb` is what they do, for messages."""
        self.events: deque[WorkerJoined | WorkerLeftOut | WorkerLost] = deque()
        self._connection = connection
        self._verb = verb
        self._own = describe(calibrated=False)
        self._workers: dict[str, _Worker] = {}
        self._known: set[str] = set()
        self._again = Retries()
        self._tasks: asyncio.Queue[_Task] = asyncio.Queue()
        self._one_here = asyncio.Lock()
        """Held while this machine works itself, so that it does one thing at a time."""

    @property
    def window(self) -> int:
        """How many calls may be unfinished."""
        return BLOCKS_PER_WORKER * max(1, len(self._workers))

    async def enter_all(self) -> None:
        """Check the current workers. Raises MachinesError if none of them can work."""
        left_out = await self._enter_present()
        end = asyncio.get_running_loop().time() + LEASE_S + LOOK_S
        while not self._workers and any(one.is_busy for one in left_out) and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(LOOK_S)
            left_out = await self._enter_present()
        if not self._workers:
            more = f" (and {len(left_out) - 1} more)" if len(left_out) > 1 else ""
            raise MachinesError(
                f"none of the workers of {self._connection.address} can {self._verb}; {left_out[0]}{more}"
            )
        self.events += [WorkerLeftOut(str(one)) for one in left_out if not one.is_busy or self._is_new(one)]

    async def _enter_present(self) -> list[LeftOut]:
        """Check the current workers. Return those that cannot work."""
        present = await first_workers(self._connection)
        self._known.update(present)
        found = await asyncio.gather(*(self._enter(address, name) for address, name in present.items()))
        return [one for one in found if one is not None]

    def _is_new(self, busy: LeftOut) -> bool:
        return self._again.found_busy(busy.address, asyncio.get_running_loop().time())

    async def examine(self, games: tuple[StoredGame, ...], run: RunFacts) -> list[Difference]:
        """Return the differences in a block, once a worker has found them. Raises MachinesError."""
        first, last = games[0].rows.game["id"], games[-1].rows.game["id"]
        return await self.do(f"the games from {first} to {last}", _EXAMINING, (games, run))

    async def do(self, name: str, work: Work[T, R], item: T) -> R:
        """Return the result of an item, once a worker has found it. Raises MachinesError.

        name: the name of its games, as the beginning of a sentence.
        """
        task = _Task(name, work, item, asyncio.get_running_loop().create_future())
        self._tasks.put_nowait(task)
        found: R = await task.found
        return found

    async def serve(self) -> None:
        """Let the workers carry out calls until cancelled.

        Raises MachinesError if the workers or the scheduler are gone.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for worker in self._workers.values():
                    group.create_task(self._work(worker))
                group.create_task(self._look_for_workers(group))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None  # several tasks may find that the scheduler is gone

    async def leave_all(self) -> None:
        """End the sites on all workers."""
        await asyncio.gather(*(self._leave(address) for address in self._workers))

    async def _enter(self, address: str, name: str) -> LeftOut | None:
        """Admit a worker, or return why it is refused. Raises MachinesError if the scheduler is gone."""
        host = ""
        try:
            facts = await self._connection.enter(address)
            host = facts.host
            if why := difference(self._own, facts):
                await self._leave(address)
                raise WorkerRefusalError(why)
        except (WorkerRefusalError, WorkerGoneError) as error:
            self._connection.forget(address)
            return LeftOut(address, name, host, str(error), is_busy=isinstance(error, WorkerBusyError))
        except WorkerDefectError as error:
            self._connection.forget(address)
            return LeftOut(address, name, host, error.sentence)
        self._again.found_free(address)
        self._workers[address] = _Worker(address, f"{name} on {host}")
        return None

    async def _work(self, worker: _Worker) -> None:
        """Make a worker do call after call, until it is gone."""
        while True:
            task = await self._tasks.get()
            if self._workers.get(worker.address) is not worker:
                self._tasks.put_nowait(task)
                return
            try:
                found = await self._answer(worker, task)
            except _LateError as late:
                self._lose(worker, str(late))
                _settle(task, late.found)
                return
            except (WorkerGoneError, WorkerRefusalError) as error:
                self._lose(worker, str(error), for_good=isinstance(error, WorkerAnswerError))
                self._give_back(task, error)
                return
            _settle(task, found)

    async def _answer(self, worker: _Worker, task: _Task) -> object:
        """Return a worker's result, checked. Raises `_LateError` and the errors of `ClusterConnection.call`."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        calling = asyncio.ensure_future(self._connection.call(worker.address, do_at_site, task.work.do, task.item))
        try:
            await asyncio.wait((calling,), timeout=LEAST_LATE_S)
            if calling.done():
                found = _possible(task, calling.result())
                if self._must_check(worker, task, found):
                    own, _ = await self._do_here(task)
                    self._compare(worker, task, found, own)
                return found
            own, took_s = await self._do_here(task)
            await asyncio.wait((calling,), timeout=begun + LATE * took_s - loop.time())
            if not calling.done():
                raise _LateError(own, loop.time() - begun)
            found = _possible(task, calling.result())
            self._compare(worker, task, found, own)
            return found
        finally:
            calling.cancel()

    def _must_check(self, worker: _Worker, task: _Task, found: object) -> bool:
        """Return whether this machine checks a result.

        None is drawn by lot while another is being checked, since nobody must wait for a lot.
        """
        if not worker.is_proven or task.work.is_grave(found):
            return True
        return not self._one_here.locked() and is_drawn()

    async def _do_here(self, task: _Task) -> tuple[object, float]:
        """Repeat a worker's task. Return the result, and how many seconds it took."""
        async with self._one_here:
            begun = asyncio.get_running_loop().time()
            own = await asyncio.to_thread(task.work.do, task.item)
            return own, asyncio.get_running_loop().time() - begun

    def _compare(self, worker: _Worker, task: _Task, found: object, own: object) -> None:
        """Raise WorkerAnswerError unless a worker found what this machine found."""
        if found != own:
            raise WorkerAnswerError(f"its result for {task.name} is wrong: this machine finds something else")
        worker.is_proven = True

    def _give_back(self, task: _Task, error: WorkerGoneError | WorkerRefusalError) -> None:
        """Give a call to another worker. Raises MachinesError if too many workers were lost with it."""
        task.losses += isinstance(error, WorkerGoneError) and error.is_lost
        if task.losses >= MAX_LOSSES:
            raise MachinesError(
                f"{task.name} lost {task.losses} workers one after another (the last one: {error}); the work ends here"
            )
        self._tasks.put_nowait(task)

    async def _look_for_workers(self, group: asyncio.TaskGroup) -> None:
        """Let workers join and leave.

        Raises MachinesError after `NO_WORKER_S` without any, or if the scheduler is gone.
        """
        loop = asyncio.get_running_loop()
        last_seen = loop.time()
        while True:
            await asyncio.sleep(LOOK_S)
            present = await self._connection.workers()
            for worker in [*self._workers.values()]:
                if worker.address not in present:
                    self._lose(worker, "it left the cluster")
            self._known -= self._again.due(loop.time())
            self._known &= present.keys()
            for address in present.keys() - self._known:
                self._known.add(address)
                group.create_task(self._join(group, address, present[address]))
            if self._workers:
                last_seen = loop.time()
            elif loop.time() - last_seen > NO_WORKER_S:
                raise MachinesError(
                    f"all workers of {self._connection.address} are gone, and none came for {NO_WORKER_S:g} s; "
                    "the rest is not done"
                )

    async def _join(self, group: asyncio.TaskGroup, address: str, name: str) -> None:
        left_out = await self._enter(address, name)
        if left_out is not None:
            if not left_out.is_busy or self._is_new(left_out):
                self.events.append(WorkerLeftOut(str(left_out)))
            return
        worker = self._workers[address]
        self.events.append(WorkerJoined(worker.title, len(self._workers)))
        group.create_task(self._work(worker))

    def _lose(self, worker: _Worker, why: str, *, for_good: bool = False) -> None:
        """Work without a worker from now on. Unless `for_good`, it may come back."""
        if self._workers.get(worker.address) is worker:
            del self._workers[worker.address]
            self._connection.forget(worker.address)  # this ends its call
            if not for_good:
                self._again.lost(worker.address, asyncio.get_running_loop().time())
            self.events.append(WorkerLost(worker.title, why, len(self._workers)))

    async def _leave(self, address: str) -> None:
        with suppress(WorkerGoneError, WorkerRefusalError, MachinesError):  # its lease ends its site
            await self._connection.call(address, WorkerSite.close)


def is_drawn() -> bool:
    """Draw a lot, by which one in `DRAWN` results is checked."""
    return secrets.randbelow(DRAWN) == 0


def _settle(task: _Task, found: object) -> None:
    if not task.found.done():  # its caller may have been cancelled
        task.found.set_result(found)


def _possible(task: _Task, found: object) -> object:
    """Return a result. Raises WorkerAnswerError if it is impossible."""
    if not is_of_type(found, task.work.result):
        raise WorkerAnswerError("it answered what no worker answers")
    try:
        task.work.refuse(task.item, found)
    except ValueError as error:
        raise WorkerAnswerError(f"its result for {task.name} is impossible: {shown(str(error), 200)}") from None
    return found


def examined(item: tuple[tuple[StoredGame, ...], RunFacts]) -> list[Difference]:
    """Return the differences in some games of a run."""
    return examine(*item)


_EXAMINING = Work(examined, list[Difference], lambda item, found: None, bool)
"""Every difference is checked here, because it says that a run is not as it was played."""


async def do_at_site(_: WorkerSite, do: Callable[[T], R], item: T) -> R:
    """Do something on a worker, in a thread so that the worker's event loop continues to answer."""
    return await asyncio.to_thread(do, item)
