"""The archive of a run: one compressed file, with the same bytes for the same run. It is read without trust.

It is a gzipped tar of `run.toml` (`text.run_text`), `config.toml` (the resolved tournament file), then the records
`games/ENTRY/LINE-UP/SET-ROTATION.toml` in the order of their ids, each followed by the stories of its faults, if any
(`SET-ROTATION.stories.toml`, `text.beside_text`), and by the notes of its bots, if any (`SET-ROTATION.notes.toml`,
`text.beside_text`). The games that a correction took out of the results follow in the same way, in `voided/NUMBER/`
instead of `games/`. Last comes `signature.toml`, unless the archive is unsigned. Records are similar, so one compressed
stream needs half the space of separate compressed files. Ratings are left out, because they follow from the records.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path

from bowerbird.harness.records.archive.gunzip import Gunzip, GunzipError
from bowerbird.harness.records.archive.strict_tar import Read, TarError, tar_texts
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.atomic_file import replacing
from bowerbird.harness.records.store.run_members import archived_run, run_members
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.bounded_file import MAX_RECORD, open_regular
from bowerbird.harness.records.text.bounded_toml import MAX_CHARACTERS as MAX_TOML
from bowerbird.harness.records.text.members import (
    BESIDE,
    CONFIG_FILE,
    GAMES,
    NOTES,
    RECORD,
    RUN_FILE,
    STORIES,
    VOIDED,
    MemberDigests,
    Place,
    place_of,
)
from bowerbird.harness.records.text.run_text import MAX_CHARACTERS as MAX_RUN
from bowerbird.harness.records.text.run_text import ArchivedRun, read_run_text, run_text
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.records.vouching import MAX_SIGNATURE, SIGNATURE_FILE, Keys, Sign

LONGEST_STORIES = 1 << 20
"""The largest size, in bytes, of a file of stories: far more than 8 KiB for each seat of a table."""

LONGEST_NOTES = 1 << 23
"""The largest size, in bytes, of a file of notes: those of every seat of a table, with each byte escaped."""

LONGEST_NAME = 200
"""The most characters of an archived file's name that a message shows."""

_MAGIC = b"\x1f\x8b"

Progress = Callable[[int, int], None]
"""A function called with (games done, games)."""


def is_archive(path: Path) -> bool:
    """Return True if the file begins like an archive. Raises StoreError for a pipe or a device, OSError."""
    with open_regular(path, "record or the archive of a run") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def write_archive(
    run: StoredRun, path: Path, progress: Progress | None = None, sign: Sign | None = None
) -> ArchivedRun:
    """Write a stored run to `path`; the file appears whole or not at all. Return the run as written.

    sign: makes the signature; None for an unsigned archive.

    Raises the errors of `sign`; StoreError if the run is not stored, is damaged, or is too large for `open_archive`;
    OSError if the file cannot be written.
    """
    with (
        run.store.snapshot(),
        replacing(path) as file,
        gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        archived = archived_run(run)
        members = _Members(tar)
        members.digests.expect(archived.games + archived.voided_games, with_notes=bool(archived.notes))
        done = 0
        for member in run_members(run, archived):
            members.add(member.name, member.text, member.where)
            if member.name == CONFIG_FILE:
                read_run_text(run_text(archived), member.text, f"{run.store.path}: run {run.fingerprint}")
            done += member.is_record
            if progress is not None and member.is_record:
                progress(done, archived.games + archived.voided_games)
        if sign is not None and (text := sign(members.digests.digests())):
            members.add(SIGNATURE_FILE, text, f"{run.store.path}: the signature")
    return archived


class _Members:
    """The members of an archive that is being written, with their digests."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.digests = MemberDigests()

    def add(self, name: str, text: str, where: str) -> None:
        """Add a file. Raises StoreError, beginning with `where`, if it is larger than readers accept."""
        data = text.encode()
        limit = _most_bytes(name)
        if len(data) > limit:
            raise StoreError(f"{where}: has {len(data):,} bytes; must be at most {limit:,} in an archive")
        member = tarfile.TarInfo(name)  # with default values for time, owner and mode, the same on every machine
        member.size = len(data)
        self._tar.addfile(member, io.BytesIO(data))
        self.digests.add(name, data)


@dataclass(frozen=True, slots=True)
class ArchivedGame:
    """A game in an archive: its id, from its file name, and the unchecked texts of its record and the files beside it.

    `stories` and `notes` are None if there are none. `archive` is the file of the archive. `correction` is the number
    of the correction that took the game out of the results; 0 if it counts.
    """

    id: GameId
    record: str
    stories: str | None
    notes: str | None
    archive: Path
    correction: int = 0

    def place(self, kind: str) -> str:
        """Return a file name of this game to show to users (`text.members`)."""
        return f"{self.archive}, {Place(self.correction, self.id).name(kind)}"


@dataclass(frozen=True, slots=True)
class Archive:
    """An open archive: the run, and its games in the order of their ids, to iterate once.

    After them come the games that corrections took out of the results, by correction and id.

    The iteration raises StoreError if the archive is damaged, contains other files, or ends too early.
    """

    path: Path
    run: ArchivedRun
    games: Iterator[ArchivedGame]
    _texts: _Texts

    def check_signature(self, keys: Keys) -> tuple[str, str] | None:
        """Return the key that signed all members, according to `keys`, and the text of the signature.

        Returns None if the archive is unsigned. Iterate `games` first. Raises SignatureError if the signature does not
        match.
        """
        text = self._texts.signature()
        return None if text is None else (keys.check(text, self._texts.digests), text)

    def check_beside(self, stories: int, notes: int) -> None:
        """Raise StoreError if the numbers of stories and notes differ from those that the run states."""
        for found, right, what in (
            (stories, self.run.stories, "stories of faults"),
            (notes, self.run.notes, "notes of bots"),
        ):
            if found != right:
                raise StoreError(f"{self.path}: it has {found} {what}, but its {RUN_FILE} says {right}")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive without unpacking it to disk. Raises StoreError if it is damaged or not an archive."""
    with open_regular(path, "archive of a run") as file:
        with _read_errors(path):
            source = _Texts(Gunzip(file).read, path)
            texts = iter(source)
            run = read_run_text(_next(texts, RUN_FILE, path), _next(texts, CONFIG_FILE, path), f"{path}, {RUN_FILE}")
            source.digests.expect(run.games + run.voided_games, with_notes=bool(run.notes))
        yield Archive(path, run, _games(texts, run, path), source)


@contextmanager
def _read_errors(path: Path) -> Iterator[None]:
    """Turn every error while reading the archive into StoreError with its path."""
    try:
        yield
    except (TarError, GunzipError, zlib.error) as error:
        raise StoreError(f"{path}: is damaged or not an archive of a run ({error})") from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror or error})") from error


class _Texts:
    """The files of an archive as (name, text), to iterate once. The signature is kept separately."""

    def __init__(self, read: Read, path: Path) -> None:
        self._read = read
        self._path = path
        self._signature: str | None = None
        self._is_read = False
        self.digests = MemberDigests()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for name, data in tar_texts(self._read, partial(_limit_of, self._path)):
            if self._signature is not None:
                raise StoreError(f"{self._path}: {shown(name, LONGEST_NAME)!r} follows {SIGNATURE_FILE}, which is last")
            text = self._decoded(name, data)
            if name == SIGNATURE_FILE:
                self._signature = text
            else:
                self.digests.add(name, data)
                yield name, text
        self._is_read = True

    def _decoded(self, name: str, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise StoreError(f"{self._path}, {shown(name)}: byte {error.start} is not UTF-8") from None

    def signature(self) -> str | None:
        """Return the text of the signature, None if there is none."""
        assert self._is_read, "the signature is the last file"
        return self._signature


def _limit_of(path: Path, name: str) -> int:
    """Return the most bytes to read of a file.

    Raises StoreError if archives cannot have a file of this name.
    """
    if name not in (RUN_FILE, CONFIG_FILE, SIGNATURE_FILE) and not (
        name.startswith((f"{GAMES}/", f"{VOIDED}/")) and name.endswith(RECORD)
    ):
        raise StoreError(f"{path}: {shown(name, LONGEST_NAME)!r} does not belong in the archive of a run")
    return _most_bytes(name)


def _most_bytes(name: str) -> int:
    """Return the largest size, in bytes, of a file in an archive."""
    if name == RUN_FILE:
        return MAX_RUN
    if name == CONFIG_FILE:
        return MAX_TOML
    if name == SIGNATURE_FILE:
        return MAX_SIGNATURE
    if name.endswith(NOTES):
        return LONGEST_NOTES
    return LONGEST_STORIES if name.endswith(STORIES) else MAX_RECORD


def _next(texts: Iterator[tuple[str, str]], wanted: str, path: Path) -> str:
    name, text = next(texts, ("", ""))
    if name != wanted:
        found = repr(name) if name else "the end of the file"
        raise StoreError(f"{path}: is not the archive of a run: expected {wanted}, found {shown(found)}")
    return text


def _games(texts: Iterator[tuple[str, str]], run: ArchivedRun, path: Path) -> Iterator[ArchivedGame]:
    with _read_errors(path):
        yield from _named_games(texts, run, path)


def _named_games(texts: Iterator[tuple[str, str]], run: ArchivedRun, path: Path) -> Iterator[ArchivedGame]:
    last: Place | None = None
    found = {one.number: 0 for one in run.corrections} | {0: 0}
    for place, members in groupby(texts, key=lambda one: place_of(one[0], run.header.fingerprint)):
        named = list(islice(members, len(BESIDE) + 2))  # one byte too many is already an error, so stop reading
        names = [name for name, _ in named]
        if place is None or (last is not None and place <= last) or not _is_in_order(place, names):
            raise StoreError(f"{path}: {names[-1]!r} does not belong to a record, or is out of order")
        if place.correction not in found:
            raise StoreError(f"{path}: {names[0]!r} belongs to a correction that is not in its {RUN_FILE}")
        if names[0] != place.name(RECORD):
            raise StoreError(f"{path}: {names[0]!r} is about game {place.game}, whose record does not precede it")
        texts_of = dict(named)
        stories, notes = (texts_of.get(place.name(kind)) for kind in BESIDE)
        yield ArchivedGame(place.game, named[0][1], stories, notes, path, place.correction)
        last = place
        found[place.correction] += 1
    for number, games in [(0, run.games), *((one.number, one.games) for one in run.corrections)]:
        if found[number] != games:
            what = f"records of games that correction {number} took out" if number else "records"
            raise StoreError(f"{path}: it has {found[number]} {what}, but its {RUN_FILE} says {games}")


def _is_in_order(place: Place, names: list[str]) -> bool:
    """Return True if each of these files of a game is present exactly once, in order."""
    return names == [name for kind in (RECORD, *BESIDE) if (name := place.name(kind)) in names]
