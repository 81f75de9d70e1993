"""A stored run as the files of its archive, and the digest over them (notation.md, Archive of a run)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.text.beside_text import notes_text, stories_text
from bowerbird.harness.records.text.members import CONFIG_FILE, NOTES, RECORD, RUN_FILE, STORIES, MemberDigests, Place
from bowerbird.harness.records.text.run_text import ArchivedRun, run_text
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import GameId


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive. `where` is its place in the database, for people."""

    name: str
    text: str
    where: str
    is_record: bool


def archived_run(run: StoredRun) -> ArchivedRun:
    """Return the description of a stored run. Raises StoreError if it is not stored."""
    row = run.store.run(run.fingerprint).row  # as it is now
    header = run.header()
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
        stories=run.story_count(),
        notes=run.note_count(),
        label=row.name if row.name != row.original_name else "",
        voids=run.voids(),
        cpu=run.cpu_totals(),
        machines=run.machines(),
        outcome=Outcome(row.stopped, tuple(run.placements()), tuple(run.matches())),
        corrections=run.corrections(),
        unpaired=run.unpaired(),
    )


def run_members(run: StoredRun, archived: ArchivedRun) -> Iterator[Member]:
    """Yield the files of a run's archive in order, without a signature.

    archived: the result of `archived_run` in the same `Store.snapshot`.

    Raises StoreError if the run is damaged.
    """
    store = run.store
    where = f"{store.path}: run {run.fingerprint}"
    yield Member(RUN_FILE, run_text(archived), where, is_record=False)
    yield Member(CONFIG_FILE, archived.header.config, f"{where}, its config", is_record=False)
    with_stories = run.games_with_stories() if archived.stories else frozenset()
    with_notes = run.games_with_notes() if archived.notes else frozenset()
    for game, text in run.record_texts():
        place = Place(0, _game_id(game, store))
        where = f"{store.path}: game {shown(game)}"
        yield Member(place.name(RECORD), text, where, is_record=True)
        if game in with_stories:
            told = stories_text(game, store.stories(game))
            yield Member(place.name(STORIES), told, f"{where}, the stories of its faults", is_record=False)
        if game in with_notes:
            noted = notes_text(game, store.notes(game))
            yield Member(place.name(NOTES), noted, f"{where}, the notes of its bots", is_record=False)
    for voided in run.voided_games():
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


def run_digest(run: StoredRun, *, with_unpaired: bool = True) -> str:
    """Return the digest of a run: SHA-256, in hex, over the files of its archive (`text.members.Digests.whole`).

    Later names of the run do not count, so renaming does not change the digest.

    with_unpaired: True if the archive states the bots that were not paired; archives of earlier versions do not.

    Raises StoreError if the run is damaged.
    """
    with run.store.snapshot():
        archived = replace(archived_run(run), label="")
        if not with_unpaired:
            archived = replace(archived, unpaired={})
        digests = MemberDigests()
        for member in run_members(run, archived):
            digests.add(member.name, member.text.encode())
    return digests.digests().whole


def store_run_digest(run: StoredRun) -> str:
    """Store the digest of a run if the run is complete and has none yet.

    Return the digest; "" while the run is unfinished.

    Raises StoreError if reading or writing fails.
    """
    if run.row.ended is None or run.row.digest:
        return run.row.digest
    found, path = run_digest(run), run.store.path
    with database.writing(path, f"writing the digest of run {run.fingerprint}") as writing:
        sql = "UPDATE run SET digest = ? WHERE fingerprint = ? AND ended = ? AND digest = ''"
        writing.execute(sql, [found, run.fingerprint, run.row.ended])
    return found
