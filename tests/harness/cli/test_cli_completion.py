"""Completion offers runs, games, bots and files, over the protocol that the shells use (commands.md)."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.records.store.access import log_of
from bowerbird.harness.records.store.changes import rename_run
from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND
from tests.support.deadline import DEADLINE_S
from tests.support.records.stored_runs import SIXTH_VERSION, store_run

pytestmark = pytest.mark.usefixtures("processes")

HEAVY = (
    "numpy",
    "grpc",
    "trio",
    "google.protobuf",
    "sqlite_utils",
    "bowerbird.harness.records.store.store",
    "bowerbird.engine",
)
HOSTILE = ("$(touch x)", "`touch x`", "a;touch x", "*", "a b", "a\nplain,b", "\x1b[2J", "~root", "-rf", "a'b")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a working folder with a run in its default database."""
    store_run(tmp_path / "results" / "bowerbird.db", variants=("euchre", "buck"))
    return tmp_path


def complete(folder: Path, *words: str, shell: str = "bash") -> list[str]:
    """Return the lines that the shell is given for these words, of which it completes the last."""
    environment = {
        **os.environ,
        "_BOWERBIRD_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("bowerbird", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [COMMAND], cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    assert done.stderr == ""
    return [line for line in done.stdout.split("\n") if line]


def words_of(lines: Sequence[str]) -> list[str]:
    return [line.removeprefix("plain,") for line in lines if line.startswith("plain,")]


def the_run(folder: Path) -> str:
    with Store.open(folder / "results" / "bowerbird.db") as store:
        return store.run().fingerprint


@pytest.mark.parametrize(
    "command",
    [
        *("standings", "matches", "report", "verify", "export", "runs resume", "runs rename", "runs delete"),
        *("void", "withdraw", "reinstate"),
    ],
)
def test_the_runs_of_the_database_are_offered(folder: Path, command: str) -> None:
    run = the_run(folder)
    assert words_of(complete(folder, *command.split(), "")) == [run]
    assert words_of(complete(folder, *command.split(), run[:3])) == [run]
    assert words_of(complete(folder, *command.split(), "zz")) == []


def test_a_run_is_offered_with_its_name_and_date(folder: Path) -> None:
    rename_run(folder / "results" / "bowerbird.db", the_run(folder), "league")
    kind, run, described = complete(folder, "standings", "", shell="zsh")
    assert (kind, run) == ("plain", the_run(folder))
    assert described.startswith("league 20")


def test_a_game_is_offered_part_by_part_and_a_single_offer_is_a_whole_id(folder: Path) -> None:
    run = the_run(folder)
    with Store.open(folder / "results" / "bowerbird.db") as store:
        ids = store[run].game_ids()
    assert words_of(complete(folder, "replay", "")) == [f"{run}/buck-0/", f"{run}/euchre-0/"]
    buck = [game for game in ids if "/buck-0/" in game]
    assert words_of(complete(folder, "replay", f"{run}/b")) == buck
    assert words_of(complete(folder, "export", buck[0][:-1])) == buck
    assert words_of(complete(folder, "export", buck[0])) == [buck[0]]


@pytest.mark.parametrize("ref", ["id", "prefix", "name"])
def test_games_and_bots_of_the_named_run_are_offered(folder: Path, ref: str) -> None:
    run = the_run(folder)
    store_run(folder / "results" / "bowerbird.db", name="winter", variants=("euchre",))
    named = {"id": run, "prefix": run[:5], "name": "autumn"}[ref]
    assert words_of(complete(folder, "void", named, "")) == [f"{run}/buck-0/", f"{run}/euchre-0/"]
    [first, *_] = words_of(complete(folder, "void", named, f"{run}/b"))
    assert first.startswith(f"{run}/buck-0/")
    assert words_of(complete(folder, "void", named, first, f"{run}/b"))[0] == first, "a second game"
    assert words_of(complete(folder, "reinstate", named, "")) == ["ann", "bob"]
    assert words_of(complete(folder, "reinstate", named, "b")) == ["bob"]
    assert words_of(complete(folder, "reinstate", "zz", "")) == []
    assert words_of(complete(folder, "void", "zz", "")) == []


def test_the_option_db_is_obeyed_before_a_command_of_a_group_too(folder: Path) -> None:
    other = store_run(folder / "other.db", name="winter", variants=("euchre",))
    assert words_of(complete(folder, "standings", "--db", "other.db", "")) == [other]
    assert words_of(complete(folder, "runs", "--db", "other.db", "delete", "")) == [other]
    assert words_of(complete(folder, "runs", "delete", "--db", "other.db", "")) == [other]


def test_nothing_is_said_or_made_where_there_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("dear diary\n" * 100)
    assert complete(tmp_path, "standings", "") == []
    assert complete(tmp_path, "standings", "--db", "text.db", "") == []
    assert complete(tmp_path, "standings", "--db", ".", "") == []
    assert [path.name for path in tmp_path.iterdir()] == ["text.db"]


def test_a_run_is_completed_by_its_name_once_a_letter_is_typed(folder: Path) -> None:
    with Store.open(folder / "results" / "bowerbird.db") as store:
        name = store.run().row.name
    assert name not in words_of(complete(folder, "standings", ""))
    assert name in words_of(complete(folder, "standings", name[:2]))


def test_completion_changes_nothing_in_the_folder_of_the_database(folder: Path) -> None:
    """Not even an older version is migrated."""
    path = folder / "results" / "bowerbird.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"{SIXTH_VERSION} ALTER TABLE run DROP COLUMN label; ALTER TABLE run DROP COLUMN folder;"
            "PRAGMA user_version = 3; PRAGMA wal_checkpoint(TRUNCATE);"
        )
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    assert len(words_of(complete(folder, "standings", ""))) == 1
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


def test_a_log_that_a_crash_has_left_is_read_and_gets_no_index(folder: Path) -> None:
    """The index is made by the next command, which may write."""
    path = folder / "results" / "bowerbird.db"
    crash = (
        "import os, signal, sqlite3, sys\n"
        "sqlite3.connect(sys.argv[1], isolation_level=None).execute(\"UPDATE run SET label = 'crashed'\")\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", crash, str(path)], check=False, timeout=DEADLINE_S)
    assert log_of(path).stat().st_size > 0
    assert complete(folder, "standings", "", shell="zsh")[2].startswith("crashed")
    path.with_name(f"{path.name}-shm").unlink()
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    complete(folder, "standings", "")
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


def test_what_a_shell_could_run_is_not_offered(folder: Path) -> None:
    path = folder / "results" / "bowerbird.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, text in enumerate(HOSTILE):
            connection.execute(
                "INSERT INTO run SELECT ?, ?, commitment, seed, practice, packs, config, engine, rules, started, ended,"
                " '', 0, beacon, 0, ?, folder, '', '' FROM run LIMIT 1",
                [text, f"n{number}", text],
            )
            connection.execute("INSERT INTO single VALUES (?, '')", [f"{text}/x/y/0/0"])
        connection.execute("UPDATE run SET label = ? WHERE name = 'autumn'", ["a\nplain\nrm"])
    run = the_run_named(path, "autumn")
    assert words_of(complete(folder, "standings", "")) == [run]
    assert all(word.startswith(run) for word in words_of(complete(folder, "replay", "")))
    assert complete(folder, "standings", "", shell="zsh")[2].startswith("20"), "the date alone"


def the_run_named(path: Path, name: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT fingerprint FROM run WHERE name = ?", [name]).fetchone()[0])


def test_files_bots_and_folders_are_offered(folder: Path) -> None:
    assert complete(folder, "import", "aut") == ["file,aut"]
    assert complete(folder, "tournament", "aut") == ["file,aut"]
    assert complete(folder, "replay", "zz") == ["file,zz"]
    assert "plain,greedy" in complete(folder, "match", "gr")
    assert complete(folder, "match", "./gr") == ["dir,./gr"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("words", "offered"), [(["match", "gre"], ["greedy"]), (["verify", ""], ["RUN"])])
def test_bash_keeps_the_words_beside_files_and_folders(folder: Path, words: list[str], offered: list[str]) -> None:
    """In the script of click a file or folder replaces every word before it."""
    typed = " ".join(f"'{word}'" for word in ("bowerbird", *words))
    script = f"""
        eval "$(_BOWERBIRD_COMPLETE=bash_source {COMMAND})"
        compopt() {{ :; }}
        COMP_WORDS=({typed}) COMP_CWORD={len(words)}
        _bowerbird_completion {COMMAND}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    assert done.stdout.split() == [the_run(folder) if word == "RUN" else word for word in offered]


def test_completion_imports_nothing_heavy(folder: Path) -> None:
    """A person waits for it at every press of the key."""
    program = (
        "import sys, os\n"
        "os.environ.update(_BOWERBIRD_COMPLETE='bash_complete', COMP_WORDS='bowerbird standings ', COMP_CWORD='2')\n"
        "from bowerbird.harness.cli.main import cli\n"
        "try:\n    cli.main([], prog_name='bowerbird')\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    offered, loaded = done.stdout.splitlines()[0], set(done.stdout.splitlines()[-1].split())
    assert offered == f"plain,{the_run(folder)}"
    assert not loaded & set(HEAVY)
