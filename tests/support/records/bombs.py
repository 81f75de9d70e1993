"""Files that a stranger may send: small, and large once they are read (faults.md row 41)."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bowerbird.harness.records.text.canonical import digest
from tests.support.records.archives import exported
from tests.support.records.stored_runs import store_run

MIB = 1 << 20

Member = tuple[tarfile.TarInfo, bytes]


def member(name: str, data: bytes, kind: bytes = tarfile.REGTYPE) -> Member:
    """Return a file of a tar with its header."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    info.type = kind
    return info, data


class Bombs:
    """Makes archives from the files of a good one."""

    def __init__(self, folder: Path) -> None:
        """Play a small run and export it."""
        run = store_run(folder / "good.db", variants=("euchre",), sets=range(1))
        self.good = exported(folder / "good.db", run, "good.tar.gz")
        self._folder = folder
        with tarfile.open(self.good) as tar:
            self._files = {info.name: self._text(tar, info) for info in tar}
        self._records = [name for name in self._files if name.startswith("games/")]

    @staticmethod
    def _text(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
        file = tar.extractfile(info)
        assert file is not None
        return file.read()

    def _head(self) -> list[Member]:
        return [member(name, self._files[name]) for name in ("run.toml", "config.toml")]

    def _write(self, name: str, members: Iterable[Member], after: bytes = b"") -> Path:
        path = self._folder / f"{name}.tar.gz"
        with gzip.open(path, "wb", compresslevel=1) as packed:
            for info, data in members:
                packed.write(info.tobuf(tarfile.USTAR_FORMAT))
                packed.write(data)
                packed.write(bytes(-len(data) % 512))
            packed.write(bytes(1024))
        with path.open("ab") as file:
            file.write(after)
        return path

    def _with_config(self, name: str, config: bytes) -> Path:
        """Return an archive with this config, whose digest its run.toml states."""
        run = self._files["run.toml"].decode()
        run = run.replace(digest(self._files["config.toml"].decode()), digest(config.decode()))
        body = run.rpartition("[integrity]")[0]
        run = f'{body}[integrity]\nsha256 = "{digest(body)}"\n'
        return self._write(name, [member("run.toml", run.encode()), member("config.toml", config)])

    def _long_header(self, name: str, kind: bytes) -> Path:
        """Return an archive of about 1 MiB whose first header states, and has, a long name of 1 GiB."""
        path = self._folder / f"{name}.tar.gz"
        info = tarfile.TarInfo("././@LongLink")
        info.type, info.size = kind, 1 << 30
        with path.open("wb") as file:
            file.write(gzip.compress(info.tobuf(tarfile.USTAR_FORMAT)))
            part = gzip.compress(bytes(64 * MIB), 1)
            for _ in range(16):  # for Python's gzip, parts that follow each other are one stream
                file.write(part)
        return path

    def _with_long_headers(self) -> Iterator[Member]:
        """Yield the good files, the name of each in a pax header of 64 KiB."""
        for name, data in self._files.items():
            path = f" path={name}\n"
            path = f"{len(path) + 2}{path}" if len(path) < 98 else f"{len(path) + 3}{path}"
            yield member("pax", b"5 a=\n" * 13_000 + path.encode(), tarfile.XHDTYPE)
            yield member("x", data)

    def archives(self) -> dict[str, Callable[[], Path]]:
        """Return a function that makes each archive, by what the archive tries."""
        record = self._files[self._records[0]]
        head, _, tail = record.partition(b"actions = ")
        actions = b"actions = [" + b'"aa", ' * (600_000) + b'"aa"]\n'
        long_list = head + actions + tail.partition(b"\n")[2]
        open_brackets = head + b"actions = " + b"[" * (3 * MIB) + b"\n"

        def rotations(text: bytes) -> Iterator[Member]:
            yield from self._head()
            for number in range(20):
                yield member(self._records[0].replace("-0.toml", f"-{number}.toml"), text)

        def every_kind(kind: bytes) -> Path:
            info, data = member("games/x.toml", b"", kind)
            info.linkname = "/etc/passwd"
            return self._write("kind", [*self._head(), (info, data)])

        return {
            "GNU long name": lambda: self._long_header("gnu", tarfile.GNUTYPE_LONGNAME),
            "GNU long link": lambda: self._long_header("link", tarfile.GNUTYPE_LONGLINK),
            "pax header": lambda: self._long_header("pax", tarfile.XHDTYPE),
            "global pax header": lambda: self._long_header("global", tarfile.XGLTYPE),
            "long rotations": lambda: self._write("rotations", rotations(bytes(60 * MIB))),
            "rotations of long lists": lambda: self._write("lists", rotations(long_list)),
            "brackets in a record": lambda: self._write("brackets", rotations(open_brackets)),
            "brackets in the config": lambda: self._with_config("nested", b"a = " + b"[" * 500_000),
            "dotted keys": lambda: self._with_config("dots", (b"a." * 99 + b"b = 1\n") * 5000),
            "tables": lambda: self._with_config("tables", b"".join(b"[a%d]\n" % n for n in range(100_000))),
            "digits": lambda: self._with_config("digits", b"a = 0x" + b"f" * 500_000),
            "a symbolic link": lambda: every_kind(tarfile.SYMTYPE),
            "a hard link": lambda: every_kind(tarfile.LNKTYPE),
            "a device": lambda: every_kind(tarfile.CHRTYPE),
            "a named pipe": lambda: every_kind(tarfile.FIFOTYPE),
            "a sparse file": lambda: every_kind(tarfile.GNUTYPE_SPARSE),
            "files without number": lambda: self._write(
                "many", [*self._head(), *([member("games/a/b/0-0.toml", b"")] * 100_000)]
            ),
            "a file twice": lambda: self._write("twice", [*self._head(), *self._head()]),
            "zeros at the end": lambda: self._write(
                "zeros",
                [member(name, data) for name, data in self._files.items()],
                gzip.compress(bytes(64 * MIB), 1) * 64,
            ),
            "headers of long names": lambda: self._write("names", self._with_long_headers()),
            "the name of a file": lambda: self._raw("name", b"\x1f\x8b\x08\x08\0\0\0\0\0\xff" + b"x" * (64 * MIB)),
            "empty parts": lambda: self._raw("parts", gzip.compress(b"") * (2 * MIB)),
            "nothing but zeros": lambda: self._raw("empty", gzip.compress(bytes(64 * MIB), 1) * 16),
            "no tar": lambda: self._raw("x", gzip.compress(b"x" * (64 * MIB), 1) * 16),
        }

    def records(self) -> dict[str, Callable[[], Path]]:
        """Return a function that makes each file of one record, by what the file tries."""
        record = self._files[self._records[0]]
        head, _, tail = record.partition(b"actions = ")
        after = tail.partition(b"\n")[2]
        return {
            "a long file": lambda: self._sparse("long.toml", 1 << 40),
            "a long line": lambda: self._raw("line.toml", b"x" * (4 * MIB)),
            "a long key": lambda: self._raw("key.toml", record[:30] + b"k" * (3 * MIB) + b" = 1\n"),
            "a long list": lambda: self._raw(
                "list.toml", head + b"actions = [" + b'"aa", ' * 600_000 + b'"aa"]\n' + after
            ),
            "a long string": lambda: self._raw("string.toml", b'format = "' + b"\\n" * (2 * MIB - 100) + b'"\n'),
            "numbers": lambda: self._raw("ms.toml", head + b"actions = []\nms = [" + b"0, " * MIB + b"0]\n"),
            "brackets": lambda: self._raw("brackets.toml", head + b"actions = " + b"[" * (3 * MIB) + b"\n"),
            "empty lines": lambda: self._raw("lines.toml", b"\n" * (4 * MIB)),
            "hands": lambda: self._raw("hands.toml", head + b"actions = []\n" + b"\n[[hand]]\ndealer = 0" * 160_000),
        }

    def _raw(self, name: str, data: bytes) -> Path:
        path = self._folder / name
        path.write_bytes(data)
        return path

    def _sparse(self, name: str, size: int) -> Path:
        path = self._folder / name
        with path.open("wb") as file:
            file.truncate(size)
        return path
