"""The class that bot authors subclass, and the values it works with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, SupportsIndex, TypeAlias

if TYPE_CHECKING:
    from bowerbird.engine import Action
    from bowerbird.harness.sdk.decision import Decision, HandEnd, Table, TableEnd


class _Resign(Enum):
    RESIGN = "resign"


RESIGN = _Resign.RESIGN
"""Return this from `act` to give up the game at that table."""

Choice: TypeAlias = "Action | SupportsIndex | str | _Resign"
"""A legal action, its index in `decision.legal`, its token, or RESIGN."""


class BotFailedError(Exception):
    """A failure that a bot explains in one sentence, the exception's text.

    If any method of a bot raises it, the process ends, and the sentence, not a traceback, goes to the referee and to
    stderr.
    """


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of a bot (seat.proto, Capabilities).

    Lower `max_tables` or `max_batch` if each table or decision needs a lot of memory. `wants_events` fills
    `decision.events` and calls `hand_ended`. `wants_forced` also asks the bot for decisions that have only one legal
    action. `ponders` means that the bot computes in its own threads between decisions; a run can pause its process
    during that time. `min_decision_ms` is the least time that the bot needs for a decision; a run whose clock allows
    less is refused before its first game. `knows` are the words of actions and questions that came after the first
    release and that the bot
    can play with: without them it is not seated in games that have them (protocol.md, Features).
    """

    max_tables: int = 1024
    max_batch: int = 256
    wants_events: bool = False
    wants_forced: bool = False
    ponders: bool = False
    min_decision_ms: int = 0
    knows: tuple[str, ...] = ("lone", "low", "misdeal", "show")


class Bot:
    """The base class of a bot. Write `act`; everything else is optional.

    One object plays all tables of its process. Keep the data of one table in `decision.table.notes`.
    """

    name: ClassVar[str] = ""
    """For information only; "" stands for the name of the class. The referee takes the bot's name from its bot.toml."""

    version: ClassVar[str] = ""
    """For information only."""

    capabilities: Capabilities = Capabilities()

    def prepare(self) -> None:
        """Load models and tables. Called once, after the referee has answered, while the start-up clock runs."""

    def act(self, decision: Decision) -> Choice:
        """Return a legal action, its index in `decision.legal`, or its token."""
        raise NotImplementedError(f"{type(self).__name__} has no act(self, decision)")

    def act_batch(self, decisions: Sequence[Decision]) -> Sequence[Choice]:
        """Return one choice for each decision, in order. Override it to run a network once for several tables."""
        return [self.act(decision) for decision in decisions]

    def table_opened(self, table: Table) -> None:
        """Handle the start of a game: the bot sits down at `table`."""

    def hand_ended(self, table: Table, end: HandEnd) -> None:
        """Handle the end of a hand. Called only with `Capabilities.wants_events`. Every view has the scores, too."""

    def table_closed(self, table: Table, end: TableEnd) -> None:
        """Handle the end of a game. The table is forgotten afterwards."""


def check_bot(bot: object) -> None:
    """Raise TypeError if `bot` cannot play because it is a class, not a Bot, or a Bot without `act`.

    The error says what to write instead.
    """
    if isinstance(bot, type):
        raise TypeError(f"{bot.__name__} is a class, not a bot: write {bot.__name__}()")
    if not isinstance(bot, Bot):
        raise TypeError(f"{bot!r} is not a bot: write class {type(bot).__name__}(Bot), with bowerbird.sdk.Bot")
    kind = type(bot)
    if kind.act is Bot.act and kind.act_batch is Bot.act_batch:
        raise TypeError(f"{kind.__name__} has neither act(self, decision) nor act_batch(self, decisions)")
