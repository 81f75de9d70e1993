"""Files of a run beside its database: its logs, its `on_end` command and, while it is written, a lock and its seed.

The system always releases the lock when the process ends. The seed is not in the database before it is published,
because the database can be read or mailed at any time.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bowerbird.harness.closing import Closing
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.access import refuse_unwritable
from bowerbird.harness.records.store.atomic_file import OF_SQLITE, is_at, sync_folder
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.records.values.run import commitment_of, is_run_id

LOGS = "logs"
"""The folder beside a database with a folder of logs for each run."""


def logs_of(database: Path, fingerprint: str) -> Path:
    """Return the folder of a run's logs. Raises StoreError as `checked_id` does."""
    return database.parent / LOGS / checked_id(database, fingerprint)


def checked_id(database: Path, fingerprint: str) -> str:
    """Return the id of a run, which names files. Raises StoreError if it is not an id that Bowerbird forms.

    A stranger's database can contain any string as an id, such as "..".
    """
    if not is_run_id(fingerprint):
        raise StoreError(
            f"{database}: {shown(fingerprint)!r} is not the id of a run; Bowerbird did not write this database"
        )
    return fingerprint


class FileLock(Closing):
    """An exclusive right, represented by a locked file. A second holder is refused at once."""

    def __init__(self, path: Path, refusal: str) -> None:
        """Take the lock. Raises StoreError if another process holds it.

        refusal: the message for that case, in which {holder} is replaced by the other process.
        """
        self._path = path
        self._descriptor = self._take(refusal)
        try:
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, f"{os.getpid()}\n".encode())
        except OSError:
            self.close()
            raise

    def _take(self, refusal: str) -> int:
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if is_at(descriptor, self._path):
                    return descriptor
            except BlockingIOError:
                holder = os.read(descriptor, 32).decode(errors="replace").strip()
                os.close(descriptor)
                held = refusal.format(holder=f"another process (pid {holder or 'unknown'})")
                raise StoreError(f"{self._path}: {held}") from None
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)  # its last holder removed the file after we opened it: try again

    def close(self) -> None:
        """Release the lock and remove its file. Can be called again."""
        if self._descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1


class RunLock(FileLock):
    """The exclusive right to write one run. Readers need no lock."""

    def __init__(self, database: Path, fingerprint: str) -> None:
        """Take the lock. Raises StoreError if another process holds it, or if this user may not write the database."""
        if database.exists():
            refuse_unwritable(database)
        super().__init__(
            database.with_name(f"{database.name}-{checked_id(database, fingerprint)}.lock"),
            f"run {fingerprint} is being played by {{holder}}; only one process at a time may change a run; wait for "
            "it or stop it",
        )


class LeagueLock(FileLock):
    """The exclusive right to keep a league going."""

    def __init__(self, database: Path, league: str) -> None:
        """Take the lock. Raises StoreError if another process holds it."""
        super().__init__(
            self._of(database, league),
            f"league {league!r} is being run by {{holder}}; stop that first",
        )

    @staticmethod
    def _of(database: Path, league: str) -> Path:
        return database.with_name(f"{database.name}-{league}.league.lock")

    @classmethod
    def is_held(cls, database: Path, league: str) -> bool:
        """Return True if a process on this machine keeps the league going. Do not try to take the lock."""
        try:
            os.kill(int(cls._of(database, league).read_text(encoding="ascii")), 0)
        except PermissionError:  # the process is another user's
            return True
        except (OSError, ValueError):
            return False
        return True


def close_to_others(database: Path, fingerprint: str) -> None:
    """Remove the access of group and others to a database, to SQLite's files beside it, and to the logs of a run.

    An unfinished run contains secrets that no player may know yet. SQLite gives new files the permissions of the
    database. Files that belong to another user, who shares them, stay as they are.
    """
    logs = logs_of(database, fingerprint)
    for path in (database, *(database.with_name(f"{database.name}{kind}") for kind in OF_SQLITE), logs):
        with suppress(FileNotFoundError, PermissionError):
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~(stat.S_IRWXG | stat.S_IRWXO))


def seed_files(database: Path, fingerprint: str) -> list[Path]:
    """Return the existing files with a run's unpublished seeds: its own, and its corrections' seeds."""
    begun = f"{database.name}-{checked_id(database, fingerprint)}"
    return [path for path in database.parent.iterdir() if _is_seed_of(path.name, begun)]


def _is_seed_of(name: str, begun: str) -> bool:
    name = name.removesuffix(".new")  # an interrupted write leaves it behind
    number = name.removeprefix(begun).removesuffix(".seed")
    return name == f"{begun}{number}.seed" and (not number or number.removeprefix("-").isdecimal())


class SeedFile:
    """The file with the seed of a run that has not ended, readable only by its owner."""

    def __init__(self, database: Path, fingerprint: str, correction: int = 0) -> None:
        """Determine the path; read and write nothing.

        correction: the number of the correction with this seed; 0 for the seed of the run itself.
        """
        self._run = checked_id(database, fingerprint)
        self.correction = correction
        number = f"-{correction}" if correction else ""
        self.path = database.with_name(f"{database.name}-{self._run}{number}.seed")
        self._fresh = self.path.with_name(f"{self.path.name}.new")

    def write(self, seed: bytes) -> None:
        """Write the seed atomically; it is on disk when this returns."""
        self._fresh.unlink(missing_ok=True)
        descriptor = os.open(self._fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{seed.hex()}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(self._fresh, self.path)
        sync_folder(self.path.parent)

    def read(self) -> bytes | None:
        """Return the seed; None if the file does not exist or does not contain a seed."""
        try:
            return bytes.fromhex(self.path.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def needed(self, commitment: str) -> bytes:
        """Return the seed. Raises StoreError if it is lost, or does not match this commitment."""
        of = f"correction {self.correction} of run {self._run}" if self.correction else f"run {self._run}"
        seed = self.read()
        if seed is None:
            again = "; void its deal sets again for a new seed" if self.correction else ""
            raise StoreError(
                f"{self.path}: the secret seed of {of} is missing; it lies beside the database in which the seed was "
                f"drawn, and without it this run cannot be resumed{again}; its stored games are intact"
            )
        if commitment_of(seed) != commitment:
            raise StoreError(f"{self.path}: this is not the seed of {of}, which committed to {shown(commitment, 80)}")
        return seed

    def remove(self) -> None:
        """Remove the file and leftovers of an interrupted write, because the seed is published or no longer needed."""
        self.path.unlink(missing_ok=True)
        self._fresh.unlink(missing_ok=True)


class OnEndFile:
    """The file with the command for the end of a run, kept for a resume, readable only by its owner.

    The command is not in the database, because a database can come from a stranger whose commands must not run.
    """

    def __init__(self, database: Path, fingerprint: str) -> None:
        """Determine the path; read and write nothing."""
        self.path = database.with_name(f"{database.name}-{checked_id(database, fingerprint)}.on_end")

    def keep(self, words: Sequence[str]) -> None:
        """Write the program and its arguments; without words, remove the file."""
        self.remove()
        if words:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump([*words], file)

    def read(self) -> tuple[str, ...]:
        """Return the program and its arguments; () if this user has no such file, or it is empty."""
        try:
            with open(self.path, encoding="utf-8") as file:
                if os.fstat(file.fileno()).st_uid != os.getuid():
                    return ()
                words = load_json(file.read())
        except (FileNotFoundError, ValueError):
            return ()
        is_command = isinstance(words, list) and all(isinstance(word, str) and word for word in words[:1])
        return tuple(map(str, words)) if is_command else ()

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
