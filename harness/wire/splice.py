"""The one thing of protobuf's encoding that is written by hand: a message inside a message."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import Message

_LENGTH_DELIMITED = 2
"""The wire type of texts, bytes and messages."""


def varint(number: int) -> bytes:
    """An unsigned number as protobuf writes it: 7 bits a byte, lowest first, the high bit says that more follows."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_SHORT = tuple(varint(number) for number in range(1 << 12))


def nested(kind: type[Message], field: str) -> Callable[[bytes], bytes]:
    """A function that puts the bytes of a message into `field` of a `kind`; for a repeated field one element."""
    key = varint(kind.DESCRIPTOR.fields_by_name[field].number << 3 | _LENGTH_DELIMITED)

    def wrap(data: bytes) -> bytes:
        size = len(data)
        return key + (_SHORT[size] if size < len(_SHORT) else varint(size)) + data

    return wrap
