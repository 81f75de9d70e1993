"""A decision of a recorded game: the state of the game, and the steps before it (`Position`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bowerbird.engine import Game, counted
from bowerbird.harness.records.replay.replay import ReplayError, Step, opening, replay
from bowerbird.harness.records.values.game_record import FaultRecord, GameRecord


@dataclass(frozen=True, slots=True)
class Position:
    """A decision of a recorded game.

    hand, step: its place. Step 0 of a hand is the deal, so `step` actions of the hand come before it.
    seat: the seat that had to decide.
    game: the game at this point; do not change it.
    recorded: the token of the recorded action; "" if the game ended here with a fault.
    substituted: True if the referee chose the recorded action.
    fault: the fault at this decision, or None.
    earlier: all steps of the game before it, in order.
    """

    hand: int
    step: int
    seat: int
    game: Game
    recorded: str
    substituted: bool
    fault: FaultRecord | None
    earlier: tuple[Step, ...]


def position_at(record: GameRecord, hand: int, step: int) -> Position:
    """Return the decision after `step` actions of a hand. Check the whole record.

    Raises ReplayError if there is no such decision, if its seat had only one legal action, or if the record is wrong.
    """
    _require_hand(record, hand)
    steps = tuple(replay(record))
    there = next((number for number, one in enumerate(steps) if (one.hand, one.index) == (hand, step)), None)
    if there is not None:
        if len(steps[there].legal) == 1:
            raise ReplayError(record.id, _no_choice(steps[there], steps), hand)
        return _recorded(steps[there], steps[:there])
    for position in _unanswered(record, hand, steps):
        if position.step == step:
            return position
    there_are = counted(len(record.hands[hand].actions), "step")
    raise ReplayError(record.id, f"step {step} is not followed by a decision; the hand has {there_are}", hand)


def decisions_of(record: GameRecord, hand: int) -> tuple[Position, ...]:
    """Return the decisions of a hand, in order, as `position_at` does. Raises ReplayError if there is no such hand."""
    _require_hand(record, hand)
    steps = tuple(replay(record))
    found = [
        _recorded(one, steps[:number]) for number, one in enumerate(steps) if one.hand == hand and len(one.legal) > 1
    ]
    return (*found, *_unanswered(record, hand, steps))


def _require_hand(record: GameRecord, hand: int) -> None:
    if not record.hands:
        raise ReplayError(record.id, "it has no decision, since it was not played")
    if not 0 <= hand < len(record.hands):
        raise ReplayError(record.id, f"there is no hand {hand}; it has hands 0 to {len(record.hands) - 1}")


def _recorded(step: Step, earlier: tuple[Step, ...]) -> Position:
    """Return the decision at a recorded step."""
    return Position(step.hand, step.index, step.seat, step.before, step.token, step.substituted, step.fault, earlier)


def _unanswered(record: GameRecord, hand: int, steps: tuple[Step, ...]) -> Iterator[Position]:
    """Yield the decision after the last action of a hand, if a fault ended the game there."""
    last = len(record.hands[hand].actions)
    fault = next((one for one in record.faults if (one.hand, one.action) == (hand, last)), None)
    if fault is not None:
        game = steps[-1].after if steps else opening(record)
        yield Position(hand, last, fault.seat, game, "", False, fault, steps)


def _no_choice(there: Step, steps: tuple[Step, ...]) -> str:
    choices = [one.index for one in steps if one.hand == there.hand and len(one.legal) > 1]
    before = [index for index in choices if index < there.index][-1:]
    after = [index for index in choices if index > there.index][:1]
    near = [str(index) for index in (*before, *after)]
    nearest = f"; the nearest decisions are at step {' and step '.join(near)}" if near else ""
    return f"seat {there.seat} had no choice at step {there.index}: it could only {there.token}{nearest}"
