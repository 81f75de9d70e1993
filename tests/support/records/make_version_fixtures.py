"""Makes the fixtures of this store version: `python -m tests.support.records.make_version_fixtures`.

Plays `tests/fixtures/tournament-files/version-N.toml` and `cup.toml`, begins `open.toml` and interrupts it. Writes the
dump of the database to `databases/version-N.sql`, the secret seed of the open run to `databases/version-N.seed`, and
the complete runs to `archives/version-N.tar.gz` and `archives/version-N-cup.tar.gz`. Run it before `VERSION` is raised:
only that version writes what it wrote.

`--command PROGRAM --version N` makes those of an older version, whose command PROGRAM is.
"""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.store import Store
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
DATABASES = FIXTURES / "databases"
ARCHIVES = FIXTURES / "archives"
TOURNAMENT_FILES = FIXTURES / "tournament-files"

LEAGUE, CUP, OPEN = "league", "cup", "open"
"""The names of the runs: two variants with faults, a knockout, and one that was interrupted."""

FIRST_WITH_CUPS = 2
"""The first version that plays a knockout, and that writes archives of runs."""

FIRST_WITH_DIGESTS = 9
"""The first version that stores the digest of a complete run."""

MACHINE = "Frobnicator 3000"
"""Stands for the model of the processor that played."""

DATABASE = "old.db"


def tournament_file(version: int) -> Path:
    """Return the tournament file of a version."""
    return TOURNAMENT_FILES / f"version-{version}.toml"


class Maker:
    """Makes the fixtures of one version in a folder of its own."""

    def __init__(self, folder: Path, command: Sequence[str], version: int) -> None:
        self._folder = folder
        self._database = folder / DATABASE
        self._command = command
        self._version = version
        self._environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}  # for the key that signs

    def make(self) -> None:
        """Play, and write the fixtures."""
        file = tournament_file(self._version)
        if not file.is_file():
            raise SystemExit(f"{file}: there is no such file; copy that of the version before, and add the new keys")
        shutil.copytree(TOURNAMENT_FILES, self._folder / TOURNAMENT_FILES.name)
        has_cups = self._version >= FIRST_WITH_CUPS
        for played in (file.name, *(["cup.toml"] if has_cups else [])):
            self._run("tournament", f"{TOURNAMENT_FILES.name}/{played}", "--quiet")
        self._run("verify")
        self._interrupt()
        self._neutralise()
        if has_cups:
            ARCHIVES.mkdir(exist_ok=True)
            for run, suffix in ((LEAGUE, ""), (CUP, "-cup")):
                self._run("export", run, "-o", str(ARCHIVES / f"version-{self._version}{suffix}.tar.gz"))
        self._dump()

    def _run(self, *words: str) -> None:
        subprocess.run(
            [*self._command, *words, "--db", DATABASE],
            cwd=self._folder,
            env=self._environment,
            check=True,
            timeout=DEADLINE_S,
        )

    def _interrupt(self) -> None:
        """Begin the open run, and interrupt it as soon as a deal set is stored."""
        words = [*self._command, "tournament", f"{TOURNAMENT_FILES.name}/open.toml", "--quiet", "--db", DATABASE]
        with subprocess.Popen(words, cwd=self._folder, env=self._environment) as process:
            deadline = time.monotonic() + DEADLINE_S
            while not self._sets_of(OPEN):
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    raise SystemExit("the open run stored no deal set, or ended before it was interrupted")
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
        with closing(sqlite3.connect(self._database)) as connection:
            sql = "SELECT COUNT(*) FROM run WHERE name = ? AND ended IS NULL"
            if connection.execute(sql, [OPEN]).fetchone() != (1,):
                raise SystemExit("the open run ended before it was interrupted; add deal sets to open.toml")

    def _sets_of(self, run: str) -> int:
        with closing(sqlite3.connect(self._database)) as connection:
            sql = "SELECT COUNT(*) FROM job JOIN run ON run.fingerprint = job.run WHERE run.name = ?"
            return int(connection.execute(sql, [run]).fetchone()[0])

    def _neutralise(self) -> None:
        """Replace the model of this machine's processor, over which the digests of complete runs go."""
        with closing(sqlite3.connect(self._database)) as connection, connection:
            if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'machine'").fetchone():
                connection.execute("UPDATE machine SET cpu = ?", [MACHINE])
            if self._version >= FIRST_WITH_DIGESTS:
                connection.execute("UPDATE run SET digest = ''")
        if self._version == VERSION:  # this code is of no older version
            with Store.open(self._database) as store:
                for run in store.runs():
                    store_run_digest(store[run.fingerprint])

    def _dump(self) -> None:
        with closing(sqlite3.connect(self._database)) as connection:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            text = "\n".join(connection.iterdump()) + "\n"
        if found != self._version:
            raise SystemExit(f"the command wrote store version {found}, not {self._version}")
        for private in (str(ROOT), str(self._folder), str(Path.home()), socket.gethostname(), getpass.getuser()):
            if len(private) > 1 and private in text:
                raise SystemExit(f"the dump holds {private!r}, which belongs to this machine")
        DATABASES.mkdir(exist_ok=True)
        (DATABASES / f"version-{self._version}.sql").write_text(text, encoding="utf-8")
        (seed,) = self._folder.glob(f"{DATABASE}-*.seed")
        shutil.copyfile(seed, DATABASES / f"version-{self._version}.seed")


def main() -> None:
    """Make the fixtures of a version, by default the current one."""
    parser = argparse.ArgumentParser(description="Makes the fixtures of a store version.")
    own = shlex.join([str(Path(sys.executable).with_name("bowerbird"))])
    parser.add_argument("--command", default=own, help="the bowerbird command of that version")
    parser.add_argument("--version", type=int, default=VERSION, help="the store version that it writes")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Maker(Path(folder), shlex.split(chosen.command), chosen.version).make()


if __name__ == "__main__":
    main()
