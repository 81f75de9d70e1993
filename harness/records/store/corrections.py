"""Corrects a stored run: removes deal sets from its results, to be dealt again from a new seed (faults.md)."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.records.errors import StoreError, sqlite_errors
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store.access import behind_links
from bowerbird.harness.records.store.sidecar import RunLock, SeedFile
from bowerbird.harness.records.store.tables.corrections import (
    corrections_in,
    delete_voided_set,
    insert_correction,
    insert_voided_games,
    voided_games_in,
)
from bowerbird.harness.records.store.tables.games import insert_game, results_in, rows_of_record
from bowerbird.harness.records.store.tables.outcomes import replace_outcome
from bowerbird.harness.records.store.tables.ratings import replace_results_digest
from bowerbird.harness.records.store.tables.runs import header_in, origins_in
from bowerbird.harness.records.store.tables.sets import delete_set, insert_job, set_size
from bowerbird.harness.records.store.tables.stories import insert_notes, insert_stories, notes_in, stories_in
from bowerbird.harness.records.store.tables.table import GAME_ORDER, IN_SET, now, set_columns
from bowerbird.harness.records.store.tables.unpaired import delete_unpaired
from bowerbird.harness.records.text.beside_text import notes_text, read_notes, read_stories, stories_text
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.corrections import (
    MOST_CORRECTIONS,
    REINSTATE,
    WITHDRAW,
    Correction,
    VoidedGame,
    annulled_sets,
    wrong_corrections,
)
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import OPEN
from bowerbird.harness.records.values.run import ResultsDigest, SetKey, commitment_of

SEED_BYTES = 32


@dataclass(frozen=True, slots=True)
class Decision:
    """An organiser's decision about a run: the fields of a `Correction` that people choose.

    sets: the deal sets to take out of the results, be they stored, annulled or left out.
    unpaired_from: the first round whose pairs must be redrawn because they depend on changed results; 0 for none.
    """

    kind: str
    bot: str
    by: str
    why: str
    sets: tuple[SetKey, ...]
    unpaired_from: int = 0


def correct_run(
    path: Path,
    fingerprint: str,
    decide: Callable[[], Decision],
    digest_of: Callable[[Sequence[GameResult]], ResultsDigest],
) -> Correction:
    """Take the decision's deal sets out of the results of a run, and return the correction as stored.

    The run is unfinished afterwards. When resumed, it plays these sets again, from a new seed that is drawn and
    committed to here. A withdrawal annuls the sets instead, and they count again if its bot is reinstated. Everything
    happens in one transaction. The failures of bots in these sets no longer count against their limits; if a bot is
    reinstated, none of its failures do. Places, matches and ratings of record are removed.

    decide: returns the decision; called when no other process can change the run.
    digest_of: computes the digest of results.

    Raises what `decide` raises; StoreError if the run is not stored, is being played, was not played here, has too many
    corrections, or if reading or writing fails; ValueError for a decision that is not allowed in a correction.
    """
    path = behind_links(path)
    doing = f"correcting run {fingerprint}, which was not done"
    with (
        sqlite_errors(path, doing),
        RunLock(path, fingerprint),
        closing(database.connect(path)) as connection,
    ):
        decision = decide()
        seed = SeedFile(path, fingerprint, len(corrections_in(connection, fingerprint)) + 1)
        try:
            with database.transaction(connection):
                return _correct(connection, path, fingerprint, decision, digest_of)
        except BaseException:
            if len(corrections_in(connection, fingerprint)) < seed.correction:  # an interrupt can come after the end
                seed.remove()
            raise


def imported_sentence(path: Path, fingerprint: str) -> str:
    """Return the reason why an imported run cannot be corrected in the database `path`."""
    return (
        f"{path}: run {fingerprint} was imported; correct it where it was played, export it there, and "
        "import that archive here"
    )


def _correct(
    connection: sqlite3.Connection,
    path: Path,
    fingerprint: str,
    decision: Decision,
    digest_of: Callable[[Sequence[GameResult]], ResultsDigest],
) -> Correction:
    header = header_in(connection, fingerprint)
    if header is None:
        raise StoreError(f"{path}: run {fingerprint} is no longer recorded here")
    if origins_in(connection, fingerprint):
        raise StoreError(imported_sentence(path, fingerprint))
    earlier = corrections_in(connection, fingerprint)
    if wrong := wrong_corrections(earlier, {bot.name for bot in header.bots}):
        raise StoreError(f"{path}: run {fingerprint} is damaged: {wrong}")
    if len(earlier) == MOST_CORRECTIONS:
        raise StoreError(f"{path}: run {fingerprint} has {MOST_CORRECTIONS} corrections, the most that a run can have")
    number = len(earlier) + 1
    sets = tuple(sorted(set(decision.sets)))
    seed = os.urandom(SEED_BYTES)
    deals_again = bool(sets) and decision.kind != WITHDRAW
    correction = Correction(
        number=number,
        kind=decision.kind,
        bot=decision.bot,
        by=decision.by,
        why=decision.why,
        saved=now(),
        commitment=commitment_of(seed) if deals_again else "",
        seed=None,
        sets=sets,
        games=0,
    )
    if wrong := wrong_corrections([*earlier, correction], {bot.name for bot in header.bots}):
        raise ValueError(wrong)
    seed_file = SeedFile(path, fingerprint, number)
    if deals_again:
        seed_file.write(seed)  # before the correction itself, so that a corrected run can always be resumed
    insert_correction(connection, fingerprint, correction)
    take_out(connection, fingerprint, correction)
    put_back(connection, fingerprint, earlier, correction, path.parent)
    if decision.unpaired_from:
        delete_unpaired(connection, fingerprint, decision.unpaired_from)
    _forgive(connection, fingerprint, correction)
    reopen(connection, fingerprint)
    replace_results_digest(connection, fingerprint, digest_of(results_in(connection, fingerprint)))
    return corrections_in(connection, fingerprint)[-1]


def take_out(connection: sqlite3.Connection, run: str, correction: Correction) -> None:
    """Move the stored games of a correction's deal sets, with their stories and notes, to the voided games."""
    for key in correction.sets:
        if set_size(connection, run, key) is None:
            continue
        insert_voided_games(connection, _games_of(connection, run, correction.number, key))
        delete_set(connection, run, key)


def put_back(
    connection: sqlite3.Connection, run: str, earlier: Sequence[Correction], correction: Correction, folder: Path
) -> None:
    """Move the games of deal sets that are no longer annulled back into the results.

    earlier: the corrections before this one. folder: the database's folder.
    """
    still = annulled_sets([*earlier, correction])
    for key in annulled_sets(earlier):
        if key in still or key in correction.sets:
            continue
        games = list(voided_games_in(connection, run, key=key))
        number = max((game.correction for game in games), default=0)
        _put_back_set(connection, run, key, [game for game in games if game.correction == number], folder)
        _count_again(connection, run, key, number, correction)


def _put_back_set(
    connection: sqlite3.Connection, run: str, key: SetKey, games: Sequence[VoidedGame], folder: Path
) -> None:
    """Store voided games as games of a deal set that counts. Do nothing if no archive has supplied them yet."""
    if not games:
        return
    insert_job(connection, run, key, len(games))
    for game in games:
        record = read(game.record)
        insert_game(connection, rows_of_record(record, game.record))
        if game.stories:
            insert_stories(connection, read_stories(game.stories, record, f"stories of {game.id}"), folder)
        if game.notes:
            insert_notes(connection, read_notes(game.notes, record, f"notes of {game.id}"))
    delete_voided_set(connection, run, games[0].correction, key)


def _count_again(connection: sqlite3.Connection, run: str, key: SetKey, number: int, correction: Correction) -> None:
    """Count other bots' failures in a deal set against their limits again, because the set counts again."""
    begun = f"{run}/{key}/"
    connection.execute(
        "UPDATE OR IGNORE incident SET correction = 0"
        " WHERE run = ? AND correction = ? AND bot <> ? AND substr(name, 1, ?) = ?",
        [run, number, correction.bot, len(begun), begun],
    )


def reopen(connection: sqlite3.Connection, run: str) -> None:
    """Mark a run as incomplete, without an outcome or ratings of record."""
    connection.execute("UPDATE run SET ended = NULL, digest = '' WHERE fingerprint = ?", [run])
    replace_outcome(connection, run, OPEN)
    connection.execute("DELETE FROM record_rating WHERE run = ?", [run])


def _games_of(connection: sqlite3.Connection, run: str, number: int, key: SetKey) -> Iterable[VoidedGame]:
    sql = f"SELECT id, record FROM game WHERE {IN_SET} ORDER BY {GAME_ORDER}"
    for row in connection.execute(sql, set_columns(run, key)).fetchall():
        stories, notes = stories_in(connection, row["id"]), notes_in(connection, row["id"])
        yield VoidedGame(
            correction=number,
            id=row["id"],
            record=row["record"],
            stories=stories_text(row["id"], stories) if stories else "",
            story_count=len(stories),
            notes=notes_text(row["id"], notes) if notes else "",
            note_count=len(notes),
        )


def _forgive(connection: sqlite3.Connection, run: str, correction: Correction) -> None:
    """Mark the failures of bots that no longer count."""
    begun = tuple(f"{run}/{key}/" for key in correction.sets)
    rows = connection.execute("SELECT bot, name FROM incident WHERE run = ? AND correction = 0", [run]).fetchall()
    gone = [
        (correction.number, run, row["bot"], row["name"])
        for row in rows
        if (correction.kind == REINSTATE and row["bot"] == correction.bot) or row["name"].startswith(begun)
    ]
    connection.executemany(
        "UPDATE incident SET correction = ? WHERE run = ? AND bot = ? AND name = ? AND correction = 0", gone
    )
