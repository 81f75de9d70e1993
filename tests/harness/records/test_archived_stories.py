"""Stories of faults travel with their run, but only true ones (bowerbird.harness.records.text.beside_text)."""

from __future__ import annotations

import io
import random
import re
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.engine import RecordError
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.archive import write_archive
from bowerbird.harness.records.archive.merge import verify_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.beside_text import StoryError, read_stories, stories_text
from bowerbird.harness.records.text.canonical import INTEGRITY
from bowerbird.harness.records.values.faults import STDERR_LENGTH
from tests.support.records.archived_texts import Change, changed, put, signed
from tests.support.records.archives import content, differences, exported, imported
from tests.support.records.played_games import SEED, faulty_set, header
from tests.support.records.stored_runs import store_run

FEW = ("euchre", "king-cut-throat")
STORIES = 2 + 3
"""Faults, each with its story, in a set of each of these variants."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database in which each game of two sets has a fault with its story."""
    path = tmp_path_factory.mktemp("told") / "told.db"
    store_run(path, variants=FEW, faulty=(0,))
    return path


@pytest.fixture(scope="module")
def run(told: Path) -> str:
    with Store.open(told) as store:
        return store.run().fingerprint


@pytest.fixture(scope="module")
def archive(told: Path, run: str) -> Path:
    return exported(told, run)


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory, told: Path, run: str) -> Path:
    """Return the archive of the same run in the format that had no stories yet."""
    path = tmp_path_factory.mktemp("silent") / "silent.db"
    path.write_bytes(told.read_bytes())
    forget(path)
    return exported(path, run, "silent.tar.gz")


def forget(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM story")


def test_stories_come_back_the_same(tmp_path: Path, told: Path, run: str, archive: Path) -> None:
    there = tmp_path / "there.db"
    merged = imported(there, archive)
    assert merged.stories == STORIES
    assert content(there) == content(told)
    assert exported(there, run, "again.tar.gz").read_bytes() == archive.read_bytes()
    with Store.open(told) as mine, Store.open(there) as theirs:
        assert [replace(one, saved="") for one in mine[run].faults()] == [
            replace(one, saved="") for one in theirs[run].faults()
        ]
        assert len({fault.stderr for fault in mine[run].faults()}) > 1
    assert differences(there, run) == []
    verified = verify_archive(archive, digest_of)
    assert (verified.games, verified.differences) == (merged.new, [])


def test_an_archive_without_stories_is_still_taken(tmp_path: Path, run: str, silent: Path) -> None:
    with tarfile.open(silent) as tar:
        assert not any("stories" in name for name in tar.getnames())
    assert imported(tmp_path / "there.db", silent).stories == 0
    assert differences(tmp_path / "there.db", run) == []
    assert verify_archive(silent, digest_of).differences == []


def test_stories_of_games_that_are_here_already_are_added_once(
    tmp_path: Path, told: Path, archive: Path, silent: Path
) -> None:
    there = tmp_path / "there.db"
    imported(there, silent)
    for new in (STORIES, 0, 0):
        merged = imported(there, archive)
        assert (merged.new, merged.stories) == (0, new)
    assert content(there) == content(told)


def test_stories_that_are_here_stay_where_an_archive_has_none(
    tmp_path: Path, told: Path, archive: Path, silent: Path
) -> None:
    there = tmp_path / "there.db"
    imported(there, archive)
    imported(there, silent)
    assert content(there) == content(told)


def test_another_story_of_the_same_fault_is_refused_by_name(tmp_path: Path, archive: Path) -> None:
    there = tmp_path / "there.db"
    imported(there, archive)
    with closing(sqlite3.connect(there)) as connection, connection:
        (game,) = connection.execute("SELECT game FROM story ORDER BY game DESC").fetchone()
        connection.execute("UPDATE story SET how_ended = 'exit status 4' WHERE game = ?", [game])
    before = content(there)
    with pytest.raises(StoreError, match=rf"fault in game {game.replace('+', '.')} has another story here"):
        imported(there, archive)
    assert content(there) == before


def test_the_path_of_a_log_elsewhere_stays_at_home(tmp_path: Path, told: Path, run: str) -> None:
    """The path belongs to the organiser's machine. Importing the archive there again changes nothing."""
    here = tmp_path / "here.db"
    here.write_bytes(told.read_bytes())
    with closing(sqlite3.connect(here)) as connection, connection:
        connection.execute("UPDATE story SET log = '/home/ann/secret/bob.log'")
    before = content(here)
    file = exported(here, run)
    with tarfile.open(file) as tar:
        assert not any(b"secret" in (tar.extractfile(member) or io.BytesIO()).read() for member in tar)
    assert imported(here, file).stories == 0
    assert content(here) == before


def test_an_archive_is_of_one_moment_while_its_run_is_played_on(tmp_path: Path) -> None:
    here, file = tmp_path / "here.db", tmp_path / "run.tar.gz"
    run = store_run(here, variants=FEW, faulty=(0,), end=False)
    key, games, stories = faulty_set("euchre", 1, header(), options={"max_hands": 3})
    with Store.open(here) as store, Store.open(here) as other, other.begin(header(), SEED) as writer:
        before = store.run(run).row.games

        def play_on(done: int, total: int) -> None:
            assert total == before
            writer.save_set(key, games, digest_of([]), stories)

        write_archive(store[run], file, play_on)
        assert store.run(run).row.games == before + len(games)
    merged = imported(tmp_path / "there.db", file)
    assert (merged.new, merged.stories) == (before, STORIES)


# Stories that are damaged, or contradict their game


def first_story(archive: Path) -> str:
    with tarfile.open(archive) as tar:
        return next(name for name in tar.getnames() if name.endswith(".stories.toml"))


def twice(text: str) -> str:
    start, end = text.index("\n[[story]]"), text.index(f"\n{INTEGRITY}")
    return signed(text[:end] + text[start:end] + text[end:])


CHANGES: dict[str, tuple[Change, str]] = {
    "a value, but not the digest": (
        lambda text: text.replace("exit status 3", "exit status 4").replace("still running", "ran away"),
        "line 13: the digest does not match: the story was changed",
    ),
    "another game": (put(r"/0/0\"$", '/0/1"'), "line 2: it is about game .*/0/1, but belongs to game .*/0/0"),
    "a seat without a fault": (put(r"^seat = .*$", "seat = 9"), "line 5: seat 9 committed no fault"),
    "another bot": (put(r"^bot = .*$", 'bot = "eve"'), "line 6: seat . of game .* was held by bot"),
    "other choices": (put(r"^legal = .*$", 'legal = ["play As"]'), "line 7: seat . of game .* was not to decide"),
    "no choices": (put(r"^legal = .*$", "legal = []"), "line 7: seat . of game .* not to decide between nothing, but"),
    "a path that leads out": (
        put(r"^log = .*$", 'log = "../../etc/passwd"'),
        "line 10: 'log' must be a path below the database's folder",
    ),
    "a path that steers a terminal": (
        put(r"^log = .*$", 'log = "logs/\\u001b[2J"'),
        "line 10: 'log' must be a path below the database's folder",
    ),
    "more words than are kept": (
        put(r"^stderr = .*$", f'stderr = "{"x" * (STDERR_LENGTH + 1)}"'),
        f"line 9: 'stderr' must be at most the last {STDERR_LENGTH} characters",
    ),
    "a key that is not known": (put(r"^how_ended = ", "how_endet = "), "line 8: unknown key 'how_endet', did you mean"),
    "a word for a number": (put(r"^seat = .*$", 'seat = "two"'), "line 5: 'seat' must be a whole number"),
    "another format": (put(r"stories/1", "stories/2"), "line 1: 'format' must be one of bowerbird-stories/1"),
    "a story told twice": (twice, "line 13: a second story of seat"),
    "another spacing": (put(r"^legal = \[", "legal = [ "), "line 7: 'legal' must be a list of strings"),
    "nothing of it": (lambda _: "", "line 1: the table ends without 'format'"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_story_that_cannot_be_is_refused_with_file_and_line(tmp_path: Path, archive: Path, what: str) -> None:
    change, said = CHANGES[what]
    name = first_story(archive)
    file = changed(archive, tmp_path / "other.tar.gz", name, lambda text: [(name, change(text))])
    there = tmp_path / "there.db"
    Store.create(there).close()
    before = content(there)
    with pytest.raises(RecordError, match=rf"other\.tar\.gz, {re.escape(name)}, {said}"):
        imported(there, file)
    assert content(there) == before, "nothing of the archive may be imported"
    [found] = verify_archive(file, digest_of).differences
    assert re.search(said.replace("line", "stories, line", 1), str(found))


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ((), f"it has {STORIES - 1} stories of faults, but its run.toml says {STORIES}"),
        (("games/euchre-0/ann+bob/77-0.stories.toml",), "whose record does not precede it"),
        (("games/euchre-0/ann+bob/0-0.stories.toml",) * 2, "does not belong to a record, or is out of order"),
        (("games/euchre-0/ann+bob/00-0.stories.toml",), "does not belong to a record"),
        (("stories.toml",), "does not belong in the archive of a run"),
    ],
    ids=["left out", "of a game that is not there", "twice", "otherwise written", "somewhere else"],
)
def test_a_story_beside_no_game_is_refused_by_its_name(
    tmp_path: Path, archive: Path, places: tuple[str, ...], said: str
) -> None:
    name = first_story(archive)

    file = changed(archive, tmp_path / "other.tar.gz", name, lambda text: [(place, text) for place in places])
    there = tmp_path / "there.db"
    with pytest.raises(StoreError, match=said):
        imported(there, file)
    with Store.open(there) as store:
        assert store.runs() == []
    with pytest.raises(StoreError, match=said):
        verify_archive(file, digest_of)


def test_any_changed_character_of_a_story_is_found() -> None:
    _, [_, game], [_, story] = faulty_set("euchre", 3, header(), options={"max_hands": 2})
    text, chance = stories_text(game.id, [story]), random.Random(6)
    assert read_stories(text, game, "x") == (story,)
    for _ in range(500):
        at = chance.randrange(len(text))
        sign = chance.choice('0129,"\n# \\[]')
        other = text[:at] + sign + text[at + 1 :]
        if other != text:
            with pytest.raises(StoryError, match=r"^x, line \d+: "):
                read_stories(other, game, "x")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE story SET legal = '[]' WHERE game = :game", "not to decide between nothing, but between"),
        ("UPDATE story SET seat = (seat + 1) % 4 WHERE game = :game", "committed no fault in game"),
    ],
)
def test_a_stored_story_that_cannot_be_is_found_by_verify(
    tmp_path: Path, told: Path, run: str, sql: str, said: str
) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(told.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        (game,) = connection.execute("SELECT MIN(game) FROM story").fetchone()
        assert connection.execute(sql, {"game": game}).rowcount == 1
    [found] = differences(path, run)
    assert found.startswith(f"game {game}: story of seat")
    assert said in found


def test_stories_of_a_set_are_stored_with_the_run_that_is_gone_on_with(tmp_path: Path, archive: Path) -> None:
    """A run imported without its last sets is continued and stores their stories."""
    there = tmp_path / "there.db"
    imported(there, archive)
    key, games, stories = faulty_set("euchre", 1, header(), options={"max_hands": 3})
    with Store.open(there) as store, store.begin(header(), SEED) as writer:
        assert writer.save_set(key, games, digest_of([]), stories)
        assert [store.stories(game.id) for game in games] == [(story,) for story in stories]
