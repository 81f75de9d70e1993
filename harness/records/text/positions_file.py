"""A file of positions: decisions of recorded games, each with its complete record, to put to a bot one by one.

One JSON object: `{"positions": [{"record": …, "hand": 0, "step": 7, "better": "pass", "remark": …}]}`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.bounded_file import MAX_RECORD, open_regular, read_bounded
from bowerbird.harness.records.text.bounded_json import load_json

MAX_FILE = 16 * MAX_RECORD
"""The largest file of positions to read, in bytes."""

_KEY = "positions"


@dataclass(frozen=True, slots=True)
class SavedPosition:
    """A decision of a recorded game.

    Attributes:
        record: the text of the record.
        hand, step: the place of the decision, counted as in `replay`.
        better: the action that somebody considers better; "" for none.
        remark: a line about it, for people.
    """

    record: str
    hand: int
    step: int
    better: str
    remark: str


def positions_text(positions: Sequence[SavedPosition]) -> bytes:
    """Return the content of a file of positions."""
    text = json.dumps({_KEY: [asdict(position) for position in positions]}, indent=1, ensure_ascii=False)
    return f"{text}\n".encode()


def is_positions_file(path: Path) -> bool:
    """Return True if a file contains positions rather than one record. Raises OSError, StoreError."""
    with open_regular(path, "file of positions") as file:
        return file.read(1) == b"{"


def read_positions(path: Path) -> list[SavedPosition]:
    """Return the positions of a file. The records are not read yet.

    Raises StoreError if it is not a file of positions, or is empty; OSError.
    """
    try:
        document = load_json(read_bounded(path, MAX_FILE, "file of positions"))
        found = [_position(one) for one in document[_KEY]]
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{shown(str(path))}: is not a file of positions ({shown(str(error), 80)})") from None
    if not found:
        raise StoreError(f"{shown(str(path))}: has no position")
    return found


def _position(values: dict[str, object]) -> SavedPosition:
    kinds = {field.name: int if field.type == "int" else str for field in fields(SavedPosition)}
    for name, kind in kinds.items():
        if type(values[name]) is not kind:
            raise ValueError(f"the key {name} of a position must be {'a number' if kind is int else 'text'}")
    return SavedPosition(**{name: values[name] for name in kinds})  # type: ignore[arg-type]  # compared above
