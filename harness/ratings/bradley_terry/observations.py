"""Rated pairs as arrays, each different deal set once: the input of the likelihood."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bowerbird.harness.ratings.pairs import Cluster, Pair, cluster_of, pairs_of
from bowerbird.harness.records.values.game_result import GameResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SeatKey = tuple[str, int, int]
"""The key of a seat advantage: (variant, seats at the table, seat)."""


@dataclass(frozen=True, slots=True)
class Observations:
    """Rated pairs. Equal pairs are one pattern; deal sets with the same counts of patterns are one kind.

    `patterns` are the different (variant, pair). `pattern`, `kind` and `count` are parallel: pattern `pattern[i]`
    occurs `count[i]` times in each deal set of kind `kind[i]`. `sets` is the number of deal sets by kind.
    """

    patterns: tuple[tuple[str, Pair], ...]
    pattern: Ints
    kind: Ints
    count: Floats
    sets: Floats

    def sets_of(self) -> dict[str, int]:
        """Return for each bot the number of deal sets in which it plays."""
        place: dict[str, int] = {}
        row, column = array("q"), array("q")
        for number, (_, pair) in enumerate(self.patterns):
            for bot in {*pair.bots, *pair.other_bots}:
                row.append(number)
                column.append(place.setdefault(bot, len(place)))
        bots, of_pattern = np.array(column, dtype=np.int64), np.array(row, dtype=np.int64)
        first = np.searchsorted(of_pattern, self.pattern)
        each = np.searchsorted(of_pattern, self.pattern, side="right") - first
        entry = np.repeat(np.arange(len(self.pattern)), each)
        entered = bots[np.repeat(first - np.cumsum(each) + each, each) + np.arange(len(entry))]
        played = np.unique(entered * max(1, len(self.sets)) + self.kind[entry])
        sets = np.bincount(
            played // max(1, len(self.sets)), self.sets[played % max(1, len(self.sets))], minlength=len(place)
        )
        return {name: int(sets[number]) for name, number in sorted(place.items())}


def totals_by_set(data: Observations) -> Floats:
    """Return the weight of each pattern over all deal sets as if each meeting of two sides in a set were one game,
    since the games of a set share their cards.

    Seats and outcomes make no difference to what counts as a meeting.
    """
    numbers: dict[frozenset[tuple[str, ...]], int] = {}
    sides = (frozenset((tuple(sorted(pair.bots)), tuple(sorted(pair.other_bots)))) for _, pair in data.patterns)
    meeting = np.array([numbers.setdefault(one, len(numbers)) for one in sides], dtype=np.int64)
    weight = np.array([pair.weight for _, pair in data.patterns])[data.pattern] * data.count
    _, place = np.unique(data.kind * max(1, len(numbers)) + meeting[data.pattern], return_inverse=True)
    share = weight / np.bincount(place, weights=weight)[place]
    each = data.sets[data.kind] * share
    return np.bincount(data.pattern, weights=each, minlength=len(data.patterns)).astype(np.float64)


class Observer:
    """Counts the rated pairs of games, which arrive in whole deal sets of all line-ups that share their packs.

    The cost of a deal set does not depend on how many came before.
    """

    def __init__(self) -> None:
        """Create a counter without games."""
        self._shapes: dict[tuple[object, ...], tuple[int, ...]] = {}
        self._numbers: dict[tuple[str, Pair], int] = {}
        self._kinds: dict[tuple[int, ...], int] = {}
        self._sets: list[int] = []
        self._pattern = array("q")
        self._kind = array("q")
        self._count = array("d")

    def add(self, games: Sequence[GameResult]) -> None:
        """Count further games, in the order of their ids. None of their deal sets may have been added before."""
        clusters: dict[Cluster, list[int]] = {}
        for game in games:
            if patterns := self._patterns_of(game):
                clusters.setdefault(cluster_of(game), []).extend(patterns)
        for met in clusters.values():
            self._add_set(tuple(sorted(met)))

    def _patterns_of(self, game: GameResult) -> tuple[int, ...]:
        shape = (game.variant, game.bots, game.sides, game.ranks, game.offenders, game.rated)
        if shape not in self._shapes:
            pairs = [(game.variant, pair) for pair in pairs_of(game)]
            self._shapes[shape] = tuple(self._numbers.setdefault(pair, len(self._numbers)) for pair in pairs)
        return self._shapes[shape]

    def _add_set(self, met: tuple[int, ...]) -> None:
        """Count a deal set with these patterns, sorted; one that occurs twice is listed twice."""
        kind = self._kinds.setdefault(met, len(self._kinds))
        if kind < len(self._sets):
            self._sets[kind] += 1
            return
        self._sets.append(1)
        for pattern, count in Counter(met).items():
            self._pattern.append(pattern)
            self._kind.append(kind)
            self._count.append(count)

    def observations(self) -> Observations:
        """Return the pairs of all games so far."""
        return Observations(
            patterns=tuple(self._numbers),
            pattern=np.array(self._pattern, dtype=np.int64),
            kind=np.array(self._kind, dtype=np.int64),
            count=np.array(self._count, dtype=np.float64),
            sets=np.array(self._sets, dtype=np.float64),
        )


def observe(games: Sequence[GameResult]) -> Observations:
    """Return the rated pairs of games in the order of their ids."""
    observer = Observer()
    observer.add(games)
    return observer.observations()
