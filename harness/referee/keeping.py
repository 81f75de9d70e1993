"""Which processes are kept for a later job of the plan, and how many at most."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from harness.referee.spec import InstanceKey, Tables

PROCESSES = 16
"""How many processes of bots may be alive at once, where the tournament file does not say so."""

JOBS_AHEAD = 64
"""A process that none of the next so many jobs needs is not kept for a later one."""


def soonest(idle: Collection[InstanceKey], coming: Iterable[Tables], most: int) -> set[InstanceKey]:
    """Of the processes that are idle, those that the coming jobs need soonest; at most so many."""
    kept: set[InstanceKey] = set()
    for job in islice(coming, JOBS_AHEAD):
        for key in job.processes:
            if len(kept) >= min(most, len(idle)):
                return kept
            if key in idle:
                kept.add(key)
    return kept
