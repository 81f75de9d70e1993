"""The way a plan is played: the options that a command passes to `start`, and what `start` passes to `runner`.

This module must not import trio.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.events import Progress
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.preparation.isolation import TierChoice

if TYPE_CHECKING:
    from bowerbird.harness.referee.connection.prestart import Prestart
    from bowerbird.harness.referee.table_watch import OnSteps
    from bowerbird.harness.tournament.executors.other_machines import OpenMachines, OtherMachines
    from bowerbird.harness.tournament.preparation.hosting import Hosting


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The players and the spectators of a plan. By default only this process plays, and nobody watches.

    hosting: the listener for remote bots, which play with the referee of this process; None without remote bots.
    workers: how many processes play, each with its own referee; 1 for this process only. With `hosting` and more than
        one worker, the workers play the tables without remote bots, and this process plays the others.
    machines: machines that play instead of this one. Their workers build the bots and isolate them. With `hosting`,
        this process plays the tables with a remote bot, under the same isolation.
    refuse_readable_seed: raise IsolationError if a local bot could read the secret seed.
    watch: let spectators watch the run (`run_watch`).
    interim_ratings: fit ratings from time to time while the run is being played, for `progress`. `watch` implies it.
    on_steps: called at once with what happens at every table, including hidden actions; must not wait. Only with one
        worker.
    """

    hosting: Hosting | None = None
    workers: int = 1
    machines: OtherMachines | None = None
    refuse_readable_seed: bool = False
    watch: bool = False
    interim_ratings: bool = False
    on_steps: OnSteps | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A plan that is ready to be played, with everything it needs.

    progress: called with each event.
    bots: the plan's bots, built.
    choice: an isolation tier that works for all of them, with its measures.
    hidden: folders that no sandboxed bot may read.
    workspace: the folder for logs.
    prestart: the bots that are already starting; None unless only this process plays.
    machines: the opened machines of the options; None without any.
    """

    plan: Plan
    store: Store
    progress: Progress
    options: RunOptions
    bots: tuple[BotSpec, ...]
    choice: TierChoice
    hidden: tuple[Path, ...]
    workspace: Path
    prestart: Prestart | None = None
    machines: OpenMachines | None = None
