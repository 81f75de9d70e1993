"""What a reader of a replay sees of a step or a fault: everything, or what one seat saw of it."""

from __future__ import annotations

from dataclasses import replace

from harness.records.record import FaultRecord
from harness.records.replay import Step
from harness.records.rows import FaultRow

PLAYS = ("play", "dictate")
"""Decisions that put a card on the table."""


def same_hand(step: Step) -> bool:
    """Whether the hand goes on after the step."""
    return len(step.after.results) == len(step.before.results)


def seen_token(step: Step, seat: int | None) -> str | None:
    """The action as `seat` saw it (None: everything); None where a seat must not even know that it was asked."""
    if seat is None or step.seat == seat:
        return str(step.action)
    if not same_hand(step):
        return str(step.action.public)
    known, seen = step.before.view(seat).history, step.after.view(seat).history
    return str(seen[-1].action) if len(seen) > len(known) else None


def seen_fault(fault: FaultRecord, seat: int | None) -> FaultRecord:
    """A fault as `seat` may know it (None: everything): the detail of another's may name a card."""
    return fault if seat in (None, fault.seat) else replace(fault, detail="")


def seen_story(fault: FaultRow, seat: int | None) -> FaultRow | None:
    """A fault with as much of its story as `seat` may know (None: everything); None for a fault of another seat.

    What was to be decided shows a hand. Of its own fault a seat is told that and how its process ended, but not what
    the process wrote, nor where: it may play other tables and other seats, of the same deal too, of which this seat
    saw nothing.
    """
    if seat is None:
        return fault
    return replace(fault, stderr="", log="", no_log="") if fault.seat == seat else None


def player_of(step: Step) -> int:
    """Whose card went on the table: a dictated card is the Jambone player's, who is the maker (RULES.md V4.5.5)."""
    maker = step.before.view(step.seat).maker if step.action.kind == "dictate" else None
    return step.seat if maker is None else maker


def tricks_after(step: Step) -> tuple[int, ...]:
    """The tricks won by seat after the step, also where it ended the hand."""
    return tuple(step.after.tricks_won) if same_hand(step) else step.after.results[-1].tricks


def trick_winner(step: Step) -> int | None:
    """The seat whose trick was complete with this step, or None."""
    if step.action.kind not in PLAYS:
        return None
    before, after = step.before.tricks_won, tricks_after(step)
    return next((seat for seat, tricks in enumerate(after) if tricks > before[seat]), None)
