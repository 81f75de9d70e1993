"""Who meets whom: the adaptive scheduler and three methods without it. All rank the bots by the same estimator.

The methods therefore differ only in their choice of deal sets. Each passes its results to a `Scheduler`, but only one
lets it choose.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from benchmarks.pairing.world import World
from bowerbird.harness.tournament.config.format_keys import usual_rounds
from bowerbird.harness.tournament.formats.swiss import pairings
from bowerbird.harness.tournament.pairing.scheduler import Scheduler
from bowerbird.harness.tournament.pairing.values import PairingTable, SetResult

LEAST_BATCH = 8
"""The minimum number of sets that the scheduler chooses at a time; it is the number of bots if that is larger."""

Answer = Callable[[PairingTable], SetResult]

Method = Callable[[Scheduler, Sequence[PairingTable], Answer, random.Random], Iterator[None]]
"""A method: plays sets endlessly and yields after each."""


def adaptive(scheduler: Scheduler, _: Sequence[PairingTable], answer: Answer, __: random.Random) -> Iterator[None]:
    """Play the sets that the scheduler chooses."""
    batch = max(LEAST_BATCH, len(scheduler.estimates()))
    while True:
        for choice in scheduler.next_batch(batch):
            _play(scheduler, choice.table, answer)
            yield


def at_random(
    scheduler: Scheduler, tables: Sequence[PairingTable], answer: Answer, lot: random.Random
) -> Iterator[None]:
    """Play a random table each time."""
    while True:
        _play(scheduler, lot.choice(tables), answer)
        yield


def round_robin(
    scheduler: Scheduler, tables: Sequence[PairingTable], answer: Answer, lot: random.Random
) -> Iterator[None]:
    """Play every table once in random order, then start again."""
    while True:
        for table in lot.sample(tables, len(tables)):
            _play(scheduler, table, answer)
            yield


def swiss(scheduler: Scheduler, tables: Sequence[PairingTable], answer: Answer, lot: random.Random) -> Iterator[None]:
    """Play one Swiss tournament after another. A match is one deal set in every variant."""
    meet: dict[frozenset[str], list[PairingTable]] = {}
    for table in tables:
        meet.setdefault(frozenset(table.bots), []).append(table)
    bots = sorted({bot for table in tables for bot in table.bots})
    while True:
        order = lot.sample(bots, len(bots))
        points = dict.fromkeys(bots, 0.0)
        met: dict[str, frozenset[str]] = dict.fromkeys(bots, frozenset())
        rested: frozenset[str] = frozenset()
        for _ in range(usual_rounds(len(bots))):
            ranking = sorted(order, key=lambda bot: -points[bot])
            pairs, byes = pairings(ranking, points=points, met=met, rested=rested)
            for one, other in pairs:
                lead = 0.0
                for table in meet[frozenset((one, other))]:
                    lead += _play(scheduler, table, answer)
                    yield
                winner = min(one, other) if lead > 0 else max(one, other)
                points[winner] += 1.0
                met[one] |= {other}
                met[other] |= {one}
            for bye in byes:
                points[bye] += 1.0
                rested |= {bye}


def _play(scheduler: Scheduler, table: PairingTable, answer: Answer) -> float:
    """Play a deal set. Return the lead of the bot whose name comes first."""
    result = answer(table)
    scheduler.add(table.entry, table.lineup, result)
    return sum(score - 0.5 for score in result.scores if score is not None)


METHODS: dict[str, Method] = {
    "adaptive": adaptive,
    "round-robin": round_robin,
    "Swiss": swiss,
    "random": at_random,
}


def played(world: World, scheduler: Scheduler, method: str, seed: int, totals: dict[str, int]) -> Iterator[int]:
    """Play in a world and yield the number of sets so far after each set. Add thinking times to `totals`, in ms."""
    luck, lot = random.Random(f"luck {seed}"), random.Random(f"lot {seed}")

    def answer(table: PairingTable) -> SetResult:
        result = world.play(table, luck)
        for bot, ms in result.thinking_ms.items():
            totals[bot] = totals.get(bot, 0) + ms
        return result

    bots = [bot.name for bot in scheduler.estimates()]
    for done, _ in enumerate(METHODS[method](scheduler, world.tables(bots), answer, lot), 1):
        yield done
