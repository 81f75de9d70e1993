"""The updates of tables in play for any number of browsers, from one stream per table and without threads."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

import trio

from bowerbird.harness.extras.serve.table_stream import table_updates
from bowerbird.harness.extras.serve.templating import shown_json
from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.report.replay_data import frame_values
from bowerbird.harness.watch.errors import WatchError
from bowerbird.harness.watch.values import Lost, TableEnded, TableInfo, TableUpdate, Thinking

QUEUE = 256
"""How many events a browser may lag behind. Beyond that it misses some, and is told so."""

LONGEST_HAND = 512
"""The maximum number of updates of a hand that are kept for a browser that joins late."""


def event_of(update: TableUpdate) -> str:
    """Return an update as an event of the browser's stream."""
    match update:
        case Frame():
            kind, value = "frame", frame_values(update)
        case Thinking():
            kind, value = "thinking", asdict(update)
        case Lost():
            kind, value = "lost", {"updates": update.updates}
        case TableEnded():
            kind, value = "ended", asdict(update)
        case TableInfo():
            kind, value = "table", {"game": update.game}
    return f"event: {kind}\ndata: {shown_json(value)}\n\n"


def failure_event(error: WatchError) -> str:
    """Return the event that says why a table is no longer shown."""
    return f"event: gone\ndata: {json.dumps({'why': str(error)})}\n\n"


class _Table:
    """One table in play: its current hand, and the browsers that watch it. Use it only in the trio thread."""

    def __init__(self) -> None:
        self.hand: list[str] = []
        self.browsers: dict[trio.MemorySendChannel[str], int] = {}
        """How many events the browser of each channel has missed."""
        self.is_over = False
        self.follower = trio.CancelScope()
        """The cancel scope of the task that receives the table."""

    def push(self, update: TableUpdate) -> None:
        """Send an update to all browsers. A browser that has fallen too far behind misses it."""
        event = event_of(update)
        if isinstance(update, Frame):
            if update.kind == "deal":
                self.hand.clear()
            self.hand.append(event)
            del self.hand[:-LONGEST_HAND]
        self._send(event)

    def finish(self, event: str = "") -> None:
        """Send a last event to all browsers, and end their streams."""
        self.is_over = True
        if event:
            self._send(event)
        for channel in self.browsers:
            channel.close()

    def _send(self, event: str) -> None:
        for channel, lost in self.browsers.items():
            try:
                if lost:
                    channel.send_nowait(event_of(Lost(lost)))
                    self.browsers[channel] = 0
                channel.send_nowait(event)
            except trio.WouldBlock:
                self.browsers[channel] += 1
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                continue  # the browser has gone; its task removes the channel


class TableFeeds:
    """The tables that browsers are watching."""

    def __init__(self, database: Path, nursery: trio.Nursery) -> None:
        """Start without tables."""
        self._database = database
        self._nursery = nursery
        self._tables: dict[str, _Table] = {}

    @property
    def number(self) -> int:
        """How many tables are being watched."""
        return len(self._tables)

    @asynccontextmanager
    async def look(self, run: str, game: str) -> AsyncIterator[AsyncIterator[str]]:
        """Watch a table: yield its events, beginning with those of its current hand."""
        table = self._tables.get(game)
        if table is None or table.is_over:
            table = self._tables[game] = _Table()
            self._nursery.start_soon(self._follow, run, game, table)
        send, receive = trio.open_memory_channel[str](QUEUE)
        before = list(table.hand)
        table.browsers[send] = 0

        async def events() -> AsyncIterator[str]:
            for event in before:
                yield event
            async for event in receive:
                yield event

        try:
            yield events()
        finally:
            table.browsers.pop(send, None)
            receive.close()
            if not table.browsers:
                table.is_over = True
                table.follower.cancel()

    async def _follow(self, run: str, game: str, table: _Table) -> None:
        """Receive a table's updates until it is over or nobody watches it."""
        try:
            with table.follower:
                async with table_updates(self._database, run, game) as updates:
                    async for update in updates:
                        table.push(update)
        except WatchError as error:
            table.finish(failure_event(error))
        finally:
            table.finish()
            if self._tables.get(game) is table:
                del self._tables[game]
