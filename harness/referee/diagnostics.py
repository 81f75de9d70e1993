"""Collects the evidence for faults: exit status, last stderr output and log path of a bot's process."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from bowerbird.harness.records.values.faults import STDERR_LENGTH, STILL_RUNNING, FaultStory
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.connection.participant import Participant
from bowerbird.harness.referee.game.faults import ENDED_AFTER

EXIT_WAIT_S = 10.0
"""How long the story of a fault waits for a process that is being ended."""


async def stories_of(
    record: GameRecord, participants: Mapping[int, Participant | None], legal: Mapping[int, tuple[str, ...]]
) -> tuple[FaultStory, ...]:
    """Return the stories of a game's faults, in their order.

    By seat, `participants` holds who played, and `legal` the tokens that were legal when the fault landed. If
    a fault ends the process, wait for it to exit, so that exit status and stderr are complete.
    """
    with trio.move_on_after(EXIT_WAIT_S):
        for fault in record.faults:
            participant = participants.get(fault.seat)
            if participant is not None and fault.kind in ENDED_AFTER:
                await participant.gone.wait()
    return tuple(
        _story(record, fault.seat, participants.get(fault.seat), legal.get(fault.seat, ())) for fault in record.faults
    )


def _story(record: GameRecord, seat: int, participant: Participant | None, legal: tuple[str, ...]) -> FaultStory:
    process = participant.process if participant is not None else None
    exit_status, stderr, log = "", "", ""
    if process is not None:
        exit_status = STILL_RUNNING if process.exit_status is None else str(process.exit_status)
        stderr = process.stderr.text[-STDERR_LENGTH:]
        log = str(process.log.path.absolute()) if process.log.has_output else ""
    return FaultStory(record.id, seat, record.seats[seat].bot, legal, exit_status, stderr, log)
