"""Notes of bots are kept beside the records: stored with their set, voided with it, and only for what it holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.corrections import Decision, correct_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.beside_text import read_notes
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.annotations import LONGEST_NOTE, MOST_NOTES, Note
from bowerbird.harness.records.values.corrections import VOID
from bowerbird.harness.records.values.run import CompletedSet, ResultsDigest, SetKey
from tests.support.records.archives import content, differences, exported, imported
from tests.support.records.every_game import every_game
from tests.support.records.played_games import SEED, database, deal_set, faulty_set, header, notes_of
from tests.support.records.stored_runs import store_run

NO_RATINGS = ResultsDigest("", 0)
KEY = SetKey("euchre-0", "ann+bob", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = database(tmp_path)
    path.parent.mkdir()
    return path


@pytest.fixture
def run(path: Path) -> str:
    return store_run(path, variants=("euchre",), sets=range(2), faulty={0}, noted={0, 1})


def test_the_notes_of_a_game_are_read_as_they_were_stored(path: Path, run: str) -> None:
    with Store.open(path) as store:
        noted = [game for game in store[run].game_ids() if store.notes(game)]
        assert len(noted) == 3, "one game ended before any decision"
        assert store[run].games_with_notes() == set(noted)
        for game in noted:
            assert store.notes(game) == notes_of(store.record(game))
        assert store[run].note_count() == sum(len(store.notes(game)) for game in noted)
    assert differences(path, run) == []


def test_the_record_and_the_results_are_those_of_a_run_without_notes(path: Path, run: str, tmp_path: Path) -> None:
    other = tmp_path / "silent.db"
    store_run(other, variants=("euchre",), sets=range(2), faulty={0})
    noted, silent = content(path), content(other)
    noted["note"] = []
    for found in (noted, silent):
        found["run"] = [row[:9] for row in found["run"]]  # the times of day differ, and the digests
    assert noted == silent


MoveNote = Callable[[Note], Note]

WRONG: dict[str, tuple[MoveNote, str]] = {
    "of another game": (lambda note: replace(note, game="elsewhere"), "its set has no such game"),
    "of a hand that is not there": (lambda note: replace(note, hand=7), "there is no hand 7"),
    "of an action that is not there": (lambda note: replace(note, action=99), "there is no action 99"),
    "of another seat": (lambda note: replace(note, seat=(note.seat + 1) % 4), "was made by seat"),
    "that is too long": (lambda note: replace(note, text="x" * (LONGEST_NOTE + 1)), "is not 1 to 1024 bytes"),
    "that is empty": (lambda note: replace(note, text=""), "is not 1 to 1024 bytes"),
    "with a NUL": (lambda note: replace(note, text="a\0b"), "is not 1 to 1024 bytes without NUL"),
    "with half a pair": (lambda note: replace(note, text="\ud800"), "is not 1 to 1024 bytes without NUL"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_note_that_contradicts_its_game_is_refused_and_nothing_is_stored(path: Path, what: str) -> None:
    change, said = WRONG[what]
    key, games = deal_set("euchre", 0, header())
    first, *rest = (note for game in games for note in notes_of(game))
    with Store.create(path) as store, store.begin(header(), SEED) as writer:
        with pytest.raises(ValueError, match=said):
            writer.save_sets([CompletedSet(key, games, notes=(change(first), *rest))], NO_RATINGS)
        assert every_game(store) == []


def test_a_second_note_of_an_action_is_refused(path: Path) -> None:
    key, games = deal_set("euchre", 0, header())
    first = notes_of(games[0])[0]
    with (
        Store.create(path) as store,
        store.begin(header(), SEED) as writer,
        pytest.raises(ValueError, match="a second note of action"),
    ):
        writer.save_sets([CompletedSet(key, games, notes=(first, first))], NO_RATINGS)


def test_more_notes_of_a_seat_than_are_kept_are_refused(path: Path) -> None:
    key, games = deal_set("euchre", 0, header(), options={"max_hands": 40, "target": 1000})
    notes = [
        Note(games[0].id, 0, number, action, "x" * LONGEST_NOTE)
        for number, hand in enumerate(games[0].hands)
        for action, said in enumerate(hand.actions)
        if said.startswith("0 ") and action not in hand.forced
    ]
    most = MOST_NOTES // LONGEST_NOTE
    assert len(notes) > most, "the game is too short to try it"
    with Store.create(path) as store, store.begin(header(), SEED) as writer:
        with pytest.raises(ValueError, match=f"the notes of seat 0 in game .* have more than {MOST_NOTES} bytes"):
            writer.save_sets([CompletedSet(key, games, notes=tuple(notes[: most + 1]))], NO_RATINGS)
        assert writer.save_sets([CompletedSet(key, games, notes=tuple(notes[:most]))], NO_RATINGS) == 1


def test_a_note_of_what_the_referee_did_is_refused(path: Path) -> None:
    """A forced action, and one taken in place of a bot at fault."""
    key, games, stories = faulty_set("euchre", 1, header(), options={"max_hands": 3})
    made = [
        Note(game.id, int(hand.actions[action].partition(" ")[0]), number, action, "mine")
        for game in games
        for number, hand in enumerate(game.hands)
        for action in (*hand.forced[:1], *hand.substituted[:1])
    ]
    said = set()
    with Store.create(path) as store, store.begin(header(), SEED) as writer:
        for note in made:
            with pytest.raises(ValueError, match="the referee made action") as caught:
                writer.save_sets([CompletedSet(key, games, stories, notes=(note,))], NO_RATINGS)
            said.add(str(caught.value).rpartition(", ")[2])
    assert said == {"the only legal one", "instead of a bot at fault"}


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE note SET seat = (seat + 1) % 4 WHERE rowid = :row", "was made by seat"),
        ("UPDATE note SET action = 99 WHERE rowid = :row", "there is no action 99"),
        ("UPDATE note SET hand = 9 WHERE rowid = :row", "there is no hand 9"),
        ("UPDATE note SET text = printf('%2000d', 1) WHERE rowid = :row", "is not 1 to 1024 bytes"),
        ("UPDATE note SET text = '' WHERE rowid = :row", "is not 1 to 1024 bytes"),
    ],
)
def test_a_stored_note_that_cannot_be_is_found_by_verify(path: Path, run: str, sql: str, said: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        row, game = connection.execute("SELECT rowid, game FROM note ORDER BY game, hand, action").fetchone()
        assert connection.execute(sql, {"row": row}).rowcount == 1
    [found] = differences(path, run)
    assert found.startswith(f"game {game}: note of seat")
    assert said in found


@pytest.mark.parametrize("sql", ["UPDATE note SET text = 'x'", "DELETE FROM note"])
def test_a_changed_text_contradicts_nothing_but_the_digest_of_the_run(path: Path, run: str, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"{sql} WHERE rowid = (SELECT MIN(rowid) FROM note)")
    [found] = differences(path, run)
    assert "its digest does not match" in found


def test_notes_go_with_games_that_a_correction_voids(path: Path, run: str, tmp_path: Path) -> None:
    with Store.open(path) as store:
        before = {game: store.notes(game) for game in store[run].game_ids()}
        count = store[run].note_count()
    correct_run(path, run, lambda: Decision(VOID, "", "anna", "the host lost power", (KEY,)), digest_of)
    with Store.open(path) as store:
        voided = list(store[run].voided_games())
        assert len(voided) == 2
        for game in voided:
            kept = read_notes(game.notes, read(game.record), "notes") if game.notes else ()
            assert kept == before[game.id]
            assert game.note_count == len(before[game.id])
            assert store.notes(game.id) == ()
        assert sum(game.note_count for game in voided) > 0
        assert store[run].note_count() == count
    assert differences(path, run) == []
    there = tmp_path / "there.db"
    archive = exported(path, run)
    imported(there, archive)
    assert content(there) == content(path)
    assert exported(there, run, "again.tar.gz").read_bytes() == archive.read_bytes()
    with closing(sqlite3.connect(there)) as connection, connection:
        connection.execute("UPDATE voided_game SET note_count = note_count + 1 WHERE rotation = 0")
    [found] = differences(there, run)
    assert "notes: there are" in found
