"""Declares each field of an `bowerbird.engine.SeatView` beside its field in the protocol, for both directions."""

from __future__ import annotations

from collections.abc import Iterable

from bowerbird.engine import Memory, Trick
from bowerbird.harness.wire.enums import HOWS, MEMORY_KINDS, STAGES, SUITS, UPCARD_PLACES
from bowerbird.harness.wire.protobuf import (
    FieldCodec,
    enum,
    identity,
    joined,
    nested_prefix,
    optional_scalar,
    repeated,
    repeated_encoder,
    repeated_scalar,
    scalar,
)
from bowerbird.harness.wire.values import event_from_wire, event_to_wire, memory_from_wire
from bowerbird.seat.v1 import view_pb2


def _played_card(value: tuple[int, str]) -> view_pb2.PlayedCard:
    return view_pb2.PlayedCard(seat=value[0], card=value[1])


def _fact(value: tuple[str, str]) -> view_pb2.Fact:
    return view_pb2.Fact(name=value[0], value=value[1])


def _trick_from_wire(message: view_pb2.Trick) -> Trick:
    return Trick(tuple((played.seat, played.card) for played in message.cards), message.winner)


_PUBLIC = view_pb2.PublicView

STABLE_FIELDS = (
    scalar(_PUBLIC, "hand_number"),
    scalar(_PUBLIC, "dealer"),
    repeated_scalar(_PUBLIC, "scores"),
    repeated_scalar(_PUBLIC, "games"),
    repeated_scalar(_PUBLIC, "drops"),
    scalar(_PUBLIC, "upcard"),
    enum(_PUBLIC, "upcard_place", UPCARD_PLACES),
    optional_scalar(_PUBLIC, "upcard_holder"),
    enum(_PUBLIC, "proposed", SUITS),
    enum(_PUBLIC, "trump", SUITS),
    optional_scalar(_PUBLIC, "maker"),
    scalar(_PUBLIC, "contract"),
    enum(_PUBLIC, "how", HOWS),
    optional_scalar(_PUBLIC, "lone_defender"),
    scalar(_PUBLIC, "highest_bid"),
    optional_scalar(_PUBLIC, "highest_bidder"),
    repeated_scalar(_PUBLIC, "active"),
    repeated_scalar(_PUBLIC, "sides"),
    repeated_scalar(_PUBLIC, "covered"),
    repeated(_PUBLIC, "laid", lambda cards: view_pb2.LaidCards(cards=cards), lambda message: tuple(message.cards)),
    repeated(_PUBLIC, "extra", _fact, lambda message: (message.name, message.value)),
)
"""Public fields that rarely change within a hand."""

CHANGING_FIELDS = (
    enum(_PUBLIC, "stage", STAGES),
    optional_scalar(_PUBLIC, "actor"),
    optional_scalar(_PUBLIC, "leader"),
    repeated_scalar(_PUBLIC, "tricks_won"),
    scalar(_PUBLIC, "trick_number"),
)
"""Public fields that change from decision to decision. Together they have few values, which `encode` caches."""

TRICK = repeated(_PUBLIC, "trick", _played_card, lambda message: (message.seat, message.card))
"""The trick on the table. It has too many values to cache as a whole."""

_LEADER = scalar(view_pb2.Trick, "leader").encode
_PLAYED = repeated_encoder(view_pb2.Trick, "cards", _played_card)
_WINNER = scalar(view_pb2.Trick, "winner").encode
_COMPLETE = nested_prefix(_PUBLIC, "tricks")


def _complete_tricks(tricks: Iterable[Trick]) -> bytes:
    """Join each trick from cached parts, since hardly two tricks are alike."""
    return joined(_COMPLETE, [_LEADER(trick.leader) + _PLAYED(trick.cards) + _WINNER(trick.winner) for trick in tricks])


TRICKS = FieldCodec("tricks", _complete_tricks, lambda message: tuple(map(_trick_from_wire, message.tricks)))
"""The complete tricks of this hand. Like the history, they only grow during the hand."""

HISTORY = repeated(_PUBLIC, "history", event_to_wire, event_from_wire)
"""This hand's public history. It only grows while the hand lasts, so new events are appended to its bytes."""

HAND = repeated(view_pb2.OwnView, "hand", identity, identity)

_KIND = enum(view_pb2.Memory, "kind", MEMORY_KINDS).encode
_CARDS = repeated_encoder(view_pb2.Memory, "cards", identity)
_SEAT = optional_scalar(view_pb2.Memory, "seat").encode
_MEMORY = nested_prefix(view_pb2.OwnView, "memory")


def _memories(memories: Iterable[Memory]) -> bytes:
    """Join each memory from cached parts, since hardly two memories are alike."""
    return joined(_MEMORY, [_KIND(what) + _CARDS(cards) + _SEAT(seat) for what, cards, seat in memories])


MEMORY = FieldCodec("memory", _memories, lambda message: tuple(map(memory_from_wire, message.memory)))

PUBLIC = (*STABLE_FIELDS, *CHANGING_FIELDS, TRICK, TRICKS, HISTORY)
"""Every field of the public view."""

OWN = (HAND, MEMORY)
"""Every field of the own view, which only the seat knows."""
