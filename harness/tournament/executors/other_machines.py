"""Machines that work instead of this one: what an optional part offers for that, and what core asks of it.

A part offers a module that has what `MachineOptions` says (`harness.extensions`, kind "machines"). Must
not import trio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bowerbird.harness.tournament.events import Progress, WorkersChosen

if TYPE_CHECKING:
    from bowerbird.harness.records.values.game_record import Conditions
    from bowerbird.harness.records.verify.examiner import Examiner
    from bowerbird.harness.referee.game.fault_ledger import FaultLedger
    from bowerbird.harness.referee.spec import BotSpec
    from bowerbird.harness.tournament.executors.contract import Executor, RefereeSetup
    from bowerbird.harness.tournament.preparation.isolation import TierChoice

T = TypeVar("T")
R = TypeVar("R")


class MachinePool(Protocol):
    """Machines that are connected, and do what they are told. They have the same Bowerbird as this one."""

    def mapped(self, function: Callable[[T], R], items: Iterable[tuple[str, T]]) -> Iterator[R]:
        """Yield what a function makes of each item, in their order. Raises MachinesError if nobody is left to do it.

        Args:
            function: one of a module, so that every machine knows it.
            items: each with its name, as a sentence begins: "game 4f1c9a/…".
        """


class OpenMachines(Protocol):
    """Machines that are connected and looked over. They have built the bots and chosen their isolation."""

    @property
    def choice(self) -> TierChoice:
        """The isolation that all of them have."""

    @property
    def chosen(self) -> WorkersChosen:
        """Who plays from the beginning."""

    def executor(self, setup: RefereeSetup, ledger: FaultLedger, **tools: Any) -> Executor:
        """Return the executor of a run.

        Args:
            setup: of each referee; its slots are those of a machine, 0 for one for each of its cores.
            ledger: gets the entries of all referees.
            tools: `on_stall`, `machines`, `backlog` and `progress`, as `runner` has them.
        """


class OtherMachines(Protocol):
    """Machines as the options of a command name them. Raises MachinesError where none of them can play."""

    @property
    def option(self) -> str:
        """The option that names them."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders of theirs that no sandboxed bot may read."""

    def opened(
        self, bots: Iterable[BotSpec], asked: str, hidden: tuple[Path, ...], stored: Conditions | None
    ) -> AbstractContextManager[OpenMachines]:
        """Connect, and look the machines over; disconnect at the end.

        Args:
            bots: those that the machines play.
            asked: the requested isolation; "" for the best.
            hidden: folders of the run that no sandboxed bot may read.
            stored: the conditions of the run's stored games; None if there are none.
        """

    def examiner(self, progress: Progress) -> AbstractContextManager[Examiner]:
        """Connect, and return what verifies there; disconnect at the end."""

    def pool(self, progress: Progress, verb: str) -> AbstractContextManager[MachinePool]:
        """Connect, and return what works there; disconnect at the end. `verb` says for sentences what is to be done."""


class MachineOptions(Protocol):
    """What a module that offers other machines has. Each of its options has its own name."""

    def options(self, *, plays: bool) -> list[Callable[[Any], Any]]:
        """Return the decorators that add the options to a command that plays, or to one that works on games."""

    def taken_from(self, given: dict[str, Any]) -> OtherMachines | None:
        """Take the values of the options out of the arguments of a command; return the machines that they name.

        Raises UsageError, MachinesError.
        """
