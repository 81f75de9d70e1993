"""What the optional parts say on the pages of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.extensions import offers

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.game_record import GameRecord
    from bowerbird.harness.report.marks import GameMarks, MarksOf, ReportSection


@contextmanager
def marks_of(db: Path) -> Iterator[MarksOf]:
    """Yield what returns what is said about a game of the database `db`. Raises StoreError."""
    with ExitStack() as stack:
        parts: list[MarksOf] = [stack.enter_context(part.marks_of(db)) for part in offers("marks")]

        def of_all(record: GameRecord) -> GameMarks:
            from bowerbird.harness.report.marks import GameMarks

            found = [part(record) for part in parts]
            decisions = [mark for one in found for mark in one.decisions]
            return GameMarks(decisions, [mark for one in found for mark in one.hands])

        yield of_all


def sections_of(run: StoredRun) -> list[ReportSection]:
    """Return what is said about a run in its report. Raises StoreError."""
    return [section for part in offers("marks") for section in part.sections_of(run)]
