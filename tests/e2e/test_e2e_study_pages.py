"""The pages on recorded data work as printed: first-study.md with its answers, export-data.md with its files."""

from __future__ import annotations

import csv
import json
import shlex
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.cli.main import run
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import block, blocks
from tests.support.paths import DOCS

STUDY = DOCS / "tutorials" / "first-study.md"
EXPORT = DOCS / "how-to" / "export-data.md"
SHOWN_GAME = "174e997c89/buck-0/greedy+random/0/0"

TOURNAMENT = """
[tournament]
name = "autumn"
unit = "deals"
sets = 2
[[variant]]
name = "buck"
[[bot]]
path = "greedy"
[[bot]]
path = "random"
"""


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Bowerbird:
    """Return the command in a folder with the games of the tutorial, played by its own command."""
    command = Bowerbird(tmp_path_factory.mktemp("studied"))
    [line] = [one for one in block(STUDY, "", "bowerbird match").splitlines() if one.startswith("$ ")]
    command.done(*shlex.split(line)[2:], "--quiet")
    return command


def program_of(page: Path, mark: str) -> str:
    return block(page, "python", mark)


def shown_after(page: Path, command: str) -> str:
    """Return what a page shows below a command."""
    return block(page, "", f"$ {command}\n").partition(f"$ {command}\n")[2]


def rows_of(database: Path, query: str) -> list[tuple[Any, ...]]:  # the columns depend on the query
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def test_query_of_the_study_gives_the_rows_that_are_shown(studied: Bowerbird) -> None:
    found = rows_of(studied.folder / "results" / "bowerbird.db", block(STUDY, "sql", "count(*)"))
    _, _, *shown = [line.split() for line in block(STUDY, "text", "points").splitlines()]
    assert [[str(cell) for cell in row] for row in found] == shown


@pytest.mark.parametrize(("name", "mark"), [("makers.py", "How often"), ("bids.py", "The bids")])
def test_program_of_the_study_prints_what_is_shown(studied: Bowerbird, name: str, mark: str) -> None:
    if name == "bids.py":
        pytest.importorskip("pandas", reason="pandas is an extra")
    (studied.folder / name).write_text(program_of(STUDY, mark), encoding="utf-8")
    finished = studied.run(sys.executable, name)
    assert finished.returncode == 0, finished.stderr
    printed = [line.rstrip() for line in finished.stdout.splitlines()]
    assert printed == shown_after(STUDY, f"python {name}").splitlines()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Bowerbird:
    """Return the command in a folder with a small run `autumn`, after every command of the page on exports."""
    command = Bowerbird(tmp_path_factory.mktemp("exported"))
    (command.folder / "autumn.toml").write_text(TOURNAMENT, encoding="utf-8")
    command.done("tournament", "autumn.toml", "--quiet")
    game = command.json("matches", "autumn")[0]["id"]
    shown = [line[2:] for one in blocks(EXPORT) for line in one.text.splitlines() if line.startswith("$ bowerbird ")]
    assert len(shown) == 8
    for line in shown:
        printed = command.done(*shlex.split(line.replace(SHOWN_GAME, game))[1:])
        if "--format csv" in line:
            (command.folder / "standings.csv").write_text(printed, encoding="utf-8")
        elif "--json" in line:
            json.loads(printed)
    return command


def test_standings_as_csv_have_the_columns_that_are_named(exported: Bowerbird) -> None:
    with (exported.folder / "standings.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert {row["bot"] for row in found} == {"greedy", "random"}
    named = {"scope", "rank", "elo", "elo_low", "elo_high", "points", "wins", "draws", "losses", "games", "sets"}
    assert named | {"p50_ms", "p99_ms", "TIMEOUT"} <= set(found[0])


def test_game_as_json_is_that_game(exported: Bowerbird) -> None:
    game = json.loads((exported.folder / "game.json").read_text(encoding="utf-8"))
    assert game["id"] == exported.json("matches", "autumn")[0]["id"]


def test_archive_and_record_of_the_page_verify(
    exported: Bowerbird, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(exported.folder)
    assert run(["verify", "autumn.tar.gz"]) == 0
    assert run(["verify", "game.toml"]) == 0
    assert capsys.readouterr().out.count("no differences") == 2


def test_query_of_the_page_has_a_row_for_each_seat(exported: Bowerbird) -> None:
    found = rows_of(exported.folder / "results" / "bowerbird.db", block(EXPORT, "sql", "SELECT"))
    assert len(found) == 4 * len(exported.json("matches", "autumn"))


def test_program_of_the_page_writes_the_seats(exported: Bowerbird) -> None:
    pytest.importorskip("pandas", reason="pandas is an extra")
    finished = exported.run(sys.executable, "-c", program_of(EXPORT, "seat_results"))
    assert finished.returncode == 0, finished.stderr
    games = len(exported.json("matches", "autumn"))
    assert finished.stdout == f"{games} games, {4 * games} seats, 0 faults\n"
    assert len((exported.folder / "seats.csv").read_text(encoding="utf-8").splitlines()) == 1 + 4 * games
