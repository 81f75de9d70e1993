"""Mutators that turn the referee's messages into those of a later protocol version (seat.proto, rule 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from google.protobuf.message import Message

from bowerbird.harness.wire.protobuf import varint
from bowerbird.seat.v1 import seat_pb2, table_pb2

MessageMutator = Callable[[bytes], Iterable[bytes]]
"""Returns the serialised PlayResponses to send instead of the given one."""

FIRST_NUMBER = 2000
"""v1 does not use field numbers from here on."""

UNKNOWN_VALUE = 99
"""v1 has no enum value this large."""

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


def unchanged(message: bytes) -> Iterable[bytes]:
    """Return the message itself."""
    return (message,)


def add_unknown_fields(message: bytes) -> Iterable[bytes]:
    """Add unknown fields to a PlayResponse and to every message inside it."""
    response = seat_pb2.PlayResponse.FromString(message)
    _add_fields(response)
    return (response.SerializeToString(),)


def _add_fields(message: Message) -> None:
    for field, value in message.ListFields():
        if field.message_type is not None:
            for held in value if isinstance(value, Iterable) else (value,):
                _add_fields(held)
    message.MergeFromString(_FIELDS)


def surround_with_unknown_messages(message: bytes) -> Iterable[bytes]:
    """Put a PlayResponse between two others that have an unknown member in their oneof."""
    unknown = _key(FIRST_NUMBER, _BYTES) + varint(len(_FIELDS)) + _FIELDS
    return (unknown, message, unknown)


def set_unknown_values(message: bytes) -> Iterable[bytes]:
    """Set unknown values in the enums for faults, errors, and the ends of hands, games and sessions.

    Enums of the game itself (suit, stage, kind of action, ...) keep their values. The variant determines those, and a
    bot lists the variants that it knows.
    """
    response = seat_pb2.PlayResponse.FromString(message)
    unknown: int = UNKNOWN_VALUE
    match response.WhichOneof("message"):
        case "table_opened":
            response.table_opened.fault_policy = unknown  # type: ignore[assignment]  # an unknown value on purpose
        case "hand_ended":
            response.hand_ended.ended = unknown  # type: ignore[assignment]  # as above
        case "table_closed":
            response.table_closed.ended = unknown  # type: ignore[assignment]  # as above
            fault = table_pb2.Fault(seat=0, kind=unknown)  # type: ignore[arg-type]  # as above
            response.table_closed.faults.append(fault)
        case "error":
            response.error.code = unknown  # type: ignore[assignment]  # as above
        case "goodbye":
            response.goodbye.reason = unknown  # type: ignore[assignment]  # as above
    return (response.SerializeToString(),)
