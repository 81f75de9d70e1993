"""What every executor does, and what one needs to make a referee. Pure values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from harness.records.incident import Conduct
from harness.records.record import Conditions
from harness.referee.ahead import HeadStart
from harness.referee.core import own_core
from harness.referee.docket import CLEAN, Docket
from harness.referee.keeping import PROCESSES
from harness.referee.referee import OnGame, Referee
from harness.referee.roster import BotStory
from harness.referee.spec import BotSpec, FaultLimits, InstanceKey
from harness.tournament.job import Job

if TYPE_CHECKING:
    from harness.referee.lobby import Lobby


class Executor(Protocol):
    """Plays jobs. An async context manager; leaving it, in whatever way, leaves no process."""

    def hurry(self) -> None:
        """From now on no bot is given time to end by itself: leaving ends them at once."""

    async def roll_call(self, soon: Collection[InstanceKey] = ()) -> tuple[BotStory, ...]:
        """Start a process of each bot, and those of `soon`; the stories of bots that did not get as far as Ready."""

    async def play(self, jobs: Sequence[Job], on_game: OnGame) -> None:
        """Play every table of these jobs; `on_game` gets each as it ends, once, in any order.

        Faults of bots never raise. What `on_game` raises, or a cancellation, ends whatever is in play.
        """


@dataclass(frozen=True, slots=True)
class Setup:
    """How the referees of a run are made (`Referee`). Picklable.

    `conduct` is how the bots have behaved before. It is for referee `number` `of` so many at work on this machine.
    """

    bots: tuple[BotSpec, ...]
    conditions: Conditions
    workspace: Path
    hidden: tuple[Path, ...]
    slots: int
    tables: int
    limits: FaultLimits
    conduct: Conduct = CLEAN
    processes: int = PROCESSES
    number: int = 0
    of: int = 1

    def docket(self) -> Docket:
        """A docket that begins with what is known of the bots."""
        return Docket(self.limits, self.conduct)

    def referee(self, docket: Docket, lobby: Lobby | None = None, ahead: HeadStart | None = None) -> Referee:
        """A referee that has started nothing and enters what bots do wrong; remote bots come in through `lobby`.

        `ahead` is what was started for it already.
        """
        return Referee(
            {bot.name: bot for bot in self.bots},
            self.conditions,
            workspace=self.workspace,
            hidden=self.hidden,
            slots=self.slots,
            tables=self.tables,
            docket=docket,
            processes=self.processes,
            lobby=lobby,
            ahead=ahead,
            home=own_core(self.number, self.of),
        )

    def share(self, number: int, of: int) -> Setup:
        """For worker `number` of so many: a folder of its own for logs, its part of the slots."""
        slots = max(1, -(-self.slots // of))
        return replace(self, workspace=self.workspace / f"worker-{number}", slots=slots, number=number, of=of)
