"""Export a run from one store and import it into another, and compare what the stores hold."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.archive import open_archive, write_archive
from bowerbird.harness.records.archive.merge import Merged, merge_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.verify.verification import verify_run


def exported(path: Path, run: str, name: str = "run.tar.gz") -> Path:
    """Write an archive of a run beside its store; return the path of the archive."""
    target = path.parent / name
    with Store.open(path) as store:
        write_archive(store[run], target)
    return target


def imported(path: Path, file: Path) -> Merged:
    """Import an archive into the store at `path`, created if absent, whoever signed it; return what was new."""
    with Store.create(path) as store, open_archive(file) as archive:
        return merge_run(store, archive, digest_of, untrusted=True)


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the sorted rows of every table, by table, without the times at which deal sets were saved.

    Where a run came from differs between the stores, too.

    Archives do not say which machine played a deal set, so machines are as in the view `machines`.
    """
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in tables}
        found["machine"] = sorted(connection.execute("SELECT * FROM machines").fetchall(), key=repr)
    found["job"] = [row[:5] for row in found["job"]]
    del found["origin"]
    return found


def differences(path: Path, run: str) -> list[str]:
    """Return what `verify_run` finds wrong with a stored run, one line each."""
    with Store.open(path) as store:
        return [str(one) for one in verify_run(store[run], digest_of)]
