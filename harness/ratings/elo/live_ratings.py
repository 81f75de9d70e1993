"""Incremental Elo of a whole run, in the order of the schedule, not of completion (ratings.md, Ratings kept, 1)."""

from __future__ import annotations

import hashlib
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bowerbird.harness.ratings.elo.update import START, changes_of
from bowerbird.harness.ratings.pairs import Pair, pairs_of
from bowerbird.harness.records.values.game_result import GameResult, by_set
from bowerbird.harness.records.values.run import RatingRow, RatingTable, SchedulePosition, SetKey, schedule_order
from bowerbird.harness.records.values.set_keys import Block, SetKeys

LOOKAHEAD = 256
"""A rating table provisionally includes up to this many deal sets behind a gap. Once the gap closes, they are final.

A slow worker may keep a gap open for long while others play on behind it.
"""

OVERALL = ""
"""The scope of all variants together."""


def rate(results: Iterable[GameResult], sets: int | None = None) -> RatingTable:
    """Return the ratings after these games, given in any order and rated set by set in `schedule_order`.

    `sets` rates only the first `sets` deal sets of that order; None rates all.
    """
    known = by_set(results)
    state = _Ratings()
    for key in sorted(known, key=schedule_order)[:sets]:
        state.apply(_content_of(known[key]))
    return state.table()


Recall = Callable[[Block], Iterable[GameResult]]
"""Returns the stored results of a block."""


class LiveRatings:
    """The ratings of a run while it is played.

    Call `expect` for the scheduled deal sets and `add` for each completed one, in any order; `leave_out` for one that
    will never be complete. Complete sets up to the
    first gap are rated once and then forgotten. If `expect` adds an earlier set, the ratings return to a checkpoint
    before it and rate the later sets again, recalled from the store. So the cost of a set does not grow with the run,
    and a long run keeps no more results in memory than a short one.
    """

    def __init__(self, recall: Recall) -> None:
        """Create ratings without sets. `recall` returns the results of sets that were added before."""
        self._recall = recall
        self._expected = SetKeys()
        self._last: SchedulePosition = _before(0)
        """Position of the last finally rated set. All expected sets before it are finally rated, too."""
        self._ratings = _Ratings()
        self._checkpoints: list[tuple[int, _Ratings]] = [(0, _Ratings())]
        """(number of a block, ratings before it) for some blocks, denser towards the end."""
        self._waiting: list[tuple[SchedulePosition, SetKey]] = []
        self._contents: dict[SetKey, _SetContent] = {}
        """By set in `_waiting`."""
        self._last_rows = _Rows()

    def expect(self, keys: Iterable[SetKey]) -> None:
        """Add deal sets to the schedule; known ones have no effect."""
        first = min((schedule_order(key) for key in keys if self._expected.add(key)), default=None)
        if first is not None:
            if first < self._last:
                self._go_back_to(first[0])
            self._settle()

    def add(self, key: SetKey, results: Sequence[GameResult]) -> None:
        """Add the results of a complete deal set."""
        self._wait(key, results)
        self._settle()

    def leave_out(self, key: SetKey) -> None:
        """Expect a deal set no more: it will have no results."""
        self._expected.remove(key)
        self._settle()

    def table(self) -> RatingTable:
        """Return the table that `rate` makes of all sets so far, except those far behind a gap (LOOKAHEAD)."""
        state = self._ratings.copy()
        for _, key in self._waiting[:LOOKAHEAD]:
            state.apply(self._contents[key])
        return self._last_rows.table(state, self._ratings.take_touched())

    def _wait(self, key: SetKey, results: Sequence[GameResult]) -> None:
        insort(self._waiting, (schedule_order(key), key))
        self._contents[key] = _content_of(results)

    def _settle(self) -> None:
        """Rate the complete sets up to the first gap."""
        done = 0
        for place, key in self._waiting:
            if key != self._expected.after(self._last):
                break
            if place[0] != self._last[0]:
                self._checkpoints.append((place[0], self._ratings.copy()))
                _thin(self._checkpoints)
            self._ratings.apply(self._contents.pop(key))
            self._last = place
            done += 1
        del self._waiting[:done]

    def _go_back_to(self, number: int) -> None:
        """Return to the last checkpoint at or before block `number`, and rate again what is stored from there on."""
        while self._checkpoints[-1][0] > number:
            self._checkpoints.pop()
        kept, state = self._checkpoints[-1]
        self._ratings = state.copy()
        self._ratings.touch_all()
        self._last_rows = _Rows()
        rated, self._last = self._last, _before(kept)
        for block in self._expected.blocks(kept):
            for key, results in by_set(self._recall(block)).items():
                if schedule_order(key) <= rated and key not in self._contents:
                    self._wait(key, results)
            self._settle()
            if block >= rated[:3]:
                break


def _before(block: int) -> SchedulePosition:
    """Return the place before all deal sets of a block."""
    return block, "", "", -1


def _thin(checkpoints: list[tuple[int, _Ratings]]) -> None:
    """Thin to a logarithmic number of checkpoints, so that going back rates at most twice the necessary blocks."""
    last, _ = checkpoints[-1]
    for place in range(len(checkpoints) - 2, 0, -1):
        if last - checkpoints[place - 1][0] <= 2 * (last - checkpoints[place + 1][0]):
            del checkpoints[place]


@dataclass(frozen=True, slots=True)
class _SetContent:
    """The rated content of a deal set: the bytes for the digest, and by game the variant and the rated pairs."""

    digested: bytes
    games: tuple[tuple[str, tuple[Pair, ...]], ...]


def _content_of(results: Sequence[GameResult]) -> _SetContent:
    """Return the rated content of one deal set, rotation by rotation."""
    in_order = sorted(results, key=lambda one: one.id.rotation)
    return _SetContent(
        b"".join(_bytes(result) for result in in_order),
        tuple((result.variant, tuple(pairs_of(result))) for result in in_order),
    )


class _Ratings:
    """Ratings by scope and bot, with a digest of the results that made them."""

    def __init__(self) -> None:
        self.ratings: dict[str, dict[str, float]] = {}
        self.games: dict[str, dict[str, int]] = {}
        self._digest = hashlib.sha256()
        self._sets = 0
        self._touched: set[tuple[str, str]] = set()

    def apply(self, content: _SetContent) -> None:
        """Rate the games of one deal set."""
        self._sets += 1
        self._digest.update(content.digested)
        for variant, pairs in content.games:
            if pairs:
                for scope in (variant, OVERALL):
                    self._rate(scope, pairs)

    def _rate(self, scope: str, pairs: tuple[Pair, ...]) -> None:
        ratings = self.ratings.setdefault(scope, {})
        games = self.games.setdefault(scope, {})
        for bot, change in changes_of(pairs, ratings).items():
            ratings[bot] = ratings.get(bot, START) + change
            games[bot] = games.get(bot, 0) + 1
            self._touched.add((scope, bot))

    def copy(self) -> _Ratings:
        """Return an independent copy with nothing touched."""
        copy = _Ratings()
        copy.ratings = {scope: dict(ratings) for scope, ratings in self.ratings.items()}
        copy.games = {scope: dict(games) for scope, games in self.games.items()}
        copy._digest = self._digest.copy()
        copy._sets = self._sets
        return copy

    def take_touched(self) -> set[tuple[str, str]]:
        """Return the (scope, bot) pairs rated since the last call, and forget them."""
        touched, self._touched = self._touched, set()
        return touched

    def touch_all(self) -> None:
        """Mark every (scope, bot) as touched."""
        self._touched = {(scope, bot) for scope, bots in self.ratings.items() for bot in bots}

    def table(self) -> RatingTable:
        """Return the ratings of all bots."""
        self.touch_all()
        return _Rows().table(self, set())

    def with_rows(self, rows: tuple[RatingRow, ...]) -> RatingTable:
        """Return a table of these rows with this state's digest."""
        return RatingTable(f"sha256:{self._digest.hexdigest()}", self._sets, rows)


class _Rows:
    """The rows of the last table; a bot that was not rated since keeps its row object."""

    def __init__(self) -> None:
        self._rows: list[RatingRow] = []
        self._places: dict[tuple[str, str], int] = {}
        self._provisional: set[tuple[str, str]] = set()
        """Rows with provisionally rated sets."""

    def table(self, state: _Ratings, touched: set[tuple[str, str]]) -> RatingTable:
        """Return the table of a state. `touched` are the (scope, bot) pairs finally rated since the last table."""
        provisional = state.take_touched()
        changed = touched | provisional | self._provisional
        rows = {key: _row(state, *key) for key in changed if key[1] in state.ratings.get(key[0], ())}
        self._provisional = provisional
        if len(rows) == len(changed) and changed <= self._places.keys():
            for key, row in rows.items():
                self._rows[self._places[key]] = row
        else:
            kept = {key: self._rows[place] for key, place in self._places.items() if key not in changed}
            self._rows = [row for _, row in sorted((kept | rows).items())]
            self._places = {(row.scope, row.bot): place for place, row in enumerate(self._rows)}
        return state.with_rows(tuple(self._rows))


def _row(state: _Ratings, scope: str, bot: str) -> RatingRow:
    return RatingRow(scope, bot, state.ratings[scope][bot], state.games[scope][bot])


def _bytes(result: GameResult) -> bytes:
    """Return the rated content of a result as unambiguous text."""
    parts = (str(result.id), result.variant, result.bots, result.sides, result.ranks, result.offenders, result.rated)
    return (repr(parts) + "\n").encode()
