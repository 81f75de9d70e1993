"""How much time each bot has used, how much its next deal set is expected to take, and whose share is used up.

All numbers are whole milliseconds. The referee's own work for a decision counts as half a millisecond.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.tournament.pairing.values import PairingBot, PairingTable, SetResult

UNKNOWN_DECISIONS = 100
"""Expected decisions of a game of a variant that nobody has played yet."""

FIRST_MS = 1_000
"""Expected thinking time of a bot for 1,000 decisions, before any has played: little."""


@dataclass(slots=True)
class _Used:
    """Thinking time and decisions of a bot; decisions are counted in thousandths, since a seat has a share of all."""

    ms: int = 0
    milli_decisions: int = 0


@dataclass(slots=True)
class TimeLedger:
    """The time that bots have used. `copy` makes one for a batch that is being chosen.

    charged_ms: by bot, its thinking time and its part of the referee's, in all its deal sets.
    sets: by bot, the number of its deal sets.
    """

    bots: Sequence[PairingBot]
    charged_ms: dict[str, int] = field(default_factory=dict)
    sets: dict[str, int] = field(default_factory=dict)
    _authors: dict[str, str] = field(default_factory=dict)
    _members: Counter[str] = field(default_factory=Counter)
    _used: dict[tuple[str, str], _Used] = field(default_factory=dict)
    """By (entry, bot), and by ("", bot) in all entries."""
    _decisions: dict[str, list[int]] = field(default_factory=dict)
    """By entry, [decisions, games]."""

    def __post_init__(self) -> None:
        """Begin with nothing used."""
        for bot in self.bots:
            self.charged_ms[bot.name] = self.sets[bot.name] = 0
            self._authors[bot.name] = f"author {bot.author}" if bot.author else f"bot {bot.name}"
        self._members = Counter(self._authors.values())

    def add(self, table: PairingTable, result: SetResult) -> None:
        """Take a deal set that was played."""
        seats, all_seats = table.seats, sum(table.seats.values())
        decisions = self._decisions.setdefault(table.entry, [0, 0])
        decisions[0] += result.decisions
        decisions[1] += table.games
        for bot, number in seats.items():
            share = 1000 * result.decisions * number // all_seats
            ms = result.thinking_ms.get(bot, 0)
            for entry in (table.entry, ""):
                used = self._used.setdefault((entry, bot), _Used())
                used.ms += ms
                used.milli_decisions += share
            self.charge(bot, ms + share // 2000)

    def charge(self, bot: str, ms: int) -> None:
        """Count a deal set of a bot that took it `ms`."""
        self.charged_ms[bot] += ms
        self.sets[bot] += 1

    def batch_copy(self) -> TimeLedger:
        """Return a copy that can be charged with expected sets. It takes no results."""
        other = object.__new__(TimeLedger)
        other.bots = self.bots
        other.charged_ms, other.sets = dict(self.charged_ms), dict(self.sets)
        other._authors, other._members = self._authors, self._members
        other._used, other._decisions = self._used, self._decisions
        return other

    # Expected time

    def expected_ms(self, table: PairingTable) -> Mapping[str, int]:
        """Return by bot how much time a deal set of this table is expected to take it, at least 1 ms."""
        seats = table.seats
        all_seats = sum(seats.values())
        decisions = self._set_decisions(table)
        expected = {}
        for bot, number in seats.items():
            share = 1000 * decisions * number // all_seats
            expected[bot] = max(1, share * self._pace(table.entry, bot) // 1_000_000 + share // 2000)
        return expected

    def _set_decisions(self, table: PairingTable) -> int:
        made, games = self._decisions.get(table.entry, (0, 0))
        if not games:
            made, games = map(sum, zip(*self._decisions.values(), strict=True)) if self._decisions else (0, 0)
        return table.games * made // games if games and made else table.games * UNKNOWN_DECISIONS

    def _pace(self, entry: str, bot: str) -> int:
        """Return the thinking time of a bot in ms for 1,000 decisions: in this entry, else in all, else of others."""
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
        means = sorted(self.charged_ms[bot] // sets for bot, sets in self.sets.items() if sets)
        return max(1, means[(len(means) - 1) // 2]) if means else 1

    def shares(self, typical_ms: int) -> Shares:
        """Return who has used how much of its share, now."""
        charges = {bot: max(ms, self.sets[bot] * typical_ms) for bot, ms in self.charged_ms.items()}
        by_author: Counter[str] = Counter()
        for bot, charge in charges.items():
            by_author[self._authors[bot]] += charge
        mean = by_author.total() // len(self._members)
        targets = {bot: mean // self._members[author] for bot, author in self._authors.items()}
        return Shares(charges, {bot: by_author[author] for bot, author in self._authors.items()}, targets, mean)


@dataclass(frozen=True, slots=True)
class Shares:
    """Who has used how much of its share of time, in ms.

    A bot that is faster than the median bot is charged like the median for each deal set: otherwise it had to play
    thousands of games for each one of the others.

    charges: by bot. author_charges: by bot, of all bots of its author. targets: by bot, the equal share of authors,
    divided among the bots of each. mean: the equal share of an author.
    """

    charges: Mapping[str, int]
    author_charges: Mapping[str, int]
    targets: Mapping[str, int]
    mean: int
