"""A worker process of a pool: its own referee, which plays chunks of tables (`python -m ...executors.worker`).

The pool talks to it over stdin and stdout (`messages`). When stdin closes, the worker ends and its referee ends all
bots. So the worker never outlives the pool, even if the pool is killed. Everything printed goes to stderr.
"""

from __future__ import annotations

import math
import os
import sys
import traceback

import trio

from bowerbird.harness.process_settings import configure_garbage_collection
from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.process.supervisor import is_supervisor_loss
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.spec import ListedTables, TableSpec, VoidedGame
from bowerbird.harness.tournament.executors import messages
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.pipe import Pipe


async def serve(pipe: Pipe) -> None:
    """Make a referee from the setup, the first message; then answer requests until the pool closes the pipe."""
    setup: RefereeSetup = await pipe.receive()
    ledger = setup.ledger()
    replies_in, replies = trio.open_memory_channel[object](math.inf)
    host = HostClock(on_stall=lambda stall: replies_in.send_nowait(messages.StallEnded(stall)))
    async with setup.referee(ledger, host=host) as referee:
        try:
            await _Worker(pipe, referee, ledger, replies_in, replies).run()
        except trio.BrokenResourceError:
            return  # the pool is gone


class _Worker:
    """The tasks of a worker: one receives messages, one answers requests in order, and one sends replies in order."""

    def __init__(
        self,
        pipe: Pipe,
        referee: Referee,
        ledger: FaultLedger,
        replies_in: trio.MemorySendChannel[object],
        replies: trio.MemoryReceiveChannel[object],
    ) -> None:
        self._pipe = pipe
        self._referee = referee
        self._ledger = ledger
        self._requests_in, self._requests = trio.open_memory_channel[messages.RollCallRequest | messages.PlayChunk](
            math.inf
        )
        self._replies_in, self._replies = replies_in, replies
        self._places: dict[str, tuple[int, int]] = {}
        """The chunk and index of each table whose game has not ended, by game id."""
        self._left: dict[int, int] = {}
        """How many games of each chunk have not ended."""
        ledger.subscribe(lambda entry: self._replies_in.send_nowait(messages.LedgerUpdate(entry)))

    async def run(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._receive, nursery.cancel_scope)
            nursery.start_soon(self._send)
            async for request in self._requests:
                if isinstance(request, messages.RollCallRequest):
                    self._replies_in.send_nowait(messages.RollCallReply(await self._referee.roll_call(request.soon)))
                elif request.tables:
                    await self._play(request, nursery)
                else:
                    self._replies_in.send_nowait(messages.ChunkPlayed(request.number))

    async def _receive(self, scope: trio.CancelScope) -> None:
        """Enter ledger updates at once and queue requests. Cancel the worker when the pool closes the pipe."""
        try:
            while True:
                message = await self._pipe.receive()
                if isinstance(message, messages.LedgerUpdate):
                    self._ledger.learn(message.entry)
                    self._referee.ledger_changed()
                elif isinstance(message, messages.ListOpenTables):
                    tables = await self._referee.open_tables()
                    self._replies_in.send_nowait(messages.OpenTables(message.number, tables))
                elif isinstance(message, messages.WatchTable):
                    await self._watch(message)
                else:
                    self._requests_in.send_nowait(message)
        except EOFError:
            scope.cancel()

    async def _watch(self, message: messages.WatchTable) -> None:
        if message.is_on:
            await self._referee.watch_table(message.game, self._on_steps)
        else:
            await self._referee.unwatch_table(message.game)

    def _on_steps(self, steps: LiveSteps) -> None:
        self._replies_in.send_nowait(messages.StepsPlayed(steps))

    async def _send(self) -> None:
        async for reply in self._replies:
            await self._pipe.send(reply)

    async def _play(self, chunk: messages.PlayChunk, nursery: trio.Nursery) -> None:
        """Begin a chunk, after the chunk in play if there is one."""
        self._left[chunk.number] = len(chunk.tables)
        self._places |= {table.game_id: (chunk.number, index) for index, table in enumerate(chunk.tables)}
        job = ListedTables(chunk.tables)
        if self._referee.is_playing:
            self._referee.add_job(job)
        else:
            await nursery.start(self._play_jobs, job)

    async def _play_jobs(self, first: ListedTables, task_status: trio.TaskStatus[None]) -> None:
        """Play a job and any jobs added before it ends. Send each game as it ends."""
        task_status.started()  # the nursery continues when this task waits; by then the referee is playing
        await self._referee.play_jobs([first], self._on_game, self._on_void)

    def _on_game(self, table: TableSpec, record: GameRecord, annotations: Annotations) -> None:
        chunk, index = self._places.pop(table.game_id)
        self._replies_in.send_nowait(messages.GameEnded(chunk, index, record, annotations))
        self._count(chunk)

    def _on_void(self, table: TableSpec, voided: VoidedGame) -> None:
        chunk, index = self._places.pop(table.game_id)
        self._replies_in.send_nowait(messages.GameVoided(chunk, index, voided))
        self._count(chunk)

    def _count(self, chunk: int) -> None:
        """Count a game of a chunk as ended; send `ChunkPlayed` after the last one."""
        self._left[chunk] -= 1
        if not self._left[chunk]:
            del self._left[chunk]
            self._referee.report_cpu()  # it counts for this chunk
            self._replies_in.send_nowait(messages.ChunkPlayed(chunk))


async def _main(inward: int, outward: int) -> None:
    pipe = Pipe(trio.lowlevel.FdStream(inward), trio.lowlevel.FdStream(outward))
    try:
        await serve(pipe)
    except EOFError:
        return  # the pool ended before it sent a setup
    except Exception as error:
        with trio.move_on_after(1):
            await pipe.send(
                messages.SupervisorEnded()
                if is_supervisor_loss(error)
                else messages.WorkerFailed(traceback.format_exc())
            )
        raise
    finally:
        await pipe.aclose()


def main() -> None:
    """Serve over stdin and stdout; no other code in this process can use them."""
    configure_garbage_collection()
    inward, outward = os.dup(0), os.dup(1)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        trio.run(_main, inward, outward)
    except Exception:
        sys.exit(1)  # the pool knows why


if __name__ == "__main__":
    main()
