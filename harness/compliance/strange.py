"""What a later version of the protocol may send and this one does not know (PROTOCOL.md rule 9)."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message

from harness.v1 import seat_pb2, table_pb2
from harness.wire.splice import varint

FIRST_NUMBER = 2000
"""Field numbers from here on are far from all that v1 has."""

UNKNOWN_VALUE = 99
"""No enum of v1 comes near it."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def _key(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


_FIELDS = b"".join(
    (
        _key(FIRST_NUMBER, _VARINT) + varint(7),
        _key(FIRST_NUMBER + 1, _FIXED64) + bytes(8),
        _key(FIRST_NUMBER + 2, _BYTES) + varint(5) + b"later",
        _key(FIRST_NUMBER + 3, _FIXED32) + bytes(4),
    )
)
"""One unknown field of each wire type."""


def with_fields(message: bytes) -> Iterable[bytes]:
    """A PlayResponse with unknown fields in it and in every message that it holds."""
    response = seat_pb2.PlayResponse.FromString(message)
    _add_fields(response)
    return (response.SerializeToString(),)


def _add_fields(message: Message) -> None:
    for field, value in message.ListFields():
        if field.message_type is not None:
            for held in value if isinstance(value, Iterable) else (value,):
                _add_fields(held)
    message.MergeFromString(_FIELDS)


def with_messages(message: bytes) -> Iterable[bytes]:
    """A PlayResponse between two whose oneof has a member that v1 does not know."""
    unknown = _key(FIRST_NUMBER, _BYTES) + varint(len(_FIELDS)) + _FIELDS
    return (unknown, message, unknown)


def with_values(message: bytes) -> Iterable[bytes]:
    """A PlayResponse with unknown values in the enums of the protocol.

    Those of the cards (suit, kind of action, ...) are left alone: what they may hold follows from the variant.
    """
    response = seat_pb2.PlayResponse.FromString(message)
    unknown: int = UNKNOWN_VALUE
    match response.WhichOneof("message"):
        case "table_opened":
            response.table_opened.fault_policy = unknown  # type: ignore[assignment]  # what this is about
        case "table_closed":
            fault = table_pb2.Fault(seat=0, kind=unknown)  # type: ignore[arg-type]  # as above
            response.table_closed.faults.append(fault)
        case "error":
            response.error.code = unknown  # type: ignore[assignment]  # as above
        case "goodbye":
            response.goodbye.reason = unknown  # type: ignore[assignment]  # as above
    return (response.SerializeToString(),)
