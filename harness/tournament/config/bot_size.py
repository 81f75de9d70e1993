"""Limits the size of a bot: its folder is hashed, copied and sent to workers, even if it holds a sparse 2 TB file."""

from __future__ import annotations

import errno

MOST_BYTES = 1 << 32
"""The largest total size of a bot's files, in bytes, including holes. Hashing them takes a few seconds."""

MOST_FILES = 100_000


class BotSize:
    """The size of a bot, counted file by file before anything is read."""

    def __init__(self) -> None:
        """Start at zero."""
        self._bytes = 0
        self._files = 0

    def add(self, path: str, size: int) -> None:
        """Count a file of `size` bytes. Raises OSError, with the file, if it makes the bot too large."""
        self._bytes += size
        self._files += 1
        if self._bytes > MOST_BYTES:
            reason = f"it takes the bot above the limit of {MOST_BYTES >> 30} GiB"
            raise OSError(errno.EFBIG, reason, path)
        if self._files > MOST_FILES:
            raise OSError(errno.EFBIG, f"it takes the bot above the limit of {MOST_FILES:,} files", path)
