"""Loads a record from the database, or from a file whose ending names its notation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.extensions import offer, offered

if TYPE_CHECKING:
    from bowerbird.harness.records.values.game_record import GameRecord


_BEGINNING = 1 << 16


def check_ending(file: Path) -> None:
    """Raise InputError if a file is in another program's notation but has the wrong ending.

    Raises StoreError, OSError if it cannot be read.
    """
    from bowerbird.harness.records.text.bounded_file import open_regular

    with open_regular(file, "record") as opened:
        beginning = opened.read(_BEGINNING)
    if not beginning.lstrip().startswith(b"{"):
        return
    for kind, what in (("match", "a match"), ("notation", "a game")):  # a match contains games, so check for it first
        for name in offered(kind):
            if offer(kind, name).begins(beginning):
                raise InputError(f"{file} is {what} in {name.upper()}: end its name in .{name}")
    raise InputError(f"{file} is JSON; a record that 'bowerbird import' reads is the TOML of 'bowerbird export'")


def load_record(game: str, db: Path) -> GameRecord:
    """Return the record in a file or of a stored game. Raises InputError or StoreError if there is no such record."""
    path = Path(game)
    if path.is_file():
        from bowerbird.engine import RecordError
        from bowerbird.harness.records.text.bounded_file import read_record_file
        from bowerbird.harness.records.text.reader import read

        check_ending(path)
        try:
            return read(read_record_file(path))
        except RecordError as error:
            raise InputError(f"{path}: {error}") from error
    if path.suffix == ".toml":
        raise InputError(f"{path}: there is no such file")
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        return store.record(game)
