"""Bad input gets one sentence and exit code 2, and costs no recorded data (commands.md, Exit codes)."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import GOOD, Bowerbird


def _content(database: Path) -> str:
    """Return a digest of everything in a database."""
    with closing(sqlite3.connect(database)) as connection, connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def _refused(bowerbird: Bowerbird, text: str, *more: str) -> str:
    """Return the sentence that refuses a tournament file; assert that nothing recorded has changed."""
    file = bowerbird.folder / "bad.toml"
    file.write_text(text, encoding="utf-8")
    before = _content(bowerbird.folder / "x.db")
    sentence = bowerbird.refused("tournament", file, "--db", "x.db", *more)
    assert _content(bowerbird.folder / "x.db") == before
    return sentence


TWO_BOTS = '[[bot]]\npath = "bots/one"\n[[bot]]\npath = "bots/two"\n'


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (GOOD.replace('"euchre"', '"bukc"') + TWO_BOTS, ("bad.toml", "line 8", "bukc", "buck")),
        (GOOD.replace("sets = 1", "sets = 0") + TWO_BOTS, ("bad.toml", "line 4", "sets", "1")),
        (GOOD.replace("sets = 1", "stes = 1") + TWO_BOTS, ("bad.toml", "line 4", "stes", "sets")),
        (GOOD + "options = { target = 0 }\n" + TWO_BOTS, ("bad.toml", "line 9", "target", "1")),
        (GOOD + "options = { tarket = 5 }\n" + TWO_BOTS, ("bad.toml", "line 9", "tarket", "target")),
        (GOOD + '[[bot]]\npath = "bots/one"\n' * 2, ("bad.toml", "two bots", "one", "name")),
        (GOOD + '[[bot]]\npath = "bots/one"\n', ("bad.toml", "at least 2")),
        (GOOD + '[[bot]]\npath = "bots/noe"\n' + TWO_BOTS, ("bad.toml", "bots/noe")),
        (GOOD + "[[bot]\n" + TWO_BOTS, ("bad.toml", "line 9")),
    ],
)
def test_wrong_line_of_a_tournament_file_is_named(played: Bowerbird, text: str, parts: tuple[str, ...]) -> None:
    sentence = _refused(played, text)
    for part in parts:
        assert part in sentence, f"{part!r} is missing: {sentence}"


def test_missing_command_of_a_bot_is_named(played: Bowerbird) -> None:
    manifest = played.folder / "bots" / "three" / "bot.toml"
    manifest.parent.mkdir()
    manifest.write_text('name = "three"\nversion = "1"\ncommand = ["./no-such-program"]\n', encoding="utf-8")
    sentence = _refused(played, GOOD + TWO_BOTS + '[[bot]]\npath = "bots/three"\n')
    assert "no-such-program" in sentence
    assert "three" in sentence


def test_bot_that_dies_at_once_is_named(played: Bowerbird) -> None:
    """Every bot must start before the first game of a run; nothing of the run is recorded."""
    before = (played.folder / "x.db").read_bytes()
    file = played.tournament(GOOD.replace("played", "other"), played.folder / "bots/one", played.bot("dead", "unborn"))
    sentence = played.refused("tournament", file, "--db", "x.db", "--quiet")
    for part in ("bots/dead/bot.toml", "'dead'", "exit status 7", "no model found, giving up"):
        assert part in sentence
    assert len(played.json("runs", "--db", "x.db")) == 1
    assert (played.folder / "x.db").read_bytes() == before


def test_changed_file_under_the_same_seed_is_refused(played: Bowerbird) -> None:
    text = GOOD.replace("[tournament]", '[tournament]\nname = "good"').replace("deals", "games")
    assert "good" in _refused(played, text + TWO_BOTS)


def test_changed_bot_in_one_run_is_refused(played: Bowerbird) -> None:
    with (played.folder / "bots" / "one" / "bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('ADDED = "1"\n')
    text = GOOD.replace("[tournament]", '[tournament]\nname = "good"').replace("sets = 1", "sets = 2")
    assert "'one'" in _refused(played, text + TWO_BOTS)


@pytest.mark.parametrize("command", ["standings", "runs", "matches", "verify", "tournament"])
def test_foreign_database_is_refused_and_left_alone(played: Bowerbird, command: str) -> None:
    foreign = played.folder / "foreign.db"
    with closing(sqlite3.connect(foreign)) as database, database:
        database.execute("CREATE TABLE game (id TEXT)")
    before = foreign.read_bytes()
    arguments = [played.folder / "good.toml"] if command == "tournament" else []
    assert "foreign.db" in played.refused(command, *arguments, "--db", "foreign.db")
    assert foreign.read_bytes() == before


@pytest.mark.parametrize("content", [b"this is a shopping list\n" * 100, b"SQLite format 3\0" + bytes(200)])
def test_unreadable_database_is_refused_and_left_alone(played: Bowerbird, content: bytes) -> None:
    broken = played.folder / "broken.db"
    broken.write_bytes(content)
    assert "broken.db" in played.refused("standings", "--db", "broken.db")
    assert "broken.db" in played.refused("tournament", played.folder / "good.toml", "--db", "broken.db")
    assert broken.read_bytes() == content


def test_newer_database_is_refused(played: Bowerbird) -> None:
    with closing(sqlite3.connect(played.folder / "x.db")) as database, database:
        database.execute("PRAGMA user_version = 999")
    assert "999" in played.refused("runs", "--db", "x.db")


def test_missing_database_says_what_makes_one(bowerbird: Bowerbird) -> None:
    assert "bowerbird demo" in bowerbird.refused("standings")
    assert not (bowerbird.folder / "results").exists(), "reading must not create a folder"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("standings", "godo"), ("godo", "good")),
        (("standings", "--variant", "buck"), ("buck", "euchre")),
        (("matches", "--bot", "on"), ("'on'", "'one'")),
        (("replay", "nothing"), ("nothing",)),
        (("replay", "missing.toml"), ("missing.toml",)),
        (("export", "nothing"), ("nothing",)),
        (("variants", "bukc"), ("bukc", "buck")),
        (("match", "bots/one", "bots/two", "--variant", "bukc"), ("bukc", "buck")),
        (("match", "bots/one", "bots/two", "--variant", "buck", "--option", "start=no"), ("start", "no")),
        (("match", "bots/one", "gredy", "--variant", "buck"), ("gredy", "greedy")),
        (("match", "bots/one", "bots/two", "--variant", "buck", "--sets", "0"), ("--sets", "0")),
        (("match", "bots/one", "bots/two", "--variant", "buck", "--seed", ""), ("--seed", "leave it out")),
        (("test", "bots/one", "bots/two", "--variant", "buck", "--seed", ""), ("--seed", "leave it out")),
        (("tournament", "missing.toml"), ("missing.toml",)),
    ],
)
def test_wrong_argument_is_named_with_what_is_allowed(
    played: Bowerbird, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    before = _content(played.folder / "x.db")
    database = () if arguments[0] == "variants" else ("--db", "x.db")
    sentence = played.refused(*arguments, *database)
    for part in parts:
        assert part in sentence, f"{part!r} is missing: {sentence}"
    assert _content(played.folder / "x.db") == before


def test_hand_and_seat_that_are_not_there_are_named(played: Bowerbird) -> None:
    game = played.json("matches", "--db", "x.db")[0]["id"]
    assert "hand 9" in played.refused("replay", game, "--hand", "9", "--db", "x.db")
    assert "seat 4" in played.refused("replay", game, "--seat", "4", "--db", "x.db")


def test_database_in_a_folder_that_cannot_be_made_is_refused(played: Bowerbird) -> None:
    (played.folder / "file").write_text("in the way", encoding="utf-8")
    assert "file" in played.refused("tournament", "good.toml", "--db", "file/x.db")
