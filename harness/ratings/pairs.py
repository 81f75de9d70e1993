"""The rated pairs of sides of a game, and which games count (ratings.md, Ratings kept).

Every rating reads results through this module, so that all of them agree on what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, compress
from operator import attrgetter
from typing import TypeVar

from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.outcome import WITHDRAWN, sides_of
from bowerbird.harness.records.values.run import GameId

Key = TypeVar("Key", str, tuple[str, str, int], tuple[str, str, str, int])

Cluster = tuple[str, str, int]
"""(run, variant entry, number of the deal set): the games that share their packs, over all line-ups that play them.

If each line-up has its own packs, the line-up is appended to the entry.
"""


class RatingError(ValueError):
    """Results from which no rating can be computed; `args[0]` is one sentence for users."""


class NumericalError(RatingError):
    """An algorithm found no value for results that have one: our bug, not a fault of the results."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides that met at a table.

    `seats` and `others` are the seats of the first and second side; `bots` and `other_bots` are their bots by seat.
    `outcome` is S of the first side (1, 1/2, 0). `weight` is 1/(n-1) with n sides at the table, so that a side's pairs
    weigh as much as one game. `players` is the number of seats at the table.
    """

    seats: tuple[int, ...]
    others: tuple[int, ...]
    bots: tuple[str, ...]
    other_bots: tuple[str, ...]
    outcome: float
    weight: float
    players: int


def pairs_of(game: GameResult) -> Iterator[Pair]:
    """Yield the pairs of sides that a game rates; none if a withdrawn bot kept it from being played.

    A side with a seat at fault loses every pair; between two such sides the ranks count. A pair of a bot with itself
    is not rated.
    """
    if not game.rated:
        return
    if game.sides == (0, 1):  # faster than the loop, with the same result
        one, other = game.bots
        if one != other:
            yield Pair((0,), (1,), (one,), (other,), game.pair_outcome(0, 1), 1.0, 2)
        return
    sides: dict[int, list[int]] = {}
    for seat, side in enumerate(game.sides):
        sides.setdefault(side, []).append(seat)
    for seats, others in combinations(sides.values(), 2):
        bots, other_bots = tuple(game.bots[seat] for seat in seats), tuple(game.bots[seat] for seat in others)
        if set(bots) != set(other_bots):
            outcome = game.pair_outcome(seats[0], others[0])
            yield Pair(tuple(seats), tuple(others), bots, other_bots, outcome, 1.0 / (len(sides) - 1), len(game.bots))


def distinct_games(results: Iterable[GameResult]) -> list[GameResult]:
    """Return each game once, in the order of their ids.

    A game may be given twice, by overlapping databases. Raises RatingError if its two results differ.
    """
    return _in_order(list(results))[0]


def complete_sets(results: Iterable[GameResult]) -> list[GameResult]:
    """Return the games of complete deal sets, each game once, in the order of their ids.

    A set is complete if it has every rotation that the fullest set of its line-up has, and each side plays each place
    equally often. Raises RatingError as `distinct_games`.
    """
    games, is_complete = _in_order(list(results))
    return list(compress(games, is_complete))


def rotated_games(results: Iterable[GameResult]) -> tuple[list[GameResult], bool]:
    """Return the games of complete deal sets, and True; if no set is complete, every game once, and False.

    Raises RatingError as `distinct_games`.
    """
    games, is_complete = _in_order(list(results))
    if any(is_complete):
        return list(compress(games, is_complete)), True
    return games, not games


def _in_order(results: list[GameResult]) -> tuple[list[GameResult], list[bool]]:
    """Return each game once, in the order of their ids, and for each whether its deal set is complete.

    Raises RatingError as `distinct_games`.
    """
    import numpy as np

    if not results:
        return [], []
    ids = [game.id for game in results]
    keys = []
    for part in ("run", "entry", "lineup"):
        keys.append(np.array(numbered(list(map(attrgetter(part), ids)))))
    keys += [np.fromiter(map(attrgetter(part), ids), np.int64) for part in ("set_number", "rotation")]
    order = np.lexsort(keys[::-1])
    *lineup, number, rotation = (key[order] for key in keys)
    games = [results[place] for place in order.tolist()]
    is_line = np.any([np.diff(key, prepend=-1) for key in lineup], axis=0)
    is_set = is_line | (np.diff(number, prepend=-1) != 0)
    is_new = is_set | (np.diff(rotation, prepend=-1) != 0)
    for place in np.flatnonzero(~is_new).tolist():
        if games[place] is not games[place - 1] and games[place] != games[place - 1]:
            raise RatingError(
                f"game {games[place].id} is given twice with different results; one of them is not from its record"
            )
    games = list(compress(games, is_new.tolist()))
    is_line, is_set, rotation = is_line[is_new], is_set[is_new], rotation[is_new]
    starts = np.flatnonzero(is_set)
    due = 1 + np.maximum.reduceat(rotation, np.flatnonzero(is_line))[np.cumsum(is_line) - 1][starts]
    sizes = np.diff(starts, append=len(games))
    sides = np.array([len(set(games[start].sides)) for start in starts.tolist()])
    return games, np.repeat((sizes == due) & (due % sides == 0), sizes).tolist()


def cluster_of(game: GameResult) -> Cluster:
    """Return the cluster of a game."""
    of = game.id
    return of.run, f"{of.entry}/{of.lineup}" if game.own_packs else of.entry, of.set_number


def cluster_numbers(games: Iterable[GameResult]) -> list[int]:
    """Return the number of each game's cluster, from 0 in the order of the clusters."""
    return numbered(list(map(cluster_of, games)))


def numbered(keys: Sequence[Key]) -> list[int]:
    """Return a number for each key, from 0 in their order; equal keys get equal numbers."""
    numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
    return list(map(numbers.__getitem__, keys))


DEAL_SET: Callable[[GameResult], tuple[str, str, str, int]] = attrgetter(
    "id.run", "id.entry", "id.lineup", "id.set_number"
)
"""Returns the key of a game's deal set, over all runs."""


def deal_sets(games: Iterable[GameResult]) -> int:
    """Return the number of deal sets, counting the sets of each line-up, as a run does."""
    return len(set(map(DEAL_SET, games)))


def result_of_record(record: GameRecord) -> GameResult:
    """Return the result of a game from its record. Raises ValueError for a malformed id."""
    return GameResult(
        id=GameId.parse(record.id),
        variant=record.variant,
        bots=tuple(seat.bot for seat in record.seats),
        sides=sides_of(record.variant, record.options),
        ranks=record.result.ranks,
        scores=record.scores,
        offenders=tuple(sorted({fault.seat for fault in record.faults})),
        rated=record.result.ended != WITHDRAWN,
        decisions=sum(len(hand.actions) for hand in record.hands),
        hands=sum(bool(hand.scores) for hand in record.hands),
        thinking_ms=record.charged_ms,
    )
