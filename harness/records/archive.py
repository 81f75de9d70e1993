"""A whole run as one compressed file, the same bytes for the same run, and read back without trust.

A gzipped tar, which every system opens: `run.toml` (harness.records.run_text), `config.toml` (the resolved tournament
file), then `games/ENTRY/LINE-UP/SET-ROTATION.toml`, the records, in the order of their ids. Records are alike, so one
stream over all of them takes half of what a compressed file for each would. Ratings are not in it: they follow.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.records.errors import StoreError
from harness.records.run import GameId
from harness.records.run_text import ArchivedRun, read_run_text, run_text
from harness.records.sidecar import replacing
from harness.records.store import Store

RUN_FILE = "run.toml"
CONFIG_FILE = "config.toml"
LONGEST_TEXT = 1 << 26
"""No file of an archive is longer, in bytes; what says it is, is none of ours."""

_MAGIC = b"\x1f\x8b"

Progress = Callable[[int, int], None]
"""Told (games done, games)."""


def is_archive(path: Path) -> bool:
    """Whether the file looks like an archive, by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def write_archive(store: Store, fingerprint: str, path: Path, progress: Progress | None = None) -> ArchivedRun:
    """Write a stored run to `path`; the file appears whole or not at all. Returns what was written of the run.

    Raises StoreError where the run is not stored, OSError where the file cannot be written.
    """
    row, header = store.run(fingerprint), store.header(fingerprint)
    assert header is not None  # store.run has found it
    ids = store.game_ids(row.fingerprint)
    run = ArchivedRun(header, row.seed, row.engine, row.rules, row.started, row.ended, len(ids), row.sets_after_seed)
    with (
        replacing(path) as file,
        gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, RUN_FILE, run_text(run))
        _add(tar, CONFIG_FILE, header.config)
        for number, game in enumerate(ids):
            _add(tar, _member(GameId.parse(game)), store.record_text(game))
            if progress is not None:
                progress(number + 1, len(ids))
    return run


def _member(game: GameId) -> str:
    return f"games/{game.entry}/{game.lineup}/{game.set_number}-{game.rotation}.toml"


def _add(tar: tarfile.TarFile, name: str, text: str) -> None:
    data = text.encode()
    member = tarfile.TarInfo(name)  # its time, owner and rights are the same everywhere
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that is open: the run, and the texts of its records, to be gone through once.

    The records are in the order of their ids, each with the id that its place in the archive gives it. Going through
    them raises StoreError where the archive is damaged, holds something else, or ends too early.
    """

    run: ArchivedRun
    records: Iterator[tuple[GameId, str]]


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive. Raises StoreError, one sentence, where it is none or is damaged; nothing is ever unpacked."""
    with _damage_said(path), gzip.open(path) as packed, tarfile.open(fileobj=packed, mode="r|") as tar:
        texts = _texts(tar, path)
        run = read_run_text(_next(texts, RUN_FILE, path), _next(texts, CONFIG_FILE, path), f"{path}, {RUN_FILE}")
        yield Archive(run, _records(texts, run, path, packed))


@contextmanager
def _damage_said(path: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise StoreError(f"{path}: is damaged, or no archive of a run ({error})") from error


def _texts(tar: tarfile.TarFile, path: Path) -> Iterator[tuple[str, str]]:
    for member in tar:
        file = tar.extractfile(member) if member.isreg() and member.size <= LONGEST_TEXT else None
        if file is None:
            raise StoreError(f"{path}: {member.name!r} is nothing that belongs into the archive of a run")
        try:
            yield member.name, file.read().decode()
        except UnicodeDecodeError as error:
            raise StoreError(f"{path}, {member.name}: byte {error.start} is not UTF-8") from None


def _next(texts: Iterator[tuple[str, str]], wanted: str, path: Path) -> str:
    name, text = next(texts, ("", ""))
    if name != wanted:
        found = f"{name!r} stands" if name else "it ends"
        raise StoreError(f"{path}: is not the archive of a run: {found} where {wanted} must be")
    return text


def _records(
    texts: Iterator[tuple[str, str]], run: ArchivedRun, path: Path, packed: gzip.GzipFile
) -> Iterator[tuple[GameId, str]]:
    last: GameId | None = None
    found = 0
    for name, text in texts:
        game = _place(name, run.header.fingerprint)
        if game is None or (last is not None and game <= last):
            raise StoreError(f"{path}: {name!r} is not the place of a record, or not in its order")
        yield game, text
        last, found = game, found + 1
    if found != run.games:
        raise StoreError(f"{path}: {found} records are in it, its {RUN_FILE} says {run.games}")
    while packed.read(1 << 20):  # to the end, where the checksum of all of it is
        pass


def _place(name: str, fingerprint: str) -> GameId | None:
    """The id of the game whose record has this place in the archive; None for a name that is no such place."""
    folder, _, file = name.partition("/")
    parts = file.removesuffix(".toml").replace("/", " ").split(" ")
    if folder != "games" or len(parts) != 3:
        return None
    number, _, rotation = parts[2].rpartition("-")
    try:
        game = GameId.parse(f"{fingerprint}/{parts[0]}/{parts[1]}/{number}/{rotation}")
    except ValueError:
        return None
    return game if _member(game) == name else None
