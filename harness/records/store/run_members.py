"""A stored run as the files of its archive, and the digest over them (notation.md, Archive of a run)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from harness.records.errors import StoreError, sqlite_errors
from harness.records.quoting import shown
from harness.records.store import database
from harness.records.store.store import Store
from harness.records.text.members import CONFIG_FILE, NOTES, RECORD, RUN_FILE, STORIES, MemberDigests, Place
from harness.records.text.note_text import notes_text
from harness.records.text.run_text import ArchivedRun, run_text
from harness.records.text.story_text import stories_text
from harness.records.values.placements import Outcome
from harness.records.values.run import GameId


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive. `where` names for people what in the database it comes from."""

    name: str
    text: str
    where: str
    is_record: bool


def archived_run(store: Store, fingerprint: str) -> ArchivedRun:
    """Return the description of a stored run. Raises StoreError if it is not stored."""
    row, header = store.run(fingerprint), store.header(fingerprint)
    assert header is not None  # `store.run` found it
    return ArchivedRun(
        header=header,
        seed=row.seed,
        engine=row.engine,
        rules=row.rules,
        started=row.started,
        ended=row.ended,
        games=row.games,
        sets_after_seed=row.sets_after_seed,
        stories=store.story_count(row.fingerprint),
        notes=store.note_count(row.fingerprint),
        label=row.name if row.name != row.original_name else "",
        voids=store.voids(row.fingerprint),
        cpu=store.cpu_totals(row.fingerprint),
        machines=store.machines(row.fingerprint),
        outcome=Outcome(row.stopped, tuple(store.placements(row.fingerprint)), tuple(store.matches(row.fingerprint))),
        corrections=store.corrections(row.fingerprint),
    )


def run_members(store: Store, run: ArchivedRun) -> Iterator[Member]:
    """Yield the files of a run's archive in their order, without a signature.

    Raises StoreError if the run is damaged. Read in one `store.snapshot`.
    """
    fingerprint = run.header.fingerprint
    where = f"{store.path}: run {fingerprint}"
    yield Member(RUN_FILE, run_text(run), where, is_record=False)
    yield Member(CONFIG_FILE, run.header.config, f"{where}, its config", is_record=False)
    with_stories = store.games_with_stories(fingerprint) if run.stories else frozenset()
    with_notes = store.games_with_notes(fingerprint) if run.notes else frozenset()
    for game, text in store.record_texts(fingerprint):
        place = Place(0, _game_id(game, store))
        where = f"{store.path}: game {shown(game)}"
        yield Member(place.name(RECORD), text, where, is_record=True)
        if game in with_stories:
            told = stories_text(game, store.stories(game))
            yield Member(place.name(STORIES), told, f"{where}, the stories of its faults", is_record=False)
        if game in with_notes:
            noted = notes_text(game, store.notes(game))
            yield Member(place.name(NOTES), noted, f"{where}, the notes of its bots", is_record=False)
    for voided in store.voided_games(fingerprint):
        place = Place(voided.correction, _game_id(voided.id, store))
        where = f"{store.path}: game {shown(voided.id)}, voided by correction {voided.correction}"
        yield Member(place.name(RECORD), voided.record, where, is_record=True)
        if voided.stories:
            yield Member(place.name(STORIES), voided.stories, f"{where}, the stories of its faults", is_record=False)
        if voided.notes:
            yield Member(place.name(NOTES), voided.notes, f"{where}, the notes of its bots", is_record=False)


def _game_id(game: str, store: Store) -> GameId:
    try:
        return GameId.parse(game)
    except ValueError as error:
        raise StoreError(f"{store.path}: {error}; bowerbird verify lists everything that is wrong") from error


def run_digest(store: Store, fingerprint: str) -> str:
    """Return the digest of a run: SHA-256, in hex, over the files of its archive (`text.members.Digests.whole`).

    A name that a person gave the run later does not count. So the digest stays when the run is renamed. Raises
    StoreError if the run is damaged.
    """
    with store.snapshot():
        run = replace(archived_run(store, fingerprint), label="")
        digests = MemberDigests()
        for member in run_members(store, run):
            digests.add(member.name, member.text.encode())
    return digests.digests().whole


def store_run_digest(store: Store, fingerprint: str) -> str:
    """Store the digest of a run beside it, if it is complete and has none; return it, "" while the run is unfinished.

    Raises StoreError if reading or writing fails.
    """
    run = store.run(fingerprint)
    if run.ended is None or run.digest:
        return run.digest
    found = run_digest(store, fingerprint)
    with (
        sqlite_errors(store.path, f"writing the digest of run {fingerprint}"),
        closing(database.connect(store.path)) as writing,
        database.transaction(writing),
    ):
        sql = "UPDATE run SET digest = ? WHERE fingerprint = ? AND ended = ? AND digest = ''"
        writing.execute(sql, [found, fingerprint, run.ended])
    return found
