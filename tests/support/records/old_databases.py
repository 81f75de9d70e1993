"""Databases, archives and tournament files that each store version wrote (`make_version_fixtures`)."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from bowerbird.harness.records.store.file_header import APPLICATION_ID
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.sidecar import SeedFile
from tests.support.records.make_version_fixtures import (
    ARCHIVES,
    DATABASES,
    FIRST_WITH_CUPS,
    OPEN,
    TOURNAMENT_FILES,
    tournament_file,
)

OLD_VERSIONS = tuple(range(1, VERSION))

ARCHIVE_VERSIONS = tuple(range(FIRST_WITH_CUPS, VERSION))


def dump_of(version: int) -> Path:
    """Return the dump of the database that a version wrote."""
    return DATABASES / f"version-{version}.sql"


def seed_of(version: int) -> Path:
    """Return the secret seed of the open run in the database of a version."""
    return DATABASES / f"version-{version}.seed"


def archives_of(version: int) -> tuple[Path, ...]:
    """Return the archives that a version wrote: of the league, and of the cup."""
    return ARCHIVES / f"version-{version}.tar.gz", ARCHIVES / f"version-{version}-cup.tar.gz"


def fixtures_of(version: int) -> tuple[Path, ...]:
    """Return all files that a version must have."""
    archives = archives_of(version) if version in ARCHIVE_VERSIONS else ()
    return dump_of(version), seed_of(version), tournament_file(version), *archives


def write_old_database(path: Path, version: int) -> None:
    """Write a database as this version left it, with the secret seed of its open run beside it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(dump_of(version).read_text(encoding="utf-8"))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA journal_mode = WAL")
        (fingerprint,) = connection.execute("SELECT fingerprint FROM run WHERE name = ?", [OPEN]).fetchone()
    seed = bytes.fromhex(seed_of(version).read_text(encoding="ascii"))
    SeedFile(path, fingerprint).write(seed)


def copy_tournament_files(folder: Path) -> Path:
    """Copy the tournament files of all versions, and their bot, into a folder. Return where they are."""
    copy = folder / TOURNAMENT_FILES.name
    shutil.copytree(TOURNAMENT_FILES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy
