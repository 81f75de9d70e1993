"""Bots that were withdrawn when a round of a Swiss was paired: table `unpaired`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from bowerbird.harness.records.store.tables.table import insert


def unpaired_in(connection: sqlite3.Connection, run: str) -> dict[int, frozenset[str]]:
    """Return, for each round, from 1, the bots that were not paired."""
    found: dict[int, set[str]] = {}
    for row in connection.execute("SELECT round, bot FROM unpaired WHERE run = ?", [run]):
        found.setdefault(row["round"], set()).add(row["bot"])
    return {number: frozenset(bots) for number, bots in found.items()}


def insert_unpaired(connection: sqlite3.Connection, run: str, number: int, bots: Iterable[str]) -> None:
    """Insert the bots that are not paired in round `number`."""
    rows = ({"run": run, "round": number, "bot": bot} for bot in sorted(bots))
    insert(connection, "unpaired", rows, "ON CONFLICT DO NOTHING")


def delete_unpaired(connection: sqlite3.Connection, run: str, first: int = 1) -> None:
    """Delete the rows of round `first` and later ones, which will be paired again."""
    connection.execute("DELETE FROM unpaired WHERE run = ? AND round >= ?", [run, first])
