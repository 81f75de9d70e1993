"""The rounds of an adaptive run: batches of the scheduler, with the numbers of their deal sets.

The sets of round r have numbers in block r of their line-up (`BLOCK_SETS`), as in the other formats with rounds. So the
key of a set determines its round, and rounds are rated one after another. Within the block, a line-up continues its
sequence of seat orders. Sets of different line-ups get different numbers as long as there are enough, because ratings
treat games of an entry with equal numbers as one observation: with common packs they share their cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bowerbird.harness.ratings.pairs import pairs_of
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import BLOCK_SETS, SetKey
from bowerbird.harness.tournament.lineups import Lineup, Sides
from bowerbird.harness.tournament.pairing.scheduler import Scheduler
from bowerbird.harness.tournament.pairing.values import (
    DEFAULT_DEVIATION,
    DEFAULT_RATING,
    LOT,
    Choice,
    PairingBot,
    PairingTable,
    SetResult,
    meetings_of,
)

MOST_ORDERS = BLOCK_SETS // 2
"""The most seat orders with which a line-up continues its sequence. A block has no room for more."""

DRAWN_EVERY = 20
"""One deal set in this many is drawn by lot. Only these decide who meets whom."""

DRAWN_PLACES = range(48, BLOCK_SETS)
"""The places in the block of a round whose sets are drawn by lot."""

OTHER_PLACES = range(DRAWN_PLACES.start)


@dataclass(frozen=True, slots=True)
class PairingTerms:
    """The terms that, with its seed and results, decide the rounds of an adaptive run.

    total_sets: the number of deal sets over all line-ups and rounds. round_sets: the fewest deal sets in a round.
    by_lot: whether the sets that decide who meets whom are drawn by lot; otherwise all sets decide, as in older runs.
    """

    bots: tuple[PairingBot, ...]
    tables: tuple[PairingTable, ...]
    total_sets: int
    round_sets: int
    by_lot: bool = True


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A round: its deal sets in the order in which they should begin, each with its choice.

    number: from 0.
    """

    number: int
    sets: tuple[tuple[SetKey, Choice], ...]


class _RoundNumbers:
    """The numbering of the deal sets of one round."""

    def __init__(self, number: int) -> None:
        """Start with the block of round `number`."""
        self._first = number * BLOCK_SETS
        self._used: Counter[tuple[str, int]] = Counter()
        """How many line-ups of an entry use each number."""
        self._taken: set[tuple[str, str, int]] = set()

    def take(self, table: PairingTable, played: int, places: range) -> int:
        """Return an unused number for a table's next set; `played` is how many sets it had before.

        places: the places of the block that it comes from.

        The number continues the table's seat orders. Of the numbers that do, it is the one used by the fewest other
        sets.
        """
        orders = min(table.orders, MOST_ORDERS)
        free = [place for place in places if (table.entry, table.lineup, place) not in self._taken]
        place = min(
            free,
            key=lambda place: ((self._first + place - played) % orders != 0, self._used[table.entry, place], place),
        )
        self._used[table.entry, place] += 1
        self._taken.add((table.entry, table.lineup, place))
        return self._first + place


class RoundPlanner:
    """A planner of one round after another. After each, call `add` with its results."""

    def __init__(self, terms: PairingTerms, seed: bytes) -> None:
        """Start before the first round. `seed` is the seed of the deals."""
        self._terms = terms
        self._scheduler = Scheduler(terms.bots, terms.tables, seed, by_lot=terms.by_lot)
        self._tables = {(table.entry, table.lineup): table for table in terms.tables}
        self._round = 0
        self._planned = 0
        self._drawn = 0
        self._played: Counter[tuple[str, str]] = Counter()

    @property
    def planned_sets(self) -> int:
        """The number of deal sets in all rounds so far."""
        return self._planned

    def next_round(self) -> PlannedRound | None:
        """Return the next round; None after the last."""
        left = self._terms.total_sets - self._planned
        if left <= 0:
            return None
        numbers = _RoundNumbers(self._round)
        sets = []
        for choice in self._scheduler.next_batch(self._terms.round_sets, left, self._to_draw()):
            lineup = choice.table.entry, choice.table.lineup
            by_lot = choice.reason.kind == LOT
            places = range(BLOCK_SETS) if not self._terms.by_lot else DRAWN_PLACES if by_lot else OTHER_PLACES
            sets.append((SetKey(*lineup, numbers.take(choice.table, self._played[lineup], places)), choice))
            self._played[lineup] += 1
            self._drawn += by_lot
        sets.sort(key=lambda one: -one[1].expected_ms)
        planned = PlannedRound(self._round, tuple(sets))
        self._planned += len(sets)
        self._round += 1
        return planned

    def _to_draw(self) -> int:
        """Return the number of sets of the next round that are drawn by lot."""
        if not self._terms.by_lot:
            return 0
        return max(0, -(-(self._planned + self._terms.round_sets) // DRAWN_EVERY) - self._drawn)

    def add(self, results: Mapping[SetKey, Sequence[GameResult]], left_out: Collection[SetKey] = ()) -> None:
        """Add the results of the last round's deal sets, and the sets that have none."""
        for key in sorted(results):
            table = self._tables[key.entry, key.lineup]
            take = self._scheduler.add
            if self._terms.by_lot:
                take = self._scheduler.add_drawn if is_drawn(key) else self._scheduler.add_unread
            take(key.entry, key.lineup, set_result(table, results[key]))
        for key in sorted(left_out):
            self._scheduler.leave_out(key.entry, key.lineup)


def is_drawn(key: SetKey) -> bool:
    """Return whether a deal set of an adaptive run was drawn by lot, if its terms are `by_lot`."""
    return key.number % BLOCK_SETS in DRAWN_PLACES


def round_of(key: SetKey) -> int:
    """Return the number of the round, from 0, to which a deal set of an adaptive run belongs."""
    return key.number // BLOCK_SETS


def pairing_bots(
    entered: Iterable[tuple[str, str]], priors: Mapping[str, tuple[int | None, int | None]]
) -> tuple[PairingBot, ...]:
    """Return the bots with their priors.

    entered: (name, author) of each.
    priors: by name, rating and deviation; None for those that are not given. A bot without a rating gets the mean of
        the given ones.
    """
    known = [rating for rating, _ in priors.values() if rating is not None]
    usual = sum(known) // len(known) if known else DEFAULT_RATING
    bots = []
    for name, author in entered:
        rating, deviation = priors[name]
        bots.append(
            PairingBot(
                name,
                author,
                usual if rating is None else rating,
                DEFAULT_DEVIATION if deviation is None else deviation,
            )
        )
    return tuple(bots)


def pairing_table(entry: str, sides: Sides | None, lineup: Lineup) -> PairingTable:
    """Return a line-up of a variant entry as a table.

    `sides` has the seats of each side; None if each bot plays alone.
    """
    seats = lineup.positions
    parted = [(bot,) for bot in seats] if sides is None else [tuple(seats[seat] for seat in side) for side in sides]
    return PairingTable(entry, lineup.text, tuple(parted), len(lineup.rotations), len(lineup.orders))


def set_result(table: PairingTable, games: Sequence[GameResult]) -> SetResult:
    """Return the result of a deal set from the results of its games."""
    outcomes: dict[tuple[tuple[str, ...], tuple[str, ...]], list[float]] = {}
    thinking_ms: Counter[str] = Counter()
    for game in sorted(games, key=lambda one: one.id.rotation):
        for bot, ms in zip(game.bots, game.thinking_ms, strict=False):  # empty where times are unknown
            thinking_ms[bot] += ms
        for pair in pairs_of(game):
            ones, others = tuple(sorted(pair.bots)), tuple(sorted(pair.other_bots))
            if ones <= others:
                outcomes.setdefault((ones, others), []).append(pair.outcome)
            else:
                outcomes.setdefault((others, ones), []).append(1.0 - pair.outcome)
    scores = []
    for meeting in meetings_of(table):
        found = outcomes.get((meeting.ones, meeting.others))
        scores.append(sum(found) / len(found) if found else None)
    return SetResult(tuple(scores), thinking_ms, sum(game.decisions for game in games))
