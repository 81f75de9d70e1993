"""`bowerbird void`, and what standings, runs, matches, replay and export say of a corrected run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.records.store.sidecar import RunLock
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.corrections import LONGEST_BY, LONGEST_WHY
from tests.support.records.archives import exported, imported
from tests.support.records.stored_runs import store_run

WHY = "the host lost power"
KEY = "euchre-0/ann+bob/0"
VOID = ("void", "autumn", KEY, "--why", WHY, "--by", "Anna Example", "--yes", "--db", "x.db")

Done = Callable[..., str]


@pytest.fixture
def done(capsys: pytest.CaptureFixture[str]) -> Done:
    """Return a function that runs a command that must end with `code`; if it is refused, the function returns the one
    sentence."""

    def done(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        found = run(arguments)
        said = capsys.readouterr()
        assert found == code, (arguments, said)
        if code:
            assert said.out == "", said
            assert len(said.err.splitlines()) == 1, f"one sentence, no more: {said.err}"
            return said.err
        return said.out if "--json" in arguments else said.out + said.err

    return done


@pytest.fixture
def fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Store a run of three deal sets in x.db, the first with a fault in each game; return its id."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    return store_run(tmp_path / "x.db", variants=("euchre",), sets=range(2), faulty=range(1))


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def record_of(game: str) -> str:
    with Store.open("x.db") as store:
        return store.record_text(game)


# The command


def test_void_says_what_it_did_what_to_publish_and_how_to_resume(done: Done, fingerprint: str) -> None:
    said = done(*VOID)
    with Store.open("x.db") as store:
        [one] = store[fingerprint].corrections()
    decided = f"correction 1 of run {fingerprint} (autumn), recorded as decided by Anna Example: {WHY}"
    assert decided in in_one_line(said)
    assert f"1 deal set with {one.games} games no longer counts: {KEY}" in said
    assert f"now publish the commitment to the seed of the new deals:\n  {one.commitment}\n" in said
    assert f"bowerbird runs resume {fingerprint} --db x.db" in said
    document = json.loads(done("void", "autumn", f"{fingerprint}/euchre-0/ann+bob/1/0", *VOID[3:], "--json"))
    assert document["run"] == fingerprint
    assert document["correction"]["number"] == 2
    assert document["correction"]["sets"] == ["euchre-0/ann+bob/1"]
    assert document["correction"]["commitment"].startswith("sha256:")
    assert document["correction"]["seed"] is None
    assert document["added"] == []


def test_without_a_name_the_login_name_is_recorded(
    done: Done, fingerprint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "carol")
    assert "recorded as decided by carol" in done("void", "autumn", KEY, "--why", WHY, "--yes", "--db", "x.db")


def test_a_login_name_that_is_not_known_is_asked_for(
    done: Done, fingerprint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", unknown)
    assert "add --by NAME" in done("void", "autumn", KEY, "--why", WHY, "--yes", "--db", "x.db", code=2)


def test_without_a_terminal_nothing_happens_without_yes_and_the_sentence_says_what_would(
    done: Done, fingerprint: str
) -> None:
    said = done("void", "autumn", KEY, "--why", WHY, "--db", "x.db", code=2)
    assert f"1 deal set with 2 games will no longer count and be played again with new deals: {KEY}" in said
    assert "add --yes" in said
    with Store.open("x.db") as store:
        assert store[fingerprint].corrections() == ()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("autumm", KEY, "--why", WHY), ("no run 'autumm'", "autumn")),
        (("autumn", "euchre-0/ann+bob/7", "--why", WHY), ("has no game", "did you mean", "bowerbird matches")),
        (("autumn", "euchre-0/ann+bob/0/9", "--why", WHY), ("has no game", "did you mean")),
        (("autumn", "euchre-0", "--why", WHY), ("could be", "give more characters")),
        (("autumn", KEY), ("--why",)),
        (("autumn", "--why", WHY), ("GAME",)),
        (("autumn", KEY, "--why", ""), ("--why", "one line")),
        (("autumn", KEY, "--why", " "), ("--why", "one line")),
        (("autumn", KEY, "--why", "a\nb"), ("--why", "one line")),
        (("autumn", KEY, "--why", "\x1b[2J"), ("--why", "one line")),
        (("autumn", KEY, "--why", "x" * (LONGEST_WHY + 1)), ("--why", str(LONGEST_WHY))),
        (("autumn", KEY, "--why", WHY, "--by", "x" * (LONGEST_BY + 1)), ("--by", str(LONGEST_BY))),
        (("autumn", KEY, "--why", WHY, "--by", ""), ("--by", "one line")),
    ],
)
def test_a_wrong_request_is_one_sentence_and_changes_nothing(
    done: Done, fingerprint: str, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    said = done("void", *arguments, "--yes", "--db", "x.db", code=2)
    assert all(part in said for part in parts), said
    with Store.open("x.db") as store:
        assert store[fingerprint].corrections() == ()


@pytest.mark.parametrize(
    ("bot", "parts"),
    [("anm", ("unknown bot 'anm'", "'ann'")), ("ann", ("'ann' is not withdrawn", "no bot is"))],
)
def test_reinstate_names_the_nearest_bot_and_refuses_one_that_is_in_the_run(
    done: Done, fingerprint: str, bot: str, parts: tuple[str, ...]
) -> None:
    said = done("reinstate", "autumn", bot, "--why", WHY, "--yes", "--db", "x.db", code=2)
    assert all(part in said for part in parts), said


def test_a_game_is_not_voided_twice_before_it_is_played_again(done: Done, fingerprint: str) -> None:
    done(*VOID)
    assert "correction 1 removed its deal set" in done(*VOID, code=2)


def test_a_run_that_is_being_played_or_was_imported_is_refused(done: Done, fingerprint: str, tmp_path: Path) -> None:
    with RunLock(tmp_path / "x.db", fingerprint):
        assert "being played by another process" in done(*VOID, code=2)
    imported(tmp_path / "y.db", exported(tmp_path / "x.db", fingerprint))
    said = done(*VOID[:-1], "y.db", code=2)
    assert "was imported; correct it where it was played" in said
    said = done(*[word for word in VOID[:-1] if word != "--yes"], "y.db", code=2)
    assert "was imported" in said, "before anybody is asked"


# The displays


def test_standings_show_the_latest_correction_and_all_of_them_in_full(done: Done, fingerprint: str) -> None:
    assert "correction" not in done("standings", "--db", "x.db")
    done(*VOID)
    first = f"by Anna Example: 2 games voided (1 deal set taken out, 0 played again): {WHY}"
    said = done("standings", "--db", "x.db")
    assert first in in_one_line(said)
    assert "corrections in all" not in said
    assert "unfinished" in said
    long = "the disk was full " * 10
    done("void", "autumn", "euchre-0/ann+bob/1", "--why", long.strip(), "--yes", "--db", "x.db")
    said = in_one_line(done("standings", "--db", "x.db"))
    assert first not in said
    assert "correction 2, " in said
    assert long.strip() not in said
    assert f"2 corrections in all: bowerbird standings {fingerprint} --full --db x.db" in said.replace(
        ".venv/bin/bowerbird", "bowerbird"
    )
    full = in_one_line(done("standings", "--full", "--db", "x.db"))
    assert first in full
    assert long.strip() in full
    winter = store_run(Path("x.db"), variants=("buck",), name="winter")
    assert f"{fingerprint} (autumn, 2 corrections)" in done("standings", fingerprint, winter, "--db", "x.db")


def test_runs_and_json_list_the_corrections(done: Done, fingerprint: str) -> None:
    [before] = json.loads(done("runs", "--json", "--db", "x.db"))
    assert (before["corrections"], before["correction_list"]) == (0, [])
    assert "corrected" not in done("runs", "--db", "x.db")
    done(*VOID)
    assert ", corrected" in done("runs", "--db", "x.db")
    [listed] = json.loads(done("runs", "--json", "--db", "x.db"))
    standings: dict[str, Any] = json.loads(done("standings", "--json", "--db", "x.db"))
    assert listed["corrections"] == 1
    [one] = standings["corrections"]
    assert listed["correction_list"] == [one]
    assert {name: one[name] for name in ("number", "kind", "bot", "by", "why", "seed", "sets", "games")} == {
        "number": 1,
        "kind": "void",
        "bot": "",
        "by": "Anna Example",
        "why": WHY,
        "seed": None,
        "sets": [KEY],
        "games": 2,
    }
    assert (one["sets_played_again"], one["games_played_again"]) == (0, 0)


def test_the_games_that_do_not_count_are_listed_replayed_and_exported(
    done: Done, fingerprint: str, tmp_path: Path
) -> None:
    game = f"{fingerprint}/{KEY}/0"
    before, listed = record_of(game), json.loads(done("matches", "--json", "--db", "x.db"))
    stories = json.loads(done("matches", "--faults", "--json", "--db", "x.db"))
    replayed = done("replay", game, "--db", "x.db")
    assert "no voided game" in done("matches", "--voided", "--db", "x.db")
    done(*VOID)
    voided = json.loads(done("matches", "--voided", "--json", "--db", "x.db"))
    gone = [each for each in listed if each["id"].startswith(f"{fingerprint}/{KEY}/")]
    assert voided == [{**each, "correction": 1} for each in gone], "a voided game is listed as it was before"
    told = json.loads(done("matches", "--voided", "--faults", "--json", "--db", "x.db"))
    without = [{**story, "saved": ""} for each in stories for story in each["stories"]]
    assert [story for each in told for story in each["stories"]] == without
    assert "correction" in done("matches", "--voided", "--db", "x.db").splitlines()[0]
    assert "no such voided game" in done("matches", "--voided", "--variant", "buck", "--db", "x.db")
    said = done("replay", game, "--voided", "1", "--db", "x.db")
    remark, _, rest = said.partition("\n\n")
    assert in_one_line(remark).startswith("this game does not count: correction 1, ")
    assert in_one_line(remark).endswith(f"by Anna Example, voided it: {WHY}")
    assert rest == replayed
    document = json.loads(done("replay", game, "--voided", "1", "--json", "--db", "x.db"))
    assert (document["game"], document["voided"]["correction"], document["voided"]["why"]) == (game, 1, WHY)
    done("replay", game, "--voided", "1", "-o", "game.html", "--db", "x.db")
    assert "this game does not count: correction 1, " in (tmp_path / "game.html").read_text()
    done("export", game, "--voided", "1", "-o", "old.toml", "--db", "x.db")
    assert (tmp_path / "old.toml").read_text() == before
    assert json.loads(done("export", game, "--voided", "1", "--json", "--db", "x.db"))["id"] == game


@pytest.mark.parametrize("command", ["replay", "export"])
def test_a_game_that_was_voided_is_found_and_a_wrong_number_is_named(
    done: Done, fingerprint: str, command: str
) -> None:
    game = f"{fingerprint}/{KEY}/0"
    assert "has no correction; there is no correction 1" in done(command, game, "--voided", "1", "--db", "x.db", code=2)
    done(*VOID)
    said = done(command, game, "--db", "x.db", code=2)
    assert "no longer counts" in said
    assert "--voided 1" in said
    assert "has correction 1 alone" in done(command, game, "--voided", "2", "--db", "x.db", code=2)
    other = f"{fingerprint}/euchre-0/ann+bob/1/0"
    said = done(command, other, "--voided", "1", "--db", "x.db", code=2)
    assert "did not remove a game" in said
    assert f"bowerbird matches {fingerprint} --voided" in said
    assert "no run 'zz'" in done(command, "zz/a/b/0/0", "--voided", "1", "--db", "x.db", code=2)


def test_a_run_or_a_file_has_no_voided_record(done: Done, fingerprint: str, tmp_path: Path) -> None:
    done(*VOID)
    said = done("export", "autumn", "--voided", "1", "-o", "run.tar.gz", "--db", "x.db", code=2)
    assert "belongs to a game" in said
    assert not (tmp_path / "run.tar.gz").exists()
    done("export", f"{fingerprint}/{KEY}/0", "--voided", "1", "-o", "old.toml", "--db", "x.db")
    assert "is a file" in done("replay", "old.toml", "--voided", "1", "--db", "x.db", code=2)


def test_text_of_a_stranger_is_escaped(done: Done, fingerprint: str) -> None:
    """No command writes such a reason, but another program can."""
    done(*VOID)
    with closing(sqlite3.connect("x.db")) as connection, connection:
        connection.execute("UPDATE correction SET why = ?, by = ?", ["\x1b[2J\nx", "\u202eb"])
    for command in (
        ("standings",),
        ("standings", "--full"),
        ("runs",),
        ("matches", "--voided"),
        ("replay", f"{fingerprint}/{KEY}/0", "--voided", "1"),
        ("standings", "--json"),
    ):
        said = done(*command, "--db", "x.db")
        assert all(line.isprintable() for line in said.splitlines()), command
