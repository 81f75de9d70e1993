"""Notices changes: new results in the database, a table that opened or closed.

While somebody is reading pages, it checks the state of two files, and asks the process of each run in play once a
second.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import trio

from bowerbird.harness.extras.serve.pages.run_pages import Live
from bowerbird.harness.extras.watch.client import connect
from bowerbird.harness.watch.address import database_hash, running
from bowerbird.harness.watch.errors import WatchError

EVERY_S = 1.0
"""How often to check, in seconds."""

PATIENCE_S = 30.0
"""How long to keep checking after the last request."""

Version = tuple[int, ...]


def database_version(path: Path) -> Version:
    """Return a value that differs after each change of a database: the sizes and times of the file and its log."""
    found: list[int] = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            state = os.stat(file)
            found += (state.st_ino, state.st_size, state.st_mtime_ns)
    return tuple(found)


def live_runs(database: Path) -> dict[str, Live]:
    """Return the runs of a database that are being played now, by fingerprint.

    It asks their processes, which takes a moment.
    """
    found = {}
    digest = database_hash(database)
    for address in running():
        if address.database == digest:
            with suppress(WatchError), connect(address) as client:
                found[address.run] = Live(client.run(), tuple(client.tables()))
    return found


class Changes:
    """The runs that are being played, and an event for each change."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._asked = -PATIENCE_S
        self._wanted = trio.Event()
        self._changed = trio.Event()
        self._seen: tuple[Version, Mapping[str, Live]] = ((), {})
        self._looked = -PATIENCE_S
        self._looking = trio.Lock()
        self._changes = 0
        self.version = 0
        """How many times the waiting tasks were notified. It also grows without a change, when they must ask again."""

    async def watch(self) -> None:
        """Check for changes until cancelled, but not while nobody asks."""
        while True:
            if trio.current_time() - self._asked > PATIENCE_S:
                self._wanted = trio.Event()
                await self._wanted.wait()
            await self.look_again()
            await trio.sleep(EVERY_S)

    async def now(self) -> Mapping[str, Live]:
        """Return the runs that are being played, as of at most two checks ago."""
        self._ask()
        if trio.current_time() - self._looked > 2 * EVERY_S:
            async with self._looking:
                if trio.current_time() - self._looked > 2 * EVERY_S:
                    await self._look()
        return self._seen[1]

    async def look_again(self) -> None:
        """Check again after the current check has ended. An older check must not replace the result of a newer one."""
        async with self._looking:
            await self._look()

    def state(self) -> tuple[Version, int]:
        """Return a value that differs after each change that a page could show."""
        return database_version(self._database), self._changes

    async def next(self, version: int) -> int:
        """Wait until there is a version newer than `version`, and return it."""
        while self.version == version:
            self._ask()
            with trio.move_on_after(PATIENCE_S / 2):
                await self._changed.wait()
        return self.version

    def tell(self) -> None:
        """Tell all waiting tasks to ask again."""
        self.version += 1
        self._changed.set()
        self._changed = trio.Event()

    def _ask(self) -> None:
        self._asked = trio.current_time()
        self._wanted.set()

    async def _look(self) -> None:
        live = await trio.to_thread.run_sync(live_runs, self._database)
        seen = (database_version(self._database), live)
        self._looked = trio.current_time()
        if seen != self._seen:
            self._seen = seen
            self._changes += 1
            self.tell()
