"""Engine values -> the seat protocol.

Decisions are what a run sends by the million, so their bytes are spliced: each table keeps what it sent last and
encodes anew only what changed. Everything rare is an ordinary protobuf message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from engine import RULES_VERSION, Event, HandResult, Memory, OptionValue, SeatView
from harness.v1 import seat_pb2, table_pb2, view_pb2
from harness.wire.fields import HAND, HISTORY, LIVELY, MEMORY, STEADY, TRICK, Field, elements, plain, span
from harness.wire.splice import nested
from harness.wire.values import action_message, event_message, option_messages
from harness.wire.vocabulary import FAULTS, POLICIES

_TABLE_ID = plain(seat_pb2.DecisionRequest, "table_id").encode
_DECISION_ID = plain(seat_pb2.DecisionRequest, "decision_id").encode
_BUDGET = plain(seat_pb2.DecisionRequest, "budget_ms").encode
_BANK = plain(seat_pb2.DecisionRequest, "bank_ms").encode
_CHARGED = plain(seat_pb2.DecisionRequest, "charged_ms").encode
_LEGAL = elements(seat_pb2.DecisionRequest, "legal_actions", action_message)
_EVENTS = elements(seat_pb2.DecisionRequest, "events", event_message)
_STEADY = span(STEADY)
_LIVELY = span(LIVELY)
_TRICK = TRICK.encode
_HAND = HAND.encode
_PUBLIC_VIEW = nested(view_pb2.SeatView, "public_view")
_OWN_VIEW = nested(view_pb2.SeatView, "own_view")
_VIEW = nested(seat_pb2.DecisionRequest, "view")
_REQUEST = nested(seat_pb2.DecisionRequests, "requests")
_RESPONSE = nested(seat_pb2.PlayResponse, "decision_requests")


LONGEST_MS = (1 << 32) - 1
"""The longest duration on the wire."""


@lru_cache(maxsize=1 << 14)
def _lively(values: tuple[Any, ...]) -> bytes:
    return _joined(LIVELY, values)


def _joined(fields: Sequence[Field], values: Sequence[Any]) -> bytes:
    return b"".join([field.encode(value) for field, value in zip(fields, values, strict=True)])


class TableEncoder:
    """Encodes the decisions of one table. What its seats share is encoded once for all of them.

    Views may come in any order and of any seat; the bytes never depend on what was encoded before.
    """

    __slots__ = ("_events", "_events_bytes", "_memories", "_steady", "_steady_bytes")

    def __init__(self) -> None:
        """Nothing is encoded yet."""
        self._steady: tuple[Any, ...] = ()
        self._steady_bytes = b""
        self._events: tuple[Event, ...] = ()
        self._events_bytes = b""
        self._memories: dict[int, tuple[tuple[Memory, ...], bytes]] = {}

    def request(
        self,
        table_id: str,
        view: SeatView,
        decision_id: int,
        *,
        budget_ms: int,
        bank_ms: int,
        charged_ms: int,
        events: Sequence[Event] = (),
    ) -> bytes:
        """One DecisionRequest: the view and the legal actions of the seat that decides, and its clock.

        `table_id` is what this seat's bot calls the table. Durations are whole milliseconds.
        `events` are for bots that want them: what happened at this table since the last message about it.
        Raises WireError if the view holds a word that the protocol does not know.
        """
        request = b"".join(
            (
                _TABLE_ID(table_id),
                _DECISION_ID(decision_id),
                _BUDGET(budget_ms),
                _BANK(bank_ms),
                _CHARGED(charged_ms),
                _LEGAL(view.legal),
                _VIEW(self.view(view)),
            )
        )
        return request + _EVENTS(events) if events else request

    def view(self, view: SeatView) -> bytes:
        """A SeatView message."""
        values: tuple[Any, ...] = view
        steady = values[_STEADY]
        if steady != self._steady:
            self._steady_bytes = _joined(STEADY, steady)
            self._steady = steady
        public = b"".join(
            (self._steady_bytes, _lively(values[_LIVELY]), _TRICK(view.trick), self._history(view.history))
        )
        return _PUBLIC_VIEW(public) + _OWN_VIEW(_HAND(view.hand) + self._memory(view))

    def _history(self, events: tuple[Event, ...]) -> bytes:
        """While the history only grows, only what is new is encoded."""
        known = len(self._events)
        if events[:known] == self._events:
            self._events_bytes += HISTORY.encode(events[known:])
        else:
            self._events_bytes = HISTORY.encode(events)
        self._events = events
        return self._events_bytes

    def _memory(self, view: SeatView) -> bytes:
        memory = view.memory
        known = self._memories.get(view.seat)
        if known is not None and known[0] == memory:
            return known[1]
        data = MEMORY.encode(memory)
        self._memories[view.seat] = memory, data
        return data


def decision_requests(requests: Iterable[bytes], deadline_ms: int) -> bytes:
    """A whole PlayResponse that carries these DecisionRequest messages.

    A deadline for which the field has no room (49 days: many long decisions in one message) is sent as the longest.
    """
    deadline = seat_pb2.DecisionRequests(deadline_ms=min(deadline_ms, LONGEST_MS)).SerializeToString()
    return _RESPONSE(b"".join(map(_REQUEST, requests)) + deadline)


def table_opened(
    *,
    table_id: str,
    seat: int,
    players: int,
    partners: Iterable[int],
    variant: str,
    options: Mapping[str, OptionValue],
    clock: table_pb2.Clock,
    on_fault: str,
    seed: bytes,
    names: Iterable[str] = (),
) -> seat_pb2.PlayResponse:
    """The constants of a game. `on_fault` is forfeit or substitute; `seed` is for the bot's own use (NOTATION.md)."""
    return seat_pb2.PlayResponse(
        table_opened=table_pb2.TableOpened(
            table_id=table_id,
            seat=seat,
            players=players,
            partners=sorted(partners),
            variant=variant,
            rules_version=RULES_VERSION,
            options=option_messages(options),
            clock=clock,
            fault_policy=POLICIES.number(on_fault),  # type: ignore[arg-type]  # enum values are plain ints at run time
            seed=seed,
            names=names,
        )
    )


def hand_ended(
    *,
    table_id: str,
    hand_number: int,
    scores: Iterable[int],
    games: Iterable[int],
    ended: str,
    events: Iterable[Event] = (),
) -> seat_pb2.PlayResponse:
    """A hand is over; `events` are for bots that want them: what happened since the last message about the table."""
    return seat_pb2.PlayResponse(
        hand_ended=table_pb2.HandEnded(
            table_id=table_id,
            hand_number=hand_number,
            scores=scores,
            games=games,
            ended=ended,
            events=map(event_message, events),
        )
    )


def hand_news(table_id: str, hand: HandResult, events: Iterable[Event]) -> seat_pb2.PlayResponse:
    """`hand_ended` of a hand that the engine has finished."""
    return hand_ended(
        table_id=table_id,
        hand_number=hand.number,
        scores=hand.scores,
        games=hand.games,
        ended=hand.ended,
        events=events,
    )


def fault(seat: int, kind: str, detail: str = "") -> table_pb2.Fault:
    """A fault as a seat is told of it; `kind` as in records (`harness.records.record.FAULT_KINDS`)."""
    return table_pb2.Fault(seat=seat, kind=FAULTS.number(kind), detail=detail)  # type: ignore[arg-type]  # as above


def table_closed(
    *,
    table_id: str,
    ranks: Iterable[int],
    scores: Iterable[int],
    games: Iterable[int],
    ended: str,
    faults: Iterable[table_pb2.Fault] = (),
) -> seat_pb2.PlayResponse:
    """A table is closed."""
    return seat_pb2.PlayResponse(
        table_closed=table_pb2.TableClosed(
            table_id=table_id, ranks=ranks, scores=scores, games=games, ended=ended, faults=faults
        )
    )
