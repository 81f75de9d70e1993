"""What a bot author subclasses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, SupportsIndex, TypeAlias

if TYPE_CHECKING:
    from engine import Action
    from harness.sdk.decision import Decision, HandEnd, Table, TableEnd


class _Resign(Enum):
    RESIGN = "resign"


RESIGN = _Resign.RESIGN
"""Return it from `act` to give up the game at that table."""

Choice: TypeAlias = "Action | SupportsIndex | str | _Resign"
"""A legal action, its index in `decision.legal`, its token, or RESIGN."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a bot can do (PROTOCOL.md, Hello).

    Lower `max_tables` or `max_batch` if it needs much memory for each. `wants_events` brings `decision.events` and
    `hand_ended`; `wants_forced` asks the bot decisions with one legal action, too.
    """

    max_tables: int = 1024
    max_batch: int = 256
    wants_events: bool = False
    wants_forced: bool = False


class Bot:
    """A bot: write `act`. All else may be left as it is.

    One object plays all tables of its process. Keep what belongs to one table in `decision.table.notes`.
    """

    name: ClassVar[str] = ""
    """For information; the class's name if empty. The referee knows the bot by its bot.toml."""

    version: ClassVar[str] = ""
    """For information."""

    capabilities: Capabilities = Capabilities()

    def prepare(self) -> None:
        """Load models and tables here: called once when the referee is there, on the start-up clock."""

    def act(self, decision: Decision) -> Choice:
        """Choose: return a legal action, its index or its token."""
        raise NotImplementedError(f"{type(self).__name__} has no act(self, decision)")

    def act_batch(self, decisions: Sequence[Decision]) -> Sequence[Choice]:
        """Choose at several tables at once, for example with one run of a network: one choice for each, in order."""
        return [self.act(decision) for decision in decisions]

    def table_opened(self, table: Table) -> None:
        """The bot sits down at a table."""

    def hand_ended(self, table: Table, end: HandEnd) -> None:
        """A hand is over. Told only with `Capabilities.wants_events`; scores are in every view, too."""

    def table_closed(self, table: Table, end: TableEnd) -> None:
        """A game is over; the table is forgotten."""


def check_bot(bot: object) -> None:
    """Raise TypeError, with what to write instead, for what cannot play: a class, no Bot, a Bot without `act`."""
    if isinstance(bot, type):
        raise TypeError(f"{bot.__name__} is a class, and a bot is wanted: write {bot.__name__}()")
    if not isinstance(bot, Bot):
        raise TypeError(f"{bot!r} is no bot: write class {type(bot).__name__}(Bot), with harness.sdk.Bot")
    kind = type(bot)
    if kind.act is Bot.act and kind.act_batch is Bot.act_batch:
        raise TypeError(f"{kind.__name__} has neither act(self, decision) nor act_batch(self, decisions)")
