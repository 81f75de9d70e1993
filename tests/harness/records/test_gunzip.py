"""The compressed stream of an archive: read whole, at a cost bounded by its content (faults.md row 41)."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from typing import BinaryIO

import pytest

from bowerbird.harness.records.archive.gunzip import Gunzip, GunzipError

MIB = 1 << 20
CONTENT = random.Random(1).randbytes(100_000) + bytes(3 * MIB)
PACKED = gzip.compress(CONTENT, mtime=0)

NAMED = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff"
"""The beginning of a gzip file whose header contains the name of a file."""


class Counting(io.BytesIO):
    """A file that counts the bytes that were read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as a file does."""
        data = super().read(size)
        self.taken += len(data)
        return data


def content_of(file: BinaryIO, size: int) -> bytes:
    """Return all content, read in pieces of `size` bytes."""
    stream = Gunzip(file)
    return b"".join(iter(lambda: stream.read(size), b""))


@pytest.mark.parametrize("size", [1000, 65_536, 4 * MIB])
def test_the_content_comes_back(size: int) -> None:
    assert content_of(io.BytesIO(PACKED), size) == CONTENT


@pytest.mark.parametrize("name", [b"run.tar\0", b"x" * 500 + b"\0"])
def test_the_name_of_a_file_in_the_header_is_passed_over(name: bytes) -> None:
    assert content_of(io.BytesIO(NAMED + name + PACKED[10:]), MIB) == CONTENT


@pytest.mark.parametrize("missing", [1, 8, 9, len(PACKED) // 2, len(PACKED) - 5, len(PACKED)])
def test_a_stream_that_ends_too_early_is_refused(missing: int) -> None:
    with pytest.raises(GunzipError, match="ends too early"):
        content_of(io.BytesIO(PACKED[: len(PACKED) - missing]), MIB)


def test_a_wrong_sum_is_refused() -> None:
    with pytest.raises(zlib.error, match="incorrect data check"):
        content_of(io.BytesIO(PACKED[:-8] + bytes(4) + PACKED[-4:]), MIB)


@pytest.mark.parametrize("after", [b"x", gzip.compress(b"", mtime=0), bytes(200_000)])
def test_nothing_follows_the_stream(after: bytes) -> None:
    with pytest.raises(GunzipError, match="other data follow"):
        content_of(io.BytesIO(PACKED + after), MIB)


@pytest.mark.parametrize(
    "idle", [NAMED + b"x" * (64 * MIB), PACKED[:10] + b"\0\0\0\xff\xff" * (8 * MIB)], ids=["long name", "empty blocks"]
)
def test_input_without_content_is_soon_refused(idle: bytes) -> None:
    file = Counting(idle)
    with pytest.raises(GunzipError, match="contain nothing"):
        Gunzip(file).read(1)
    assert file.taken < 2 * MIB
