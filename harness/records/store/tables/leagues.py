"""Leagues: tables `league`, `league_bot`, `epoch` and `league_event`. `store.league` changes them."""

from __future__ import annotations

import sqlite3

from bowerbird.harness.records.store.tables.table import value_of
from bowerbird.harness.records.values.league import Epoch, League, LeagueBot, Season


def league_from(row: sqlite3.Row) -> League:
    """Return the league of a row of `league`."""
    return value_of(League, row, is_paused=bool(row["is_paused"]), is_ending=bool(row["is_ending"]))


def season_in(connection: sqlite3.Connection, league: str, number: int | None = None) -> Season | None:
    """Return a season of a league, by default the current one; None if there is no such league."""
    row = connection.execute("SELECT * FROM league WHERE name = ?", [league]).fetchone()
    if row is None:
        return None
    found = league_from(row)
    of = [league, found.season if number is None else number]
    bots = connection.execute("SELECT * FROM league_bot WHERE league = ? AND season = ? ORDER BY rowid", of)
    epochs = connection.execute("SELECT * FROM epoch WHERE league = ? AND season = ? ORDER BY number", of)
    return Season(
        found,
        tuple(value_of(LeagueBot, row) for row in bots),
        tuple(value_of(Epoch, row) for row in epochs),
    )
