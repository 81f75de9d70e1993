"""Plays jobs in several worker processes of this machine (`--jobs N`), each with a referee of its own.

The tables of a job are split by deal sets, so that no set is torn; what a worker had not delivered when it was lost is
played again by its successor. Nothing here starts a bot or holds a gRPC server.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

import trio

from harness.referee.docket import Docket, Entry
from harness.referee.referee import OnGame
from harness.referee.roster import BotStory
from harness.referee.spec import InstanceKey, TableSpec
from harness.tournament.errors import TournamentError
from harness.tournament.executors.contract import Setup
from harness.tournament.executors.messages import Block, BlockPlayed, Broken, CallRoll, Ended, Entered, RollCalled
from harness.tournament.executors.pipe import Pipe
from harness.tournament.job import Job

LOSSES = 3
"""So many workers may be lost, by kill -9 or want of memory, before the run is broken off."""

SETS_A_TABLE = 8
"""A block has at most so many sets for each table that a process may sit at: its end, when few tables are left, is then
short beside its whole."""

CLOSE_S = 20.0


OnEntry = Callable[[Entry], Awaitable[None]]


class WorkerLostError(Exception):
    """A worker process is gone; `str` says how it ended."""


class PoolExecutor:
    """An executor with `number` workers (see `Executor`). What one enters on its docket, all of them learn."""

    def __init__(self, setup: Setup, number: int, docket: Docket) -> None:
        """A pool that has started nothing."""
        self._setup = setup
        self._number = number
        self._docket = docket
        self._workers: list[Worker] = []
        self._losses = 0

    async def __aenter__(self) -> PoolExecutor:
        """Start the workers; no bot yet."""
        for number in range(self._number):
            await self._hire(number)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End every worker; each ends its bots."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for worker in self._workers:
                    nursery.start_soon(worker.end)

    def hurry(self) -> None:
        """See `Executor`. With a worker that is killed its bots are (FAULTS.md, Launching)."""
        for worker in self._workers:
            worker.kill()

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """See `Executor`; one worker calls for all, the one that plays the first table."""
        try:
            return await self._workers[0].call_roll(soon, self._pass_on(0))
        except WorkerLostError as error:
            raise TournamentError(f"a worker process ended before the first game ({error})") from error

    async def play(self, jobs: Sequence[Job], on_game: OnGame) -> None:
        """See `Executor`. Raises TournamentError when one worker after the other is lost."""
        blocks = (block for job in jobs for block in self._blocks(job))  # a table is made when its turn comes
        async with trio.open_nursery() as nursery:
            for number in range(len(self._workers)):
                nursery.start_soon(self._work_off, number, blocks, on_game)

    def _blocks(self, job: Job) -> Iterator[tuple[TableSpec, ...]]:
        """A job's tables in blocks of whole sets, as equal as can be."""
        most = SETS_A_TABLE * self._setup.tables
        size = min(most, math.ceil(len(job.sets) / self._number))
        for first in range(0, len(job.sets), size):
            yield replace(job, sets=job.sets[first : first + size]).tables()

    async def _work_off(self, number: int, blocks: Iterator[tuple[TableSpec, ...]], on_game: OnGame) -> None:
        """Let one worker play block after block, and its successor what it has not delivered."""
        for block in blocks:
            left = dict(enumerate(block))
            while left:
                try:
                    await self._workers[number].play(left, on_game, self._pass_on(number))
                except WorkerLostError as error:
                    self._losses += 1
                    if self._losses >= LOSSES:
                        raise TournamentError(
                            f"{self._losses} worker processes were lost (the last one: {error}); "
                            "the sets that are stored stay, fewer --jobs need less memory"
                        ) from error
                    await self._hire(number)

    async def _hire(self, number: int) -> None:
        """Put a new worker in this place. It is told what others enter from the moment at which it knows the rest."""
        worker = await Worker.start()
        self._workers[number : number + 1] = [worker]
        setup = replace(self._setup, conduct=self._docket.conduct)
        await worker.begin(setup.share(number, self._number))

    def _pass_on(self, number: int) -> OnEntry:
        """What is done with an entry that this worker has made: it is made here, and the others learn it."""

        async def pass_on(entry: Entry) -> None:
            self._docket.enter(entry)
            for other in self._workers:
                if other is not self._workers[number]:
                    await other.tell(entry)

        return pass_on


class Worker:
    """One worker process, as the pool sees it."""

    def __init__(self, process: trio.Process, pipe: Pipe) -> None:
        """A worker that runs."""
        self._process = process
        self._pipe = pipe

    @classmethod
    async def start(cls) -> Worker:
        """Start a process with a session of its own, so that a Ctrl-C at the terminal comes to the pool alone."""
        process = await trio.lowlevel.open_process(
            [sys.executable, "-P", "-m", "harness.tournament.executors.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        return cls(process, Pipe(process.stdout, process.stdin))

    async def begin(self, setup: Setup) -> None:
        """Let it open a referee. Raises TournamentError."""
        try:
            await self._ask(setup)
        except WorkerLostError as error:
            raise TournamentError(f"a worker process did not start ({error})") from error

    async def call_roll(self, soon: Collection[InstanceKey], on_entry: OnEntry) -> tuple[BotStory, ...]:
        """Let its referee call the roll. Raises WorkerLostError."""
        await self._ask(CallRoll(frozenset(soon)))
        while not isinstance(reply := await self._hear(), RollCalled):
            assert isinstance(reply, Entered), reply
            await on_entry(reply.entry)
        return reply.absent

    async def play(self, left: dict[int, TableSpec], on_game: OnGame, on_entry: OnEntry) -> None:
        """Let it play these tables; each is taken out of `left` as it ends. Raises WorkerLostError."""
        tables = tuple(left.items())
        await self._ask(Block(tuple(table for _, table in tables)))
        while not isinstance(reply := await self._hear(), BlockPlayed):
            if isinstance(reply, Entered):
                await on_entry(reply.entry)
                continue
            assert isinstance(reply, Ended), reply
            name, table = tables[reply.place]
            del left[name]
            on_game(table, reply.record, reply.stories)

    async def tell(self, entry: Entry) -> None:
        """Let it learn what happened elsewhere. One that is gone has a successor that knows it."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self._pipe.send(Entered(entry))

    def kill(self) -> None:
        """End it now, if it has not ended."""
        self._process.kill()

    async def end(self) -> None:
        """Close its stdin, on which it ends its bots and itself; kill it when it does not."""
        await self._pipe.stop_sending()
        with trio.move_on_after(CLOSE_S):
            await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        await self._pipe.aclose()

    async def _ask(self, request: object) -> None:
        try:
            await self._pipe.send(request)
        except trio.BrokenResourceError as error:
            raise await self._lost() from error

    async def _hear(self) -> object:
        try:
            reply: object = await self._pipe.receive()
        except EOFError as error:
            raise await self._lost() from error
        if isinstance(reply, Broken):
            raise RuntimeError(f"a worker process broke off:\n{reply.traceback}")
        return reply

    async def _lost(self) -> WorkerLostError:
        """How it ended. Its bots end with it: their launcher has seen that it is gone."""
        await self._pipe.aclose()
        with trio.CancelScope(shield=True):
            self._process.kill()
            status = await self._process.wait()
        return WorkerLostError(signal.Signals(-status).name if status < 0 else f"exit status {status}")
