"""Loads the record that a command names: by the id of a stored game, or by the file of an exported record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.errors import InputError

if TYPE_CHECKING:
    from bowerbird.harness.records.values.game_record import GameRecord


def load_record(game: str, db: Path) -> GameRecord:
    """Return the record in a file, or of a stored game. Raises InputError or StoreError if there is none."""
    path = Path(game)
    if path.is_file():
        from bowerbird.engine import RecordError
        from bowerbird.harness.cli.shared.foreign import check_ending
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
