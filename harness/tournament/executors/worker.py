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

from harness.garbage import collect_rarely
from harness.records.record import GameRecord
from harness.records.story import FaultStory
from harness.referee.docket import Docket
from harness.referee.referee import Referee
from harness.referee.spec import TableSpec
from harness.tournament.executors.contract import Setup
from harness.tournament.executors.messages import Block, BlockPlayed, Broken, CallRoll, Ended, Entered, RollCalled
from harness.tournament.executors.pipe import Pipe


async def serve(pipe: Pipe) -> None:
    """Do what the pool asks until it closes the pipe."""
    setup: Setup = await pipe.receive()
    docket = setup.docket()
    async with setup.referee(docket) as referee:
        try:
            await _Worker(pipe, referee, docket).obey()
        except trio.BrokenResourceError:
            return  # nobody reads what is found out here any more


class _Worker:
    """A worker at work. What it has to say goes out in one order, beside the play."""

    def __init__(self, pipe: Pipe, referee: Referee, docket: Docket) -> None:
        self._pipe = pipe
        self._referee = referee
        self._docket = docket
        self._asked, self._requests = trio.open_memory_channel[Any](math.inf)
        self._said, self._answers = trio.open_memory_channel[Any](math.inf)
        docket.listen(lambda entry: self._said.send_nowait(Entered(entry)))

    async def obey(self) -> None:
        """Do one thing after the other; what is under way ends when the pool has gone."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, nursery.cancel_scope)
            nursery.start_soon(self._answer)
            async for request in self._requests:
                if isinstance(request, CallRoll):
                    self._said.send_nowait(RollCalled(await self._referee.roll_call(request.soon)))
                else:
                    await self._play(request)

    async def _listen(self, scope: trio.CancelScope) -> None:
        """What happened elsewhere counts at once, what is to be done waits for its turn."""
        try:
            while True:
                heard = await self._pipe.receive()
                if isinstance(heard, Entered):
                    self._docket.learn(heard.entry)
                    self._referee.look_again()
                else:
                    self._asked.send_nowait(heard)
        except EOFError:
            scope.cancel()

    async def _answer(self) -> None:
        async for said in self._answers:
            await self._pipe.send(said)

    async def _play(self, block: Block) -> None:
        """Play a block; games are sent as they end."""
        place = {table.game_id: number for number, table in enumerate(block.tables)}

        def on_game(table: TableSpec, record: GameRecord, stories: tuple[FaultStory, ...]) -> None:
            self._said.send_nowait(Ended(place[table.game_id], record, stories))

        await self._referee.play(block.tables, on_game)
        self._said.send_nowait(BlockPlayed())


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
    collect_rarely()
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
