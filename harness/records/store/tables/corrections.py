"""Corrections, and the deal sets that they took out: tables `correction`, `corrected_set` and `voided_game`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from bowerbird.harness.records.store.tables import table
from bowerbird.harness.records.values.corrections import Correction, VoidedGame
from bowerbird.harness.records.values.run import GameId, SetKey


def corrections_in(connection: sqlite3.Connection, run: str) -> tuple[Correction, ...]:
    """Return the corrections of a run, in order."""
    sets: dict[int, list[SetKey]] = {}
    for row in connection.execute(f"SELECT * FROM corrected_set WHERE run = ? ORDER BY {table.SET_ORDER}", [run]):
        sets.setdefault(row["correction"], []).append(table.set_key_from(row))
    sql = "SELECT correction, COUNT(*) AS n FROM voided_game WHERE run = ? GROUP BY correction"
    games = {row["correction"]: row["n"] for row in connection.execute(sql, [run])}
    return tuple(
        table.value_of(
            Correction,
            row,
            seed=table.seed_from(row["seed"]),
            sets=tuple(sets.get(row["number"], ())),
            games=games.get(row["number"], 0),
        )
        for row in connection.execute("SELECT * FROM correction WHERE run = ? ORDER BY number", [run])
    )


def insert_correction(connection: sqlite3.Connection, run: str, correction: Correction) -> None:
    """Insert a correction with its deal sets. Its `games` have their own rows."""
    seed = None if correction.seed is None else correction.seed.hex()
    row = {"run": run, **table.columns_of(correction, without=("sets", "games")), "seed": seed}
    table.insert(connection, "correction", [row])
    sets = ({**table.set_columns(run, key), "correction": correction.number} for key in correction.sets)
    table.insert(connection, "corrected_set", sets)


def voided_games_in(
    connection: sqlite3.Connection, run: str, correction: int | None = None, key: SetKey | None = None
) -> Iterator[VoidedGame]:
    """Yield the games that corrections took out of the results, by correction and id.

    correction: only the games of this correction. key: only the games of this deal set.
    """
    where = ["run = :run"]
    parameters: dict[str, object] = {"run": run}
    if correction is not None:
        where.append("correction = :correction")
        parameters["correction"] = correction
    if key is not None:
        where.append(table.IN_SET)
        parameters |= table.set_columns(run, key)
    sql = f"SELECT * FROM voided_game WHERE {' AND '.join(where)} ORDER BY correction, {table.SET_ORDER}, rotation"
    return map(_voided_game_from, connection.execute(sql, parameters))


def _voided_game_from(row: sqlite3.Row) -> VoidedGame:
    key = table.set_key_from(row)
    return table.value_of(
        VoidedGame, row, id=str(GameId(row["run"], key.entry, key.lineup, key.number, row["rotation"]))
    )


def insert_voided_games(connection: sqlite3.Connection, games: Iterable[VoidedGame]) -> None:
    """Insert games that a correction took out of the results. Raises ValueError for a malformed id."""
    table.insert(connection, "voided_game", map(_voided_game_row, games))


def delete_voided_set(connection: sqlite3.Connection, run: str, correction: int, key: SetKey) -> None:
    """Delete the games of a deal set that a correction took out of the results."""
    columns = {**table.set_columns(run, key), "correction": correction}
    connection.execute(f"DELETE FROM voided_game WHERE {table.IN_SET} AND correction = :correction", columns)


def _voided_game_row(game: VoidedGame) -> table.Row:
    place = GameId.parse(game.id)
    return {
        **table.set_columns(place.run, place.set_key),
        "rotation": place.rotation,
        **table.columns_of(game, without=("id",)),
    }
