"""Void deal sets: played, but without a result, because a process was lost while the host stood still (faults.md).

Attempts at a deal set are numbered from 0. A void is an attempt that does not count. The next attempt gets new packs
(`pack_entry`). A set is left out of its run if its last attempt is void. The number of a set's voids is therefore the
number of the attempt that counts, and games need no mark.

A correction deals a set again from its own seed (`values.corrections`). Attempts then restart at 0, and earlier voids
no longer apply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from bowerbird.engine import counted
from bowerbird.harness.records.values.run import SetKey

MOST_ATTEMPTS = 3
"""The number of attempts at a deal set before it is left out."""


@dataclass(frozen=True, slots=True)
class VoidedSet:
    """An attempt at a deal set that does not count.

    attempt: the number of the attempt, from 0.
    bots: the bots whose processes were lost, each once, sorted.
    why: one sentence for people, without a path or a process id.
    saved: when it was stored, UTC, ISO 8601; "" until then.
    correction: the number of the correction whose seed dealt it; 0 for the seed of the run.
    is_past: True if a later correction deals the set from another seed.
    """

    key: SetKey
    attempt: int
    bots: tuple[str, ...]
    why: str
    saved: str = ""
    correction: int = 0
    is_past: bool = False

    @property
    def is_last(self) -> bool:
        """True if the set is left out, without another attempt."""
        return self.attempt == MOST_ATTEMPTS - 1


def attempts_of(voids: Iterable[VoidedSet]) -> dict[SetKey, int]:
    """Return, for each deal set with voids, the attempt that counts."""
    return dict(Counter(void.key for void in voids if not void.is_past))


def left_out_of(voids: Iterable[VoidedSet]) -> tuple[SetKey, ...]:
    """Return the deal sets that are left out, sorted."""
    return tuple(sorted(void.key for void in voids if void.is_last and not void.is_past))


def marked_past(voids: Iterable[VoidedSet], last: Mapping[SetKey, int]) -> tuple[VoidedSet, ...]:
    """Return the voids with the right `is_past`.

    `last` is the number of the last correction of each corrected deal set.
    """
    return tuple(replace(void, is_past=void.correction < last.get(void.key, 0)) for void in voids)


def by_key(voids: Iterable[VoidedSet]) -> dict[SetKey, tuple[VoidedSet, ...]]:
    """Return the voids by deal set, in order of their corrections and attempts."""
    sets: dict[SetKey, tuple[VoidedSet, ...]] = {}
    for void in sorted(voids, key=lambda one: (one.correction, one.attempt)):
        sets[void.key] = (*sets.get(void.key, ()), void)
    return sets


@dataclass(frozen=True, slots=True)
class VoidCounts:
    """The void part of a run.

    by_bot: how often a process of the bot was lost, counting each attempt at a deal set once; most first.
    attempts: the number of void attempts.
    left_out: the deal sets that are left out.
    """

    by_bot: Mapping[str, int]
    attempts: int
    left_out: tuple[SetKey, ...]


def counts_of(voids: Collection[VoidedSet]) -> VoidCounts:
    """Count the voids of a run."""
    bots = Counter(bot for void in voids for bot in void.bots)
    in_order = dict(sorted(bots.items(), key=lambda one: (-one[1], one[0])))
    return VoidCounts(in_order, len(voids), left_out_of(voids))


def void_lines(counts: VoidCounts) -> list[str]:
    """Return lines about voids to show with standings; [] if there are none."""
    if not counts.attempts:
        return []
    bots = ", ".join(f"{bot} {count}" for bot, count in counts.by_bot.items())
    left_out = f", {counted(len(counts.left_out), 'deal set')} left out" if counts.left_out else ""
    return [
        f"voids: {bots} (processes lost while the host stood still; "
        f"{counted(counts.attempts - len(counts.left_out), 'deal set')} played again with new packs{left_out})"
    ]


def _by_source(voids: Iterable[VoidedSet]) -> dict[tuple[SetKey, int], list[VoidedSet]]:
    """Return the voids by deal set and correction, in order of their attempts."""
    sources: dict[tuple[SetKey, int], list[VoidedSet]] = {}
    for void in sorted(voids, key=lambda one: one.attempt):
        sources.setdefault((void.key, void.correction), []).append(void)
    return sources


def wrong_voids(voids: Iterable[VoidedSet], entered: Collection[str]) -> str:
    """Return a sentence about anything impossible in these voids of a run; "" if they are possible.

    entered: the names of the run's bots.
    """
    for (key, _), attempts in _by_source(voids).items():
        if [void.attempt for void in attempts] != list(range(len(attempts))) or len(attempts) > MOST_ATTEMPTS:
            listed = ", ".join(str(void.attempt) for void in attempts)
            return (
                f"deal set {key} has the voids of attempts {listed}; they begin at 0, each follows the one before it, "
                f"and there are at most {MOST_ATTEMPTS}"
            )
        for void in attempts:
            if not void.bots or list(void.bots) != sorted(set(void.bots)) or not set(void.bots) <= set(entered):
                return (
                    f"attempt {void.attempt} of deal set {key} is void by {', '.join(void.bots) or 'no bot'}; "
                    "these are bots of the run, each once, in alphabetical order"
                )
    return ""
