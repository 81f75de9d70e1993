"""Opens the database for a command that records games; says which folder it makes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import Store


def recording_store(db: Path, *, quiet: bool) -> Store:
    """Open the database `db`; create it if there is none, and its folder if the folder above that exists.

    Says on stderr which folder it made, unless `quiet`. Raises InputError, and makes nothing, if more than one folder
    is missing: the path is then more likely a typing error.
    """
    from bowerbird.harness.records.store.store import Store

    folder = db.parent
    if folder.exists() or folder.is_symlink():
        return Store.create(db)
    nearest = next(each for each in folder.absolute().parents if each.exists())
    if nearest != folder.absolute().parent:
        raise InputError(
            f"{db}: there is no folder {folder}, and none above it up to {nearest}; make the folder first, or name "
            "another database with --db"
        )
    store = Store.create(db)
    if not quiet:
        note(f"made the folder {folder}")
    return store
