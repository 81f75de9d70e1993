"""A worker process: a referee of its own that plays blocks of tables for a pool (`python -m ...executors.worker`).

The pool speaks to it over stdin and stdout; the end of stdin, which comes with the end of the pool in whatever way it
ends, is the end of the worker, and its referee leaves no process. What is printed goes to stderr.
"""

from __future__ import annotations

import math
import os
import sys
import traceback
from typing import Any

import trio

from harness.records.record import GameRecord
from harness.records.story import FaultStory
from harness.referee.referee import Referee
from harness.referee.spec import TableSpec
from harness.tournament.executors.contract import Setup
from harness.tournament.executors.messages import Block, BlockPlayed, Broken, CallRoll, Ended, RollCalled
from harness.tournament.executors.pipe import Pipe


async def serve(pipe: Pipe) -> None:
    """Do what the pool asks until it closes the pipe."""
    setup: Setup = await pipe.receive()
    async with setup.referee() as referee:
        try:
            await _obey(pipe, referee)
        except trio.BrokenResourceError:
            return  # nobody reads what is found out here any more


async def _obey(pipe: Pipe, referee: Referee) -> None:
    """Do one thing after the other; what is under way ends when the pool has gone."""
    send, receive = trio.open_memory_channel[Any](math.inf)

    async def listen(scope: trio.CancelScope) -> None:
        try:
            while True:
                send.send_nowait(await pipe.receive())
        except EOFError:
            scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen, nursery.cancel_scope)
        async for request in receive:
            if isinstance(request, CallRoll):
                await pipe.send(RollCalled(await referee.roll_call()))
            else:
                await _play(pipe, referee, request)


async def _play(pipe: Pipe, referee: Referee, block: Block) -> None:
    """Play a block; games are sent as they end, beside the play."""
    place = {table.game_id: number for number, table in enumerate(block.tables)}
    send, receive = trio.open_memory_channel[Ended](math.inf)

    def on_game(table: TableSpec, record: GameRecord, stories: tuple[FaultStory, ...]) -> None:
        send.send_nowait(Ended(place[table.game_id], record, stories))

    async def pass_on() -> None:
        async for ended in receive:
            await pipe.send(ended)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on)
        with send:
            await referee.play(block.tables, on_game)
    await pipe.send(BlockPlayed())


async def _main(inward: int, outward: int) -> None:
    pipe = Pipe(trio.lowlevel.FdStream(inward), trio.lowlevel.FdStream(outward))
    try:
        await serve(pipe)
    except EOFError:
        return  # the pool was gone before it had said anything
    except Exception:
        with trio.move_on_after(1):
            await pipe.send(Broken(traceback.format_exc()))
        raise
    finally:
        await pipe.aclose()


def main() -> None:
    """Serve over stdin and stdout, which nothing else in this process gets to see."""
    inward, outward = os.dup(0), os.dup(1)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    try:
        trio.run(_main, inward, outward)
    except Exception:
        sys.exit(1)  # said to the pool, as Broken


if __name__ == "__main__":
    main()
