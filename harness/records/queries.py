"""What is read of a run over any connection: the store's, or one in whose transaction there may be more."""

from __future__ import annotations

import sqlite3

from harness.records.answers import fault_story, game_result
from harness.records.errors import StoreError
from harness.records.rows import GameResult
from harness.records.set_keys import Block
from harness.records.story import FaultStory

GAME_ORDER = "run, entry, lineup, set_number, rotation"
"""The order of the games' ids, in SQL."""


def results_in(connection: sqlite3.Connection, fingerprint: str, block: Block | None = None) -> list[GameResult]:
    """`Store.results` over this connection. Raises StoreError where another program took rows out."""
    where = "run = ?"
    parameters: list[str | int] = [fingerprint]
    if block is not None:
        where += " AND entry = ? AND lineup = ? AND set_number BETWEEN ? AND ?"
        parameters += [block.entry, block.lineup, block.sets[0], block.sets[-1]]
    rows = connection.execute(f"SELECT * FROM matches WHERE {where} ORDER BY {GAME_ORDER}", parameters)
    try:
        results = [game_result(row) for row in rows]
    except ValueError as error:
        raise StoreError(_damaged(fingerprint, str(error))) from error
    for result in results:
        if not result.bots or (result.offenders and result.offenders[-1] >= len(result.bots)):
            raise StoreError(_damaged(fingerprint, f"game {result.id} has lost a seat"))
    entered = {row["name"] for row in connection.execute("SELECT name FROM bot WHERE run = ?", [fingerprint])}
    strangers = {bot for bots in {result.bots for result in results} for bot in bots} - entered
    if strangers:
        raise StoreError(_damaged(fingerprint, f"bot {min(strangers)!r} plays in it and is none of its bots"))
    return results


def _damaged(fingerprint: str, what: str) -> str:
    return f"run {fingerprint} is damaged: {what}; bowerbird verify tells all that is wrong with it"


def stories_in(connection: sqlite3.Connection, game: str) -> tuple[FaultStory, ...]:
    """`Store.stories` over this connection."""
    rows = connection.execute(
        """SELECT story.*, seat.bot FROM story JOIN seat ON seat.game = story.game AND seat.seat = story.seat
        WHERE story.game = ? ORDER BY story.seat""",
        [game],
    )
    return tuple(fault_story(row) for row in rows)
