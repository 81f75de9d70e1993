"""The scheduler: chooses the next deal sets from the results so far.

A set is worth what is learnt from it for each second of thinking: the expected fall of the variances of the differences
of neighbours in the ranking, each weighted by how doubtful their order is. Five rules come before it, in this order:

- placement: a newcomer meets bots with well-known ratings, spread over the scale, in at most PLACE_SETS sets a batch;
- the floor: a bot with less than FLOOR of its share of time plays next;
- variants: an entry with less than FLOOR of its share of deal sets plays next, one with more than MOST_OF_ENTRY waits;
- shares: the bots of an author with more than MOST_OF_SHARE of its share of time wait;
- spread: at a table, what is learnt counts more in variants that its bots have played less than others.

Ties are broken by a lot from the seed. Results are taken in a fixed order, so that equal inputs make equal choices.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Sequence

from engine import stream
from harness.tournament.pairing.beliefs import LEAST_SPREAD, LN10_BY_400, Beliefs, SetNoise, exact_exp, expected_score
from harness.tournament.pairing.time_ledger import TimeLedger
from harness.tournament.pairing.values import (
    FLOOR,
    LEARN,
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
"""Share of the equal share, of time for a bot and of deal sets for an entry, below which it plays next."""

MOST_OF_SHARE = 1.5
"""Multiple of the equal share of time beyond which an author's bots wait."""

MOST_OF_ENTRY = 2.0
"""Multiple of the equal share of deal sets beyond which an entry waits."""

NEWCOMER_DEVIATION = 150
"""A bot whose deviation is larger, in Elo, is a newcomer while there are anchors."""

ANCHORS = 5
"""How many bots with well-known ratings newcomers are placed against."""

PLACE_SETS = 2
"""Most sets of a batch that place one newcomer: their results are wanted first."""

MOST_PLACE_SETS = 12
"""A bot with this many sets is no newcomer, whatever they said of it."""

WIDTH = 4
"""A batch has this many times as much other work as its longest set, so that nobody waits for that."""

MOST_BATCH = 4096
"""Most sets of a batch."""

MOST_OF_LINEUP = 16
"""Most sets of one table in a batch."""

_SCALE = 1 << 20
"""Values are compared as whole numbers of this many parts."""


class Scheduler:
    """Knows bots, tables and results, and answers with the next batch of deal sets."""

    def __init__(self, bots: Sequence[PairingBot], tables: Sequence[PairingTable], seed: bytes) -> None:
        """Begin without results.

        bots: in any order; only their names decide.
        tables: at least one. Each bot name at a table is one of `bots`.
        seed: 32 bytes, for the lot that breaks ties.
        """
        self._bots = sorted(bots, key=lambda bot: bot.name)
        self._tables = sorted(tables, key=lambda table: (table.entry, table.lineup))
        self._index = {bot.name: place for place, bot in enumerate(self._bots)}
        self._beliefs = Beliefs([bot.rating for bot in self._bots], [bot.deviation for bot in self._bots])
        self._ledger = TimeLedger(self._bots)
        self._meetings = [meetings_of(table) for table in self._tables]
        self._directions = [[self._direction(meeting) for meeting in meetings] for meetings in self._meetings]
        games: dict[str, int] = {table.entry: table.games for table in self._tables}
        self._noise = {entry: SetNoise(number) for entry, number in games.items()}
        self._entry_sets: Counter[str] = Counter(dict.fromkeys(games, 0))
        self._bot_sets: Counter[tuple[str, str]] = Counter()
        """By (entry, bot)."""
        lots = stream(seed, "pairing").shuffled(list(range(len(self._tables))))
        self._lot = {table: lot for lot, table in enumerate(lots)}
        bot_lots = stream(seed, "pairing", "bots").shuffled(list(range(len(self._bots))))
        self._bot_lot = {bot: lot for lot, bot in enumerate(bot_lots)}
        self._place = {(table.entry, table.lineup): place for place, table in enumerate(self._tables)}

    def _direction(self, meeting: Meeting) -> Direction:
        weights: Counter[int] = Counter()
        parts: dict[int, float] = {}
        for bots, sign in ((meeting.ones, 1.0), (meeting.others, -1.0)):
            for bot in bots:
                place = self._index[bot]
                weights[place] += 1
                parts[place] = parts.get(place, 0.0) + sign / len(bots)
        return tuple((place, part) for place, part in sorted(parts.items()) if part != 0.0)

    # Results

    def add(self, entry: str, lineup: str, result: SetResult) -> None:
        """Take the result of a deal set. Raises KeyError for a table that is not known."""
        place = self._place[entry, lineup]
        table = self._tables[place]
        noise = self._noise[entry]
        for meeting, direction, score in zip(
            self._meetings[place], self._directions[place], result.scores, strict=True
        ):
            if score is not None and direction:
                expected = expected_score(self._beliefs.difference(direction))
                self._beliefs.observe(direction, score, noise.value / meeting.weight)
                noise.add(score, expected)
        self._count(table)
        self._ledger.add(table, result)

    def leave_out(self, entry: str, lineup: str) -> None:
        """Take a deal set that will have no result: it counts as played, and nothing is learnt."""
        table = self._tables[self._place[entry, lineup]]
        self._count(table)
        for bot, ms in self._ledger.expected_ms(table).items():
            self._ledger.charge(bot, ms)

    def _count(self, table: PairingTable) -> None:
        self._entry_sets[table.entry] += 1
        for bot in table.bots:
            self._bot_sets[table.entry, bot] += 1

    def estimates(self) -> tuple[PairingBot, ...]:
        """Return the bots with their present ratings and deviations, in whole Elo: the priors of another scheduler."""
        return tuple(
            PairingBot(
                bot.name,
                bot.author,
                round(self._beliefs.means[place]),
                max(1, round(self._beliefs.deviation(place))),
            )
            for place, bot in enumerate(self._bots)
        )

    def ranking(self) -> tuple[str, ...]:
        """Return the bots from the best to the last; a lot breaks ties."""
        return tuple(self._bots[place].name for place in self._order())

    def _order(self) -> list[int]:
        means = self._beliefs.means
        return sorted(range(len(means)), key=lambda place: (-round(means[place] * 1000), self._bot_lot[place]))

    # Choice

    def next_batch(self, sets: int, most: int = MOST_BATCH) -> tuple[Choice, ...]:
        """Return the deal sets to play next, the longest first; a table may be there several times.

        sets: how many there are at least.
        most: how many there are at most, if the work beside a long set does not suffice before.
        """
        return _Batch(self, min(sets, most), min(most, MOST_BATCH)).choices()


class _Batch:
    """A batch that is being chosen: copies of what is known, changed by each choice as if its set were played."""

    def __init__(self, known: Scheduler, least: int, most: int) -> None:
        self._known = known
        self._least, self._most = least, most
        self._tables = known._tables
        self._beliefs = known._beliefs.copy()
        self._ledger = known._ledger.batch_copy()
        self._entry_sets = Counter(known._entry_sets)
        self._bot_sets = Counter(known._bot_sets)
        self._order = known._order()
        self._rank = {bot: rank for rank, bot in enumerate(self._order)}
        self._noise = {entry: noise.value for entry, noise in known._noise.items()}
        self._doubts = self._neighbour_doubts()
        self._learnt: dict[Direction, float] = {}
        self._costs = [known._ledger.expected_ms(table) for table in self._tables]
        self._seconds = [sum(cost.values()) for cost in self._costs]
        self._typical = known._ledger.typical_ms()
        self._shares = self._ledger.shares(self._typical)
        self._of_lineup: Counter[int] = Counter()
        self._heap: list[tuple[int, int, int]] = []
        self._aside: list[int] = []
        self._chosen: list[tuple[int, Choice]] = []
        self._placed: dict[str, set[str]] = {}
        self._is_free = False
        """Whether shares of authors are left aside, since no table is within them."""

    def choices(self) -> tuple[Choice, ...]:
        """Choose the whole batch."""
        self._fill_heap(range(len(self._tables)))
        longest = work = 0
        while len(self._chosen) < self._most:
            if len(self._chosen) >= self._least and work - longest >= WIDTH * longest:
                break
            found = self._next()
            if found is None:
                break
            table, kind, bot = found
            longest = max(longest, self._seconds[table])
            work += self._seconds[table]
            self._choose(table, kind, bot)
        in_order = sorted(self._chosen, key=lambda one: (-one[1].expected_ms, self._known._lot[one[0]]))
        return tuple(choice for _, choice in in_order)

    def _next(self) -> tuple[int, str, str] | None:
        """Return the next table, the kind of reason, and the bot that it is chosen for ("" for none)."""
        for newcomer, anchors in self._newcomers():
            if (table := self._best(self._tables_placing(newcomer, anchors))) is not None:
                return table, PLACE, newcomer
        if bot := self._neediest_bot():
            own = [t for t in range(len(self._tables)) if bot in self._costs[t]]
            within = [table for table in own if not self._is_over(table, but=bot)]
            if (table := self._best(within or own)) is not None:
                return table, FLOOR, bot
        if entry := self._neediest_entry():
            of_entry = [t for t, table in enumerate(self._tables) if table.entry == entry]
            within = [table for table in of_entry if not self._is_over(table)]
            if (table := self._best(within)) is not None:
                return table, VARIANT, ""
        if (table := self._pop()) is not None:
            return table, REMAINDER if self._is_free else LEARN, ""
        return None

    # What is learnt

    def _neighbour_doubts(self) -> list[float]:
        """Return by rank how doubtful the order of its bot and the next one is: 1 if they may be equal, towards 0."""
        doubts = []
        for better, worse in zip(self._order, self._order[1:], strict=False):
            direction = ((better, 1.0), (worse, -1.0))
            gap = self._beliefs.difference(direction)
            doubts.append(exact_exp(-gap * gap / (2.0 * max(self._beliefs.variance(direction), 1.0))))
        return doubts

    def _fall(self, direction: Direction, entry: str, weight: float) -> float:
        """Return the expected fall of the variances of neighbouring differences, in Elo², by one meeting in a set."""
        key = self._learnt.get(direction)
        spread = self._spread(direction)
        slope = LN10_BY_400 * spread
        noise = self._noise[entry] / weight * max(spread, LEAST_SPREAD) / (slope * slope)
        if key is None:
            key = self._learnt[direction] = self._explained(direction)
        return key / (self._beliefs.variance(direction) + noise)

    def _spread(self, direction: Direction) -> float:
        expected = expected_score(self._beliefs.difference(direction))
        return expected * (1.0 - expected)

    def _explained(self, direction: Direction) -> float:
        """Return the sum over neighbours of their doubt times the squared covariance with a difference."""
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
            covariance = 0.0
            for bot, coefficient in direction:
                covariance += coefficient * (better[bot] - worse[bot])
            total += self._doubts[place] * covariance * covariance
        return total

    def _value(self, table: int) -> int:
        """Return what is learnt from a set of a table for each second, as a whole number."""
        entry = self._tables[table].entry
        fall = 0.0
        for meeting, direction in zip(self._known._meetings[table], self._known._directions[table], strict=True):
            if direction:
                fall += self._fall(direction, entry, meeting.weight)
        bots = self._tables[table].bots
        here = sum(self._bot_sets[entry, bot] for bot in bots)
        all_sets = sum(self._ledger.sets[bot] for bot in bots)
        spread = 2.0 / (1.0 + (here * len(self._entry_sets) / all_sets if all_sets else 1.0))
        return round(fall * spread * _SCALE / self._seconds[table])

    # The heap of all tables, best first

    def _fill_heap(self, tables: Iterable[int]) -> None:
        self._heap = [(-self._value(table), self._known._lot[table], table) for table in tables]
        heapq.heapify(self._heap)

    def _pop(self) -> int | None:
        """Return the best table within the shares; without one, the best of all. None if every table is full."""
        while self._heap:
            _, lot, table = self._heap[0]
            if self._is_full(table):
                heapq.heappop(self._heap)
            elif not self._is_free and (self._is_over(table) or self._is_entry_over(table)):
                heapq.heappop(self._heap)
                self._aside.append(table)
            else:
                now = -self._value(table), lot, table
                if now <= self._heap[0] or len(self._heap) == 1:
                    return table
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
        return self._of_lineup[table] >= MOST_OF_LINEUP

    # Shares

    def _is_over(self, table: int, but: str = "") -> bool:
        """Return whether a bot at the table, `but` excepted, has an author with more than its share."""
        limit = MOST_OF_SHARE * self._shares.mean + 2 * self._typical
        return any(self._shares.author_charges[bot] > limit for bot in self._costs[table] if bot != but)

    def _is_entry_over(self, table: int) -> bool:
        mean = self._entry_sets.total() / len(self._entry_sets)
        return self._entry_sets[self._tables[table].entry] > MOST_OF_ENTRY * mean + 1

    def _neediest_bot(self) -> str:
        """Return the bot furthest below its floor of time; "" if none is below."""
        shares, found, least = self._shares, "", 0
        for place, bot in enumerate(self._known._bots):
            missing = round(FLOOR_SHARE * shares.targets[bot.name]) - shares.charges[bot.name] - self._typical
            if missing > least or (found and missing == least and self._is_drawn_before(place, found)):
                found, least = bot.name, missing
        return found

    def _is_drawn_before(self, place: int, other: str) -> bool:
        lots = self._known._bot_lot
        return lots[place] < lots[self._known._index[other]]

    def _neediest_entry(self) -> str:
        """Return the entry with the fewest sets if it is below its floor, else ""."""
        mean = self._entry_sets.total() / len(self._entry_sets)
        entry = min(self._entry_sets, key=lambda one: (self._entry_sets[one], one))
        return entry if self._entry_sets[entry] + 1 < FLOOR_SHARE * mean else ""

    # Placement

    def _newcomers(self) -> Iterable[tuple[str, Sequence[str]]]:
        """Yield each bot to be placed with its anchors, the one with the fewest sets first."""
        known = self._known._beliefs
        deviations = {bot.name: known.deviation(place) for place, bot in enumerate(self._known._bots)}
        waiting = [
            bot
            for bot, deviation in deviations.items()
            if deviation > NEWCOMER_DEVIATION
            and self._known._ledger.sets[bot] < MOST_PLACE_SETS
            and len(self._placed.get(bot, ())) < PLACE_SETS
        ]
        for bot in sorted(
            waiting, key=lambda bot: (self._ledger.sets[bot], self._known._bot_lot[self._known._index[bot]])
        ):
            anchors = self._anchors([one for one, deviation in deviations.items() if deviation <= deviations[bot] / 2])
            if len(anchors) > 1:
                yield bot, [anchor for anchor in anchors if anchor not in self._placed.get(bot, ())]

    def _anchors(self, settled: Sequence[str]) -> list[str]:
        """Return of these bots, in groups of neighbours in rating, the one of each with the smallest deviation."""
        known, index = self._known._beliefs, self._known._index
        in_order = sorted(settled, key=lambda bot: self._rank[index[bot]])
        groups = min(ANCHORS, len(in_order))
        anchors = []
        for number in range(groups):
            group = in_order[number * len(in_order) // groups : (number + 1) * len(in_order) // groups]
            anchors.append(min(group, key=lambda bot: (round(known.deviation(index[bot]) * 1000), bot)))
        return anchors

    def _tables_placing(self, newcomer: str, anchors: Sequence[str]) -> list[int]:
        """Return the tables of a newcomer with most anchors, one of them at least, and no entry that must wait."""
        wanted = set(anchors)
        found: dict[int, list[int]] = {}
        for table, cost in enumerate(self._costs):
            if newcomer in cost and (met := len(wanted & cost.keys())) and not self._is_full(table):
                found.setdefault(met, []).append(table)
        return found[max(found)] if found else []

    # A choice

    def _choose(self, table: int, kind: str, bot: str) -> None:
        """Add a set of a table to the batch, and go on as if it were played."""
        known, values = self._known, self._tables[table]
        self._chosen.append((table, Choice(values, self._reason(table, kind, bot), self._seconds[table])))
        if kind == PLACE:
            nearest = self._chosen[-1][1].reason.other
            self._placed.setdefault(bot, set()).add(nearest)
        for meeting, direction in zip(known._meetings[table], known._directions[table], strict=True):
            if direction:
                self._beliefs.expect(direction, self._noise[values.entry] / meeting.weight)
        self._learnt.clear()
        self._of_lineup[table] += 1
        self._entry_sets[values.entry] += 1
        for one, ms in self._costs[table].items():
            self._bot_sets[values.entry, one] += 1
            self._ledger.charge(one, ms)
        self._shares = self._ledger.shares(self._typical)

    def _reason(self, table: int, kind: str, bot: str) -> Reason:
        """Return the reason with the meeting of the table from which most is learnt, or that of `bot`."""
        entry = self._tables[table].entry
        meetings = [
            (meeting, direction)
            for meeting, direction in zip(self._known._meetings[table], self._known._directions[table], strict=True)
            if direction and (not bot or bot in (*meeting.ones, *meeting.others))
        ]
        meeting, direction = max(meetings, key=lambda one: round(self._fall(one[1], entry, one[0].weight) * _SCALE))
        one, other = meeting.ones[0], meeting.others[0]
        sign = 1
        if bot and bot not in meeting.ones:
            one, other, sign = bot, meeting.ones[0], -1
        elif bot:
            one = bot
        played = self._entry_sets[entry] if kind == VARIANT else self._ledger.sets[one]
        deviation = round(math.sqrt(max(self._beliefs.variance(direction), 0.0)))
        return Reason(kind, one, other, entry, sign * round(self._beliefs.difference(direction)), deviation, played)
