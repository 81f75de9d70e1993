"""An executor of two parts that play at the same time: tables with remote bots here, all others elsewhere.

Remote bots connect to one process, so the referee of that process plays every table with a remote bot. A pool or a
cluster plays the others (`host --jobs N`, `--cluster`). A local bot may be needed in both parts and has its own
processes in each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Protocol

import trio

from bowerbird.harness.referee.game.fault_ledger import CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import InstanceKey, OnGame, OnVoid, OpenTable
from bowerbird.harness.referee.table_watch import OnSteps
from bowerbird.harness.tournament.executors.contract import Executor, WatchableExecutor
from bowerbird.harness.tournament.jobs.job import Job, Jobs


class RefereeHere(WatchableExecutor, Protocol):
    """The referee of this process, to which remote bots connect."""

    def ledger_changed(self) -> None:
        """Settle the tables of a bot withdrawn by another referee of the run."""


class SplitExecutor:
    """An `Executor` that gives each job to the part that can play it.

    Each part decides by its own games which bots are slow (`max_share`), and puts them last in its own order.
    """

    def __init__(
        self,
        here: RefereeHere,
        elsewhere: Executor,
        remote: Collection[str],
        *,
        ledger_here: FaultLedger,
        ledger: FaultLedger,
    ) -> None:
        """Create an executor from two parts that have started nothing.

        remote: the names of the remote bots. `elsewhere` has none of them.
        ledger_here: the ledger of `here`, still empty.
        ledger: the ledger of the run and of `elsewhere`, which shares its entries with all.
        """
        self._here = here
        self._elsewhere = elsewhere
        self._remote = frozenset(remote)
        self._ledger_here = ledger_here
        self._stack = AsyncExitStack()
        ledger_here.subscribe(ledger.enter)
        ledger.subscribe(self._learn)

    def _learn(self, entry: LedgerEntry) -> None:
        """Pass an entry on to the referee here, unless it comes from there."""
        if not isinstance(entry, CpuUsed) and self._ledger_here.learn(entry):
            self._here.ledger_changed()

    async def __aenter__(self) -> SplitExecutor:
        """Start both parts. If one does not start, end the other."""
        async with AsyncExitStack() as started:
            await started.enter_async_context(self._elsewhere)
            await started.enter_async_context(self._here)
            self._stack = started.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """End this process's part first, since bot authors wait for its Goodbye; then always end the other part."""
        return await self._stack.__aexit__(kind, error, traceback)

    def hurry(self) -> None:
        """Kill the bots of both parts at once; see `Executor`."""
        self._here.hurry()
        self._elsewhere.hurry()

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """Call the roll in the part that plays the table of `soon`; see `Executor`. The other part is told."""
        part = self._here if self._has_remote(key.bot for key in soon) else self._elsewhere
        return await part.roll_call(soon)

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        """Play both parts at once; see `Executor`. An error in one ends the other."""
        listed = jobs if isinstance(jobs, Jobs) else Jobs.listed([*jobs])
        here, elsewhere = listed.parted(lambda lineup: self._has_remote(lineup.split("+")))
        async with trio.open_nursery() as nursery:
            if here.sets:
                nursery.start_soon(self._here.play_jobs, here, on_game, on_void)
            if elsewhere.sets:
                nursery.start_soon(self._elsewhere.play_jobs, elsewhere, on_game, on_void)

    def _has_remote(self, bots: Iterable[str]) -> bool:
        return not self._remote.isdisjoint(bots)


class WatchableSplitExecutor(SplitExecutor):
    """A `SplitExecutor` with parts that can both be watched."""

    def __init__(
        self,
        here: RefereeHere,
        elsewhere: WatchableExecutor,
        remote: Collection[str],
        *,
        ledger_here: FaultLedger,
        ledger: FaultLedger,
    ) -> None:
        """See `SplitExecutor`."""
        super().__init__(here, elsewhere, remote, ledger_here=ledger_here, ledger=ledger)
        self._parts: tuple[WatchableExecutor, ...] = (here, elsewhere)

    async def open_tables(self) -> tuple[OpenTable, ...]:
        """Return the tables in play in both parts."""
        return tuple([table for part in self._parts for table in await part.open_tables()])

    async def watch_table(self, game: str, send: OnSteps) -> None:
        """Tell `send` what happens at a table, here or elsewhere; see `WatchableExecutor`."""
        is_here = any(table.spec.game_id == game for table in await self._here.open_tables())
        here, elsewhere = self._parts
        await (here if is_here else elsewhere).watch_table(game, send)

    async def unwatch_table(self, game: str) -> None:
        """End `watch_table` of this game."""
        for part in self._parts:
            await part.unwatch_table(game)
