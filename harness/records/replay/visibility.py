"""Hides from the reader the parts of steps and faults that `seat` did not see. None hides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bowerbird.harness.records.replay.replay import Step
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.game_record import PER_SEAT, FaultRecord, GameRecord
from bowerbird.harness.records.values.query_results import FaultRow

PUBLIC = -1
"""The seat of a reader without cards, who sees what every seat sees."""


def seen_token(step: Step, seat: int | None) -> str | None:
    """Return the action as `seat` saw it; None if the seat must not even know that an action happened."""
    if seat is None or step.seat == seat:
        return str(step.action)
    if not step.is_within_hand:
        return str(step.action.public)
    if seat == PUBLIC:
        seat = (step.seat + 1) % step.before.players
    known, seen = step.before.view(seat).history, step.after.view(seat).history
    return str(seen[-1].action) if len(seen) > len(known) else None


def seen_fault(fault: FaultRecord, seat: int | None) -> FaultRecord:
    """Return a fault as `seat` may know it. The detail of another seat's fault is left out: it can name a card."""
    return fault if seat in (None, fault.seat) else replace(fault, detail="")


def seen_story(fault: FaultRow, seat: int | None) -> FaultRow | None:
    """Return a fault with the part of its story that `seat` may know; None for a fault of another seat.

    Another seat's legal tokens would reveal its hand. For its own fault, a seat sees the legal tokens and the end of
    its process, but neither stderr nor log, because the process may have written about other tables and seats, even of
    the same deal.
    """
    if seat is None:
        return fault
    return replace(fault, stderr="", log="", no_log="") if fault.seat == seat else None


def may_see_own_notes(record: GameRecord) -> bool:
    """Return True if a seat's notes cannot reveal other seats' cards, because each seat had its own process.

    A shared process may have noted what it knew from another seat.
    """
    return record.conditions.instances == PER_SEAT


def seen_notes(record: GameRecord, notes: Sequence[Note], seat: int | None) -> tuple[Note, ...]:
    """Return the notes that `seat` may know: its own, if they cannot reveal anything about other seats."""
    if seat is None:
        return tuple(notes)
    return tuple(note for note in notes if note.seat == seat) if may_see_own_notes(record) else ()
