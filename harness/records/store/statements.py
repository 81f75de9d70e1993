"""SQL shared by the store, a run's writer and imports: each runs it over a connection of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from harness.records.errors import StoreError
from harness.records.store.rows import (
    Row,
    TableRows,
    bot_row,
    corrected_set_row,
    correction_from,
    correction_row,
    entrant_from,
    epoch_from,
    header_from,
    incident_row,
    job_row,
    league_bot_from,
    league_from,
    machine_total_from,
    match_result_from,
    match_result_row,
    note_from,
    note_row,
    origin_from,
    origin_row,
    placement_from,
    placement_row,
    rating_row,
    record_rating_row,
    result_from,
    set_columns,
    set_key_from,
    story_from,
    story_row,
    void_from,
    void_row,
    voided_game_from,
    voided_game_row,
)
from harness.records.values.annotations import Note
from harness.records.values.corrections import Correction, VoidedGame
from harness.records.values.faults import FaultStory, Incident
from harness.records.values.game_result import GameResult
from harness.records.values.league import Season
from harness.records.values.machines import Machine, MachineTotal
from harness.records.values.origin import Origin
from harness.records.values.placements import MatchResult, Outcome, Placement
from harness.records.values.run import CpuTotal, Entrant, RatingRow, RatingTable, RecordRating, RunHeader, SetKey
from harness.records.values.set_keys import Block
from harness.records.values.voids import VoidedSet

GAME_ORDER = "run, entry, lineup, set_number, rotation"
"""The order of the games' ids, in SQL."""

_SET_ORDER = "entry, lineup, set_number"

IN_SET = "run = :run AND entry = :entry AND lineup = :lineup AND set_number = :set_number"
"""The condition that a row belongs to a deal set, whose parameters are `set_columns`."""


def now() -> str:
    """Return the current time as stored: UTC, ISO 8601, in milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


# Reading


def bots_in(connection: sqlite3.Connection, run: str) -> list[Entrant]:
    """Return the bots of a run, in the order of its file."""
    rows = connection.execute("SELECT * FROM bot WHERE run = ? ORDER BY place", [run])
    return [entrant_from(row) for row in rows]


def header_in(connection: sqlite3.Connection, run: str) -> RunHeader | None:
    """Return the header of a run; None if it is not stored."""
    row = connection.execute("SELECT * FROM run WHERE fingerprint = ?", [run]).fetchone()
    return None if row is None else header_from(row, bots_in(connection, run))


def season_in(connection: sqlite3.Connection, league: str, number: int | None = None) -> Season | None:
    """Return a season of a league, by default the present one; None if there is no such league."""
    row = connection.execute("SELECT * FROM league WHERE name = ?", [league]).fetchone()
    if row is None:
        return None
    found = league_from(row)
    of = [league, found.season if number is None else number]
    bots = connection.execute("SELECT * FROM league_bot WHERE league = ? AND season = ? ORDER BY rowid", of)
    epochs = connection.execute("SELECT * FROM epoch WHERE league = ? AND season = ? ORDER BY number", of)
    return Season(found, tuple(map(league_bot_from, bots)), tuple(map(epoch_from, epochs)))


def set_size(connection: sqlite3.Connection, run: str, key: SetKey) -> int | None:
    """Return the number of games of a stored deal set; None if it is not stored."""
    row = connection.execute(f"SELECT games FROM job WHERE {IN_SET}", set_columns(run, key)).fetchone()
    return None if row is None else int(row["games"])


def voids_in(connection: sqlite3.Connection, run: str) -> tuple[VoidedSet, ...]:
    """Return the voids of a run, by deal set and attempt."""
    sql = """
        SELECT void.*, EXISTS (
            SELECT 1 FROM corrected_set AS later WHERE later.run = void.run AND later.entry = void.entry
            AND later.lineup = void.lineup AND later.set_number = void.set_number
            AND later.correction > void.correction
        ) AS is_past
        FROM void WHERE run = ? ORDER BY entry, lineup, set_number, correction, attempt
        """
    return tuple(void_from(row) for row in connection.execute(sql, [run]))


def corrections_in(connection: sqlite3.Connection, run: str) -> tuple[Correction, ...]:
    """Return the corrections of a run, in order."""
    sets: dict[int, list[SetKey]] = {}
    for row in connection.execute(f"SELECT * FROM corrected_set WHERE run = ? ORDER BY {_SET_ORDER}", [run]):
        sets.setdefault(row["correction"], []).append(set_key_from(row))
    sql = "SELECT correction, COUNT(*) AS n FROM voided_game WHERE run = ? GROUP BY correction"
    games = {row["correction"]: row["n"] for row in connection.execute(sql, [run])}
    rows = connection.execute("SELECT * FROM correction WHERE run = ? ORDER BY number", [run])
    return tuple(correction_from(row, tuple(sets.get(row["number"], ())), games.get(row["number"], 0)) for row in rows)


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
    sql = f"SELECT * FROM voided_game WHERE {' AND '.join(where)} ORDER BY correction, {_SET_ORDER}, rotation"
    return map(voided_game_from, connection.execute(sql, parameters))


def machines_in(connection: sqlite3.Connection, run: str) -> tuple[MachineTotal, ...]:
    """Return the machines of a run, in order."""
    rows = connection.execute("SELECT * FROM machines WHERE run = ?", [run])
    return tuple(sorted(map(machine_total_from, rows)))


def placements_in(connection: sqlite3.Connection, run: str) -> tuple[Placement, ...]:
    """Return the places of a run, best first."""
    rows = connection.execute("SELECT * FROM placement WHERE run = ? ORDER BY number", [run])
    return tuple(map(placement_from, rows))


def matches_in(connection: sqlite3.Connection, run: str) -> tuple[MatchResult, ...]:
    """Return the matches of a run, round by round."""
    rows = connection.execute("SELECT * FROM match_result WHERE run = ? ORDER BY number", [run])
    return tuple(map(match_result_from, rows))


def outcome_in(connection: sqlite3.Connection, run: str) -> Outcome:
    """Return the outcome of a run; an empty one if it is not stored."""
    row = connection.execute("SELECT stopped FROM run WHERE fingerprint = ?", [run]).fetchone()
    return Outcome(row["stopped"] if row else "", placements_in(connection, run), matches_in(connection, run))


def results_in(
    connection: sqlite3.Connection, run: str, block: Block | None = None, *, with_times: bool = False
) -> list[GameResult]:
    """Return the results of a run, or of one block of it, in the order of the games' ids.

    with_times: also read `thinking_ms`, which takes time and memory.

    Raises StoreError if another program removed rows.
    """
    where = "run = ?"
    parameters: list[str | int] = [run]
    if block is not None:
        where += " AND entry = ? AND lineup = ? AND set_number BETWEEN ? AND ?"
        parameters += [block.entry, block.lineup, block.sets[0], block.sets[-1]]
    columns = f"*, {_TIMES} AS thinking_ms" if with_times else "*, '[]' AS thinking_ms"
    rows = connection.execute(f"SELECT {columns} FROM matches WHERE {where} ORDER BY {GAME_ORDER}", parameters)
    try:
        results = [result_from(row) for row in rows]
    except ValueError as error:
        raise StoreError(_damaged(run, str(error))) from error
    for result in results:
        if not result.bots or (result.offenders and result.offenders[-1] >= len(result.bots)):
            raise StoreError(_damaged(run, f"game {result.id} has lost a seat"))
    entered = {row["name"] for row in connection.execute("SELECT name FROM bot WHERE run = ?", [run])}
    strangers = {bot for bots in {result.bots for result in results} for bot in bots} - entered
    if strangers:
        raise StoreError(_damaged(run, f"bot {min(strangers)!r} plays in it but is not one of its bots"))
    return results


_TIMES = "(SELECT json_group_array(time_ms) FROM (SELECT time_ms FROM seat WHERE seat.game = matches.id ORDER BY seat))"
"""The time charged to each seat of a game of the view `matches`."""


def _damaged(run: str, what: str) -> str:
    return f"run {run} is damaged: {what}; bowerbird verify lists everything that is wrong"


def stories_in(connection: sqlite3.Connection, game: str) -> tuple[FaultStory, ...]:
    """Return the stored stories of a game's faults, by seat."""
    rows = connection.execute(
        """SELECT story.*, seat.bot FROM story JOIN seat ON seat.game = story.game AND seat.seat = story.seat
        WHERE story.game = ? ORDER BY story.seat""",
        [game],
    )
    return tuple(story_from(row) for row in rows)


def notes_in(connection: sqlite3.Connection, game: str) -> tuple[Note, ...]:
    """Return the stored notes of a game's bots, in the order of the actions."""
    rows = connection.execute("SELECT * FROM note WHERE game = ? ORDER BY hand, action", [game])
    return tuple(map(note_from, rows))


def origins_in(connection: sqlite3.Connection, run: str) -> tuple[Origin, ...]:
    """Return who signed the archives that brought a run, unsigned first; () if it was played here."""
    rows = connection.execute("SELECT * FROM origin WHERE run = ? ORDER BY key", [run])
    return tuple(map(origin_from, rows))


# Writing, inside an open transaction


def insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row], on_conflict: str = "") -> None:
    """Insert rows, which all have the columns of the first. `on_conflict` is the upsert clause, if any."""
    listed = list(rows)
    if listed:
        columns = ", ".join(listed[0])
        places = ", ".join(f":{column}" for column in listed[0])
        connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places}) {on_conflict}", listed)


def insert_bots(connection: sqlite3.Connection, run: str, bots: Iterable[Entrant], first_place: int) -> None:
    """Enter bots into a run, at the places from `first_place` on."""
    insert(connection, "bot", (bot_row(run, bot, place) for place, bot in enumerate(bots, first_place)))


def insert_job(
    connection: sqlite3.Connection,
    run: str,
    key: SetKey,
    games: int,
    *,
    played_ms: int = 0,
    machine: Machine | None = None,
) -> None:
    """Mark a deal set of `games` games as stored now.

    played_ms: the total playing time of its run.
    machine: the one that played it; None if unknown.
    """
    number = None if machine is None else _machine_id(connection, run, machine)
    insert(connection, "job", [job_row(run, key, games=games, saved=now(), played_ms=played_ms, machine=number)])


def _machine_id(connection: sqlite3.Connection, run: str, machine: Machine) -> int:
    """Return the id of a machine of the run, which is inserted if it is new."""
    insert_machine(connection, run, machine)
    sql = "SELECT id FROM machine WHERE run = ? AND cpu = ? AND speed = ?"
    return int(connection.execute(sql, [run, machine.cpu, machine.speed]).fetchone()["id"])


def insert_machine(connection: sqlite3.Connection, run: str, machine: Machine, imported: int = 0) -> None:
    """Insert a machine of the run, unless it is there, and add to its number of imported deal sets."""
    insert(
        connection,
        "machine",
        [{"run": run, **asdict(machine), "imported": imported}],
        "ON CONFLICT (run, cpu, speed) DO UPDATE SET imported = imported + excluded.imported",
    )


def resize_job(connection: sqlite3.Connection, run: str, key: SetKey, games: int) -> None:
    """Set the number of games of a stored deal set."""
    connection.execute(
        "UPDATE job SET games = ? WHERE run = ? AND entry = ? AND lineup = ? AND set_number = ?",
        [games, run, key.entry, key.lineup, key.number],
    )


def insert_voids(connection: sqlite3.Connection, run: str, voids: Iterable[VoidedSet]) -> None:
    """Insert voids, each with its own time or else now. A void that is stored already gets these bots."""
    rows = [void_row(run, void, void.saved or now()) for void in voids]
    insert(
        connection,
        "void",
        rows,
        "ON CONFLICT (run, entry, lineup, set_number, correction, attempt) DO UPDATE SET bots = excluded.bots",
    )


def insert_correction(connection: sqlite3.Connection, run: str, correction: Correction) -> None:
    """Insert a correction with its deal sets."""
    insert(connection, "correction", [correction_row(run, correction)])
    insert(connection, "corrected_set", (corrected_set_row(run, correction.number, key) for key in correction.sets))


def insert_voided_games(connection: sqlite3.Connection, games: Iterable[VoidedGame]) -> None:
    """Insert games that a correction took out of the results."""
    insert(connection, "voided_game", map(voided_game_row, games))


def delete_set(connection: sqlite3.Connection, run: str, key: SetKey) -> None:
    """Delete a stored deal set with its games, their stories and their notes."""
    columns = set_columns(run, key)
    games = f"(SELECT id FROM game WHERE {IN_SET})"
    for table in ("note", "story", "fault", "seat"):
        connection.execute(f"DELETE FROM {table} WHERE game IN {games}", columns)
    for table in ("game", "job"):
        connection.execute(f"DELETE FROM {table} WHERE {IN_SET}", columns)


def insert_incidents(connection: sqlite3.Connection, run: str, incidents: Iterable[Incident]) -> None:
    """Insert incidents, except those that are stored already."""
    insert(connection, "incident", (incident_row(run, one) for one in incidents), "ON CONFLICT DO NOTHING")


def add_cpu(connection: sqlite3.Connection, run: str, used: Iterable[CpuTotal]) -> None:
    """Add processor time to what is stored of the run's bots."""
    _upsert_cpu(connection, run, used, "cpu.{0} + excluded.{0}")


def raise_cpu(connection: sqlite3.Connection, run: str, totals: Iterable[CpuTotal]) -> None:
    """Raise the stored processor time of each bot to these totals, where it is less."""
    _upsert_cpu(connection, run, totals, "MAX(cpu.{0}, excluded.{0})")


def _upsert_cpu(connection: sqlite3.Connection, run: str, rows: Iterable[CpuTotal], merged: str) -> None:
    """Insert these rows; where a bot has one, set each column to the expression `merged`."""
    columns = ", ".join(f"{column} = {merged.format(column)}" for column in ("cpu_ms", "processes"))
    insert(
        connection,
        "cpu",
        [{"run": run, **asdict(row)} for row in rows],
        f"ON CONFLICT (run, bot) DO UPDATE SET {columns}",
    )


def insert_game(connection: sqlite3.Connection, rows: TableRows) -> None:
    """Insert a game with its seats and faults."""
    insert(connection, "game", [rows.game])
    insert(connection, "seat", rows.seats)
    insert(connection, "fault", rows.faults)


def insert_single(connection: sqlite3.Connection, game: str, text: str) -> None:
    """Insert the record of a game without its run."""
    insert(connection, "single", [{"id": game, "record": text}])


def insert_stories(connection: sqlite3.Connection, stories: Iterable[FaultStory], folder: Path) -> None:
    """Insert stories of faults; `folder` is the database's (see `story_row`)."""
    insert(connection, "story", (story_row(story, folder) for story in stories))


def insert_notes(connection: sqlite3.Connection, notes: Iterable[Note]) -> None:
    """Insert notes of bots."""
    insert(connection, "note", map(note_row, notes))


def replace_outcome(connection: sqlite3.Connection, run: str, outcome: Outcome) -> None:
    """Replace the outcome of a run; an empty one takes it back."""
    connection.execute("UPDATE run SET stopped = ? WHERE fingerprint = ?", [outcome.reason, run])
    for table in ("placement", "match_result"):
        connection.execute(f"DELETE FROM {table} WHERE run = ?", [run])
    insert(connection, "placement", (placement_row(run, *each) for each in enumerate(outcome.places)))
    insert(connection, "match_result", (match_result_row(run, *each) for each in enumerate(outcome.matches)))


def insert_origin(connection: sqlite3.Connection, run: str, origin: Origin, *, alone: bool) -> None:
    """Insert who signed an archive of a run, in place of an older row with this key; of all others, if `alone`."""
    others = "" if alone else "AND key = :key"
    connection.execute(f"DELETE FROM origin WHERE run = :run {others}", {"run": run, "key": origin.key})
    insert(connection, "origin", [origin_row(run, origin)])


def replace_record_ratings(
    connection: sqlite3.Connection, run: str, ratings: Iterable[RecordRating], digest: str
) -> None:
    """Replace the ratings of record of a run; `digest` is that of the results behind them."""
    connection.execute("DELETE FROM record_rating WHERE run = ?", [run])
    insert(connection, "record_rating", (record_rating_row(run, each, digest) for each in ratings))


def replace_ratings(connection: sqlite3.Connection, run: str, ratings: RatingTable) -> None:
    """Replace all ratings of the run."""
    connection.execute("DELETE FROM rating WHERE run = ?", [run])
    update_ratings(connection, run, ratings, ratings.rows)


def update_ratings(
    connection: sqlite3.Connection, run: str, ratings: RatingTable, changed: Iterable[RatingRow]
) -> None:
    """Change the run's ratings to `ratings`; only those in `changed` differ from the stored ones."""
    insert(
        connection,
        "rating",
        (rating_row(run, row) for row in changed),
        "ON CONFLICT (run, scope, bot) DO UPDATE SET rating = excluded.rating, games = excluded.games",
    )
    connection.execute(
        "UPDATE run SET rating_digest = ?, rating_sets = ? WHERE fingerprint = ?", [ratings.digest, ratings.sets, run]
    )
