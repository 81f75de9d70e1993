"""Additions of optional parts to the pages of a run: marks in a replay, and sections of a report. Pure values.

Core draws them without knowing their meaning (`bowerbird.harness.extensions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bowerbird.harness.records.values.game_record import GameRecord


@dataclass(frozen=True, slots=True)
class DecisionMark:
    """A remark on a decision in a game.

    Attributes:
        hand, action: its place in the record.
        seat: the seat that decided. Pages that show only another seat's knowledge leave out the mark.
        sentence: a line about the decision.
        short: a word or a number shown beside the action in the list of the hand; "" for none.
        is_shown_in_time: True if the page's timeline has a mark there.
        values: for legal actions, by token, a short text and the length of a bar from 0 to 1.
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
    """The cost of a decision for the seat that made it, known after the hand.

    Attributes:
        hand, action: its place in the game.
        token, better: the chosen action and the better one, which are the same if none is better.
        points: how much more the better action is worth, in points of the hand.
        reach: half the width of the 95% interval of `points`.
        is_mistake: True if the decision certainly cost something.
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
    """A table in a section. The first column contains words, the others numbers.

    games: for each row, the game, hand and action (as in `DecisionMark`) to which its words link; () without links.
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

    Pages that show only one seat's knowledge leave it out, because it covers every seat's cards.

    The first column contains words, the others numbers.
    """

    hand: int
    table: SectionTable


@dataclass(frozen=True, slots=True)
class GameMarks:
    """The remarks on a game. `note` explains the values of its decisions; "" if there are none."""

    decisions: Sequence[DecisionMark] = ()
    hands: Sequence[HandMark] = ()
    note: str = ""


NO_MARKS = GameMarks()

MarksOf = Callable[[GameRecord], GameMarks]
"""A function that returns the remarks on a game. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A section of a report. `id` is its anchor on the page: letters and "-"."""

    id: str
    title: str
    sentences: Sequence[str]
    tables: Sequence[SectionTable]
