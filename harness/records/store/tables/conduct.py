"""The behaviour of a run's bots, and where they ran: tables `incident`, `cpu` and `machine`, view `machines`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from bowerbird.harness.records.store.tables.table import columns_of, insert, value_of
from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.machines import Machine, MachineTotal
from bowerbird.harness.records.values.run import CpuTotal


def insert_incidents(connection: sqlite3.Connection, run: str, incidents: Iterable[Incident]) -> None:
    """Insert incidents, without their `games`, except those that are already stored."""
    rows = ({"run": run, **columns_of(one, without=("games",))} for one in incidents)
    insert(connection, "incident", rows, "ON CONFLICT DO NOTHING")


def add_cpu(connection: sqlite3.Connection, run: str, used: Iterable[CpuTotal]) -> None:
    """Add to the stored processor time of the run's bots."""
    _upsert_cpu(connection, run, used, "cpu.{0} + excluded.{0}")


def raise_cpu(connection: sqlite3.Connection, run: str, totals: Iterable[CpuTotal]) -> None:
    """Raise the stored processor time of each bot to these totals, if it is lower."""
    _upsert_cpu(connection, run, totals, "MAX(cpu.{0}, excluded.{0})")


def _upsert_cpu(connection: sqlite3.Connection, run: str, rows: Iterable[CpuTotal], merged: str) -> None:
    """Insert these rows. If a bot already has a row, set each column to the expression `merged`."""
    columns = ", ".join(f"{column} = {merged.format(column)}" for column in ("cpu_ms", "processes"))
    listed = [{"run": run, **columns_of(row)} for row in rows]
    insert(connection, "cpu", listed, f"ON CONFLICT (run, bot) DO UPDATE SET {columns}")


def machines_in(connection: sqlite3.Connection, run: str) -> tuple[MachineTotal, ...]:
    """Return the machines of a run, in order."""
    rows = connection.execute("SELECT * FROM machines WHERE run = ?", [run])
    return tuple(sorted(MachineTotal(value_of(Machine, row), row["sets"]) for row in rows))


def insert_machine(connection: sqlite3.Connection, run: str, machine: Machine, imported: int = 0) -> None:
    """Insert a machine of the run unless it is already stored, and add to its number of imported deal sets."""
    insert(
        connection,
        "machine",
        [{"run": run, **columns_of(machine), "imported": imported}],
        "ON CONFLICT (run, cpu, speed) DO UPDATE SET imported = imported + excluded.imported",
    )


def machine_id(connection: sqlite3.Connection, run: str, machine: Machine) -> int:
    """Return the id of a machine of the run. Insert the machine if it is new."""
    insert_machine(connection, run, machine)
    sql = "SELECT id FROM machine WHERE run = ? AND cpu = ? AND speed = ?"
    return int(connection.execute(sql, [run, machine.cpu, machine.speed]).fetchone()["id"])
