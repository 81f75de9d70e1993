"""Each field of a SeatView laid beside its field in the protocol, for both directions.

A field's bytes are made by protobuf itself from a message that holds this one field. That is enough because of two
laws of the encoding: a message is the concatenation of its fields in any order, and a list may be written in pieces.
So pieces can be kept and put together again; nothing here writes a tag or a length by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from engine import Memory, SeatView
from harness.v1 import view_pb2
from harness.wire.splice import nested
from harness.wire.values import event_message, event_of, memory_of
from harness.wire.vocabulary import HOWS, MEMORIES, PLACES, SUITS, Words

KEPT = 1 << 12
"""How many values of a field are kept encoded. Most fields take far fewer."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `encode` makes its bytes of the engine's value, `decode` reads the value from a parsed message."""

    name: str
    encode: Callable[[Any], bytes]
    decode: Callable[[Any], Any]


class _Kept(dict[Any, bytes]):
    """The bytes of a field by its value, made when first asked for. To look one up costs half of what a call would."""

    def __init__(self, make: Callable[[Any], bytes]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, value: Any) -> bytes:
        if len(self) >= KEPT:
            self.clear()
        data = self[value] = self._make(value)
        return data


def _single(kind: type[Message], name: str, to_wire: Callable[[Any], Any]) -> Callable[[Any], bytes]:
    return _Kept(lambda value: kind(**{name: to_wire(value)}).SerializeToString()).__getitem__


def plain(kind: type[Message], name: str) -> Field:
    """A number or a text, the same on both sides."""
    return Field(name, _single(kind, name, lambda value: value), lambda message: getattr(message, name))


def optional(kind: type[Message], name: str) -> Field:
    """A seat that may be nobody: None is unset."""

    def decode(message: Message) -> int | None:
        return getattr(message, name) if message.HasField(name) else None

    return Field(name, _single(kind, name, lambda value: value), decode)


def word(kind: type[Message], name: str, words: Words) -> Field:
    """A word that is an enum on the wire."""
    return Field(name, _single(kind, name, words.number), lambda message: words.word(getattr(message, name)))


def several(kind: type[Message], name: str) -> Field:
    """A tuple of numbers or texts; as a whole in the cache."""
    return Field(name, _single(kind, name, lambda value: value), lambda message: tuple(getattr(message, name)))


def elements(kind: type[Message], name: str, to_wire: Callable[[Any], Any]) -> Callable[[Iterable[Any]], bytes]:
    """A function that makes the bytes of a list of messages (or texts) from those of its elements, which are kept."""
    element = _single(kind, name, lambda value: [to_wire(value)])

    def encode(values: Iterable[Any]) -> bytes:
        return b"".join(map(element, values))

    return encode


def each(kind: type[Message], name: str, to_wire: Callable[[Any], Any], of_wire: Callable[[Any], Any]) -> Field:
    """A tuple of messages (or texts), put together from the bytes of its elements."""
    return Field(name, elements(kind, name, to_wire), lambda message: tuple(map(of_wire, getattr(message, name))))


def _played(value: tuple[int, str]) -> view_pb2.PlayedCard:
    return view_pb2.PlayedCard(seat=value[0], card=value[1])


def _fact(value: tuple[str, str]) -> view_pb2.Fact:
    return view_pb2.Fact(name=value[0], value=value[1])


def _same(value: Any) -> Any:
    return value


_PUBLIC = view_pb2.PublicView

STEADY = (
    plain(_PUBLIC, "hand_number"),
    plain(_PUBLIC, "dealer"),
    several(_PUBLIC, "scores"),
    several(_PUBLIC, "games"),
    several(_PUBLIC, "drops"),
    plain(_PUBLIC, "upcard"),
    word(_PUBLIC, "upcard_place", PLACES),
    optional(_PUBLIC, "upcard_holder"),
    word(_PUBLIC, "proposed", SUITS),
    word(_PUBLIC, "trump", SUITS),
    optional(_PUBLIC, "maker"),
    plain(_PUBLIC, "contract"),
    word(_PUBLIC, "how", HOWS),
    optional(_PUBLIC, "lone_defender"),
    plain(_PUBLIC, "highest_bid"),
    optional(_PUBLIC, "highest_bidder"),
    several(_PUBLIC, "active"),
    several(_PUBLIC, "sides"),
    several(_PUBLIC, "covered"),
    each(_PUBLIC, "laid", lambda cards: view_pb2.LaidCards(cards=cards), lambda message: tuple(message.cards)),
    each(_PUBLIC, "extra", _fact, lambda message: (message.name, message.value)),
)
"""Public fields that mostly stand through a hand."""

LIVELY = (
    plain(_PUBLIC, "stage"),
    optional(_PUBLIC, "actor"),
    optional(_PUBLIC, "leader"),
    several(_PUBLIC, "tricks_won"),
    plain(_PUBLIC, "trick_number"),
)
"""Public fields that change from one decision to the next, and take few values together."""

TRICK = each(_PUBLIC, "trick", _played, lambda message: (message.seat, message.card))
"""The trick on the table: it takes more values than are worth keeping as a whole."""

HISTORY = each(_PUBLIC, "history", event_message, event_of)
"""This hand's public history: it only grows while the hand lasts, so its bytes can be appended to."""

HAND = each(view_pb2.OwnView, "hand", _same, _same)

_KIND = word(view_pb2.Memory, "kind", MEMORIES).encode
_CARDS = elements(view_pb2.Memory, "cards", _same)
_SEAT = optional(view_pb2.Memory, "seat").encode
_ONE = nested(view_pb2.OwnView, "memory")


def _memories(memories: Iterable[Memory]) -> bytes:
    """Spliced from its parts: hardly two of them are alike."""
    return b"".join([_ONE(_KIND(what) + _CARDS(cards) + _SEAT(seat)) for what, cards, seat in memories])


MEMORY = Field("memory", _memories, lambda message: tuple(map(memory_of, message.memory)))

PUBLIC = (*STEADY, *LIVELY, TRICK, HISTORY)
"""Every field of the public view."""

OWN = (HAND, MEMORY)
"""What only the seat itself knows."""


def span(fields: Sequence[Field]) -> slice:
    """Where these fields, which are neighbours there in the same order, lie in a SeatView. ValueError if they are not.

    To take and compare a piece of the tuple is several times as quick as to read its fields one after the other.
    """
    first = SeatView._fields.index(fields[0].name)
    piece = slice(first, first + len(fields))
    names = [field.name for field in fields]
    if (there := list(SeatView._fields)[piece]) != names:
        raise ValueError(f"a view has {there} where the wire has {names}")
    return piece
