"""Common to all tables: converting values to rows and back, and inserting rows.

A field and its column have the same name unless the table's module states otherwise.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, ClassVar, Protocol, TypeVar

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.run import SetKey


class Dataclass(Protocol):
    """An instance of any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Row = Mapping[str, object]
"""A row to insert: column -> value."""

Value = TypeVar("Value", bound=Dataclass)

LONGEST_QUOTE = 120
"""The most characters of a wrong value that a message shows."""

GAME_ORDER = "run, entry, lineup, set_number, rotation"
"""The order of the games' ids, in SQL."""

SET_ORDER = "entry, lineup, set_number"

IN_SET = "run = :run AND entry = :entry AND lineup = :lineup AND set_number = :set_number"
"""The condition for rows that belong to a deal set. Its parameters are `set_columns`."""


@cache
def _field_names(kind: type[Dataclass]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def columns_of(value: Dataclass, *, without: Sequence[str] = ()) -> dict[str, object]:
    """Return the columns of a value, one for each field that is not omitted."""
    return {name: getattr(value, name) for name in _field_names(type(value)) if name not in without}


def value_of(kind: type[Value], row: sqlite3.Row | Row, **converted: object) -> Value:
    """Return an instance of `kind` with fields from `converted`, or else from the columns of the same name."""
    make: Callable[..., Value] = kind
    return make(**{name: row[name] for name in _field_names(kind) if name not in converted}, **converted)


@lru_cache(maxsize=4096)
def tuple_from(text: str) -> tuple[Any, ...]:
    """Return the list that is in a column as JSON. Raises StoreError if it is not a list."""
    try:
        return tuple(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:  # another program wrote it
        raise StoreError(f"{shown(text, LONGEST_QUOTE)!r} in the database is not a list in JSON") from error


def seed_from(text: str | None) -> bytes | None:
    """Return the seed that is in a column in hex; None if it is not published.

    Raises StoreError if it is not a seed.
    """
    try:
        return None if text is None else bytes.fromhex(text)
    except ValueError as error:
        raise StoreError(f"{shown(text or '', LONGEST_QUOTE)!r} in the database is not the seed of a run") from error


def set_columns(run: str, key: SetKey) -> Row:
    """Return the columns that identify a deal set, in every table that has them."""
    return {"run": run, "entry": key.entry, "lineup": key.lineup, "set_number": key.number}


def set_key_from(row: sqlite3.Row) -> SetKey:
    """Return the deal set to which a row belongs."""
    return SetKey(row["entry"], row["lineup"], row["set_number"])


def now() -> str:
    """Return the current time as stored: UTC, ISO 8601, in milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row], on_conflict: str = "") -> None:
    """Insert rows that all have the columns of the first. `on_conflict` is the upsert clause, if any."""
    listed = list(rows)
    if listed:
        columns = ", ".join(listed[0])
        places = ", ".join(f":{column}" for column in listed[0])
        connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places}) {on_conflict}", listed)


def upsert(connection: sqlite3.Connection, table: str, key: Sequence[str], row: Row) -> None:
    """Insert a row, or replace the row with the same `key`."""
    rest = ", ".join(f"{name} = excluded.{name}" for name in row if name not in key)
    insert(connection, table, [row], f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {rest}")
