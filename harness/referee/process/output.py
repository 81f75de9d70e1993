"""The stdout and stderr of a bot's process, kept in limited space: a log file, and the end of each in memory.

This module must not import trio: logs are made while trio is still being imported (`prestart`).
"""

from __future__ import annotations

from pathlib import Path

LOG_LIMIT = 1 << 20
"""The most bytes of output in a log file, apart from its last line."""

TAIL_BYTES = 65536


class OutputLog:
    """A log file of limited size with the output of one process. The file is created when the first byte arrives."""

    def __init__(self, path: Path) -> None:
        """Log to `path`; missing folders are created."""
        self.path = path
        self._room = LOG_LIMIT

    @property
    def has_output(self) -> bool:
        """Whether anything was written, so that the file exists."""
        return self._room != LOG_LIMIT

    def add(self, data: bytes) -> None:
        """Append as much as fits; the last line of a full log says that more was written.

        If the log cannot be written because the disk is full, it ends there, so that no game fails because of its log.
        """
        if self._room < 0:
            return
        try:
            self._write(data)
        except OSError:
            self._room = -1
            return
        self._room -= len(data)

    def _write(self, data: bytes) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.path.open("ab" if self.has_output else "wb") as file:
            file.write(data[: self._room])
            if len(data) > self._room:
                file.write(b"\n[more was written; the log ends here]\n")


class Tail:
    """The last `TAIL_BYTES` bytes of an output of any length."""

    def __init__(self) -> None:
        """Start without output."""
        self._bytes = bytearray()

    def add(self, data: bytes) -> None:
        """Append further output."""
        self._bytes += data
        if len(self._bytes) > 2 * TAIL_BYTES:
            del self._bytes[:-TAIL_BYTES]

    @property
    def text(self) -> str:
        """The end of the output; bytes that are not UTF-8 are replaced."""
        return bytes(self._bytes[-TAIL_BYTES:]).decode("utf-8", "replace")
