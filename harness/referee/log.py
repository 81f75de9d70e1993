"""What a bot's process wrote, in a file that is bounded."""

from __future__ import annotations

from pathlib import Path

LOG_LIMIT = 1 << 20


class Log:
    """A bounded file of everything that one process wrote; made when the first byte arrives."""

    def __init__(self, path: Path) -> None:
        """A log at `path`, whose folder exists or can be made."""
        self.path = path
        self._room = LOG_LIMIT

    @property
    def is_begun(self) -> bool:
        """Whether anything was written, so that the file is there."""
        return self._room != LOG_LIMIT

    def add(self, data: bytes) -> None:
        """Append what fits; the last line of a full log says that there was more.

        Where it cannot be written (the disk is full) it ends there: a log is worth no game.
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
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab" if self.is_begun else "wb") as file:
            file.write(data[: self._room])
            if len(data) > self._room:
                file.write(b"\n[more was written; the log ends here]\n")
