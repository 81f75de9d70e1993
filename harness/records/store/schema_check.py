"""Compares a database's schema with this version's, because a planted trigger would run on writes (database.md)."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.schema import TABLES, VIEWS

LONGEST_NAME = 60
"""The most characters that a sentence shows of the name of a foreign trigger, view, table or index."""

_MOST_NAMED = 4
"""The most objects of a foreign schema that a sentence names."""

_MOST_READ = 500
"""The most rows of a schema to read. An untrusted schema could have a million."""

_LONGEST_SQL = 100_000
"""The most characters of a definition to read. Our definitions are shorter."""

_OF_SQLITE = frozenset(
    {
        ("table", "sqlite_stat1", "CREATE TABLE sqlite_stat1 ( tbl , idx , stat )"),
        ("table", "sqlite_stat4", "CREATE TABLE sqlite_stat4 ( tbl , idx , neq , nlt , ndlt , sample )"),
        ("table", "sqlite_sequence", "CREATE TABLE sqlite_sequence ( name , seq )"),
    }
)
"""The tables that SQLite adds itself: ANALYZE and AUTOINCREMENT."""

_TOKEN = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|\[[^\]]*\])|--[^\n]*|/\*.*?(?:\*/|\Z)|\s+|(\w+|.)""", re.DOTALL)

Schema = Mapping[tuple[str, str], str]
"""(type, name) of a table, index, view or trigger -> its definition in SQL."""


def refuse_foreign_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError unless the database has exactly the tables, indexes, views and triggers of this version.

    Call this before the first statement that writes. Comments and spaces in definitions don't count, because they
    differ in a migrated database. Tables and indexes that SQLite adds itself are allowed. Raises sqlite3.Error.
    """
    found, expected = _schema(connection), _expected()
    if found == expected:
        return
    wrong = [
        *(("unknown", key) for key in found if key not in expected),
        *(("another", key) for key in expected if key in found and not _is_same(found[key], expected[key])),
        *(("no", key) for key in expected if key not in found),
    ]
    if not wrong:
        return
    named = [f"{what} {shown(kind, LONGEST_NAME)} {shown(name, LONGEST_NAME)!r}" for what, (kind, name) in wrong]
    more = [f"{len(named) - _MOST_NAMED} more"] if len(named) > _MOST_NAMED else []
    raise StoreError(
        f"{path}: its schema is not that of a Bowerbird database ({', '.join([*named[:_MOST_NAMED], *more])}) and it "
        "was left untouched; drop what you added yourself, which belongs in a copy, and ask a stranger for the archive "
        "of a run"
    )


@cache
def _expected() -> Schema:
    """Return the schema of a new database of this version, as SQLite keeps it, without running SQL."""
    schema = {("view", name): f'CREATE VIEW "{name}" AS {select}'.rstrip() for name, select in VIEWS.items()}
    for statement in map(str.strip, TABLES):
        _, kind, name, *_ = statement.split(None, 3)
        schema[kind.lower(), name] = statement
    return schema


def _schema(connection: sqlite3.Connection) -> Schema:
    """Return the schema of a database without SQLite's own additions.

    Rows are as a writer of `sqlite_schema` left them, so two can have the same name.
    """
    rows = connection.execute(
        "SELECT CAST(type AS TEXT), CAST(name AS TEXT), substr(sql, 1, ?) FROM sqlite_schema"
        " WHERE NOT (type = 'index' AND sql IS NULL AND name GLOB 'sqlite_autoindex_*') LIMIT ?",
        [_LONGEST_SQL, _MOST_READ],
    )
    schema: dict[tuple[str, str], str] = {}
    for kind, name, sql in rows:
        key = (str(kind), str(name))
        if str(name).startswith("sqlite_") and (*key, _plain(str(sql))) in _OF_SQLITE:
            continue
        schema[key] = f"{schema[key]}\n{sql}" if key in schema else str(sql).rstrip()
    return schema


def _is_same(one: str, other: str) -> bool:
    return one == other or _plain(one) == _plain(other)


def _plain(sql: str) -> str:
    """Return a definition without comments, with one space between its words and signs. Quoted strings stay unchanged.

    A name in brackets, as sqlite-utils writes it, becomes a quoted name.
    """
    return " ".join(
        _quoted(match[1]) if match[1] else match[2] for match in _TOKEN.finditer(sql) if match[1] or match[2]
    )


def _quoted(text: str) -> str:
    return f'"{text[1:-1]}"' if text.startswith("[") else text
