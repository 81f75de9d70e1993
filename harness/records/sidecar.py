"""What lies beside a database while a run is written: the lock of its one writer, and its secret seed.

Both are files of their own. The lock is the system's, so it ends with the process, whatever ends the process. The seed
of a run must not be in the database before it is published: the database may be looked at or mailed at any time.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from harness.records.errors import StoreError
from harness.records.fresh import is_at, sync_folder


class RunLock:
    """The right to write one run. A second one is refused at once; readers need none."""

    def __init__(self, database: Path, fingerprint: str) -> None:
        """Take the lock. Raises StoreError if a process has it."""
        self._path = database.with_name(f"{database.name}-{fingerprint}.lock")
        self._descriptor = self._take(fingerprint)
        try:
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, f"{os.getpid()}\n".encode())
        except OSError:
            self.release()
            raise

    def _take(self, fingerprint: str) -> int:
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if is_at(descriptor, self._path):
                    return descriptor
            except BlockingIOError:
                holder = os.read(descriptor, 32).decode(errors="replace").strip()
                os.close(descriptor)
                raise StoreError(
                    f"{self._path}: run {fingerprint} is being played by another process (pid {holder or 'unknown'}); "
                    "one run has one referee, wait for it or stop it"
                ) from None
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # its last holder removed the file between our open and our lock: take the new one

    def release(self) -> None:
        """Give the lock back and remove its file. Harmless when repeated."""
        if self._descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> RunLock:
        """The lock is held already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release it."""
        self.release()


class SeedFile:
    """The seed of a run that has not ended, readable by its owner alone."""

    def __init__(self, database: Path, fingerprint: str) -> None:
        """Name the file; nothing is read or written."""
        self.path = database.with_name(f"{database.name}-{fingerprint}.seed")

    def write(self, seed: bytes) -> None:
        """Keep the seed; it is on the disk when this returns, whole or not at all."""
        fresh = self.path.with_name(f"{self.path.name}.new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{seed.hex()}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, self.path)
        sync_folder(self.path.parent)

    def read(self) -> bytes | None:
        """The seed, or None where there is no such file or it holds no seed."""
        try:
            return bytes.fromhex(self.path.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def remove(self) -> None:
        """Forget the seed: it has been published."""
        self.path.unlink(missing_ok=True)
