"""Corrections and what they took out of the results: tables `correction`, `corrected_set` and `voided_game`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from bowerbird.harness.records.store.tables.table import (
    IN_SET,
    SET_ORDER,
    Row,
    columns_of,
    insert,
    seed_from,
    set_columns,
    set_key_from,
    value_of,
)
from bowerbird.harness.records.values.corrections import Correction, VoidedGame
from bowerbird.harness.records.values.run import GameId, SetKey


def corrections_in(connection: sqlite3.Connection, run: str) -> tuple[Correction, ...]:
    """Return the corrections of a run, in order."""
    sets: dict[int, list[SetKey]] = {}
    for row in connection.execute(f"SELECT * FROM corrected_set WHERE run = ? ORDER BY {SET_ORDER}", [run]):
        sets.setdefault(row["correction"], []).append(set_key_from(row))
    sql = "SELECT correction, COUNT(*) AS n FROM voided_game WHERE run = ? GROUP BY correction"
    games = {row["correction"]: row["n"] for row in connection.execute(sql, [run])}
    return tuple(
        value_of(
            Correction,
            row,
            seed=seed_from(row["seed"]),
            sets=tuple(sets.get(row["number"], ())),
            games=games.get(row["number"], 0),
        )
        for row in connection.execute("SELECT * FROM correction WHERE run = ? ORDER BY number", [run])
    )


def insert_correction(connection: sqlite3.Connection, run: str, correction: Correction) -> None:
    """Insert a correction with its deal sets; its `games` have rows of their own."""
    seed = None if correction.seed is None else correction.seed.hex()
    row = {"run": run, **columns_of(correction, without=("sets", "games")), "seed": seed}
    insert(connection, "correction", [row])
    sets = ({**set_columns(run, key), "correction": correction.number} for key in correction.sets)
    insert(connection, "corrected_set", sets)


def voided_games_in(
    connection: sqlite3.Connection, run: str, correction: int | None = None, key: SetKey | None = None
) -> Iterator[VoidedGame]:
    """Yield the games that corrections took out of the results, by correction and id.

    correction: only those of this one. key: only those of this deal set.
    """
    where = ["run = :run"]
    parameters: dict[str, object] = {"run": run}
    if correction is not None:
        where.append("correction = :correction")
        parameters["correction"] = correction
    if key is not None:
        where.append(IN_SET)
        parameters |= set_columns(run, key)
    sql = f"SELECT * FROM voided_game WHERE {' AND '.join(where)} ORDER BY correction, {SET_ORDER}, rotation"
    return map(_voided_game_from, connection.execute(sql, parameters))


def _voided_game_from(row: sqlite3.Row) -> VoidedGame:
    key = set_key_from(row)
    return value_of(VoidedGame, row, id=str(GameId(row["run"], key.entry, key.lineup, key.number, row["rotation"])))


def insert_voided_games(connection: sqlite3.Connection, games: Iterable[VoidedGame]) -> None:
    """Insert games that a correction took out of the results. Raises ValueError for a malformed id."""
    insert(connection, "voided_game", map(_voided_game_row, games))


def delete_voided_set(connection: sqlite3.Connection, run: str, correction: int, key: SetKey) -> None:
    """Delete the games of a deal set that a correction took out of the results."""
    columns = {**set_columns(run, key), "correction": correction}
    connection.execute(f"DELETE FROM voided_game WHERE {IN_SET} AND correction = :correction", columns)


def _voided_game_row(game: VoidedGame) -> Row:
    place = GameId.parse(game.id)
    return {
        **set_columns(place.run, place.set_key),
        "rotation": place.rotation,
        **columns_of(game, without=("id",)),
    }
