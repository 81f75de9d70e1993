"""An agent's place: the desk, the door for its bots, and what is played. Begins what is to be played when it is asked.

It stays while clients of the agent come and go.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from bowerbird.harness.extras.mcp.desk import Desk, OpenDecision
from bowerbird.harness.extras.mcp.lines import Door, open_door
from bowerbird.harness.extras.mcp.runs import Source, play


class Place:
    """The place of one agent. `name` is the agent's in the records."""

    def __init__(self, name: str, desk: Desk, door: Door, source: Source, nursery: trio.Nursery) -> None:
        """Use `open_place`."""
        self.name = name
        self.desk = desk
        self._door = door
        self._source = source
        self._nursery = nursery

    @property
    def is_over(self) -> bool:
        """Whether nothing is played, and nothing more will be."""
        return self.desk.is_idle and not self._source.has_more()

    async def next_decision(self, wait_s: float) -> OpenDecision | None:
        """Return an open decision, or None if there is none within `wait_s` seconds. Begin a game if none is on."""
        self.begin()
        return await self.desk.wait(wait_s)

    def begin(self) -> None:
        """Begin the next game or run, if none is on and there is one."""
        if self.desk.is_idle and self._source.has_more():
            order = self._source.next(self._door)
            self.desk.begun()
            self._nursery.start_soon(play, order, self.desk)


@asynccontextmanager
async def open_place(name: str, source: Source) -> AsyncIterator[Place]:
    """Open a place. On exit, end what is played."""
    desk = Desk()
    async with open_door(desk) as door, trio.open_nursery() as nursery:
        place = Place(name, desk, door, source, nursery)
        if source.is_eager:
            place.begin()
        yield place
        nursery.cancel_scope.cancel()
