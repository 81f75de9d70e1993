"""What the optional parts say on the pages of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.extensions import offers

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.game_record import GameRecord
    from bowerbird.harness.report.marks import DecisionMark, ReportSection


def marks_of(db: Path, record: GameRecord) -> list[DecisionMark]:
    """Return what is said about the decisions of a game of the database `db`. Raises StoreError."""
    return [mark for part in offers("marks") for mark in part.marks_of(db, record)]


def sections_of(run: StoredRun) -> list[ReportSection]:
    """Return what is said about a run in its report. Raises StoreError."""
    return [section for part in offers("marks") for section in part.sections_of(run)]
