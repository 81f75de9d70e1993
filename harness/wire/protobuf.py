"""Encodes and decodes single fields of a protobuf message, so that encoded pieces can be kept and joined again.

Two properties of the encoding allow this: a message is the concatenation of its fields in any order, and a repeated
field may be written in pieces. Protobuf itself encodes each field, from a message with only this field. Only the prefix
of a nested message is encoded by hand (`nested_prefix`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from bowerbird.harness.wire.enums import WireEnum

CACHE_SIZE = 1 << 12
"""The most encoded values kept for each field. Most fields have far fewer values."""

_LENGTH_DELIMITED = 2
"""The wire type of strings, bytes and messages."""


@dataclass(frozen=True, slots=True)
class FieldCodec:
    """One field of a message: `encode` turns the engine's value into bytes, `decode` reads it from a parsed message."""

    name: str
    encode: Callable[[Any], bytes]
    decode: Callable[[Any], Any]


class _EncodedCache(dict[Any, bytes]):
    """Encoded bytes by value, filled on first use. A dict look-up costs half as much as a function call."""

    def __init__(self, encode: Callable[[Any], bytes]) -> None:
        super().__init__()
        self._encode = encode

    def __missing__(self, value: Any) -> bytes:
        if len(self) >= CACHE_SIZE:
            self.clear()
        data = self[value] = self._encode(value)
        return data


def _encoder(kind: type[Message], name: str, to_wire: Callable[[Any], Any]) -> Callable[[Any], bytes]:
    return _EncodedCache(lambda value: kind(**{name: to_wire(value)}).SerializeToString()).__getitem__


def identity(value: Any) -> Any:
    """Return `value`. This is the conversion of a value that is the same on both sides."""
    return value


def scalar(kind: type[Message], name: str) -> FieldCodec:
    """Return the codec of a number or text field `name` of message type `kind`."""
    return FieldCodec(name, _encoder(kind, name, identity), lambda message: getattr(message, name))


def optional_scalar(kind: type[Message], name: str) -> FieldCodec:
    """Return the codec of an `optional` number field. None means unset."""

    def decode(message: Message) -> int | None:
        return getattr(message, name) if message.HasField(name) else None

    return FieldCodec(name, _encoder(kind, name, identity), decode)


def enum(kind: type[Message], name: str, words: WireEnum) -> FieldCodec:
    """Return the codec of an enum field, which is a word of `words` in the engine."""
    return FieldCodec(name, _encoder(kind, name, words.number), lambda message: words.word(getattr(message, name)))


def repeated_scalar(kind: type[Message], name: str) -> FieldCodec:
    """Return the codec of a repeated number or text field, which is a tuple in the engine. Caches whole tuples."""
    return FieldCodec(name, _encoder(kind, name, identity), lambda message: tuple(getattr(message, name)))


def element_encoder(kind: type[Message], name: str, to_wire: Callable[[Any], Any]) -> Callable[[Any], bytes]:
    """Return a function that encodes one element of a repeated field of messages (or texts). Caches elements."""
    return _encoder(kind, name, lambda value: [to_wire(value)])


def repeated_encoder(kind: type[Message], name: str, to_wire: Callable[[Any], Any]) -> Callable[[Iterable[Any]], bytes]:
    """Return a function that encodes a repeated field of messages (or texts). Caches single elements."""
    element = element_encoder(kind, name, to_wire)

    def encode(values: Iterable[Any]) -> bytes:
        return b"".join(map(element, values))

    return encode


def repeated(
    kind: type[Message], name: str, to_wire: Callable[[Any], Any], from_wire: Callable[[Any], Any]
) -> FieldCodec:
    """Return the codec of a repeated field of messages (or texts). Caches single elements."""
    encode = repeated_encoder(kind, name, to_wire)
    return FieldCodec(name, encode, lambda message: tuple(map(from_wire, getattr(message, name))))


def varint(number: int) -> bytes:
    """Encode an unsigned number: 7 bits per byte, lowest first; the high bit means that another byte follows."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def nested_prefix(kind: type[Message], field: str) -> Callable[[int], bytes]:
    """Return a function from the length of an encoded message to its prefix as `field` of a `kind`.

    If the field is repeated, this makes the message one of its elements.
    """
    key = varint(kind.DESCRIPTOR.fields_by_name[field].number << 3 | _LENGTH_DELIMITED)
    return _EncodedCache(lambda length: key + varint(length)).__getitem__


def joined(prefix: Callable[[int], bytes], messages: Iterable[bytes]) -> bytes:
    """Encode a repeated field from encoded messages. `prefix` is the field's prefix (`nested_prefix`)."""
    return b"".join([piece for message in messages for piece in (prefix(len(message)), message)])
