"""What optional parts add to the pages of a run: marks in a replay, and sections of a report. Pure values.

Core draws them without knowing what they mean (`bowerbird.harness.extensions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bowerbird.harness.records.values.game_record import GameRecord


@dataclass(frozen=True, slots=True)
class DecisionMark:
    """What is said about a decision of a game.

    Attributes:
        hand, action: its place in the record.
        seat: the seat that decided. Pages that show what another seat knew leave it out.
        sentence: a line about the decision.
        short: a word or a number beside the action in the list of the hand; "" for none.
        is_shown_in_time: whether the page's timeline has a mark there.
        values: for legal actions, by token: a short text, and the length of a bar from 0 to 1.
    """

    hand: int
    action: int
    seat: int
    sentence: str
    short: str
    is_shown_in_time: bool
    values: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a decision cost the seat that made it, known once the hand is over.

    Attributes:
        hand, action: its place in the game.
        token, better: the chosen action, and the better one; the same where there is none.
        points: how much more that is worth, in points of the hand.
        reach: half of the 95% interval of that.
        is_mistake: whether the decision certainly cost something.
        values: as in `DecisionMark`.
    """

    hand: int
    action: int
    token: str
    better: str
    points: float
    reach: float
    is_mistake: bool
    values: tuple[tuple[str, str, float], ...]

    @property
    def least(self) -> float:
        """The least that the decision cost, in points of the hand."""
        return self.points - self.reach


@dataclass(frozen=True, slots=True)
class SectionTable:
    """A table of a section. The first column holds words, the others numbers.

    games: for each row, the game, the hand and the action (as in `DecisionMark`) that its words link to; () without
        links.
    details: for each row, a line below its words; () without them.
    note: a sentence about the table; "" for none.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    games: Sequence[tuple[str, int, int]] = ()
    details: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class HandMark:
    """A table about a finished hand of a game.

    Pages that show what one seat knew leave it out, since it is about all hands.

    The first column holds words, the others numbers.
    """

    hand: int
    table: SectionTable


@dataclass(frozen=True, slots=True)
class GameMarks:
    """What is said about a game. `note` says what the values of its decisions are; "" where there are none."""

    decisions: Sequence[DecisionMark] = ()
    hands: Sequence[HandMark] = ()
    note: str = ""


NO_MARKS = GameMarks()

MarksOf = Callable[[GameRecord], GameMarks]
"""Returns what is said about a game. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A section of a report. `id` is its anchor on the page, made of letters and "-"."""

    id: str
    title: str
    sentences: Sequence[str]
    tables: Sequence[SectionTable]
