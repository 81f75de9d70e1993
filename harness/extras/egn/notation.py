"""What the commands use of EGN, and where imported files are kept: in the folder `egn` beside the database.

They are not records: nobody committed to their cards, and no clock ran. They stay outside the database, where nothing
can rate or verify them.
"""

from __future__ import annotations

import hashlib
import re
from functools import partial
from pathlib import Path

from bowerbird.engine import counted
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse, says
from bowerbird.harness.extras.egn.game import FILE_TYPE
from bowerbird.harness.extras.egn.judge import judged
from bowerbird.harness.extras.egn.whole import record_of
from bowerbird.harness.extras.egn.words import lines_of
from bowerbird.harness.extras.egn.writer import egn_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.notation import ForeignGame
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.atomic_file import replacing
from bowerbird.harness.records.text.bounded_file import read_bounded

FOLDER = "egn"
SUFFIX = ".egn"
MAX_BYTES = 1 << 22
_ID = re.compile(r"egn/([0-9a-f]{16})")


REMARK = "a game in EGN, from elsewhere: no clock of ours ran, and nobody committed to its cards"

written = egn_of


def read_file(path: Path) -> ForeignGame:
    """Read and judge a file. Raises EgnError with the path, StoreError if it is too long, OSError."""
    try:
        return game_of(read_bounded(path, MAX_BYTES, "game in EGN"))
    except EgnError as error:
        raise EgnError(f"{shown(str(path))}: {error}") from None


def game_of(data: bytes) -> ForeignGame:
    """Return the game in the bytes of a file, judged. Raises EgnError."""
    digest = hashlib.sha256(data).hexdigest()
    name = f"{FOLDER}/{digest[:16]}"
    game = judged(parse(data))
    record = record_of(game, name, digest) if game.is_whole else None
    ignored = ((game.game.comments, "comment"), (game.game.lines, "alternative line"))
    unshown = tuple(counted(number, what) for number, what in ignored if number)
    return ForeignGame(name, data, record, game.missing, len(game.deals), REMARK, unshown, partial(lines_of, game))


def begins(beginning: bytes) -> bool:
    """Return whether a file that begins with these bytes is one game in EGN."""
    return says(beginning, FILE_TYPE)


def keep(game: ForeignGame, db: Path) -> bool:
    """Keep the file of a game beside the database. Return whether it is new. Raises OSError."""
    path = _path(game.id, db)
    if path.is_file():
        return False
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as kept:
        kept.write(game.data)
    return True


def found(ref: str, db: Path) -> Path | None:
    """Return the file that `ref` names: a path that ends in .egn, or the id of one that is kept; None if neither.

    Raises StoreError if an id has no file.
    """
    if ref.endswith(SUFFIX) and Path(ref).is_file():
        return Path(ref)
    if not _ID.fullmatch(ref):
        return None
    path = _path(ref, db)
    if not path.is_file():
        raise StoreError(f"there is no game {ref} in {shown(str(path.parent))}; 'bowerbird import' prints the ids")
    return path


def _path(name: str, db: Path) -> Path:
    return db.parent / FOLDER / f"{name.partition('/')[2]}{SUFFIX}"
