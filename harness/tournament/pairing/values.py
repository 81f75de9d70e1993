"""The inputs and outputs of the scheduler: bots, tables, results of deal sets, and choices with reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from bowerbird.engine import counted

DEFAULT_RATING = 1500
DEFAULT_DEVIATION = 350
"""The prior of an unknown bot, in Elo: 350 is the usual deviation of a newcomer (Glicko)."""

Direction = tuple[tuple[int, float], ...]
"""A difference of ratings: (index of a bot, its coefficient); the coefficients add up to 0."""


@dataclass(frozen=True, slots=True)
class PairingBot:
    """A bot before its first result, as the scheduler sees it.

    author: bots of one author share its time; "" for a bot that shares with nobody.
    rating, deviation: the prior and its standard deviation, in Elo.
    """

    name: str
    author: str = ""
    rating: int = DEFAULT_RATING
    deviation: int = DEFAULT_DEVIATION


@dataclass(frozen=True, slots=True)
class PairingTable:
    """A line-up of a variant entry, which can play any number of deal sets.

    sides: the bots of each side, in any order; a bot may have several seats.
    games: how many games a deal set has.
    orders: how many seat orders the deal sets use in turn.
    """

    entry: str
    lineup: str
    sides: tuple[tuple[str, ...], ...]
    games: int
    orders: int = 1

    @property
    def bots(self) -> tuple[str, ...]:
        """The distinct bots at the table, in the order of their seats."""
        return tuple(dict.fromkeys(bot for side in self.sides for bot in side))

    @property
    def seats(self) -> Mapping[str, int]:
        """The number of seats of each bot."""
        return Counter(bot for side in self.sides for bot in side)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two sides of bots that meet at a table, whatever their seats.

    ones, others: the bots of each side, sorted; `ones` comes first.
    weight: the weight of their pairs in a game; the weights of a table of n sides add up to n / 2 (ratings.md).
    """

    ones: tuple[str, ...]
    others: tuple[str, ...]
    weight: float


def meetings_of(table: PairingTable) -> tuple[Meeting, ...]:
    """Return the distinct meetings of a table, in order. Sides of the same bots do not meet."""
    sides = [tuple(sorted(side)) for side in table.sides]
    counts = Counter(tuple(sorted(pair)) for pair in combinations(sides, 2) if set(pair[0]) != set(pair[1]))
    return tuple(Meeting(ones, others, number / (len(sides) - 1)) for (ones, others), number in sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class SetResult:
    """The result of a deal set, as the scheduler reads it.

    scores: for each meeting in `meetings_of` its table, the mean score (0 to 1) of `ones`; None if no game counts.
    thinking_ms: by bot, the thinking time in all games of the set.
    decisions: the number of decisions of all seats in all games.
    """

    scores: tuple[float | None, ...]
    thinking_ms: Mapping[str, int]
    decisions: int


LEARN, PLACE, FLOOR, VARIANT, LINK, REMAINDER, LOT = "learn", "place", "floor", "variant", "link", "remainder", "lot"
"""The kind of reason for choosing a deal set.

It is the most informative, it places a newcomer, a bot or a variant has played too little, two parts of the ranking
have met too rarely in a variant, nothing else is possible within the shares of time, or it was drawn by lot.
"""


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for choosing a deal set, as numbers; `sentence` puts it in words.

    kind: one of LEARN, PLACE, FLOOR, VARIANT, LINK, REMAINDER, LOT.
    bot, other: the two bots for which it is chosen; for FLOOR and PLACE, `bot` is the one that needs the set.
    entry: the variant entry.
    difference, deviation: the expected difference of the two ratings and its standard deviation before the set, in Elo.
    played: how many sets `bot` (for VARIANT: the entry) has played, including those already chosen in this round.
    """

    kind: str
    bot: str
    other: str
    entry: str
    difference: int
    deviation: int
    played: int


def sentence(reason: Reason) -> str:
    """Return a reason as one sentence."""
    bot, other, played = reason.bot, reason.other, reason.played
    apart = f"{bot} and {other} are {abs(reason.difference)} ± {reason.deviation} Elo apart"
    return {
        PLACE: f"{bot} is new and has played {counted(played, 'deal set')}: {other} has a well-known rating",
        FLOOR: f"{bot} has had less than half of its share of time, in {counted(played, 'deal set')}",
        VARIANT: f"{reason.entry} has had less than half of its share of deal sets, {played} so far",
        LINK: f"the halves of the ranking of {bot} and {other} have met too little in {reason.entry}",
        LOT: "it is drawn by lot, and its result says who meets next",
        REMAINDER: f"{apart}, but each table has an author with more than its share of time",
    }.get(reason.kind, f"{apart}: this set teaches most for the time")


@dataclass(frozen=True, slots=True)
class Choice:
    """A deal set to play next: its table, the reason, and the expected thinking time of its bots, in ms."""

    table: PairingTable
    reason: Reason
    expected_ms: int
