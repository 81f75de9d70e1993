"""The scheduler, which chooses the next deal sets from the results so far.

The value of a set is the information it gives per second of thinking: the expected fall in the variances of the
differences between neighbours in the ranking, weighted by how doubtful their order is. With `by_lot`, all differences
count. Six rules take precedence, in this order:

- placement: a newcomer meets bots with well-known ratings, spread over the scale, in at most PLACE_SETS sets a batch;
- the floor: a bot with less than FLOOR of its share of time plays next;
- variants: an entry with less than FLOOR of its share of deal sets plays next, and one with more than MOST_OF_ENTRY
  waits;
- shares: the bots of an author that has used more than MOST_OF_SHARE of its share of time wait;
- links: if too few deal sets of an entry span a gap in the ranking, one that spans it comes next;
- balance: a set counts less in a variant that its bots have played more often than others.

With `by_lot`, some sets are drawn by lot instead, and only their results decide who meets whom. So the results of a set
do not influence which sets it is compared with (ratings.md, Where results choose the pairs).

Ties are broken by a lot from the seed. Results are added in a fixed order, so that equal inputs lead to equal choices.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bowerbird.engine import stream
from bowerbird.harness.tournament.pairing.beliefs import (
    LEAST_SPREAD,
    LN10_BY_400,
    Beliefs,
    SetNoise,
    exact_exp,
    expected_score,
)
from bowerbird.harness.tournament.pairing.time_ledger import TimeLedger
from bowerbird.harness.tournament.pairing.values import (
    FLOOR,
    LEARN,
    LINK,
    LOT,
    PLACE,
    REMAINDER,
    VARIANT,
    Choice,
    Direction,
    Meeting,
    PairingBot,
    PairingTable,
    Reason,
    SetResult,
    meetings_of,
)

FLOOR_SHARE = 0.5
"""A bot with less than this fraction of its equal share of time plays next. So does an entry, by its share of sets."""

MOST_OF_SHARE = 2.0
"""An author's bots wait once they exceed this multiple of the equal share of time."""

MOST_OF_ENTRY = 2.0
"""An entry waits once it exceeds this multiple of the equal share of deal sets."""

NEWCOMER_DEVIATION = 150
"""A bot with a larger deviation (in Elo) is a newcomer while other bots are settled."""

SETTLED_BOTS = 5
"""How many settled bots a newcomer is placed against. A settled bot has at most half the newcomer's deviation."""

PLACE_SETS = 2
"""The most sets in a batch that place one newcomer. Later ones wait for the results of these."""

MOST_PLACE_SETS = 12
"""A bot with this many sets is not a newcomer, whatever its results."""

WIDTH = 4
"""A batch has this many times the work of its longest set besides that set, so that no process waits for it."""

MOST_BATCH = 4096
"""The most sets in a batch."""

FIRST_SETS = 1
"""The most sets of a bot in its first batch, when its speed is still unknown."""

MOST_OF_LINEUP = 16
"""The most sets for one table in a batch."""

LINK_SHARE = 0.25
"""The fraction of the equal share of an entry's deal sets that must span each gap between neighbours in the ranking.

With fewer, the ratings of the entry would fall apart into groups that never met.
"""

VARIANT_DEVIATION = 40.0
"""The assumed standard deviation, in Elo, of a bot's strength in one variant around its mean over all."""

_SCALE = 1 << 20
"""Values are compared as whole multiples of 1 / _SCALE."""


class Scheduler:
    """The chooser of the next batch of deal sets, from the bots, tables and results."""

    def __init__(
        self, bots: Sequence[PairingBot], tables: Sequence[PairingTable], seed: bytes, *, by_lot: bool = False
    ) -> None:
        """Start without results.

        bots: in any order; only their names matter.
        tables: at least one. Each bot name at a table is one of `bots`.
        seed: 32 bytes, for the lot that breaks ties.
        by_lot: whether only sets that are drawn by lot give information (`add_drawn`). They say little about who are
            neighbours, so the value of a set then covers all differences, to which every played set contributes.
        """
        self._by_lot = by_lot
        self._bots = sorted(bots, key=lambda bot: bot.name)
        self._tables = sorted(tables, key=lambda table: (table.entry, table.lineup))
        self._index = {bot.name: place for place, bot in enumerate(self._bots)}
        self._beliefs = Beliefs([bot.rating for bot in self._bots], [bot.deviation for bot in self._bots])
        self._design = self._beliefs.copy()
        """The knowledge of the differences from all sets, whatever their results; only with `by_lot`."""
        self._ledger = TimeLedger([bot.author for bot in self._bots])
        self._meetings = [meetings_of(table) for table in self._tables]
        self._directions = [[self._direction(meeting) for meeting in meetings] for meetings in self._meetings]
        self._seats = [[(self._index[bot], number) for bot, number in table.seats.items()] for table in self._tables]
        """(bot, number of its seats), by table."""
        self._bots_at = [[bot for bot, _ in seats] for seats in self._seats]
        self._entry_at = [table.entry for table in self._tables]
        self._of_bot: list[list[int]] = [[] for _ in self._bots]
        """The tables of each bot."""
        for place, seats in enumerate(self._seats):
            for bot, _ in seats:
                self._of_bot[bot].append(place)
        self._of_entry: dict[str, list[int]] = {}
        for place, table in enumerate(self._tables):
            self._of_entry.setdefault(table.entry, []).append(place)
        self._in_entry: dict[tuple[str, int], list[int]] = {}
        """The tables of each (entry, bot)."""
        for place, seats in enumerate(self._seats):
            for bot, _ in seats:
                self._in_entry.setdefault((self._tables[place].entry, bot), []).append(place)
        self._table_sets: Counter[int] = Counter()
        self._meeting_ids, self._distinct = _distinct_meetings(self._meetings, self._directions)
        games: dict[str, int] = {table.entry: table.games for table in self._tables}
        self._noise = {entry: SetNoise(number) for entry, number in games.items()}
        self._entry_sets: Counter[str] = Counter(dict.fromkeys(games, 0))
        self._bot_sets = {entry: [0] * len(self._bots) for entry in games}
        """The number of deal sets, by entry and bot."""
        self._sizes = {table.entry: (sum(table.seats.values()), table.games) for table in self._tables}
        """The seats of a table and the games of a set, by entry."""
        self._offset_variance = 2.0 * VARIANT_DEVIATION * VARIANT_DEVIATION * (1.0 - 1.0 / len(games))
        lots = stream(seed, "pairing").shuffled(list(range(len(self._tables))))
        self._lot = {table: lot for lot, table in enumerate(lots)}
        bot_lots = stream(seed, "pairing", "bots").shuffled(list(range(len(self._bots))))
        self._bot_lot = {bot: lot for lot, bot in enumerate(bot_lots)}
        self._place = {(table.entry, table.lineup): place for place, table in enumerate(self._tables)}
        self._seed = seed
        self._drawn_at: Counter[int] = Counter()
        """The number of sets of earlier batches that were drawn by lot, by table."""
        self._drawn_of = [0] * len(self._bots)
        """The seats in these sets, by bot."""

    def _direction(self, meeting: Meeting) -> Direction:
        parts: dict[int, float] = {}
        for bots, sign in ((meeting.ones, 1.0), (meeting.others, -1.0)):
            for bot in bots:
                place = self._index[bot]
                parts[place] = parts.get(place, 0.0) + sign / len(bots)
        return tuple((place, part) for place, part in sorted(parts.items()) if part != 0.0)

    # Results

    def add(self, entry: str, lineup: str, result: SetResult) -> None:
        """Add the result of a deal set. Raises KeyError for an unknown table."""
        place = self._place[entry, lineup]
        noise = self._noise[entry]
        beyond = sum(self._excess_of(entry, bot) for bot in self._bots_at[place]) / len(self._bots_at[place])
        for meeting, direction, score in zip(
            self._meetings[place], self._directions[place], result.scores, strict=True
        ):
            if score is not None and direction:
                expected = expected_score(self._beliefs.difference(direction))
                luck = noise.value * _unit_noise(expected, meeting.weight)
                inflation = self._inflation(luck, beyond)
                self._beliefs.observe(direction, score, inflation * noise.value / meeting.weight)
                noise.add(score, expected)
        self._played(place, result)

    def add_unread(self, entry: str, lineup: str, result: SetResult) -> None:
        """Add only the times of a deal set, since its result must not choose pairs.

        Raises KeyError for an unknown table.
        """
        place = self._place[entry, lineup]
        self._expect(place)
        self._played(place, result)

    def _expect(self, place: int) -> None:
        """Add a set of a table to the knowledge of the differences from all sets."""
        noise = self._noise[self._tables[place].entry]
        beyond = sum(self._excess_of(self._tables[place].entry, bot) for bot in self._bots_at[place])
        self._design.means = list(self._beliefs.means)
        for meeting, direction in zip(self._meetings[place], self._directions[place], strict=True):
            if direction:
                expected = expected_score(self._design.difference(direction))
                luck = noise.value * _unit_noise(expected, meeting.weight)
                inflation = self._inflation(luck, beyond / len(self._bots_at[place]))
                self._design.expect(direction, inflation * noise.value / meeting.weight)

    def add_drawn(self, entry: str, lineup: str, result: SetResult) -> None:
        """Add the result of a deal set that was drawn by lot. Raises KeyError for an unknown table."""
        place = self._place[entry, lineup]
        self._drawn_at[place] += 1
        for bot, number in self._seats[place]:
            self._drawn_of[bot] += number
        self._expect(place)
        self.add(entry, lineup, result)

    def _played(self, place: int, result: SetResult) -> None:
        entry = self._tables[place].entry
        self._count(place)
        seats = [(bot, number, result.thinking_ms.get(self._bots[bot].name, 0)) for bot, number in self._seats[place]]
        self._ledger.add(entry, self._tables[place].games, seats, result.decisions)

    def leave_out(self, entry: str, lineup: str) -> None:
        """Add a deal set that will have no result: it counts as played and gives no information."""
        place = self._place[entry, lineup]
        self._count(place)
        all_seats, games = self._sizes[entry]
        for bot, number in self._seats[place]:
            self._ledger.charge(bot, number * self._ledger.seat_ms(entry, all_seats, games, bot))

    def _count(self, place: int) -> None:
        entry = self._tables[place].entry
        self._entry_sets[entry] += 1
        self._table_sets[place] += 1
        for bot, _ in self._seats[place]:
            self._bot_sets[entry][bot] += 1

    def _excess_of(self, entry: str, bot: int) -> float:
        """Return the excess of a bot's deal sets in an entry over its mean for all entries."""
        return excess(self._bot_sets[entry][bot], self._ledger.sets[bot], len(self._bot_sets))

    def _inflation(self, luck: float, beyond: float) -> float:
        """Return the factor by which a set is noisier as evidence about the mean over variants.

        A bot is better in some variants than in others, which limits the information of n sets of one variant about the
        mean to n / (n offset + luck). The factor compares what the next set adds with a set in which only luck counts.

        luck: the variance of an observed difference in a set, in Elo². beyond: n minus the balanced number of sets.
        """
        share = self._offset_variance / luck
        return (1.0 + beyond * share) * (1.0 + (beyond + 1.0) * share)

    def estimates(self) -> tuple[PairingBot, ...]:
        """Return the bots with their present ratings and deviations, in whole Elo, as priors for another scheduler."""
        deviations = self._beliefs.deviations()
        return tuple(
            PairingBot(
                bot.name,
                bot.author,
                round(self._beliefs.means[place]),
                max(1, round(deviations[place])),
            )
            for place, bot in enumerate(self._bots)
        )

    def ranking(self) -> tuple[str, ...]:
        """Return the bots from best to worst; a lot breaks ties."""
        return tuple(self._bots[place].name for place in self._order())

    def _order(self) -> list[int]:
        means = self._beliefs.means
        return sorted(range(len(means)), key=lambda place: (-round(means[place] * 1000), self._bot_lot[place]))

    # Choice

    def next_batch(self, sets: int, most: int = MOST_BATCH, drawn: int = 0) -> tuple[Choice, ...]:
        """Return the deal sets to play next, in the order of choice; a table may occur several times.

        A batch with a smaller `most` is the beginning of one with a larger `most`.

        sets: the minimum; there are fewer only while some bots have not played yet (FIRST_SETS).
        most: the maximum, even if that leaves too little other work beside a long set.
        drawn: how many of them, from the first on, are drawn by lot, as far as bots may play.
        """
        return _Batch(self, min(sets, most), min(most, MOST_BATCH), drawn).choices()


class _Learnt(NamedTuple):
    """The information of a meeting about the ranking, before the noise of its variant is known.

    explained: the sum of the weighted squared covariances of its difference with those of neighbours; its own variance
        if the value of a set covers all differences.
    variance: the variance of its difference, in Elo².
    unit_noise: the variance of an observation of the difference in a game of independent luck, in Elo².
    """

    explained: float
    variance: float
    unit_noise: float


def _unit_noise(expected: float, weight: float) -> float:
    """Return the variance of a difference observed in one game of independent luck, in Elo²."""
    spread = expected * (1.0 - expected)
    slope = LN10_BY_400 * spread
    return max(spread, LEAST_SPREAD) / (slope * slope * weight)


def excess(sets: int, all_sets: int, entries: int) -> float:
    """Return the excess of an entry's deal sets over the mean of all entries; at least 0."""
    return max(0.0, sets - all_sets / entries)


def neighbour_weight(gap: float, variance: float) -> float:
    """Return the weight of a fall in the variance of the difference between two neighbours.

    If their order is wrong, the cost is their difference in Elo. The weight is, up to a constant, the derivative of the
    expected cost with respect to the variance: large for neighbours whose order is open.

    gap: the mean of their difference, in Elo.
    variance: its variance, in Elo².
    """
    least = max(variance, 1.0)
    return exact_exp(-gap * gap / (2.0 * least)) / math.sqrt(least)


def _distinct_meetings(
    meetings: Sequence[Sequence[Meeting]], directions: Sequence[Sequence[Direction]]
) -> tuple[list[list[int]], list[tuple[Direction, float]]]:
    """Return the numbers of each table's meetings, and the direction and weight of each meeting by number."""
    numbers: dict[tuple[Direction, float], int] = {}
    of_tables = [
        [
            numbers.setdefault((direction, meeting.weight), len(numbers))
            for meeting, direction in zip(of_table, ways, strict=True)
            if direction
        ]
        for of_table, ways in zip(meetings, directions, strict=True)
    ]
    return of_tables, list(numbers)


class _Batch:
    """A batch that is being chosen. Its copies of what is known are updated as if chosen sets had been played."""

    def __init__(self, known: Scheduler, least: int, most: int, drawn: int) -> None:
        self._known = known
        self._to_draw = min(drawn, most)
        self._least, self._most = least, most
        self._tables = known._tables
        self._beliefs = (known._design if known._by_lot else known._beliefs).copy()
        self._beliefs.means = list(known._beliefs.means)
        self._ledger = known._ledger.batch_copy()
        self._entry_sets = Counter(known._entry_sets)
        self._mean_entry_sets = self._entry_sets.total() / len(self._entry_sets)
        self._bot_sets = {entry: list(sets) for entry, sets in known._bot_sets.items()}
        self._beyond = {
            entry: [known._excess_of(entry, bot) for bot in range(len(known._bots))] for entry in known._bot_sets
        }
        """The deal sets beyond balance, by entry and bot."""
        self._order = known._order()
        self._rank = {bot: rank for rank, bot in enumerate(self._order)}
        self._links = {entry: [0] * (len(self._order) - 1) for entry in self._entry_sets}
        """The number of deal sets with bots on both sides of the gap behind a rank, by entry and rank."""
        for table, number in known._table_sets.items():
            self._link(table, number)
        self._noise = {entry: noise.value for entry, noise in known._noise.items()}
        self._weights = self._neighbour_weights()
        self._learnt: dict[int, _Learnt] = {}
        names = [bot.name for bot in known._bots]
        seat_ms = {
            entry: [known._ledger.seat_ms(entry, seats, games, bot) for bot in range(len(names))]
            for entry, (seats, games) in known._sizes.items()
        }
        self._seat_ms = seat_ms
        """The expected time of a seat in a deal set, by entry and bot."""
        self._usual_ms = {entry: sorted(ms)[(len(ms) - 1) // 2] for entry, ms in seat_ms.items()}
        """The lower median of that time over bots, by entry."""
        self._ms = [
            sum([seat_ms[entry][bot] * number for bot, number in seats])
            for entry, seats in zip(known._entry_at, known._seats, strict=True)
        ]
        self._typical = known._ledger.typical_ms()
        self._shares = self._ledger.shares(self._typical)
        self._of_lineup: Counter[int] = Counter()
        self._heap: list[tuple[int, int, int]] = []
        self._aside: list[int] = []
        self._chosen: list[tuple[int, Choice]] = []
        self._placed: dict[int, set[int]] = {}
        self._deviations = known._beliefs.deviations()
        self._unknown = {bot for bot, sets in enumerate(known._ledger.sets) if not sets}
        """The bots that have not played yet and whose speed is unknown."""
        self._least_deviation = min(self._deviations)
        self._waiting = [
            bot
            for bot, deviation in enumerate(self._deviations)
            if deviation > NEWCOMER_DEVIATION and known._ledger.sets[bot] < MOST_PLACE_SETS
        ]
        """The bots that may be newcomers."""
        self._is_free = False
        """Whether authors' shares are ignored because no table is within them."""

    def choices(self) -> tuple[Choice, ...]:
        """Choose the whole batch."""
        self._draw()
        self._fill_heap(range(len(self._tables)))
        longest = max((self._ms[table] for table, _ in self._chosen), default=0)
        work = sum(self._ms[table] for table, _ in self._chosen)
        while len(self._chosen) < self._most:
            if len(self._chosen) >= self._least and work - longest >= WIDTH * longest:
                break
            found = self._next()
            if found is None:
                break
            table, kind, bot = found
            longest = max(longest, self._ms[table])
            work += self._ms[table]
            self._choose(table, kind, bot)
        return tuple(choice for _, choice in self._chosen)

    def _draw(self) -> None:
        """Choose the sets that are drawn by lot. Bots and tables that had fewer of them come first."""
        if not self._to_draw:
            return
        known = self._known
        lots = stream(known._seed, "pairing", "drawn", str(known._table_sets.total()))
        order = lots.shuffled(list(range(len(self._tables))))
        at_table, of_bot = Counter(known._drawn_at), list(known._drawn_of)
        for _ in range(self._to_draw):
            free = [table for table in order if not self._is_full(table) and not self._is_over(table)]
            if not free:
                return
            table = min(
                free, key=lambda one: (sum(of_bot[bot] * seats for bot, seats in known._seats[one]), at_table[one])
            )
            at_table[table] += 1
            for bot, seats in known._seats[table]:
                of_bot[bot] += seats
            self._choose(table, LOT, None)

    def _next(self) -> tuple[int, str, int | None] | None:
        """Return the next table, the kind of reason, and the bot that it is chosen for, if any."""
        for newcomer, settled in self._newcomers():
            if (table := self._best(self._tables_placing(newcomer, settled))) is not None:
                return table, PLACE, newcomer
        if (bot := self._neediest_bot()) is not None:
            own = self._known._of_bot[bot]
            within = [table for table in own if not self._is_over(table, but=bot)]
            if (table := self._best(within or own)) is not None:
                return table, FLOOR, bot
        if entry := self._neediest_entry():
            within = [table for table in self._known._of_entry[entry] if not self._is_over(table)]
            if (table := self._best(within)) is not None:
                return table, VARIANT, None
        if (link := self._weakest_link()) is not None:
            within = [table for table in self._tables_across(*link) if not self._is_over(table)]
            if (table := self._best(within)) is not None:
                return table, LINK, None
        if (table := self._pop()) is not None:
            return table, REMAINDER if self._is_free else LEARN, None
        return None

    # Information

    def _neighbour_weights(self) -> list[float]:
        """Return the weight of the difference between the bot at each rank and the next one."""
        weights = []
        for better, worse in zip(self._order, self._order[1:], strict=False):
            direction = ((better, 1.0), (worse, -1.0))
            gap = self._beliefs.difference(direction)
            weights.append(neighbour_weight(gap, self._beliefs.variance(direction)))
        return weights

    def _learnt_from(self, meeting: int) -> _Learnt:
        """Return the information of a meeting, valid until another set is chosen."""
        found = self._learnt.get(meeting)
        if found is None:
            direction, weight = self._known._distinct[meeting]
            expected = expected_score(self._beliefs.difference(direction))
            variance = self._beliefs.variance(direction)
            explained = variance if self._known._by_lot else self._explained(direction)
            found = self._learnt[meeting] = _Learnt(explained, variance, _unit_noise(expected, weight))
        return found

    def _explained(self, direction: Direction) -> float:
        """Return the sum over neighbours of their weight times the squared covariance with a difference."""
        rows, order, rank = self._beliefs.covariance, self._order, self._rank
        pairs: set[int] = set()
        for bot, _ in direction:
            place = rank[bot]
            if place:
                pairs.add(place - 1)
            if place < len(order) - 1:
                pairs.add(place)
        total = 0.0
        for place in sorted(pairs):
            better, worse = rows[order[place]], rows[order[place + 1]]
            if len(direction) == 2:  # faster than the loop, with the same result
                (one, _), (other, _) = direction
                covariance = direction[0][1] * ((better[one] - worse[one]) - (better[other] - worse[other]))
            else:
                covariance = sum(part * (better[bot] - worse[bot]) for bot, part in direction)
            total += self._weights[place] * covariance * covariance
        return total

    def _value(self, table: int) -> int:
        """Return the information of a set of a table per unit of time, as a whole number."""
        known = self._known
        entry = known._entry_at[table]
        noise, beyond, learnt = self._noise[entry], self._beyond_at(table), self._learnt
        fall = 0.0
        for meeting in known._meeting_ids[table]:
            explained, variance, unit_noise = learnt.get(meeting) or self._learnt_from(meeting)
            luck = noise * unit_noise
            fall += explained / (variance + luck * known._inflation(luck, beyond))
        return round(fall * _SCALE / self._ms[table])

    def _beyond_at(self, table: int) -> float:
        """Return the deal sets beyond balance that each bot of a table has played in the table's entry."""
        of_entry, bots = self._beyond[self._known._entry_at[table]], self._known._bots_at[table]
        return sum([of_entry[bot] for bot in bots]) / len(bots)

    # The heap of all tables, best first

    def _fill_heap(self, tables: Iterable[int]) -> None:
        lot = self._known._lot
        self._heap = [(-self._value(table), lot[table], table) for table in tables]
        heapq.heapify(self._heap)

    def _pop(self) -> int | None:
        """Return the best table within the shares, or else the best of all; None if every table is full.

        Values on the heap date from the beginning of the batch and can only fall as sets are chosen. So only the first
        is revalued, until one stays first.
        """
        while self._heap:
            _, lot, table = self._heap[0]
            if self._is_full(table):
                heapq.heappop(self._heap)
            elif not self._is_free and (self._is_over(table) or self._is_entry_over(table)):
                heapq.heappop(self._heap)
                self._aside.append(table)
            else:
                now = -self._value(table), lot, table
                heapq.heapreplace(self._heap, now)
                if self._heap[0] == now:
                    return table
        if self._aside and not self._is_free:
            self._is_free = True
            self._fill_heap(self._aside)
            return self._pop()
        return None

    def _best(self, tables: Sequence[int]) -> int | None:
        """Return the best of some tables that are not full; None if there is none."""
        open_tables = [table for table in tables if not self._is_full(table)]
        if not open_tables:
            return None
        return min(open_tables, key=lambda table: (-self._value(table), self._known._lot[table]))

    def _is_full(self, table: int) -> bool:
        """Return whether a table already has its maximum number of sets in this batch."""
        sets, first = self._ledger.sets, self._unknown
        return self._of_lineup[table] >= MOST_OF_LINEUP or (
            bool(first) and any(bot in first and sets[bot] >= FIRST_SETS for bot, _ in self._known._seats[table])
        )

    # Shares

    def _is_over(self, table: int, but: int | None = None) -> bool:
        """Return whether a bot at the table, other than `but`, has an author that exceeds its share."""
        usual = max(self._typical, self._usual_ms[self._tables[table].entry])
        limit = MOST_OF_SHARE * self._shares.equal + 2 * usual
        charges = self._shares.author_charges
        return any(charges[bot] > limit for bot, _ in self._known._seats[table] if bot != but)

    def _is_entry_over(self, table: int) -> bool:
        return self._entry_sets[self._tables[table].entry] > MOST_OF_ENTRY * self._mean_entry_sets + 1

    def _neediest_bot(self) -> int | None:
        """Return the bot furthest below its floor of time; None if all have reached it."""
        shares, lots = self._shares, self._known._bot_lot
        missing = [
            round(FLOOR_SHARE * target) - charge - self._typical
            for target, charge in zip(shares.targets, shares.charges, strict=True)
        ]
        bot = max(range(len(missing)), key=lambda bot: (missing[bot], -lots[bot]))
        return bot if missing[bot] > 0 else None

    def _neediest_entry(self) -> str:
        """Return the entry with the fewest sets if that is below its floor; else ""."""
        entry = min(self._entry_sets, key=lambda one: (self._entry_sets[one], one))
        return entry if self._entry_sets[entry] + 1 < FLOOR_SHARE * self._mean_entry_sets else ""

    # Links

    def _link(self, table: int, number: int) -> None:
        """Add `number` deal sets of a table to every gap in the ranking that its bots span."""
        links = self._links[self._tables[table].entry]
        ranks = [self._rank[bot] for bot, _ in self._known._seats[table]]
        for gap in range(min(ranks), max(ranks)):
            links[gap] += number

    def _weakest_link(self) -> tuple[str, int] | None:
        """Return the entry and the gap in the ranking spanned by the fewest deal sets, if these are below the floor."""
        found, most = None, 0.0
        for entry, links in self._links.items():
            least = min(links)
            missing = LINK_SHARE * self._entry_sets[entry] / len(links) - least
            if missing > most:
                found, most = (entry, links.index(least)), missing
        return found

    def _tables_across(self, entry: str, gap: int) -> list[int]:
        """Return the tables of an entry that have a bot on each side of a gap in the ranking."""
        near = [table for bot in self._order[gap : gap + 2] for table in self._known._in_entry.get((entry, bot), ())]
        spans = {table: [self._rank[bot] for bot, _ in self._known._seats[table]] for table in near}
        return [table for table, ranks in spans.items() if min(ranks) <= gap < max(ranks)]

    # Placement

    def _newcomers(self) -> Iterable[tuple[int, Sequence[int]]]:
        """Yield each bot to be placed, with settled bots to meet; bots with the fewest sets come first."""
        waiting = [bot for bot in self._waiting if len(self._placed.get(bot, ())) < PLACE_SETS]
        for bot in sorted(waiting, key=lambda bot: (self._ledger.sets[bot], self._known._bot_lot[bot])):
            most = self._deviations[bot] / 2
            if self._least_deviation > most:
                continue
            others = self._spread([one for one, deviation in enumerate(self._deviations) if deviation <= most])
            if len(others) > 1:
                yield bot, [other for other in others if other not in self._placed.get(bot, ())]

    def _spread(self, settled: Sequence[int]) -> list[int]:
        """Group these bots by rating; return the bot with the smallest deviation from each group."""
        in_order = sorted(settled, key=self._rank.__getitem__)
        groups = min(SETTLED_BOTS, len(in_order))
        found = []
        for number in range(groups):
            group = in_order[number * len(in_order) // groups : (number + 1) * len(in_order) // groups]
            found.append(min(group, key=lambda bot: (round(self._deviations[bot] * 1000), bot)))
        return found

    def _tables_placing(self, newcomer: int, settled: Sequence[int]) -> list[int]:
        """Return a newcomer's tables with the most settled bots, at least one."""
        wanted = set(settled)
        found: dict[int, list[int]] = {}
        for table in self._known._of_bot[newcomer]:
            met = sum(bot in wanted for bot, _ in self._known._seats[table])
            if met and not self._is_full(table):
                found.setdefault(met, []).append(table)
        return found[max(found)] if found else []

    # A choice

    def _choose(self, table: int, kind: str, bot: int | None) -> None:
        """Add a set of a table to the batch, and update the knowledge as if it had been played."""
        known, values = self._known, self._tables[table]
        reason = self._reason(table, kind, bot)
        self._chosen.append((table, Choice(values, reason, self._ms[table])))
        if kind == PLACE and bot is not None:
            self._placed.setdefault(bot, set()).add(known._index[reason.other])
        noise, beyond = self._noise[values.entry], self._beyond_at(table)
        for meeting in known._meeting_ids[table]:
            direction, weight = known._distinct[meeting]
            inflation = known._inflation(noise * self._learnt_from(meeting).unit_noise, beyond)
            self._beliefs.expect(direction, inflation * noise / weight)
        self._learnt.clear()
        self._of_lineup[table] += 1
        self._link(table, 1)
        self._entry_sets[values.entry] += 1
        self._mean_entry_sets = self._entry_sets.total() / len(self._entry_sets)
        for one, number in known._seats[table]:
            self._bot_sets[values.entry][one] += 1
            self._ledger.charge(one, self._seat_ms[values.entry][one] * number)
            for entry, sets in self._bot_sets.items():
                self._beyond[entry][one] = excess(sets[one], self._ledger.sets[one], len(self._bot_sets))
        self._shares = self._ledger.shares(self._typical)

    def _reason(self, table: int, kind: str, bot: int | None) -> Reason:
        """Return the reason, with the table's most informative meeting, or that of `bot`."""
        known, entry = self._known, self._tables[table].entry
        best: tuple[float, int, int, Direction] | None = None
        for meeting in known._meeting_ids[table]:
            direction, _ = known._distinct[meeting]
            one = next(place for place, part in direction if part > 0)
            other = next(place for place, part in direction if part < 0)
            if bot is not None and bot not in (one, other):
                continue
            learnt = self._learnt_from(meeting)
            fall = learnt.explained / (learnt.variance + self._noise[entry] * learnt.unit_noise)
            if best is None or fall > best[0]:
                best = fall, one, other, direction
        if best is None:  # a table without information, such as one bot against itself
            names = self._tables[table].bots
            return Reason(kind, names[0], names[-1], entry, 0, 0, self._entry_sets[entry])
        _, one, other, direction = best
        difference = round(self._beliefs.difference(direction))
        if bot == other:
            one, other, difference = other, one, -difference
        played = self._entry_sets[entry] if kind == VARIANT else self._ledger.sets[one]
        deviation = round(math.sqrt(max(self._beliefs.variance(direction), 0.0)))
        return Reason(kind, known._bots[one].name, known._bots[other].name, entry, difference, deviation, played)
