"""Rated pairs as arrays, with each distinct deal set once: the input of the likelihood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

import numpy as np

from bowerbird.harness.ratings.games import Bools, Floats, Ints, apart, as_games, numbered
from bowerbird.harness.ratings.pairs import PairForm
from bowerbird.harness.records.values.game_result import GameResult

SeatKey = tuple[str, int, int]
"""The key of a seat advantage: (variant, seats at the table, seat)."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The distinct rated pairs of one form; parallel arrays.

    number: the number of each pattern among the patterns of all forms.
    seated: the places of the bots, with a column for each of the form's `all_seats`.
    outcome: S of the first side (1, 1/2, 0).
    """

    form: PairForm
    number: Ints
    seated: Ints
    outcome: Floats

    @property
    def sides(self) -> tuple[Ints, Ints]:
        """The places of the bots of the first side, and of the other side."""
        return self.seated[:, : len(self.form.seats)], self.seated[:, len(self.form.seats) :]

    @property
    def counting(self) -> Bools:
        """True for each place in `seated` whose bot has more seats on this side than on the other (`apart`)."""
        return np.concatenate(apart(*self.sides), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Rated pairs. Equal pairs form one pattern; deal sets with the same counts of patterns form one kind.

    `bots` are the bots with a rated pair, sorted. `patterns` are the distinct pairs by form; `number` is their total.
    `pattern`, `kind` and `count` are parallel arrays in the order of kinds: pattern `pattern[i]` occurs `count[i]`
    times in each deal set of kind `kind[i]`. `sets` is the number of deal sets by kind.
    """

    bots: tuple[str, ...]
    patterns: tuple[Patterns, ...]
    number: int
    pattern: Ints
    kind: Ints
    count: Floats
    sets: Floats

    def by_pattern(self, values: Iterator[Floats | float]) -> Floats:
        """Return the values for each form of `patterns`, by the number of the pattern."""
        found = np.zeros(self.number)
        for patterns, each in zip(self.patterns, values, strict=True):
            found[patterns.number] = each
        return found

    @property
    def outcome(self) -> Floats:
        """The outcome by pattern."""
        return self.by_pattern(patterns.outcome for patterns in self.patterns)

    @property
    def weight(self) -> Floats:
        """The weight of a pair, by pattern."""
        return self.by_pattern(patterns.form.weight for patterns in self.patterns)

    def sets_of(self) -> dict[str, int]:
        """Return, for each bot, the number of deal sets in which it plays."""
        place, cells = np.full(self.number, -1), [self.kind[:0]]
        for one in self.patterns:
            place[:], place[one.number] = -1, np.arange(len(one.number))
            own = place[self.pattern]
            cells.extend(self.kind[own >= 0] * len(self.bots) + one.seated[own[own >= 0]].T)
        kind, bot = np.divmod(np.unique(np.concatenate(cells)), max(1, len(self.bots)))
        sets = np.bincount(bot, self.sets[kind], len(self.bots))
        return dict(zip(self.bots, sets.astype(int).tolist(), strict=True))


def totals_by_set(data: Observations) -> Floats:
    """Return the weight of each pattern over all deal sets as if each meeting of two sides in a set were one game,
    since the games of a set share their cards.

    Seats and outcomes make no difference to what counts as a meeting.
    """
    meeting = _meetings(data)
    weight = data.weight[data.pattern] * data.count
    _, place = np.unique(data.kind * max(1, data.number) + meeting[data.pattern], return_inverse=True)
    share = weight / np.bincount(place, weights=weight)[place]
    each = data.sets[data.kind] * share
    return np.bincount(data.pattern, weights=each, minlength=data.number).astype(np.float64)


def _meetings(data: Observations) -> Ints:
    """Return, for each pattern, a number below the number of all patterns.

    Patterns in which the same sides meet share a number.
    """
    most = max((one.seated.shape[1] for one in data.patterns), default=1)
    sides = np.full((2, data.number, most), -1)
    for one in data.patterns:
        for side, seated in zip(sides, one.sides, strict=True):
            side[one.number, : seated.shape[1]] = np.sort(seated, axis=1)
    return numbered(np.sort(numbered(sides.reshape(-1, most).T + 1).reshape(2, -1), axis=0))


class Observer:
    """A counter of the rated pairs of games, which arrive in whole deal sets of all line-ups that share their packs.

    The cost of a deal set does not depend on how many were added before.
    """

    def __init__(self) -> None:
        """Create a counter without games."""
        self._bots: dict[str, int] = {}
        self._next = count().__next__
        self._patterns: defaultdict[PairForm, dict[bytes, int]] = defaultdict(lambda: defaultdict(self._next))
        """The number of each pattern, by form. A pattern's key is twice its outcome, and its bots."""
        self._kinds: dict[bytes, int] = {}
        """The number of each kind of deal set. A kind's key is its patterns and how often they occur."""
        self._sets: list[int] = []

    def add(self, games: Sequence[GameResult]) -> None:
        """Count further games, in the order of their ids. None of their deal sets may have been added before."""
        games = as_games(games)
        if not games.blocks:
            return
        bots = np.array([self._bots.setdefault(bot, len(self._bots)) for bot in games.bots])
        pattern = np.concatenate([self._numbers(one.form, one.doubled, bots[one.seated]) for one in games.blocks])
        cluster = games.clusters[np.concatenate([one.game for one in games.blocks])]
        most = self._number()
        cells, times = np.unique(cluster * most + pattern, return_counts=True)
        starts = np.flatnonzero(np.diff(cells // most, prepend=-1)).tolist()
        met = np.stack([cells % most, times], axis=1).tobytes()
        for start, end in pairwise([*starts, len(cells)]):
            kind = self._kinds.setdefault(met[16 * start : 16 * end], len(self._kinds))
            if kind < len(self._sets):
                self._sets[kind] += 1
            else:
                self._sets.append(1)

    def _numbers(self, form: PairForm, doubled: Ints, seated: Ints) -> Ints:
        rows = np.column_stack([doubled, seated]).astype(np.int32)
        raw, size = rows.tobytes(), 4 * rows.shape[1]
        keys = (raw[place : place + size] for place in range(0, len(raw), size))
        return np.fromiter(map(self._patterns[form].__getitem__, keys), np.int64, len(rows))

    def _number(self) -> int:
        """Return how many patterns are known."""
        return sum(map(len, self._patterns.values()))

    def observations(self) -> Observations:
        """Return the pairs of all games so far."""
        known = [_patterns(form, numbers) for form, numbers in self._patterns.items() if numbers]
        names = tuple(self._bots)
        rated = np.unique(np.concatenate([one.seated.ravel() for one in known])) if known else np.zeros(0, np.int64)
        bots = sorted(names[number] for number in rated.tolist())
        place = np.zeros(len(names), dtype=np.int64)
        place[[self._bots[bot] for bot in bots]] = np.arange(len(bots))
        each = np.array([len(kind) // 16 for kind in self._kinds], dtype=np.int64)
        entries = np.frombuffer(b"".join(self._kinds), dtype=np.int64).reshape(-1, 2)
        return Observations(
            bots=tuple(bots),
            patterns=tuple(Patterns(one.form, one.number, place[one.seated], one.outcome) for one in known),
            number=self._number(),
            pattern=entries[:, 0].copy(),
            kind=np.repeat(np.arange(len(each)), each),
            count=entries[:, 1].astype(np.float64),
            sets=np.array(self._sets, dtype=np.float64),
        )


def _patterns(form: PairForm, numbers: dict[bytes, int]) -> Patterns:
    rows = np.frombuffer(b"".join(numbers), dtype=np.int32).astype(np.int64).reshape(len(numbers), -1)
    return Patterns(form, np.array(list(numbers.values())), rows[:, 1:], rows[:, 0] / 2)


def observe(games: Sequence[GameResult]) -> Observations:
    """Return the rated pairs of games in the order of their ids."""
    observer = Observer()
    observer.add(games)
    return observer.observations()
