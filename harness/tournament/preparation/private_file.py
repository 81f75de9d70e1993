"""Files that only their owner can read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_private(file: Path, text: str) -> None:
    """Write a file atomically. Create its folder, with private access, if it is missing. Raises OSError.

    A reader finds either the old text or the new text, even during the write or after a crash.
    """
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, made = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)  # readable only by its owner
    try:
        with os.fdopen(number, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(made, file)
    except BaseException:
        os.unlink(made)
        raise
