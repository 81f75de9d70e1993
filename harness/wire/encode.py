"""Encodes the engine's values as messages of the seat protocol.

A run sends decisions by the million, so `TableEncoder` keeps the bytes that a table sent last and encodes only what
has changed. `hand_ended` joins cached events. Every other message is rare and an ordinary protobuf message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

from bowerbird.engine import RULES_VERSION, Event, HandResult, Memory, OwnView, Rules, SeatView
from bowerbird.harness.wire.enums import FAULT_KINDS, FAULT_POLICIES, GAME_ENDINGS, HAND_ENDINGS, SCORE_ORDERS
from bowerbird.harness.wire.protobuf import FieldCodec, element_encoder, joined, nested_prefix, scalar
from bowerbird.harness.wire.values import action_to_wire, event_to_wire, options_to_wire
from bowerbird.harness.wire.view_fields import (
    CHANGING_FIELDS,
    HAND,
    HISTORY,
    MEMORY,
    STABLE_FIELDS,
    TRICK,
    TRICKS,
    view_slice,
)
from bowerbird.seat.v1 import seat_pb2, table_pb2, view_pb2

LONGEST_MS = (1 << 32) - 1
"""The longest duration on the wire."""

_TABLE_ID = scalar(seat_pb2.DecisionRequest, "table_id").encode
_DECISION_ID = scalar(seat_pb2.DecisionRequest, "decision_id").encode
_LEGAL = element_encoder(seat_pb2.DecisionRequest, "legal_actions", action_to_wire)
_EVENT = element_encoder(seat_pb2.DecisionRequest, "events", event_to_wire)
_HAND_EVENT = element_encoder(table_pb2.HandEnded, "events", event_to_wire)
_HAND_ENDED = nested_prefix(seat_pb2.PlayResponse, "hand_ended")
_STABLE = view_slice(STABLE_FIELDS)
_CHANGING = view_slice(CHANGING_FIELDS)
_TRICK = TRICK.encode
_HAND = HAND.encode
_PUBLIC_VIEW = nested_prefix(view_pb2.SeatView, "public_view")
_OWN_VIEW = nested_prefix(view_pb2.SeatView, "own_view")
_VIEW = nested_prefix(seat_pb2.DecisionRequest, "view")
_REQUEST = nested_prefix(seat_pb2.DecisionRequests, "requests")
_RESPONSE = nested_prefix(seat_pb2.PlayResponse, "decision_requests")


@lru_cache(maxsize=1 << 12)
def _encode_changing(values: tuple[Any, ...]) -> bytes:
    return _join(CHANGING_FIELDS, values)


@lru_cache(maxsize=1 << 12)
def _encode_clock(budget_ms: int, bank_ms: int, charged_ms: int) -> bytes:
    """Encode the times of a DecisionRequest. Few requests of a run differ in them."""
    remaining_ms = budget_ms + bank_ms
    if remaining_ms > LONGEST_MS:
        bank_ms, remaining_ms = min(bank_ms, LONGEST_MS), LONGEST_MS
    clock = seat_pb2.DecisionRequest(
        budget_ms=budget_ms, bank_ms=bank_ms, remaining_ms=remaining_ms, charged_ms=charged_ms
    )
    return clock.SerializeToString()


def _join(fields: Sequence[FieldCodec], values: Sequence[Any]) -> bytes:
    return b"".join([field.encode(value) for field, value in zip(fields, values, strict=True)])


class _GrowingField:
    """Encodes a repeated field that only grows while a hand lasts: keeps its bytes and encodes new values alone."""

    __slots__ = ("_bytes", "_encode", "_values")

    def __init__(self, codec: FieldCodec) -> None:
        self._encode = codec.encode
        self._values: tuple[Any, ...] = ()
        self._bytes = b""

    def encode(self, values: tuple[Any, ...]) -> bytes:
        if values is not self._values:
            known = len(self._values)
            if values[:known] == self._values:
                self._bytes += self._encode(values[known:])
            else:
                self._bytes = self._encode(values)
            self._values = values
        return self._bytes


class TableEncoder:
    """Encodes the decisions of one table. Encodes what its seats share once for all of them.

    Takes views of any seat in any order; the bytes never depend on earlier calls.
    """

    __slots__ = ("_history", "_memories", "_stable", "_stable_bytes", "_tricks")

    def __init__(self) -> None:
        """Start with empty caches."""
        self._stable: tuple[Any, ...] = ()
        self._stable_bytes = b""
        self._tricks = _GrowingField(TRICKS)
        self._history = _GrowingField(HISTORY)
        self._memories: dict[int, tuple[tuple[Memory, ...], bytes]] = {}

    def __reduce__(self) -> tuple[type[TableEncoder], tuple[()]]:
        return type(self), ()  # what it has encoded is a cache

    def request(
        self,
        table_id: str,
        view: SeatView | OwnView,
        decision_id: int,
        *,
        budget_ms: int,
        bank_ms: int,
        charged_ms: int,
        events: Sequence[Event] = (),
    ) -> bytes:
        """Encode one DecisionRequest: the view and the legal actions of the seat that decides, and its clock.

        table_id: the name of the table in messages to this seat's bot.
        view: an OwnView leaves the public part out (feature "events_only").
        budget_ms, bank_ms, charged_ms: whole milliseconds (protocol.md, The clock).
        events: for bots that want events: the events at this table since the last message about it.

        Raises WireError if the view holds a word that the protocol does not know.
        """
        shown = self.view(view) if isinstance(view, SeatView) else self._own_view(view)
        return b"".join(
            (
                _TABLE_ID(table_id),
                _DECISION_ID(decision_id),
                _encode_clock(budget_ms, bank_ms, charged_ms),
                b"".join(map(_LEGAL, view.legal)),
                _VIEW(len(shown)),
                shown,
                b"".join(map(_EVENT, events)),
            )
        )

    def view(self, view: SeatView) -> bytes:
        """Encode a SeatView."""
        values: tuple[Any, ...] = view
        stable = values[_STABLE]
        if stable != self._stable:
            self._stable_bytes = _join(STABLE_FIELDS, stable)
            self._stable = stable
        public = b"".join(
            (
                self._stable_bytes,
                _encode_changing(values[_CHANGING]),
                _TRICK(view.trick),
                self._tricks.encode(view.tricks),
                self._history.encode(view.history),
            )
        )
        return _PUBLIC_VIEW(len(public)) + public + self._own_view(view)

    def _own_view(self, view: SeatView | OwnView) -> bytes:
        own = _HAND(view.hand) + self._memory(view)
        return _OWN_VIEW(len(own)) + own

    def _memory(self, view: SeatView | OwnView) -> bytes:
        memory = view.memory
        known = self._memories.get(view.seat)
        if known is not None and known[0] == memory:
            return known[1]
        data = MEMORY.encode(memory)
        self._memories[view.seat] = memory, data
        return data


def decision_requests(requests: Iterable[bytes], deadline_ms: int) -> bytes:
    """Encode a whole PlayResponse from encoded DecisionRequest messages.

    A `deadline_ms` above LONGEST_MS (49 days: many long decisions in one message) is sent as LONGEST_MS.
    """
    limit = min(deadline_ms, LONGEST_MS)
    deadline = seat_pb2.DecisionRequests(deadline_ms=limit, remaining_ms=limit).SerializeToString()
    message = joined(_REQUEST, requests) + deadline
    return _RESPONSE(len(message)) + message


def repeated_requests(data: bytes, elapsed_ms: int, waiting: Collection[str] | None = None) -> bytes:
    """Return a PlayResponse of `decision_requests`, changed for repetition `elapsed_ms` after its first hand-over.

    Each decision will be charged its share of that time, so its remaining time is reduced by it. Repeats only the
    decisions of the tables `waiting`; None repeats all.
    """
    response = seat_pb2.PlayResponse.FromString(data)
    message = response.decision_requests
    message.remaining_ms = max(0, message.remaining_ms - elapsed_ms)
    share_ms = elapsed_ms // max(1, len(message.requests))
    for place in reversed(range(len(message.requests))):
        request = message.requests[place]
        request.remaining_ms = max(0, request.remaining_ms - share_ms)
        if waiting is not None and request.table_id not in waiting:
            del message.requests[place]
    return response.SerializeToString()


def table_opened(
    *,
    table_id: str,
    seat: int,
    rules: Rules,
    clock: table_pb2.Clock,
    on_fault: str,
    seed: bytes,
    names: Iterable[str] = (),
) -> seat_pb2.PlayResponse:
    """Return the TableOpened for one seat: the constants of the game.

    `rules` are those of the game, with its options. `on_fault` is forfeit or substitute. `seed` is 32 bytes for the
    bot's own use (notation.md, Shuffling).
    """
    return seat_pb2.PlayResponse(
        table_opened=table_pb2.TableOpened(
            table_id=table_id,
            seat=seat,
            players=rules.players,
            sides=rules.sides if rules.teams is not None else (),
            variant=rules.variant,
            rules_version=RULES_VERSION,
            options=options_to_wire(rules.options),
            clock=clock,
            fault_policy=FAULT_POLICIES.number(on_fault),  # type: ignore[arg-type]  # enum values are plain ints at run time
            seed=seed,
            names=names,
            pack=table_pb2.Pack(cards=rules.pack.bits, copies=2 if rules.pack.double else 1),
            hand_size=rules.hand_size,
            tricks=rules.tricks,
            score_order=SCORE_ORDERS.number(rules.better),  # type: ignore[arg-type]  # as above
        )
    )


def hand_ended(table_id: str, hand: HandResult, events: Iterable[Event] = ()) -> bytes:
    """Encode HandEnded for a finished hand, as a whole PlayResponse.

    `events` is for bots that want events: the events since the last message about the table.
    """
    ended = table_pb2.HandEnded(
        table_id=table_id,
        hand_number=hand.number,
        scores=hand.scores,
        games=hand.games,
        ended=HAND_ENDINGS.number(hand.ended),  # type: ignore[arg-type]  # as above
        shown=[view_pb2.LaidCards(cards=cards) for cards in hand.shown],
    )
    message = ended.SerializeToString() + b"".join(map(_HAND_EVENT, events))
    return _HAND_ENDED(len(message)) + message


def fault(seat: int, kind: str, detail: str = "") -> table_pb2.Fault:
    """Return a Fault. `kind` is a word of records (`bowerbird.harness.records.values.faults.FAULT_KINDS`)."""
    return table_pb2.Fault(seat=seat, kind=FAULT_KINDS.number(kind), detail=detail)  # type: ignore[arg-type]  # as above


def table_closed(
    *,
    table_id: str,
    ranks: Iterable[int],
    scores: Iterable[int],
    games: Iterable[int],
    ended: str,
    faults: Iterable[table_pb2.Fault] = (),
) -> seat_pb2.PlayResponse:
    """Return TableClosed. `ranks`, `scores` and `games` are by seat."""
    return seat_pb2.PlayResponse(
        table_closed=table_pb2.TableClosed(
            table_id=table_id,
            ranks=ranks,
            scores=scores,
            games=games,
            ended=GAME_ENDINGS.number(ended),  # type: ignore[arg-type]  # as above
            faults=faults,
        )
    )
