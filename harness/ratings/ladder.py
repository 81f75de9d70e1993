"""Incremental Elo over a whole run, applied in the order of the schedule and not of completion (RATINGS.md)."""

from __future__ import annotations

import hashlib
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from harness.ratings.elo import START, changes_of
from harness.ratings.pairs import Pair, pairs_of
from harness.records.rows import GameResult, by_set
from harness.records.run import RatingRow, RatingTable, SetKey, schedule_order
from harness.records.set_keys import Block, Place, SetKeys

LOOKAHEAD = 256
"""Of the sets behind a gap, so many are rated each time that the table is asked for; they are rated anew for good
when the gap is closed. A worker that is slow at one line-up leaves a gap for long, behind which others play on."""

OVERALL = ""
"""The scope of ratings over all variants together."""


def rate(results: Iterable[GameResult], sets: int | None = None) -> RatingTable:
    """The ratings after these games, whatever their order: they are rated set by set in `schedule_order`.

    With `sets`, after the first so many deal sets of that order.
    """
    known = by_set(results)
    state = _State()
    for key in sorted(known, key=schedule_order)[:sets]:
        state.apply(_moves_of(known[key]))
    return state.table()


Recall = Callable[[Block], Iterable[GameResult]]
"""The results of what is stored of a block."""


class Ladder:
    """The ratings of a run while it is played.

    It is told which deal sets will be played (`expect`), and of each when it is complete (`add`), both in any order.
    What is complete up to the first gap is rated once and forgotten; it is gone back behind only where a set is
    expected that belongs before it, and what was rated is then recalled from where it is stored. So a set costs as much
    late in a run as early, and a long run keeps no more results than a short one.
    """

    def __init__(self, recall: Recall) -> None:
        """Ratings before any set. `recall` is asked for sets that were added, when further ones are expected."""
        self._recall = recall
        self._expected = SetKeys()
        self._last: Place = _before(0)
        """Up to here the expected sets are rated for good."""
        self._state = _State()
        self._checkpoints: list[tuple[int, _State]] = [(0, _State())]
        """(number of a block, ratings at its beginning) for some blocks: for more, the later they are."""
        self._waiting: list[tuple[Place, SetKey]] = []
        self._moves: dict[SetKey, _Moves] = {}
        """Of each set that waits."""
        self._shown = _Shown()

    def expect(self, keys: Iterable[SetKey]) -> None:
        """These deal sets will be played, too; those that were expected before are harmless."""
        first = min((schedule_order(key) for key in keys if self._expected.add(key)), default=None)
        if first is not None:
            if first < self._last:
                self._go_back_to(first[0])
            self._settle()

    def add(self, key: SetKey, results: Sequence[GameResult]) -> None:
        """Take in a complete deal set."""
        self._wait(key, results)
        self._settle()

    def table(self) -> RatingTable:
        """What `rate` makes of the first so many of all sets so far: of all but those far behind a gap (LOOKAHEAD)."""
        state = self._state.copy()
        for _, key in self._waiting[:LOOKAHEAD]:
            state.apply(self._moves[key])
        return self._shown.table(state, self._state.take_touched())

    def _wait(self, key: SetKey, results: Sequence[GameResult]) -> None:
        insort(self._waiting, (schedule_order(key), key))
        self._moves[key] = _moves_of(results)

    def _settle(self) -> None:
        """Rate what is complete up to the first gap."""
        done = 0
        for place, key in self._waiting:
            if key != self._expected.after(self._last):
                break
            if place[0] != self._last[0]:
                self._checkpoints.append((place[0], self._state.copy()))
                _thin(self._checkpoints)
            self._state.apply(self._moves.pop(key))
            self._last = place
            done += 1
        del self._waiting[:done]

    def _go_back_to(self, number: int) -> None:
        """Take back what was rated, to the last beginning of a block that is known and not behind this block."""
        while self._checkpoints[-1][0] > number:
            self._checkpoints.pop()
        kept, state = self._checkpoints[-1]
        self._state = state.copy()
        self._state.touch_all()
        self._shown = _Shown()
        rated, self._last = self._last, _before(kept)
        for block in self._expected.blocks(kept):
            for key, results in by_set(self._recall(block)).items():
                if schedule_order(key) <= rated and key not in self._moves:
                    self._wait(key, results)
            self._settle()
            if block >= rated[:3]:
                break


def _before(block: int) -> Place:
    """The place before any deal set of a block."""
    return block, "", "", -1


def _thin(checkpoints: list[tuple[int, _State]]) -> None:
    """Keep as many as the logarithm of their number, so that going back takes at most twice what it must."""
    last, _ = checkpoints[-1]
    for place in range(len(checkpoints) - 2, 0, -1):
        if last - checkpoints[place - 1][0] <= 2 * (last - checkpoints[place + 1][0]):
            del checkpoints[place]


@dataclass(frozen=True, slots=True)
class _Moves:
    """All that the ratings read of a deal set: its digest's bytes, and by game the variant and its rated pairs."""

    read: bytes
    games: tuple[tuple[str, tuple[Pair, ...]], ...]


def _moves_of(results: Sequence[GameResult]) -> _Moves:
    """The games of one deal set, rotation by rotation."""
    in_order = sorted(results, key=lambda one: one.id.rotation)
    return _Moves(
        b"".join(_bytes(result) for result in in_order),
        tuple((result.variant, tuple(pairs_of(result))) for result in in_order),
    )


class _State:
    """Ratings by scope and bot, and a digest of the results that made them."""

    def __init__(self) -> None:
        self.ratings: dict[str, dict[str, float]] = {}
        self.games: dict[str, dict[str, int]] = {}
        self._digest = hashlib.sha256()
        self._sets = 0
        self._touched: set[tuple[str, str]] = set()

    def apply(self, moves: _Moves) -> None:
        """Rate the games of one deal set."""
        self._sets += 1
        self._digest.update(moves.read)
        for variant, pairs in moves.games:
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

    def copy(self) -> _State:
        """An independent state that goes on from here, and has touched nothing."""
        twin = _State()
        twin.ratings = {scope: dict(ratings) for scope, ratings in self.ratings.items()}
        twin.games = {scope: dict(games) for scope, games in self.games.items()}
        twin._digest = self._digest.copy()
        twin._sets = self._sets
        return twin

    def take_touched(self) -> set[tuple[str, str]]:
        """The (scope, bot) that were rated since this was last asked."""
        touched, self._touched = self._touched, set()
        return touched

    def touch_all(self) -> None:
        """As if everybody had just been rated."""
        self._touched = {(scope, bot) for scope, bots in self.ratings.items() for bot in bots}

    def table(self) -> RatingTable:
        """The ratings of all bots."""
        self.touch_all()
        return _Shown().table(self, set())

    def over(self, rows: tuple[RatingRow, ...]) -> RatingTable:
        """These rows as the table after what was rated."""
        return RatingTable(f"sha256:{self._digest.hexdigest()}", self._sets, rows)


class _Shown:
    """The rows of the table as it was last asked for; whoever was not rated since keeps the row that was made then."""

    def __init__(self) -> None:
        self._rows: list[RatingRow] = []
        self._places: dict[tuple[str, str], int] = {}
        self._ahead: set[tuple[str, str]] = set()
        """Rows that hold sets behind a gap, which are rated anew."""

    def table(self, state: _State, touched: set[tuple[str, str]]) -> RatingTable:
        """The table of a state. `touched` are those rated for good since the last one."""
        ahead = state.take_touched()
        changed = touched | ahead | self._ahead
        rows = {key: _row(state, *key) for key in changed if key[1] in state.ratings.get(key[0], ())}
        self._ahead = ahead
        if len(rows) == len(changed) and changed <= self._places.keys():
            for key, row in rows.items():
                self._rows[self._places[key]] = row
        else:
            kept = {key: self._rows[place] for key, place in self._places.items() if key not in changed}
            self._rows = [row for _, row in sorted((kept | rows).items())]
            self._places = {(row.scope, row.bot): place for place, row in enumerate(self._rows)}
        return state.over(tuple(self._rows))


def _row(state: _State, scope: str, bot: str) -> RatingRow:
    return RatingRow(scope, bot, state.ratings[scope][bot], state.games[scope][bot])


def _bytes(result: GameResult) -> bytes:
    """All that the ratings read of a result, as text of one meaning."""
    parts = (str(result.id), result.variant, result.bots, result.sides, result.ranks, result.offenders, result.rated)
    return (repr(parts) + "\n").encode()
