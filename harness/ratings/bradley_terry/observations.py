"""Rated pairs as arrays, with each distinct deal set once: the input of the likelihood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bowerbird.harness.ratings.pair_blocks import Bools, Ints, PairForm, apart, pair_blocks
from bowerbird.harness.ratings.pairs import cluster_numbers
from bowerbird.harness.records.values.game_result import GameResult

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]

SeatKey = tuple[str, int, int]
"""The key of a seat advantage: (variant, seats at the table, seat)."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The distinct rated pairs of one form; parallel arrays.

    number: the number of each pattern among the patterns of all forms.
    seated: the places of the bots, a column for each of the form's `all_seats`.
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
        """For each place in `seated`, whether the bot has more seats on this side than on the other side (`apart`)."""
        return np.concatenate(apart(*self.sides), axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Rated pairs. Equal pairs are one pattern; deal sets with the same counts of patterns are one kind.

    `bots` are those with a rated pair, sorted. `patterns` are the distinct pairs by form, `number` of them in all.
    `pattern`, `kind` and `count` are parallel and in the order of kinds: pattern `pattern[i]` occurs `count[i]` times
    in each deal set of kind `kind[i]`. `sets` is the number of deal sets by kind.
    """

    bots: tuple[str, ...]
    patterns: tuple[Patterns, ...]
    number: int
    pattern: Ints
    kind: Ints
    count: Floats
    sets: Floats

    def by_pattern(self, values: Iterator[Floats | float]) -> Floats:
        """Return what `values` has for each form of `patterns`, by the number of the pattern."""
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
        """The weight of a pair by pattern."""
        return self.by_pattern(patterns.form.weight for patterns in self.patterns)

    def occurrences(self) -> csr_array:
        """Return how often each pattern (column) occurs in a deal set of each kind (row)."""
        from scipy.sparse import csr_array

        return csr_array((self.count, (self.kind, self.pattern)), shape=(len(self.sets), self.number))

    def sets_of(self) -> dict[str, int]:
        """Return for each bot the number of deal sets in which it plays."""
        from scipy.sparse import csr_array

        cells = [(np.repeat(one.number, one.seated.shape[1]), one.seated.ravel()) for one in self.patterns]
        row, column = (np.concatenate(part) for part in zip(*cells, strict=True)) if cells else (self.kind, self.kind)
        seats = csr_array((np.ones(len(row)), (row, column)), shape=(self.number, len(self.bots)))
        plays = (self.occurrences() @ seats).astype(bool).astype(np.float64)
        return dict(zip(self.bots, (plays.T @ self.sets).astype(int).tolist(), strict=True))


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
    """Return for each pattern a number below the number of all patterns.

    Patterns in which the same sides meet share it.
    """
    most = max((one.seated.shape[1] for one in data.patterns), default=1)
    sides = np.full((2, data.number, most), -1)
    for one in data.patterns:
        for side, seated in zip(sides, one.sides, strict=True):
            side[one.number, : seated.shape[1]] = np.sort(seated, axis=1)
    side = numbered(sides.reshape(-1, most) + 1, len(data.bots) + 1).reshape(2, -1)
    return numbered(np.sort(side, axis=0).T, 1 + int(side.max(initial=0)))


def numbered(rows: Ints, below: int) -> Ints:
    """Return a number for each row, from 0 without gaps; equal rows get equal numbers.

    All values are from 0 to below - 1.
    """
    found, many = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        if many > (1 << 62) // below:
            distinct, found = np.unique(found, return_inverse=True)
            many = len(distinct)
        found = found * below + column
        many *= below
    return np.unique(found, return_inverse=True)[1]


class Observer:
    """Counts the rated pairs of games, which arrive in whole deal sets of all line-ups that share their packs.

    The cost of a deal set does not depend on how many came before.
    """

    def __init__(self) -> None:
        """Create a counter without games."""
        self._bots: dict[str, int] = {}
        self._next = count().__next__
        self._patterns: defaultdict[PairForm, dict[bytes, int]] = defaultdict(lambda: defaultdict(self._next))
        """By form the number of each pattern, whose key is twice its outcome and its bots."""
        self._kinds: dict[bytes, int] = {}
        """The number of each kind of deal set, whose key is its patterns and how often they occur."""
        self._sets: list[int] = []

    def add(self, games: Sequence[GameResult]) -> None:
        """Count further games, in the order of their ids. None of their deal sets may have been added before."""
        blocks = list(pair_blocks(games, self._bots))
        if not blocks:
            return
        pattern = np.concatenate([self._numbers(one.form, one.doubled, one.seated) for one in blocks])
        cluster = np.array(cluster_numbers(games))[np.concatenate([block.game for block in blocks])]
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
