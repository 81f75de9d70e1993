"""Additions of the optional parts to the pages of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.engine import OptionValue
from bowerbird.harness.extensions import offers

if TYPE_CHECKING:
    from bowerbird.harness.records.replay.replay import Step
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.game_record import GameRecord
    from bowerbird.harness.report.marks import GameMarks, Lesson, MarksOf, ReportSection


@contextmanager
def marks_of(db: Path) -> Iterator[MarksOf]:
    """Yield a function that returns the marks for a game of the database `db`. Raises StoreError."""
    with ExitStack() as stack:
        parts: list[MarksOf] = [stack.enter_context(part.marks_of(db)) for part in offers("marks")]

        def of_all(record: GameRecord) -> GameMarks:
            from bowerbird.harness.report.marks import GameMarks

            found = [part(record) for part in parts]
            decisions = [mark for one in found for mark in one.decisions]
            note = " ".join(one.note for one in found if one.note)
            return GameMarks(decisions, [mark for one in found for mark in one.hands], note)

        yield of_all


def lessons_of(
    variant: str, options: Mapping[str, OptionValue], steps: Sequence[Step], seat: int
) -> list[Lesson] | None:
    """Return the cost of a seat's decisions in a finished hand; None if no installed part can evaluate them.

    This is slow.
    """
    found = [part.lessons_of(variant, options, steps, seat) for part in offers("lessons")]
    judged = [lessons for lessons in found if lessons is not None]
    return [lesson for lessons in judged for lesson in lessons] if judged else None


def sections_of(run: StoredRun) -> list[ReportSection]:
    """Return the additional sections of a run's report. Raises StoreError."""
    return [section for part in offers("marks") for section in part.sections_of(run)]
