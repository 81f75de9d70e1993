"""Tracks how much time each bot has used, how long its next deal set should take, and whose share is used up.

All numbers are whole milliseconds. The referee's own work for a decision counts as half a millisecond.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

UNKNOWN_DECISIONS = 100
"""The expected decisions in a game of a variant that nobody has played yet."""

FIRST_MS = 1_000
"""The expected thinking time of a bot for 1,000 decisions before any bot has played; deliberately low."""


@dataclass(slots=True)
class _Used:
    """The thinking time and decisions of a bot. Decisions are in thousandths, since a seat gets a fraction."""

    ms: int = 0
    milli_decisions: int = 0


class TimeLedger:
    """The time that bots have used, by their indices. `batch_copy` makes the ledger of a batch that is being chosen."""

    def __init__(self, authors: Sequence[str]) -> None:
        """Start with nothing used. `authors` has each bot's author; "" for a bot that shares with nobody."""
        keys = [(author, -1) if author else ("", bot) for bot, author in enumerate(authors)]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self._authors = [numbers[key] for key in keys]
        self._members = Counter(self._authors)
        self.charged_ms = [0] * len(authors)
        """Each bot's thinking time and its part of the referee's, over all its deal sets."""
        self.sets = [0] * len(authors)
        """The number of each bot's deal sets."""
        self._used: dict[tuple[str, int], _Used] = {}
        """By (entry, bot), and by ("", bot) in all entries."""
        self._decisions: dict[str, list[int]] = {}
        """By entry, [decisions, games]."""

    def add(self, entry: str, games: int, seats: Sequence[tuple[int, int, int]], decisions: int) -> None:
        """Add a deal set that was played.

        seats: (bot, the number of its seats, its thinking time in ms) for each bot.
        decisions: the total over all seats and games.
        """
        all_seats = sum(number for _, number, _ in seats)
        of_entry = self._decisions.setdefault(entry, [0, 0])
        of_entry[0] += decisions
        of_entry[1] += games
        for bot, number, ms in seats:
            share = 1000 * decisions * number // all_seats
            for where in (entry, ""):
                used = self._used.setdefault((where, bot), _Used())
                used.ms += ms
                used.milli_decisions += share
            self.charge(bot, ms + share // 2000)

    def charge(self, bot: int, ms: int) -> None:
        """Add a deal set that took a bot `ms`."""
        self.charged_ms[bot] += ms
        self.sets[bot] += 1

    def batch_copy(self) -> TimeLedger:
        """Return a copy that can be charged with expected sets, but not with results."""
        other = object.__new__(TimeLedger)
        other._authors, other._members = self._authors, self._members
        other.charged_ms, other.sets = list(self.charged_ms), list(self.sets)
        other._used, other._decisions = self._used, self._decisions
        return other

    # Expected time

    def seat_ms(self, entry: str, seats: int, games: int, bot: int) -> int:
        """Return the expected time of one seat of a bot in a deal set, at least 1 ms.

        seats: the seats of a table. games: the games of a set.
        """
        share = 1000 * self._set_decisions(entry, games) // seats
        return max(1, share * self._pace(entry, bot) // 1_000_000 + share // 2000)

    def _set_decisions(self, entry: str, games: int) -> int:
        made, played = self._decisions.get(entry, (0, 0))
        if not played:
            made = sum(made for made, _ in self._decisions.values())
            played = sum(played for _, played in self._decisions.values())
        return games * made // played if made else games * UNKNOWN_DECISIONS

    def _pace(self, entry: str, bot: int) -> int:
        """Return the ms that a bot thinks in 1,000 decisions: in this entry, else in all; else those of other bots."""
        for where in (entry, ""):
            used = self._used.get((where, bot))
            if used is not None and used.milli_decisions:
                return 1_000_000 * used.ms // used.milli_decisions
        known = sorted(
            1_000_000 * used.ms // used.milli_decisions
            for (where, _), used in self._used.items()
            if not where and used.milli_decisions
        )
        return known[(len(known) - 1) // 2] if known else FIRST_MS

    # Shares

    def typical_ms(self) -> int:
        """Return the lower median over bots of the time of a deal set, at least 1 ms."""
        means = sorted(ms // sets for ms, sets in zip(self.charged_ms, self.sets, strict=True) if sets)
        return max(1, means[(len(means) - 1) // 2]) if means else 1

    def shares(self, typical_ms: int) -> Shares:
        """Return how much of its share each bot has used so far."""
        charges = [max(ms, sets * typical_ms) for ms, sets in zip(self.charged_ms, self.sets, strict=True)]
        by_author = [0] * len(self._members)
        for author, charge in zip(self._authors, charges, strict=True):
            by_author[author] += charge
        equal = sorted(by_author)[(len(by_author) - 1) // 2]
        targets = [equal // self._members[author] for author in self._authors]
        return Shares(charges, [by_author[author] for author in self._authors], targets, equal)


@dataclass(frozen=True, slots=True)
class Shares:
    """The time that bots have used of their shares, in ms, by bot.

    A bot that is faster than the median is charged the median for each deal set. Otherwise it would have to play
    thousands of games for every game of the others.

    charges: the bot's charges. author_charges: the charges of all bots of its author. targets: an author's equal share,
        divided among the author's bots. equal: the equal share of an author, which is the lower median of the authors'
        times, since one slow bot would raise a mean.
    """

    charges: Sequence[int]
    author_charges: Sequence[int]
    targets: Sequence[int]
    equal: int
