"""database.md describes the schema of the store: pragmas, tables, keys, views, ids; and its queries run."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.records.store.file_header import APPLICATION_ID
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import GameId, run_fingerprint
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from tests.support.paths import DOCS
from tests.support.records.stored_runs import store_run

PAGE = DOCS / "reference" / "database.md"
TEXT = PAGE.read_text(encoding="utf-8")
OF_SQLITE = re.compile(r"^(sqlite_|json_)")


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """Return a connection to a database with a run of games and a run of single hands."""
    path = tmp_path_factory.mktemp("database") / "x.db"
    run = store_run(path, variants=("euchre", "buck"))
    with Store.open(path) as store:
        assert store_record_ratings(store[run])
    with closing(sqlite3.connect(path)) as made:
        yield made


def section(title: str) -> str:
    """Return the text of a third-level section."""
    found = re.search(rf"^### {re.escape(title)}\n(.*?)(?=^##|\Z)", TEXT, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{PAGE.name} has no section {title!r}"
    return found.group(1)


def cells(text: str) -> list[list[str]]:
    """Return the rows of the tables of a string, without their titles."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names(connection: sqlite3.Connection, kind: str) -> set[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = ?", [kind])
    return {name for (name,) in found if not OF_SQLITE.match(name)}


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_every_table_and_view_has_a_section(connection: sqlite3.Connection) -> None:
    shown = re.findall(r"^### (.*)$", TEXT, re.MULTILINE)
    assert {title for title in shown if not title.startswith("View ")} == names(connection, "table")
    assert {title.removeprefix("View ") for title in shown if title.startswith("View ")} == names(connection, "view")


TABLES = [title for title in re.findall(r"^### (.*)$", TEXT, re.MULTILINE) if not title.startswith("View ")]
VIEWS = [title.removeprefix("View ") for title in re.findall(r"^### (View .*)$", TEXT, re.MULTILINE)]


@pytest.mark.parametrize("table", TABLES)
def test_columns_types_and_keys_of_a_table_are_those_of_the_file(connection: sqlite3.Connection, table: str) -> None:
    info = connection.execute(f"PRAGMA table_info({table})").fetchall()
    keys = [row[1] for row in sorted((row for row in info if row[5]), key=lambda row: int(row[5]))]
    types = {row[1]: row[2].lower() if row[3] or row[5] else f"{row[2].lower()} or NULL" for row in info}
    text = section(table)
    assert {code(name)[0]: type_ for name, type_, _ in cells(text)} == types
    assert [code(name)[0] for name, _, _ in cells(text)] == list(types), "in the order of the file"
    [key] = re.findall(r"^Primary key: (.*)\.$", text, re.MULTILINE)
    assert code(key) == keys
    foreign: dict[int, tuple[str, list[str]]] = {}
    for row in connection.execute(f"PRAGMA foreign_key_list({table})"):
        foreign.setdefault(row[0], (row[2], []))[1].append(row[3])
    references = re.findall(r"^\(([^|)]*)\)\s+refers\s+to\s+(`\w+`)\.", text, re.MULTILINE)
    shown = [(code(target)[0], code(mine)) for mine, target in references]
    assert sorted(shown) == sorted(foreign.values())


@pytest.mark.parametrize("view", VIEWS)
def test_columns_of_a_view_are_those_of_the_file(connection: sqlite3.Connection, view: str) -> None:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({view})")]
    text = section(view if view in TABLES else f"View {view}")
    [shown] = re.findall(r"^Columns: (.*?)\.$", text, re.MULTILINE | re.DOTALL)
    assert code(shown) == columns
    assert {name for row in cells(text) for name in code(row[0])} <= set(columns)


def test_pragmas_are_those_of_the_file(connection: sqlite3.Connection) -> None:
    table = TEXT.split("## The file\n")[1].split("\n\nAll tables")[0]
    shown = {code(row[0])[0]: row[1] for row in cells(table)}
    assert shown == {
        pragma: str(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
        for pragma in ("application_id", "user_version", "journal_mode")
    }
    assert (shown["application_id"], shown["user_version"]) == (str(APPLICATION_ID), str(VERSION))
    assert APPLICATION_ID.to_bytes(4, "big") == b"BWRB"


def test_every_table_is_strict(connection: sqlite3.Connection) -> None:
    assert all(row[5] for row in connection.execute("PRAGMA table_list") if row[1] in TABLES and row[2] == "table")


def test_ids_are_formed_as_the_page_says(connection: sqlite3.Connection) -> None:
    for run, name, commitment in connection.execute("SELECT fingerprint, name, commitment FROM run"):
        assert run == hashlib.sha256(f"{name}\0{commitment}".encode()).hexdigest()[:10]
        assert run == run_fingerprint(name, commitment)
    for row in connection.execute("SELECT id, run, entry, lineup, set_number, rotation FROM game"):
        assert row[0] == "/".join(map(str, row[1:]))
        assert GameId.parse(row[0]).run == row[1]
    [shown] = re.findall(r"`(\w{10}/buck-0/\S+/3/0)`", TEXT)
    assert GameId.parse(shown).rotation == 0


@pytest.mark.parametrize("query", re.findall(r"^```sql\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE))
def test_a_query_of_the_page_runs_and_finds_something(connection: sqlite3.Connection, query: str) -> None:
    assert connection.execute(query).fetchall()


def test_the_page_has_three_queries() -> None:
    assert TEXT.count("```sql") == 3


def test_a_reader_may_open_it_as_the_page_says(tmp_path: Path) -> None:
    path = tmp_path / "bowerbird.db"
    with Store.create(path):
        assert "`file:results/bowerbird.db?mode=ro`" in TEXT
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
            assert reader.execute("SELECT COUNT(*) FROM runs").fetchone() == (0,)


def test_lines_fit_into_80_columns() -> None:
    assert not [line for line in TEXT.splitlines() if len(line) > 80 and line[0] != "|"]
