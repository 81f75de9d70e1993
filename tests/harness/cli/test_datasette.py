"""`bowerbird datasette`: the real Datasette opens a database with this metadata and runs every canned query."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.cli.commands.datasette import FACETS, HIDDEN, LABELS, QUERIES, metadata
from tests.support.command.bowerbird_command import Bowerbird

MATCH = ("match", "greedy", "random", "--variant", "euchre", "--sets", "1", "--seed", "datasette", "--quiet")


async def _opened(file: Path, described: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """Return what Datasette answers for the database, its tables and its queries: status and text by address."""
    app = pytest.importorskip("datasette.app")  # here, as it takes a second to import
    site = app.Datasette([], immutables=[str(file)], metadata=described)
    await site.invoke_startup()
    name = file.stem
    addresses = [f"/{name}", f"/{name}.json"]
    addresses += [f"/{name}/{table}" for table in described["databases"][name]["tables"]]
    addresses += [f"/{name}/{query}.json?run=&bot=&_shape=objects" for query in QUERIES]
    answers = {}
    for address in addresses:
        answer = await site.client.get(address)
        answers[address] = (answer.status_code, answer.text)
    return answers


@pytest.mark.usefixtures("processes")
def test_datasette_opens_the_database_and_runs_every_canned_query(bowerbird: Bowerbird) -> None:
    bowerbird.done(*MATCH, "--db", "cup.db")
    described = json.loads(bowerbird.done("datasette", "cup.db"))
    answers = asyncio.run(_opened(bowerbird.folder / "cup.db", described))
    wrong = {address: answer for address, answer in answers.items() if answer[0] != 200}
    assert not wrong
    for query in QUERIES:
        answer = json.loads(answers[f"/cup/{query}.json?run=&bot=&_shape=objects"][1])
        assert answer.get("error") is None, (query, answer)
        assert answer["rows"] or query == "faults_by_bot", f"{query} has no rows"
    shown = json.loads(answers["/cup.json"][1])
    keys = {table["name"]: table["foreign_keys"]["outgoing"] for table in shown["tables"]}
    assert "game" in {key["other_table"] for key in keys["seat"]}, "a seat does not lead to its game"
    for title, _sql in QUERIES.values():
        assert title in answers["/cup"][1]


@pytest.mark.usefixtures("processes")
def test_the_metadata_describe_exactly_the_tables_views_and_columns_that_there_are(bowerbird: Bowerbird) -> None:
    import sqlite3

    bowerbird.done(*MATCH, "--db", "cup.db")
    tables: dict[str, Any] = metadata("cup")["databases"]["cup"]["tables"]  # type: ignore[index]
    connection = sqlite3.connect(bowerbird.folder / "cup.db")
    there = {
        name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        if not name.startswith("sqlite_")
    }
    connection.close()
    assert set(tables) == set(there)
    for name, about in tables.items():
        assert set(about["columns"]) <= there[name], f"{name} describes columns that are not there"
        assert about.get("description"), f"{name} has no description"
        assert set(FACETS.get(name, ())) <= there[name], f"facets of {name}"
    assert {*FACETS, *LABELS, *HIDDEN} <= set(there)


def test_a_file_that_is_no_database_is_refused_in_one_sentence(bowerbird: Bowerbird) -> None:
    (bowerbird.folder / "x.db").write_text("no database\n" * 100, encoding="utf-8")
    assert "x.db" in bowerbird.refused("datasette", "x.db")
    assert "none.db" in bowerbird.refused("datasette", "none.db")
