"""What of a game is rated: pairs of sides, in one order whatever the order of the games (RATINGS.md, Ratings kept).

Every rating reads results through this module, so that they agree on what counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from harness.ratings.errors import RatingError
from harness.records.rows import GameResult
from harness.records.run import SetKey


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides that met at one table.

    `seats` and `others` are the seats of the two, `bots` and `other_bots` who sat there. `outcome` is S of the first
    (1, 1/2, 0). `weight` is 1/(n-1) with n sides at the table, so that a side's pairs weigh as much as one game.
    `players` is the number of seats.
    """

    seats: tuple[int, ...]
    others: tuple[int, ...]
    bots: tuple[str, ...]
    other_bots: tuple[str, ...]
    outcome: float
    weight: float
    players: int


def pairs_of(game: GameResult) -> Iterator[Pair]:
    """The pairs of sides that a game rates; none where it was not played because a bot had been withdrawn.

    A side with a seat at fault loses every pair; between two such sides the ranks count. A pair of a bot with itself
    is not rated. Pairs on one side do not exist.
    """
    if not game.rated:
        return
    sides: dict[int, list[int]] = {}
    for seat, side in enumerate(game.sides):
        sides.setdefault(side, []).append(seat)
    for seats, others in combinations(sides.values(), 2):
        bots, other_bots = tuple(game.bots[seat] for seat in seats), tuple(game.bots[seat] for seat in others)
        if set(bots) != set(other_bots):
            outcome = game.outcome(seats[0], others[0])
            yield Pair(tuple(seats), tuple(others), bots, other_bots, outcome, 1.0 / (len(sides) - 1), len(game.bots))


def complete_sets(results: Iterable[GameResult]) -> list[GameResult]:
    """The games of complete deal sets, each game once, in the order of their ids.

    A set is complete with every rotation that a set of its line-up has. A game that is given twice, as after merging
    databases that overlap, counts once. Raises RatingError where the two differ.
    """
    games: dict[tuple[str, SetKey], dict[int, GameResult]] = {}
    for game in results:
        rotations = games.setdefault((game.id.run, game.id.set_key), {})
        if rotations.setdefault(game.id.rotation, game) != game:
            raise RatingError(f"game {game.id} is given twice with different results, one of them is not its record's")
    due: dict[tuple[str, str, str], int] = {}
    for (run, key), rotations in games.items():
        lineup = (run, key.entry, key.lineup)
        due[lineup] = max(due.get(lineup, 0), 1 + max(rotations))
    return [
        rotations[rotation]
        for (run, key), rotations in sorted(games.items())
        if _is_complete(rotations, due[run, key.entry, key.lineup])
        for rotation in sorted(rotations)
    ]


def _is_complete(rotations: dict[int, GameResult], due: int) -> bool:
    """Every rotation is there, and the number of rotations lets each side play each place equally often."""
    sides = len(set(next(iter(rotations.values())).sides))
    return len(rotations) == due and due % sides == 0


def cluster_of(game: GameResult) -> tuple[str, str, int]:
    """What shares its packs: the deal set of its run and entry, over all line-ups that play it."""
    return game.id.run, game.id.entry, game.id.set_number
