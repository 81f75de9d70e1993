"""What the store reads of one run agrees with the views of the database (database.md)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.records.store.schema import view_of_run
from tests.support.records.stored_runs import store_run


@pytest.mark.parametrize("view", ["crosstable", "standings"])
def test_the_rows_of_a_run_are_those_of_the_view(tmp_path: Path, view: str) -> None:
    db = tmp_path / "x.db"
    variants = ("buck", "seven-handed")
    runs = [store_run(db, variants=variants, faulty={0}), store_run(db, variants=variants[:1], name="winter")]
    with closing(sqlite3.connect(db)) as connection:
        for run in runs:
            expected = connection.execute(f"SELECT * FROM {view} WHERE run = ?", [run])
            found = connection.execute(view_of_run(view), {"run": run})
            assert [column[0] for column in found.description] == [column[0] for column in expected.description]
            rows = sorted(found.fetchall(), key=repr)
            assert rows == sorted(expected.fetchall(), key=repr)
            assert rows, f"{view} has no row"
