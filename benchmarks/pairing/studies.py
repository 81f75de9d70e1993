"""The measurements: sets until the order is right, a slow bot, newcomers, a bot that leaves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.pairing.methods import METHODS, adaptive, played
from benchmarks.pairing.world import World, make_world, newcomers
from bowerbird.harness.tournament.pairing.scheduler import Scheduler
from bowerbird.harness.tournament.pairing.values import (
    DEFAULT_DEVIATION,
    DEFAULT_RATING,
    PairingBot,
    PairingTable,
    SetResult,
)

RIGHT = 0.95
"""The share of neighbours that must be in the right order in two consecutive checks, made every N sets for N bots."""

SLOW = 100
"""The slow bot takes this many times as long as the others."""

EPOCH_SETS = 100
"""A newcomer joins after each of these numbers of sets."""


def new_scheduler(world: World, seed: int) -> Scheduler:
    """Return a scheduler that knows nothing about the bots."""
    return Scheduler(newcomers(world), world.tables(list(world.strengths)), seed.to_bytes(32, "big"))


@dataclass(frozen=True, slots=True)
class Reached:
    """The amount of play until the order was right.

    sets: None if `most` was not enough. thinking_ms: the thinking time of all bots until then. slow_share: the first
        bot's share of that time.
    """

    sets: int | None
    thinking_ms: int
    slow_share: float


def until_right(world: World, method: str, seed: int, most: int) -> Reached:
    """Play until RIGHT of the neighbours are in order in two consecutive checks, but at most `most` sets."""
    scheduler = new_scheduler(world, seed)
    totals: dict[str, int] = {}
    was_right = False
    for sets in played(world, scheduler, method, seed, totals):
        if sets % len(world.strengths):
            continue
        is_right = world.right_order(scheduler.ranking()) >= RIGHT
        if (is_right and was_right) or sets >= most:
            time = sum(totals.values())
            reached = sets if is_right and was_right else None
            return Reached(reached, time, totals.get("bot-00", 0) / time)
        was_right = is_right
    raise AssertionError("a method plays without end")


def sets_needed(bots: int, variants: int, seeds: int, most: int) -> dict[str, float | None]:
    """Return, for each method, the median number of sets until the order is right; None if that is above `most`."""
    found: dict[str, float | None] = {}
    for method in METHODS:
        reached = [until_right(make_world(bots, variants, seed), method, seed, most).sets for seed in range(seeds)]
        found[method] = _median([most * 2 if sets is None else sets for sets in reached], most)
    return found


def _median(values: Sequence[int], most: int) -> float | None:
    middle = median(values)
    return None if middle > most else middle


@dataclass(frozen=True, slots=True)
class SlowBot:
    """Medians for a field with one bot that takes SLOW times as long, until the order of the others is right.

    sets: number of deal sets. hours: thinking time of all bots. share: the slow bot's share of that time.
    """

    sets: float
    hours: float
    share: float


def slow_bot(bots: int, variants: int, seeds: int, most: int, method: str) -> SlowBot:
    """Return the cost of a slow bot with a method."""
    found = [until_right(make_world(bots, variants, seed, SLOW), method, seed, most) for seed in range(seeds)]
    return SlowBot(
        median(one.sets or most for one in found),
        median(one.thinking_ms for one in found) / 3_600_000,
        median(one.slow_share for one in found),
    )


@dataclass(frozen=True, slots=True)
class Newcomers:
    """Medians of the sets until a newcomer is within one rank of its true rank: its own sets and those of all bots.

    late: the number of newcomers that were not there when the study ended.
    """

    own_sets: float
    all_sets: float
    late: int


def newcomer_every_epoch(bots: int, variants: int, arrivals: int, seed: int, epochs: int = 3) -> Newcomers:
    """Let a bot join a settled field after every EPOCH_SETS sets. Each bot is followed for `epochs` epochs.

    Each epoch is a separate run, as in a league. Its priors are the estimates at the end of the previous epoch.
    """
    world = make_world(bots + arrivals, variants, seed)
    names = list(world.strengths)
    luck = random.Random(f"newcomers {seed}")
    known = _settled(world, names[:bots], luck)
    own, everything, late = [], [], 0
    watched: dict[str, list[int]] = {}
    """For each bot: its own sets, all sets, and whether it has been placed."""
    for epoch in range(arrivals + epochs):
        if epoch < arrivals:
            newcomer = names[bots + epoch]
            known.append(PairingBot(newcomer, "", DEFAULT_RATING, DEFAULT_DEVIATION))
            watched[newcomer] = [0, 0, 0]
        present = [bot.name for bot in known]
        scheduler = Scheduler(known, world.tables(present), (seed * 1000 + epoch).to_bytes(32, "big"))
        played_sets = 0
        while played_sets < EPOCH_SETS:
            for choice in scheduler.next_batch(min(20, EPOCH_SETS - played_sets), EPOCH_SETS - played_sets):
                scheduler.add(choice.table.entry, choice.table.lineup, world.play(choice.table, luck))
                played_sets += 1
                for bot, counts in watched.items():
                    if not counts[2]:
                        counts[0] += bot in choice.table.bots
                        counts[1] += 1
            ranking = scheduler.ranking()
            for bot, counts in watched.items():
                if not counts[2] and counts[0] and world.misplaced(bot, ranking) <= 1:
                    counts[2] = 1
                    own.append(counts[0])
                    everything.append(counts[1])
        known = list(scheduler.estimates())
    late = sum(not counts[2] for counts in watched.values())
    return Newcomers(median(own), median(everything), late)


def _settled(world: World, names: Sequence[str], luck: random.Random) -> list[PairingBot]:
    """Return bots whose ratings are known to 20 Elo."""
    return [
        PairingBot(name, "", DEFAULT_RATING + round(world.strengths[name] + luck.gauss(0, 20)), 20) for name in names
    ]


def after_leaving(bots: int, variants: int, seeds: int, leave_after: int, most: int) -> tuple[float, float]:
    """Return the median sets until the order of the other bots is right, if one bot leaves and if it stays."""
    left: list[int] = []
    stayed: list[int] = []
    for seed in range(seeds):
        for sets, leaves in ((left, True), (stayed, False)):
            sets.append(_until_others_right(make_world(bots, variants, seed), seed, leave_after, most, leaves=leaves))
    return median(left), median(stayed)


def _until_others_right(world: World, seed: int, leave_after: int, most: int, *, leaves: bool) -> int:
    """Return the sets until all bots but the first are in order. That one leaves after `leave_after` sets, or stays."""
    luck = random.Random(f"leaving {seed}")
    scheduler = new_scheduler(world, seed)
    done, was_right, is_left = 0, False, False

    def answer(table: PairingTable) -> SetResult:
        return world.play(table, luck)

    play = adaptive(scheduler, (), answer, luck)
    while done < most:
        if leaves and not is_left and done >= leave_after:
            known = [bot for bot in scheduler.estimates() if bot.name != "bot-00"]
            scheduler = Scheduler(known, world.tables([bot.name for bot in known]), bytes(31) + b"1")
            play, is_left = adaptive(scheduler, (), answer, luck), True
        next(play)
        done += 1
        if done % len(world.strengths):
            continue
        others = [bot for bot in scheduler.ranking() if bot != "bot-00"]
        is_right = world.right_order(others) >= RIGHT
        if is_right and was_right and done > leave_after:
            return done
        was_right = is_right
    return most
