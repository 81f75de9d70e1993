"""Data beside the records: tables `story` (of faults) and `note` (of bots), view `faults`."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from bowerbird.harness.records.store.tables.table import Row, columns_of, insert, tuple_from, value_of
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.faults import NO_LOG, FaultStory
from bowerbird.harness.records.values.query_results import FaultRow


def stories_in(connection: sqlite3.Connection, game: str) -> tuple[FaultStory, ...]:
    """Return the stored stories of a game's faults, by seat."""
    rows = connection.execute(
        """SELECT story.*, seat.bot FROM story JOIN seat ON seat.game = story.game AND seat.seat = story.seat
        WHERE story.game = ? ORDER BY story.seat""",
        [game],
    )
    return tuple(value_of(FaultStory, row, legal=tuple_from(row["legal"])) for row in rows)


def insert_stories(connection: sqlite3.Connection, stories: Iterable[FaultStory], folder: Path) -> None:
    """Insert stories of faults. Their `bot` is in the table `seat`.

    `folder` is that of the database; the path of a log below it becomes relative to it.
    """
    insert(connection, "story", (_story_row(story, folder.absolute()) for story in stories))


def _story_row(story: FaultStory, folder: Path) -> Row:
    log = story.log
    if log and Path(log).is_relative_to(folder):
        log = str(Path(log).relative_to(folder))
    return {**columns_of(story, without=("bot",)), "legal": json.dumps(story.legal), "log": log}


def fault_from(row: sqlite3.Row, folder: Path) -> FaultRow:
    """Return the fault in a row of `faults`. `folder` is that of the database."""
    log = row["log"]
    is_here = os.path.exists(folder / log)  # unlike Path.exists, it never raises
    return value_of(
        FaultRow, row, legal=tuple_from(row["legal"]), log=log if is_here else "", no_log="" if is_here else NO_LOG
    )


def notes_in(connection: sqlite3.Connection, game: str) -> tuple[Note, ...]:
    """Return the stored notes of a game's bots, in the order of the actions."""
    rows = connection.execute("SELECT * FROM note WHERE game = ? ORDER BY hand, action", [game])
    return tuple(value_of(Note, row) for row in rows)


def insert_notes(connection: sqlite3.Connection, notes: Iterable[Note]) -> None:
    """Insert notes of bots."""
    insert(connection, "note", map(columns_of, notes))
