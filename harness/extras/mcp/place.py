"""An agent's places: the desks, the door for its bots, and the game or run, which begins when the agent asks.

One conversation has one place, and with it one seat of a table.

An agent with several seats of a table needs as many places. They stay while clients come and go.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import trio

from bowerbird.harness.extras.mcp.desk import Desk, OpenDecision
from bowerbird.harness.extras.mcp.lines import Door, open_door
from bowerbird.harness.extras.mcp.runs import Source, play
from bowerbird.harness.extras.mcp.seating import Seating


class Games:
    """The games of one agent: one game or run at a time, for all of its desks."""

    def __init__(self, desks: Sequence[Desk], door: Door, source: Source, nursery: trio.Nursery) -> None:
        """Use `open_places`."""
        self._desks = desks
        self._door = door
        self._source = source
        self._nursery = nursery
        self._is_on = False
        self._present: set[int] = set()
        """The numbers of desks whose clients have asked for a decision."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is played, and nothing more will be."""
        return not self._is_on and not self._source.has_more()

    def asked(self, number: int) -> None:
        """Note that desk `number` wants a decision. Begin the next game or run once all desks have asked."""
        self._present.add(number)
        if self._is_on or self.is_over:
            return
        if absent := len(self._desks) - len(self._present):
            self._desks[number].begun()
            self._desks[number].problem = f"{absent} of the agent's {len(self._desks)} clients have not asked yet"
            return
        self.begin()

    def begin(self) -> None:
        """Begin the next game or run."""
        order = self._source.next(self._door)
        self._is_on = True
        for desk in self._desks:
            desk.begun()

        async def played() -> None:
            problem = await play(order)
            self._is_on = False
            for desk in self._desks:
                desk.ended(problem)

        self._nursery.start_soon(played)


class Place:
    """The place of one conversation."""

    def __init__(self, number: int, desk: Desk, games: Games) -> None:
        """Use `open_places`."""
        self.desk = desk
        self._number = number
        self._games = games

    @property
    def is_over(self) -> bool:
        """Whether nothing is played, and nothing more will be."""
        return self._games.is_over

    async def next_decision(self, wait_s: float) -> OpenDecision | None:
        """Return an open decision, or None after `wait_s` seconds without one. Begin a game if needed."""
        self._games.asked(self._number)
        return await self.desk.wait(wait_s)


@asynccontextmanager
async def open_places(source: Source, count: int = 1) -> AsyncIterator[list[Place]]:
    """Open the places of one agent. On exit, end the game or run."""
    desks = [Desk() for _ in range(count)]
    async with open_door(Seating(desks)) as door, trio.open_nursery() as nursery:
        games = Games(desks, door, source, nursery)
        if source.is_eager:
            games.begin()
        yield [Place(number, desk, games) for number, desk in enumerate(desks)]
        nursery.cancel_scope.cancel()
