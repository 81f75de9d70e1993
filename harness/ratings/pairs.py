"""The rated pairs of sides of a game, and which games count (ratings.md, Ratings kept).

Every rating reads results through this module, so that all of them agree on what counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from operator import attrgetter

from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.outcome import WITHDRAWN, sides_of
from bowerbird.harness.records.values.run import GameId

Cluster = tuple[str, str, int]
"""(run, variant entry, number of the deal set): the games that share their packs, over all line-ups that play them.

If each line-up has its own packs, the line-up is appended to the entry.
"""


class RatingError(ValueError):
    """Results from which no rating can be computed; `args[0]` is one sentence for users."""


class NumericalError(RatingError):
    """An algorithm found no value for results that have one: our bug, not a fault of the results."""


@dataclass(frozen=True, slots=True)
class PairForm:
    """Two sides of a form of table.

    `seats` and `others` are the seats of the first and second side. `weight` is 1/(n-1) with n sides at the table, so
    that a side's pairs weigh as much as one game. `players` is the number of seats at the table.
    """

    variant: str
    seats: tuple[int, ...]
    others: tuple[int, ...]
    weight: float
    players: int

    @property
    def all_seats(self) -> tuple[int, ...]:
        """The seats of the first side, then the seats of the other side."""
        return (*self.seats, *self.others)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides that met at a table.

    `bots` and `other_bots` are the bots of the first and second side by seat. `outcome` is S of the first side (1, 1/2,
    0).
    """

    form: PairForm
    bots: tuple[str, ...]
    other_bots: tuple[str, ...]
    outcome: float


@cache
def forms_of(variant: str, sides: tuple[int, ...]) -> tuple[PairForm, ...]:
    """Return each two sides of a table."""
    seats_of: dict[int, list[int]] = {}
    for seat, side in enumerate(sides):
        seats_of.setdefault(side, []).append(seat)
    both = combinations(map(tuple, seats_of.values()), 2)
    return tuple(PairForm(variant, *seats, 1.0 / (len(seats_of) - 1), len(sides)) for seats in both)


def pairs_of(game: GameResult) -> Iterator[Pair]:
    """Yield the pairs of sides that a game rates; none if a withdrawn bot kept it from being played.

    A side with a seat at fault loses every pair; between two such sides the ranks count. A pair of a bot with itself
    is not rated. `Games.blocks` finds the same for many games at once.
    """
    for form in forms_of(game.variant, game.sides) if game.rated else ():
        bots, other_bots = (tuple(game.bots[seat] for seat in seats) for seats in (form.seats, form.others))
        if set(bots) != set(other_bots):
            yield Pair(form, bots, other_bots, game.pair_outcome(form.seats[0], form.others[0]))


def cluster_of(game: GameResult) -> Cluster:
    """Return the cluster of a game."""
    of = game.id
    return of.run, f"{of.entry}/{of.lineup}" if game.own_packs else of.entry, of.set_number


def deal_sets(games: Iterable[GameResult]) -> int:
    """Return the number of deal sets, counting the sets of each line-up, as a run does."""
    return len(set(map(attrgetter("id.run", "id.entry", "id.lineup", "id.set_number"), games)))


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
