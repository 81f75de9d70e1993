"""gRPC over HTTP/2, without I/O: requests for calls, header blocks, statuses, and messages in pieces.

See gRPC's "PROTOCOL-HTTP2". Frames are in `frames`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from urllib.parse import quote

from bowerbird.harness.http2.frames import Headers

PREFIX = 5
"""The bytes before each message: a compression flag and the message's length."""


class StatusCode(IntEnum):
    """The statuses with which calls end here, by their names in gRPC. Its package is slow to import."""

    OK = 0
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    UNAUTHENTICATED = 16


class BadPieceError(Exception):
    """The rest of a stream does not consist of readable messages. `status` ends the call."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def not_grpc(headers: Headers) -> int:
    """Return the HTTP status for a request that is not a gRPC call; 0 if it is one."""
    fields = dict(headers)
    if fields[b":method"] != b"POST":
        return 405
    kind = fields.get(b"content-type", b"")
    return 0 if kind == b"application/grpc" or kind.startswith((b"application/grpc+", b"application/grpc;")) else 415


def path_of(headers: Headers) -> str:
    """Return the method of the call."""
    return next(value for name, value in headers if name == b":path").decode("utf-8", "replace")


def message(data: bytes) -> bytes:
    """Return a message with its prefix."""
    return b"\0" + len(data).to_bytes(4, "big") + data


def _integer(value: int) -> bytes:
    """Return an integer encoded with a 7-bit prefix (RFC 7541, 5.1)."""
    if value < 127:
        return bytes((value,))
    out = bytearray((127,))
    value -= 127
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def block(*fields: tuple[str, str]) -> bytes:
    """Return a header block of literal fields, which the reader does not index (RFC 7541, 6.2.2)."""
    return b"".join(
        b"\0" + _integer(len(name)) + name.encode() + _integer(len(data)) + data
        for name, value in fields
        for data in (value.encode(),)
    )


_FIRST = ((":status", "200"), ("content-type", "application/grpc"))
HEADERS_BLOCK = block(*_FIRST)
"""The fields before the first message of an answer."""


def http_error_block(status: int) -> bytes:
    """Return the whole answer to a request that is not a gRPC call."""
    return block((":status", str(status)))


def trailers_block(status: int, sentence: str = "") -> bytes:
    """Return the fields after the last message: the status, and a sentence about it."""
    return block(*_status(status, sentence))


def refusal_block(status: int, sentence: str) -> bytes:
    """Return the whole answer to a call that is refused before its first message."""
    return block(*_FIRST, *_status(status, sentence))


def _status(status: int, sentence: str) -> Iterator[tuple[str, str]]:
    yield "grpc-status", str(status)
    if sentence:
        yield "grpc-message", quote(sentence, safe=" !\"#$&'()*+,/:;<=>?@[\\]^`{|}", errors="replace")


class Pieces:
    """The messages of a stream, assembled from pieces as they arrive."""

    __slots__ = ("_limit", "_partial", "_size")

    def __init__(self, limit: int) -> None:
        """Start a stream whose messages have at most `limit` bytes each."""
        self._limit = limit
        self._partial = bytearray()
        self._size = 0
        """The size in bytes of the message being received, with its prefix; 0 while unknown."""

    @property
    def is_inside_message(self) -> bool:
        """Whether a message is still incomplete."""
        return bool(self._partial)

    def take(self, data: bytes) -> list[bytes]:
        """Add bytes; return the messages that they complete. Raises BadPieceError."""
        if not self._partial and len(data) >= PREFIX and data[0] <= 1:
            size = PREFIX + int.from_bytes(data[1:PREFIX], "big")
            if size == len(data) and size <= PREFIX + self._limit:  # the case of almost all frames
                return [data[PREFIX:]]
        partial = self._partial
        partial += data
        found = []
        while len(partial) >= PREFIX:
            if not self._size:
                self._size = PREFIX + int.from_bytes(partial[1:PREFIX], "big")
                if partial[0] > 1:
                    raise BadPieceError(StatusCode.INTERNAL, f"a message that begins with {partial[0]}")
                if self._size > PREFIX + self._limit:
                    sentence = f"a message of {self._size - PREFIX} bytes; at most {self._limit} are read"
                    raise BadPieceError(StatusCode.RESOURCE_EXHAUSTED, sentence)
            if len(partial) < self._size:
                break
            found.append(bytes(partial[PREFIX : self._size]))
            del partial[: self._size]
            self._size = 0
        return found
