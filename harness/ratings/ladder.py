"""Incremental Elo over a whole run, applied in the order of the schedule and not of completion (RATINGS.md)."""

from __future__ import annotations

import hashlib
from bisect import insort
from collections.abc import Iterable, Sequence

from harness.ratings.elo import START, changes
from harness.records.rows import GameResult, by_set
from harness.records.run import RatingRow, RatingTable, SetKey

BLOCK_SETS = 64
"""How many deal sets of one line-up are played before the next one's turn."""

OVERALL = ""
"""The scope of ratings over all variants together."""


def rating_order(key: SetKey) -> tuple[int, str, str, int]:
    """What deal sets are sorted by, to be played and to be rated: block, variant entry, line-up, number.

    It depends on nothing but the set itself, so that ratings can be had again from a store alone.
    """
    return key.number // BLOCK_SETS, key.entry, key.lineup, key.number


def rate(results: Iterable[GameResult]) -> RatingTable:
    """The ratings after these games, whatever their order: they are rated set by set in `rating_order`."""
    sets = by_set(results)
    state = _State()
    for key in sorted(sets, key=rating_order):
        state.apply(sets[key])
    return state.table()


_Entry = tuple[tuple[int, str, str, int], SetKey]
"""A deal set behind what it is sorted by."""


class Ladder:
    """The ratings of a run while it is played.

    It is told which deal sets will be played (`expect`), and of each when it is complete (`add`), both in any order.
    After each, `table` is what `rate` makes of all sets so far. What is complete up to the first gap is rated once;
    it is gone back behind only where a set is expected that belongs before it.
    """

    def __init__(self) -> None:
        """Ratings before any set."""
        self._results: dict[SetKey, Sequence[GameResult]] = {}
        self._expected: list[_Entry] = []
        self._settled = 0
        """How many of `_expected` are rated for good."""
        self._state = _State()
        self._checkpoints: list[tuple[int, _State]] = [(0, _State())]
        """(how many were rated, what came of it) at the beginning of each block."""
        self._waiting: list[_Entry] = []

    def expect(self, keys: Iterable[SetKey]) -> None:
        """These deal sets will be played, too; those that were expected before are harmless."""
        fresh = {(rating_order(key), key) for key in keys}.difference(self._expected)
        if not fresh:
            return
        first = min(fresh)
        if self._settled and first < self._expected[self._settled - 1]:
            self._go_back_to(first)
        self._expected = sorted((*self._expected, *fresh))
        self._settle()

    def add(self, key: SetKey, results: Sequence[GameResult]) -> None:
        """Take in a complete deal set."""
        self._results[key] = results
        insort(self._waiting, (rating_order(key), key))
        self._settle()

    def table(self) -> RatingTable:
        """The ratings after all sets so far."""
        state = self._state.copy()
        for _, key in self._waiting:
            state.apply(self._results[key])
        return state.table()

    def _settle(self) -> None:
        """Rate what is complete up to the first gap."""
        done = 0
        for entry, expected in zip(self._waiting, self._expected[self._settled :], strict=False):
            if entry != expected:
                break
            if self._settled and entry[0][0] != self._expected[self._settled - 1][0][0]:
                self._checkpoints.append((self._settled, self._state.copy()))
            self._state.apply(self._results[entry[1]])
            self._settled += 1
            done += 1
        del self._waiting[:done]

    def _go_back_to(self, first: _Entry) -> None:
        """Take back what was rated, to the last beginning of a block before `first`."""
        while self._checkpoints[-1][0] and self._expected[self._checkpoints[-1][0]] > first:
            self._checkpoints.pop()
        kept, state = self._checkpoints[-1]
        self._state = state.copy()
        self._waiting = sorted((*self._waiting, *self._expected[kept : self._settled]))
        self._settled = kept


class _State:
    """Ratings by scope and bot, and a digest of the results that made them."""

    def __init__(self) -> None:
        self._ratings: dict[str, dict[str, float]] = {}
        self._games: dict[tuple[str, str], int] = {}
        self._digest = hashlib.sha256()
        self._sets = 0

    def apply(self, results: Sequence[GameResult]) -> None:
        """Rate the games of one deal set, rotation by rotation."""
        self._sets += 1
        for result in sorted(results, key=lambda one: one.id.rotation):
            self._digest.update(_bytes(result))
            for scope in (result.variant, OVERALL):
                self._rate(scope, result)

    def _rate(self, scope: str, result: GameResult) -> None:
        ratings = self._ratings.setdefault(scope, {})
        for bot, change in changes(result, ratings).items():
            ratings[bot] = ratings.get(bot, START) + change
            self._games[scope, bot] = self._games.get((scope, bot), 0) + 1

    def copy(self) -> _State:
        """An independent state that goes on from here."""
        twin = _State()
        twin._ratings = {scope: dict(ratings) for scope, ratings in self._ratings.items()}
        twin._games = dict(self._games)
        twin._digest = self._digest.copy()
        twin._sets = self._sets
        return twin

    def table(self) -> RatingTable:
        rows = tuple(
            RatingRow(scope, bot, ratings[bot], self._games[scope, bot])
            for scope, ratings in sorted(self._ratings.items())
            for bot in sorted(ratings)
        )
        return RatingTable(f"sha256:{self._digest.hexdigest()}", self._sets, rows)


def _bytes(result: GameResult) -> bytes:
    """All that the ratings read of a result, as text of one meaning."""
    parts = (str(result.id), result.variant, result.bots, result.sides, result.ranks, result.offenders, result.rated)
    return (repr(parts) + "\n").encode()
