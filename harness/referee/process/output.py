"""What a bot's process writes to stdout and stderr, kept in bounded space: a log file, and the end of each in memory.

Must not import trio: logs are made while trio is still being imported (`prestart`).
"""

from __future__ import annotations

from pathlib import Path

LOG_LIMIT = 1 << 20
"""How many bytes of output a log file holds, apart from its last line."""

TAIL_BYTES = 65536


class OutputLog:
    """A bounded file of everything that one process wrote. The file is made when the first byte arrives."""

    def __init__(self, path: Path) -> None:
        """Log to `path`; missing folders are made."""
        self.path = path
        self._room = LOG_LIMIT

    @property
    def has_output(self) -> bool:
        """Whether anything was written, so that the file exists."""
        return self._room != LOG_LIMIT

    def add(self, data: bytes) -> None:
        """Append what fits; the last line of a full log says that more was written.

        A log that cannot be written, because the disk is full, ends there: no game fails for its log.
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
        """Begin with no output."""
        self._bytes = bytearray()

    def add(self, data: bytes) -> None:
        """Append what was written next."""
        self._bytes += data
        if len(self._bytes) > 2 * TAIL_BYTES:
            del self._bytes[:-TAIL_BYTES]

    @property
    def text(self) -> str:
        """The end of the output; bytes that are not UTF-8 are replaced."""
        return bytes(self._bytes[-TAIL_BYTES:]).decode("utf-8", "replace")
