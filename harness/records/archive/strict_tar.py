"""Reads a tar file as a stream of small texts. Every limit is checked before the bytes are read.

Python's `tarfile` reads a long-name header of any stated size, and supports links, devices and sparse files. This
module supports only regular files, and takes a name from the file's header or from one `x` (pax) or `L` (GNU) header
before it. POSIX.1-2017, pax, "ustar Interchange Format".
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator

_BLOCK = tarfile.BLOCKSIZE
_LONGEST_HEADER = 1 << 12
"""The largest size, in bytes, of a long-name header: ten times the longest name. Each file may have one such header."""

_PADDING = 1 << 20
"""The most bytes of zeros that may follow the last file. `tar` pads to 10 KiB, or to the size that its user chooses."""

_REGULAR = (tarfile.REGTYPE, tarfile.AREGTYPE)


Read = Callable[[int], bytes]
"""A function that returns the next bytes, as many as requested; fewer only at the end."""


class TarError(Exception):
    """A defect of the tar file, as part of a sentence: "it ends too early"."""


def tar_texts(read: Read, limit_of: Callable[[str], int]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file in order, then check that nothing follows.

    `limit_of` returns the largest size, in bytes, of a file with this name. Raises TarError, and the errors of
    `limit_of` and `read`.
    """
    name = ""
    while (block := _exactly(read, _BLOCK)) != bytes(_BLOCK):
        header = _header(block)
        if header.type in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
            if name or not 0 < header.size <= _LONGEST_HEADER:
                raise TarError(f"a header of a long name has {header.size:,} bytes, or is the second for one file")
            name = _long_name(header.type, _content(read, header.size))
            continue
        found = name or header.name
        if header.type not in _REGULAR:
            raise TarError(f"{found[:200]!r} is not a regular file")
        limit = limit_of(found)
        if not 0 <= header.size <= limit:
            raise TarError(f"{found!r} has {header.size:,} bytes; must be at most {limit:,}")
        yield found, _content(read, header.size)
        name = ""
    if name:
        raise TarError("it ends after the header of a long name")
    _check_padding(read)


def _header(block: bytes) -> tarfile.TarInfo:
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise TarError(str(error)) from error


def _long_name(kind: bytes, content: bytes) -> str:
    """Return the name in a long-name header. In a pax header, ignore every other keyword."""
    if kind == tarfile.GNUTYPE_LONGNAME:
        return _decoded(content.rstrip(b"\0"))
    name = b""
    while content:
        length, space, _ = content[:8].partition(b" ")
        size = int(length) if space and length.isdigit() else 0
        keyword, equals, value = content[len(length) + 1 : size].partition(b"=")
        if not equals or content[size - 1 : size] != b"\n":
            raise TarError("a pax header is damaged")
        if keyword == b"path":
            name = value[:-1]
        content = content[size:]
    return _decoded(name)


def _decoded(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise TarError("the name of a file is not UTF-8") from None


def _content(read: Read, size: int) -> bytes:
    """Read a file's content and the zeros that pad its last block."""
    content = _exactly(read, size)
    _exactly(read, -size % _BLOCK)
    return content


def _exactly(read: Read, size: int) -> bytes:
    data = read(size) if size else b""
    if len(data) < size:
        raise TarError("it ends too early")
    return data


def _check_padding(read: Read) -> None:
    """Read to the end, where gzip verifies its checksum. Only zeros may follow the last file."""
    rest = read(_PADDING + 1)
    if len(rest) > _PADDING or rest.count(0) < len(rest):
        raise TarError("other data follow its last file")
