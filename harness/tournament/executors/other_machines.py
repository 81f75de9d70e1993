"""The interface to other machines that do the work: an optional part implements it, and core uses it.

A part offers a module with the members of `MachineOptions` (`harness.extensions`, kind "machines"). This module must
not import trio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

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


@dataclass(frozen=True, slots=True)
class Work(Generic[T, R]):
    """The work on each item, and how this machine checks the reported results: two results of one item are equal.

    Attributes:
        do: the function to call with an item, on any machine; each must be able to import it from its module.
        result: the type of what it returns.
        refuse: raises ValueError for a result of this type that the item cannot have.
        is_grave: whether a result must always be checked, since it ends the work or accuses somebody.
    """

    do: Callable[[T], R]
    result: object
    refuse: Callable[[T, R], None]
    is_grave: Callable[[R], bool]


class MachinePool(Protocol):
    """Connected machines that do work on request. They run the same Bowerbird as this one."""

    def mapped(self, work: Work[T, R], items: Iterable[tuple[str, T]]) -> Iterator[R]:
        """Yield the result of each item, in order. Raises MachinesError if no machine is left.

        items: each with a name that can begin a sentence: "game 4f1c9a/…".
        """


class OpenMachines(Protocol):
    """Connected and inspected machines. They have built the bots and chosen their isolation."""

    @property
    def choice(self) -> TierChoice:
        """The isolation that all of them use."""

    @property
    def chosen(self) -> WorkersChosen:
        """The workers that play from the beginning."""

    def executor(self, setup: RefereeSetup, ledger: FaultLedger, **tools: Any) -> Executor:
        """Return the executor of a run.

        Args:
            setup: the setup of each referee; its slots are the slots of one machine, 0 for one per core.
            ledger: receives the entries of all referees.
            tools: `on_stall`, `machines`, `backlog` and `progress`, as in `runner`.
        """


class OtherMachines(Protocol):
    """The machines named by the options of a command. Raises MachinesError if none of them can play."""

    @property
    def option(self) -> str:
        """The option that names them."""

    @property
    def folders(self) -> tuple[Path, ...]:
        """The machines' folders that no sandboxed bot may read."""

    def opened(
        self, bots: Iterable[BotSpec], asked: str, hidden: tuple[Path, ...], stored: Conditions | None
    ) -> AbstractContextManager[OpenMachines]:
        """Connect and inspect the machines; disconnect at the end.

        Args:
            bots: the bots that the machines play.
            asked: the requested isolation; "" for the best.
            hidden: folders of the run that no sandboxed bot may read.
            stored: the conditions of the run's stored games; None if there are none.
        """

    def examiner(self, progress: Progress) -> AbstractContextManager[Examiner]:
        """Connect and return an examiner that verifies there; disconnect at the end."""

    def pool(self, progress: Progress, verb: str) -> AbstractContextManager[MachinePool]:
        """Connect and return a pool that works there; disconnect at the end. `verb` names the work in messages."""


class MachineOptions(Protocol):
    """The members of a module that offers other machines. The names of its options must be unique."""

    def options(self, *, plays: bool) -> list[Callable[[Any], Any]]:
        """Return the decorators that add the options to a command that plays, or to one that works on games."""

    def taken_from(self, given: dict[str, Any]) -> OtherMachines | None:
        """Remove the values of the options from the arguments of a command; return the machines that they name.

        Raises UsageError, MachinesError.
        """
