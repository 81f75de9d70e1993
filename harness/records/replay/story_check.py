"""Checks fault stories against their game's record and the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bowerbird.engine import Game
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.replay import opening, replay
from bowerbird.harness.records.values.faults import FaultStory
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.outcome import WITHDRAWN


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A contradiction between a story and its game: the story's seat, the wrong key, and a sentence."""

    seat: int
    key: str
    reason: str


def contradictions(record: GameRecord, stories: Sequence[FaultStory]) -> Iterator[Contradiction]:
    """Yield the contradictions between stories and their game: at most one for each story.

    Seat, bot and legal tokens follow from the record. The end of the process and its stderr cannot be checked. Raises
    RecordError if the record's play breaks the rules.
    """
    if not stories:
        return
    at_fault = {fault.seat for fault in record.faults}
    choices = _choices(record)
    for story in stories:
        if story.seat not in at_fault:
            yield Contradiction(story.seat, "seat", f"seat {story.seat} committed no fault in game {record.id}")
        elif story.bot != (bot := record.seats[story.seat].bot):
            reason = f"seat {story.seat} of game {record.id} was held by bot {bot!r}, not by {story.bot!r}"
            yield Contradiction(story.seat, "bot", reason)
        elif story.legal != (legal := choices[story.seat]):
            said, right = (shown(", ".join(tokens)) or "nothing" for tokens in (story.legal, legal))
            reason = f"seat {story.seat} of game {record.id} was not to decide between {said}, but between {right}"
            yield Contradiction(story.seat, "legal", reason)


def _choices(record: GameRecord) -> dict[int, tuple[str, ...]]:
    """Return the legal tokens of each seat at fault, by seat; () in a game that was not played."""
    if record.result.ended == WITHDRAWN:
        return {fault.seat: () for fault in record.faults}
    found: dict[int, tuple[str, ...]] = {}
    after: Game | None = None
    for step in replay(record):
        if step.fault is not None:
            found[step.seat] = tuple(map(str, step.legal))
        after = step.after
    for fault in record.faults:
        if fault.seat not in found:  # this fault ended the game
            found[fault.seat] = tuple(map(str, (after or opening(record)).legal_actions()))
    return found
