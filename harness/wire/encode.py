"""Encodes the engine's values as messages of the seat protocol.

A run sends millions of decisions, so `TableEncoder` keeps the last bytes of a table and encodes only new items, which
it finds by counting. `hand_ended` joins cached pieces. All other messages are rare and are ordinary protobuf messages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any

from bowerbird.engine import RULES_VERSION, Event, Game, HandResult, Rules
from bowerbird.harness.wire.enums import FAULT_KINDS, FAULT_POLICIES, GAME_ENDINGS, HAND_ENDINGS, SCORE_ORDERS
from bowerbird.harness.wire.protobuf import element_encoder, joined, nested_prefix, scalar
from bowerbird.harness.wire.values import action_to_wire, event_to_wire, options_to_wire
from bowerbird.harness.wire.view_fields import (
    CHANGING_FIELDS,
    HAND,
    HISTORY,
    MEMORY,
    STABLE_FIELDS,
    TRICK,
    TRICKS,
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
_HAND_TABLE_ID = scalar(table_pb2.HandEnded, "table_id").encode
_STABLE = tuple(field.encode for field in STABLE_FIELDS)
_CHANGING = tuple(field.encode for field in CHANGING_FIELDS)
_TRICK = TRICK.encode
_TRICKS = TRICKS.encode
_HISTORY = HISTORY.encode
_HAND = HAND.encode
_MEMORY = MEMORY.encode
_PUBLIC_VIEW = nested_prefix(view_pb2.SeatView, "public_view")
_OWN_VIEW = nested_prefix(view_pb2.SeatView, "own_view")
_VIEW = nested_prefix(seat_pb2.DecisionRequest, "view")
_REQUEST = nested_prefix(seat_pb2.DecisionRequests, "requests")
_RESPONSE = nested_prefix(seat_pb2.PlayResponse, "decision_requests")


def _join(encoders: Sequence[Callable[[Any], bytes]], values: Sequence[Any]) -> bytes:
    return b"".join([encode(value) for encode, value in zip(encoders, values, strict=True)])


@lru_cache(maxsize=1 << 12)
def _encode_changing(values: tuple[Any, ...]) -> bytes:
    return _join(_CHANGING, values)


@lru_cache(maxsize=1 << 12)
def _encode_clock(budget_ms: int, bank_ms: int, charged_ms: int) -> bytes:
    """Encode the times of a DecisionRequest, which take few different values in a run."""
    remaining_ms = budget_ms + bank_ms
    if remaining_ms > LONGEST_MS:
        bank_ms, remaining_ms = min(bank_ms, LONGEST_MS), LONGEST_MS
    clock = seat_pb2.DecisionRequest(
        budget_ms=budget_ms, bank_ms=bank_ms, remaining_ms=remaining_ms, charged_ms=charged_ms
    )
    return clock.SerializeToString()


@lru_cache(maxsize=1 << 12)
def _encode_deadline(limit_ms: int) -> bytes:
    """Encode the times of a DecisionRequests."""
    return seat_pb2.DecisionRequests(deadline_ms=limit_ms, remaining_ms=limit_ms).SerializeToString()


@lru_cache(maxsize=1 << 8)
def _encode_ended(
    number: int, scores: tuple[int, ...], games: tuple[int, ...], ended: str, shown: tuple[tuple[str, ...], ...]
) -> bytes:
    """Encode the part of HandEnded that is the same for all seats."""
    message = table_pb2.HandEnded(
        hand_number=number,
        scores=scores,
        games=games,
        ended=HAND_ENDINGS.number(ended),  # type: ignore[arg-type]  # enum values are plain ints at run time
        shown=[view_pb2.LaidCards(cards=cards) for cards in shown],
    )
    return message.SerializeToString()


class TableEncoder:
    """The encoder of one game's decisions. Parts shared by the seats are encoded once.

    It accepts positions of this game in any order, or of copies that have not diverged from it; the bytes never depend
    on earlier calls. Given another game, it would mistake its encoded bytes for parts of that game.
    """

    __slots__ = (
        *("_deal", "_events", "_history", "_history_count", "_memories"),
        *("_stable", "_stable_bytes", "_tricks", "_tricks_count"),
    )

    def __init__(self) -> None:
        """Start with empty caches."""
        self._deal = (-1, 0)
        self._stable: tuple[Any, ...] = ()
        self._stable_bytes = b""
        self._events: list[bytes] = []
        self._history = b""
        self._history_count = 0
        self._tricks = b""
        self._tricks_count = 0
        self._memories: dict[int, tuple[tuple[int, int], bytes]] = {}

    def __reduce__(self) -> tuple[type[TableEncoder], tuple[()]]:
        return type(self), ()  # the encoded bytes are a cache

    def request(
        self,
        table_id: str,
        game: Game,
        seat: int,
        decision_id: int,
        *,
        budget_ms: int,
        bank_ms: int,
        charged_ms: int,
        events_from: int | None = None,
        shows_public: bool = True,
    ) -> bytes:
        """Encode one DecisionRequest: the view and the legal actions of the seat that decides, and its clock.

        table_id: the name of the table in messages to this seat's bot.
        budget_ms, bank_ms, charged_ms: whole milliseconds (protocol.md, The clock).
        events_from: how many events of this hand were already sent, for bots that want events; the others follow.
        shows_public: False leaves the public part of the view out (feature "events_only").

        Raises WireError if the view contains a word that the protocol does not have.
        """
        deal, history, hand, legal, learnt = game.seat_parts(seat)
        if deal != self._deal:
            self._begin(deal)
        memory = self._memories.get(seat)
        if memory is None or memory[0] != learnt:
            memory = self._memories[seat] = learnt, _MEMORY(game.own_view(seat).memory)
        own = _HAND(hand) + memory[1]
        shown = _OWN_VIEW(len(own)) + own
        if shows_public:
            public = self._public(game, seat, history)
            shown = _PUBLIC_VIEW(len(public)) + public + shown
        return b"".join(
            (
                _TABLE_ID(table_id),
                _DECISION_ID(decision_id),
                _encode_clock(budget_ms, bank_ms, charged_ms),
                b"".join(map(_LEGAL, legal)),
                _VIEW(len(shown)),
                shown,
                b"" if events_from is None else self._events_of(history, events_from),
            )
        )

    def _begin(self, deal: tuple[int, int]) -> None:
        """Forget the contents of an earlier deal, and in a new hand its history too."""
        if deal[0] != self._deal[0]:
            self._events = []
            self._history, self._history_count = b"", 0
        self._deal = deal
        self._tricks, self._tricks_count = b"", 0
        self._memories.clear()

    def _public(self, game: Game, seat: int, history: Sequence[Event]) -> bytes:
        stable, changing, trick, tricks = game.public_parts(seat)
        if stable != self._stable:
            self._stable_bytes = _join(_STABLE, stable)
            self._stable = stable
        if len(tricks) != self._tricks_count:
            if len(tricks) < self._tricks_count:
                self._tricks, self._tricks_count = b"", 0
            self._tricks += _TRICKS(tricks[self._tricks_count :])
            self._tricks_count = len(tricks)
        if len(history) != self._history_count:
            if len(history) < self._history_count:
                self._history, self._history_count = b"", 0
            self._history += _HISTORY(history[self._history_count :])
            self._history_count = len(history)
        return b"".join((self._stable_bytes, _encode_changing(changing), _TRICK(trick), self._tricks, self._history))

    def _events_of(self, history: Sequence[Event], first: int) -> bytes:
        """Encode the events from number `first` on, once for all seats."""
        events = self._events
        if len(events) < len(history):
            events += map(_EVENT, history[len(events) :])
        return b"".join(events[first : len(history)])


def decision_requests(requests: Iterable[bytes], deadline_ms: int) -> bytes:
    """Encode a whole PlayResponse from encoded DecisionRequest messages.

    A `deadline_ms` above LONGEST_MS (49 days: many long decisions in one message) is sent as LONGEST_MS.
    """
    message = joined(_REQUEST, requests) + _encode_deadline(min(deadline_ms, LONGEST_MS))
    return _RESPONSE(len(message)) + message


def repeated_requests(data: bytes, elapsed_ms: int, waiting: Collection[str] | None = None) -> bytes:
    """Return a PlayResponse of `decision_requests`, adjusted for resending `elapsed_ms` after its first hand-over.

    Each decision will be charged its share of that time, so its remaining time is reduced by that. Only the decisions
    of the tables in `waiting` are repeated; None repeats all.
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

    `rules` are the game's rules, with its options. `on_fault` is forfeit or substitute. `seed` is 32 bytes for the
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
            fault_policy=FAULT_POLICIES.number(on_fault),  # type: ignore[arg-type]  # as above
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

    `events` are the events since the last message about the table, for bots that want them.
    """
    shared = _encode_ended(hand.number, hand.scores, hand.games, hand.ended, hand.shown)
    message = _HAND_TABLE_ID(table_id) + shared + b"".join(map(_HAND_EVENT, events))
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
