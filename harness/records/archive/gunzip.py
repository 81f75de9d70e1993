"""Reads the single compressed stream of an archive. An untrusted file cannot take more time than its content deserves.

Python's `gzip` reads many empty streams, and a header as long as the file, byte by byte. Here zlib reads the header,
only one stream is accepted, and input without content is soon refused. RFC 1952.
"""

from __future__ import annotations

import zlib
from typing import BinaryIO

_CHUNK = 1 << 16
"""The number of bytes of the file to read at once."""

_MOST_IDLE = 1 << 20
"""The most bytes of the file that may yield no content. A header with a file name has a few hundred."""

_GZIP = 16 + zlib.MAX_WBITS
"""Tells zlib to expect a gzip header, and to check the sum at the end."""


class GunzipError(Exception):
    """A defect of the compressed stream, as part of a sentence: "it ends too early"."""


class Gunzip:
    """The content of a gzip file with one stream, to read once."""

    def __init__(self, file: BinaryIO) -> None:
        """Use a file that is at its beginning."""
        self._file = file
        self._zlib = zlib.decompressobj(_GZIP)
        self._input = b""
        self._idle = 0

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes of the content; fewer only at its end, after which the file must end, too.

        Raises GunzipError, zlib.error for damaged data, OSError.
        """
        parts: list[bytes] = []
        while size and not self._zlib.eof:
            part = self._some(size)
            parts.append(part)
            size -= len(part)
        if size and (self._zlib.unused_data or self._file.read(1)):
            raise GunzipError("other data follow its compressed content")
        return b"".join(parts)

    def _some(self, most: int) -> bytes:
        """Return up to `most` bytes of the content; none if more of the file must be read first."""
        if not self._input:
            self._input = self._file.read(_CHUNK)
            self._idle += len(self._input)
            if not self._input:
                raise GunzipError("its compressed content ends too early")
        part = self._zlib.decompress(self._input, most)
        self._input = self._zlib.unconsumed_tail
        if part:
            self._idle = 0
        elif self._idle > _MOST_IDLE:
            raise GunzipError(f"{_MOST_IDLE:,} bytes of its compressed content contain nothing")
        return part
