"""The contract of an executor, and the setup from which each of its processes makes a referee.

A run hands its jobs to one executor and stores the games that it delivers. There are four executors: `Referee`, which
plays in this process; `PoolExecutor`, which plays in worker processes of this machine; `ClusterExecutor`, which
plays on the workers of a Dask cluster; and `SplitExecutor`, which gives tables with remote bots to `Referee` and all
others to another executor. An executor that plays in several processes must

- send a `RefereeSetup` to each process, which makes its referee from it (`worker` does this for both);
- hand out the tables of each job (`Job.tables`) in whole deal sets, the unit of storing and resuming;
- play a table again if its process is lost before the game is delivered or voided;
- share new entries of its ledger: every referee of a run must know the entries of all others (`FaultLedger`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from bowerbird.harness.records.values.faults import Conduct
from bowerbird.harness.records.values.game_record import Conditions
from bowerbird.harness.referee.connection.prestart import Prestart
from bowerbird.harness.referee.game.fault_ledger import CLEAN, FaultLedger
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.process.affinity import dedicated_core
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import (
    KEPT_PROCESSES,
    MAX_PROCESSES,
    MAX_SHARE,
    BotSpec,
    FaultLimits,
    InstanceKey,
    OnGame,
    OnVoid,
    OpenTable,
)
from bowerbird.harness.referee.table_watch import OnSteps
from bowerbird.harness.tournament.jobs.job import Job

if TYPE_CHECKING:
    from bowerbird.harness.referee.remote.admission import Admission


class Executor(Protocol):
    """A player of the tables of jobs, under trio.

    A run enters it, calls the roll if no deal set is stored, lets it play the jobs round by round, and leaves it. It
    enters bots' faults into its fault ledger before it delivers the affected games.
    """

    async def __aenter__(self) -> object:
        """Start everything except bots."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """End every process that was started, also after an error or a cancellation."""

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """Start one process of each local bot, and the processes `soon`, which are kept for `play_jobs`.

        Return the stories of the bots that did not become ready.
        """

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        """Play every table of `jobs`. Return when all have been delivered.

        For each table, in any order, one of these is called once; neither may block. `on_game` takes a table, the
        record of its finished game, and what is kept beside the record. `on_void(table, voided)` takes a game without a
        result, because a process was lost while the host stood still: the caller replaces its deal set. A bot's fault
        never raises. An error in either function, or a cancellation, ends all games in play without delivering them.
        """

    def hurry(self) -> None:
        """On leaving, kill bots at once instead of letting them end. May be called while the executor is being left."""


@runtime_checkable
class WatchableExecutor(Executor, Protocol):
    """An executor whose tables can be watched while they are in play. A cluster's tables cannot."""

    async def open_tables(self) -> tuple[OpenTable, ...]:
        """Return the tables in play."""

    async def watch_table(self, game: str, send: OnSteps) -> None:
        """Tell `send`, which must not wait, what has been played at a table so far and what follows until it ends.

        A second call for a game replaces the first. `send` gets GONE for a table that is not in play.
        """

    async def unwatch_table(self, game: str) -> None:
        """End `watch_table` of this game."""


@dataclass(frozen=True, slots=True)
class RefereeSetup:
    """Everything that a process needs to make a referee of a run, as a picklable value.

    bots: ready to start.
    conditions: the conditions of every game.
    workspace: the folder for the logs of this referee's bots.
    hidden: folders that no sandboxed bot may read.
    slots: how many requests bots work on at once at this referee.
    tables: how many tables each process plays at once.
    limits: the faults that a bot may have before it is withdrawn.
    conduct: the faults that the ledger begins with.
    processes: how many processes may be alive to keep tables full between two jobs.
    max_share: the share of all thinking time beyond which the games of a bot are put last.
    ponder: whether bots run while they have no open decision, even where they could be frozen.
    required: features that every bot must have to be seated.
    index, count: this is referee `index`, from 0, of the `count` referees on its machine.
    """

    bots: tuple[BotSpec, ...]
    conditions: Conditions
    workspace: Path
    hidden: tuple[Path, ...]
    slots: int
    tables: int
    limits: FaultLimits
    conduct: Conduct = CLEAN
    processes: int = MAX_PROCESSES
    max_share: float = MAX_SHARE
    ponder: bool = False
    required: tuple[str, ...] = ()
    index: int = 0
    count: int = 1

    def without_remote(self) -> RefereeSetup:
        """Return the setup of referees that do not accept remote bots."""
        return replace(self, bots=tuple(bot for bot in self.bots if not bot.remote))

    def ledger(self) -> FaultLedger:
        """Return a new ledger that begins with `conduct`."""
        return FaultLedger(self.limits, self.conduct)

    def referee(
        self,
        ledger: FaultLedger,
        admission: Admission | None = None,
        prestart: Prestart | None = None,
        *,
        host: HostClock | None = None,
        on_steps: OnSteps | None = None,
    ) -> Referee:
        """Return a referee that has started nothing.

        ledger: receives the entries of the referee.
        host: the clock that measures all times; a new one by default.
        admission: accepts remote bots; None if there are none.
        prestart: processes already started for this referee.
        on_steps: called at once with what happens at every table; must not wait.
        """
        return Referee(
            {bot.name: bot for bot in self.bots},
            self.conditions,
            workspace=self.workspace,
            hidden=self.hidden,
            slots=self.slots,
            tables=self.tables,
            ledger=ledger,
            max_processes=self.processes,
            kept_processes=KEPT_PROCESSES if self.processes == MAX_PROCESSES else 0,
            max_share=self.max_share,
            admission=admission,
            prestart=prestart,
            may_ponder=self.ponder,
            required=self.required,
            core=dedicated_core(self.index, self.count),
            host=host,
            on_steps=on_steps,
        )

    def for_worker(self, index: int, count: int) -> RefereeSetup:
        """Return the setup of worker `index` of `count`: with its own log folder and its share of the slots."""
        slots = max(1, -(-self.slots // count))
        return replace(self, workspace=self.workspace / f"worker-{index}", slots=slots, index=index, count=count)
