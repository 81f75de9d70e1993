"""The value that `start` hands to `runner`: a run that is ready to be played. Must not import trio."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.records.store.store import Store
from harness.referee.spec import BotSpec
from harness.tournament.events import Progress
from harness.tournament.plan import Plan

if TYPE_CHECKING:
    from harness.referee.connection.prestart import Prestart
    from harness.referee.table_watch import OnSteps
    from harness.tournament.executors.cluster.open_cluster import OpenCluster
    from harness.tournament.preparation.hosting import Hosting


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A plan that is ready to be played, with everything needed for it.

    bots: the plan's bots, built.
    tier: an isolation tier that works for all of them.
    measures: what else is done to them (`game_record.MEASURES`).
    hidden: folders that no sandboxed bot may read.
    workspace: the folder for logs.
    hosting: the listener for remote bots; None if there is none.
    workers: how many processes play; with 1 it is this one. With `hosting` this one plays beside several, too.
    prestart: the bots that are starting already; None with more than one worker.
    cluster: plays instead of processes of this machine; None without one.
    watch: whether spectators may watch it.
    on_steps: is told at once what happens at every table, hidden actions too; only with one worker.
    """

    plan: Plan
    store: Store
    bots: tuple[BotSpec, ...]
    tier: str
    measures: tuple[str, ...]
    hidden: tuple[Path, ...]
    workspace: Path
    progress: Progress
    hosting: Hosting | None
    workers: int
    prestart: Prestart | None
    cluster: OpenCluster | None = None
    watch: bool = False
    on_steps: OnSteps | None = None
