"""Notes of bots travel with their run, but only possible ones (bowerbird.harness.records.text.beside_text)."""

from __future__ import annotations

import random
import re
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.engine import RecordError
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.merge import verify_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.beside_text import NoteError, notes_text, read_notes
from bowerbird.harness.records.values.annotations import LONGEST_NOTE, Note
from tests.support.records.archived_texts import Change, changed, put, signed
from tests.support.records.archives import content, differences, exported, imported
from tests.support.records.old_databases import archives_of
from tests.support.records.played_games import deal_set, header, notes_of
from tests.support.records.stored_runs import store_run

FEW = ("euchre", "king-cut-throat")
NOTES = ".notes.toml"


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database in which bots noted something in each game of two sets, and have a fault in each."""
    path = tmp_path_factory.mktemp("noted") / "noted.db"
    store_run(path, variants=FEW, noted=(0,), faulty=(0,))
    return path


@pytest.fixture(scope="module")
def run(noted: Path) -> str:
    with Store.open(noted) as store:
        return store.run().fingerprint


@pytest.fixture(scope="module")
def number(noted: Path, run: str) -> int:
    with Store.open(noted) as store:
        return store[run].note_count()


@pytest.fixture(scope="module")
def archive(noted: Path, run: str) -> Path:
    return exported(noted, run)


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory, noted: Path, run: str) -> Path:
    """Return the archive of the same run without notes."""
    path = tmp_path_factory.mktemp("silent") / "silent.db"
    path.write_bytes(noted.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM note")
    return exported(path, run, "silent.tar.gz")


def members(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        files = [(member.name, tar.extractfile(member)) for member in tar]
        return {name: file.read() for name, file in files if file is not None}


def first_notes(archive: Path) -> str:
    return next(name for name in members(archive) if name.endswith(NOTES))


def test_notes_come_back_the_same(tmp_path: Path, noted: Path, run: str, archive: Path, number: int) -> None:
    there = tmp_path / "there.db"
    merged = imported(there, archive)
    assert merged.notes == number > 0
    assert content(there) == content(noted)
    assert exported(there, run, "again.tar.gz").read_bytes() == archive.read_bytes()
    with Store.open(noted) as mine, Store.open(there) as theirs:
        for game in mine[run].game_ids():
            assert mine.notes(game) == theirs.notes(game)
    assert differences(there, run) == []
    verified = verify_archive(archive, digest_of)
    assert (verified.games, verified.differences) == (merged.new, [])


def test_they_follow_their_record_and_its_stories(archive: Path) -> None:
    names = list(members(archive))
    at = names.index(first_notes(archive))
    record = names[at].removesuffix(NOTES)
    assert names[at - 2 : at] == [f"{record}.toml", f"{record}.stories.toml"]


def test_an_archive_without_notes_says_nothing_of_them(silent: Path) -> None:
    assert not any("notes" in name for name in members(silent))
    assert b"notes" not in members(silent)["run.toml"]


@pytest.mark.parametrize("number", [0, 1], ids=["league", "cup"])
def test_an_archive_of_the_version_before_is_written_as_it_was(tmp_path: Path, number: int) -> None:
    old = archives_of(9)[number]
    there = tmp_path / "there.db"
    merged = imported(there, old)
    before = members(old)
    before.pop("signature.toml", None)
    assert members(exported(there, merged.run)) == before


def test_notes_of_games_that_are_here_already_are_added_once(
    tmp_path: Path, noted: Path, archive: Path, silent: Path, number: int
) -> None:
    there = tmp_path / "there.db"
    imported(there, silent)
    for new in (number, 0, 0):
        merged = imported(there, archive)
        assert (merged.new, merged.notes) == (0, new)
    imported(there, silent)
    assert content(there) == content(noted), "what is here stays where an archive has none"


def test_other_notes_of_the_same_game_are_refused_by_name(tmp_path: Path, archive: Path) -> None:
    there = tmp_path / "there.db"
    imported(there, archive)
    with closing(sqlite3.connect(there)) as connection, connection:
        (game,) = connection.execute("SELECT MAX(game) FROM note").fetchone()
        connection.execute("DELETE FROM note WHERE rowid = (SELECT MIN(rowid) FROM note WHERE game = ?)", [game])
    before = content(there)
    with pytest.raises(StoreError, match=rf"game {re.escape(game)} has other notes here than in "):
        imported(there, archive)
    assert content(there) == before


def put_last(key: str, value: str) -> Change:
    def change(text: str) -> str:
        before, after = text.rsplit(f"\n{key} = ", 1)
        return signed(f"{before}\n{key} = {value}\n{after.partition(chr(10))[2]}")

    return change


def twice(text: str) -> str:
    start, end = text.index("\n[[note]]"), text.index("\n[[note]]", text.index("\n[[note]]") + 1)
    return signed(text[:end] + text[start:end] + text[end:])


def none_left(text: str) -> str:
    return signed(text[: text.index("\n[[note]]")] + text[text.index("\n[integrity]") :])


def out_of_order(text: str) -> str:
    head, first, second, rest = text.split("\n[[note]]", 3)
    return signed("\n[[note]]".join((head, second, first, rest)))


CHANGES: dict[str, tuple[Change, str]] = {
    "a value, but not the digest": (
        lambda text: text.replace("trump is short", "trump is long"),
        r"line \d+: the digest does not match: the file of notes was changed",
    ),
    "another game": (put(r"/0/1\"$", '/0/0"'), "line 2: it is about game .*/0/0, but belongs to game .*/0/1"),
    "another hand": (put_last("hand", "99"), r"line \d+: game .* there is no hand 99"),
    "another action": (put_last("action", "99"), r"line \d+: hand . of game .* there is no action 99"),
    "another seat": (put(r"^seat = .*$", "seat = 9"), "line 7: action .* was made by seat"),
    "more than is kept": (
        put(r"^text = .*$", f'text = "{"x" * (LONGEST_NOTE + 1)}"'),
        "line 8: 'text' must be 1 to 1024 bytes without NUL",
    ),
    "a NUL": (put(r"^text = .*$", 'text = "a\\u0000"'), "line 8: 'text' must be 1 to 1024 bytes without NUL"),
    "half a pair": (put(r"^text = .*$", 'text = "\\ud800"'), "line 8: 'text' must be 1 to 1024 bytes without NUL"),
    "nothing": (put(r"^text = .*$", 'text = ""'), "line 8: 'text' must be 1 to 1024 bytes without NUL"),
    "a key that is not known": (put(r"^action = ", "actoin = "), "line 6: unknown key 'actoin', did you mean"),
    "a word for a number": (put(r"^seat = .*$", 'seat = "two"'), "line 7: 'seat' must be a whole number"),
    "another format": (put(r"notes/1", "notes/2"), "line 1: 'format' must be one of bowerbird-notes/1"),
    "a note twice": (twice, r"line \d+: a second note of action"),
    "another order": (out_of_order, r"line \d+: not the canonical form"),
    "no note": (none_left, "line 1: it has no note"),
    "nothing of it": (lambda _: "", "line 1: the table ends without 'format'"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_notes_that_cannot_be_are_refused_with_file_and_line(tmp_path: Path, archive: Path, what: str) -> None:
    change, said = CHANGES[what]
    name = first_notes(archive)
    file = changed(archive, tmp_path / "other.tar.gz", name, lambda text: [(name, change(text))])
    there = tmp_path / "there.db"
    Store.create(there).close()
    before = content(there)
    with pytest.raises(RecordError, match=rf"other\.tar\.gz, {re.escape(name)}, {said}"):
        imported(there, file)
    assert content(there) == before, "nothing of the archive may be imported"
    [found] = verify_archive(file, digest_of).differences
    assert re.search(said.replace("line", "notes, line", 1), str(found))


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((), r"it has \d+ notes of bots, but its run.toml says \d+"),
        (("games/euchre-0/ann+bob/77-0.notes.toml",), "whose record does not precede it"),
        (("games/euchre-0/ann+bob/0-0.notes.toml",) * 2, "does not belong to a record, or is out of order"),
        (("games/euchre-0/ann+bob/00-0.notes.toml",), "does not belong to a record"),
        (("notes.toml",), "does not belong in the archive of a run"),
    ],
    ids=["left out", "of a game that is not there", "twice", "otherwise written", "somewhere else"],
)
def test_notes_beside_no_game_are_refused_by_their_name(
    tmp_path: Path, archive: Path, places: tuple[str, ...], said: str
) -> None:
    name = first_notes(archive)
    file = changed(archive, tmp_path / "other.tar.gz", name, lambda text: [(place, text) for place in places])
    there = tmp_path / "there.db"
    with pytest.raises(StoreError, match=said):
        imported(there, file)
    with Store.open(there) as store:
        assert store.runs() == []
    with pytest.raises(StoreError, match=said):
        verify_archive(file, digest_of)


def test_notes_before_the_stories_are_refused(tmp_path: Path, archive: Path) -> None:
    name = first_notes(archive)
    text = members(archive)[name].decode()
    stories = name.replace("notes", "stories")
    moved = changed(archive, tmp_path / "a.tar.gz", name, lambda _: [])
    moved = changed(moved, tmp_path / "b.tar.gz", stories, lambda told: [(name, text), (stories, told)])
    with pytest.raises(StoreError, match="does not belong to a record, or is out of order"):
        imported(tmp_path / "there.db", moved)


def test_any_changed_character_of_notes_is_found() -> None:
    _, [game, *_] = deal_set("euchre", 3, header(), options={"max_hands": 1})
    notes = notes_of(game)
    text, chance = notes_text(game.id, notes), random.Random(6)
    assert read_notes(text, game, "x") == notes
    for _ in range(500):
        at = chance.randrange(len(text))
        other = text[:at] + chance.choice('0129,"\n# \\[]') + text[at + 1 :]
        if other != text:
            with pytest.raises(NoteError, match=r"^x, line \d+: "):
                read_notes(other, game, "x")


def test_equal_notes_give_equal_text_in_whatever_order_they_come() -> None:
    _, [game, *_] = deal_set("euchre", 3, header(), options={"max_hands": 2})
    notes = list(notes_of(game))
    text = notes_text(game.id, notes)
    random.Random(1).shuffle(notes)
    assert notes_text(game.id, notes) == text


def test_every_character_that_a_note_may_have_comes_back() -> None:
    _, [game, *_] = deal_set("euchre", 3, header(), options={"max_hands": 1})
    first = notes_of(game)[0]
    signs = "".join(chr(code) for code in (*range(1, 0x250), *range(0x2000, 0x2070), 0xFEFF, 0x1F0A1))
    for start in range(0, len(signs), 300):
        note = Note(game.id, first.seat, first.hand, first.action, signs[start : start + 300])
        assert read_notes(notes_text(game.id, [note]), game, "x") == (note,)
