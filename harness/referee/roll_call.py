"""Before the first game: whether each bot can start, which is found out while its organiser still watches."""

from __future__ import annotations

from collections.abc import Callable, Collection

import trio

from harness.referee.roster import BotStory, Instance, Roster
from harness.referee.spec import InstanceKey


async def call_roll(
    roster: Roster, start: Callable[[Instance], None], soon: Collection[InstanceKey]
) -> tuple[BotStory, ...]:
    """Start one process of each bot that is not remote; the stories of those that did not get as far as Ready.

    `start` gives an instance its process. Those of `soon` are started, too, and waited for: of each bot when its first
    one is ready, so that it is always that one which says whether the bot can start.
    """
    local = [entrant for entrant in roster.entrants.values() if not entrant.spec.remote]

    async def call(first: Instance, more: Collection[Instance]) -> None:
        start(first)
        await first.settled.wait()
        if not first.entrant.has_appeared:
            return
        for instance in more:
            start(instance)
        for instance in more:
            await instance.settled.wait()

    async with trio.open_nursery() as nursery:
        for entrant in local:
            first = InstanceKey(entrant.spec.name, 0)
            more = [roster.instance(key) for key in soon if key.bot == first.bot and key != first]
            nursery.start_soon(call, roster.instance(first), more)
    return tuple(entrant.story for entrant in local if not entrant.has_appeared)
