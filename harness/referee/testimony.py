"""What a process has to say about a fault of its seat: how it ended, its last words, where its log is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import trio

from harness.records.record import GameRecord
from harness.records.story import STDERR_LENGTH, STILL_RUNNING, FaultStory
from harness.referee.faults import ENDED_AFTER
from harness.referee.launcher import Process

PATIENCE_S = 10.0
"""How long the story of a fault waits for a process that is being ended."""


class Witness(Protocol):
    """Whoever brought a process to its seat: `process` is None where it never came to that.

    `gone` is set when it has ended and all that it wrote is known. A remote bot has no process here.
    """

    process: Process | None
    gone: trio.Event


async def stories_of(
    record: GameRecord, witnesses: Mapping[int, Witness | None], legal: Mapping[int, tuple[str, ...]]
) -> tuple[FaultStory, ...]:
    """The stories of a game's faults, in their order; by seat, `witnesses` and what was `legal` when the fault landed.

    Where the fault costs the process its life its end is waited for, so that its exit status and last words are known.
    """
    with trio.move_on_after(PATIENCE_S):
        for fault in record.faults:
            witness = witnesses.get(fault.seat)
            if witness is not None and fault.kind in ENDED_AFTER:
                await witness.gone.wait()
    return tuple(
        _story(record, fault.seat, witnesses.get(fault.seat), legal.get(fault.seat, ())) for fault in record.faults
    )


def _story(record: GameRecord, seat: int, witness: Witness | None, legal: tuple[str, ...]) -> FaultStory:
    process = witness.process if witness is not None else None
    how, stderr, log = "", "", ""
    if process is not None:
        how = STILL_RUNNING if process.how is None else str(process.how)
        stderr = process.stderr.text[-STDERR_LENGTH:]
        log = str(process.log.path.absolute()) if process.log.is_begun else ""
    return FaultStory(record.id, seat, record.seats[seat].bot, legal, how, stderr, log)
