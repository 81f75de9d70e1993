"""Converts values for spectators to messages of `watch.proto` and back.

Fields with the same name correspond. Values without a field in the message, such as the cards of a hand, are not sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import replace
from typing import Any, TypeVar

from google.protobuf.message import Message

from bowerbird.harness.records.replay.frames import Frame, Kind, Pile, SeatFrame
from bowerbird.harness.records.values.game_record import FaultRecord
from bowerbird.harness.watch import values
from bowerbird.watch.v1 import watch_pb2 as pb

M = TypeVar("M", bound=Message)
V = TypeVar("V")

_KINDS: dict[Kind, pb.FrameKind.ValueType] = {
    "deal": pb.FRAME_KIND_DEAL,
    "action": pb.FRAME_KIND_ACTION,
    "fault": pb.FRAME_KIND_FAULT,
    "end": pb.FRAME_KIND_END,
}
_KIND_OF = {value: kind for kind, value in _KINDS.items()}

_PARTS: dict[type[Any], type[Message]] = {
    values.BotInfo: pb.Bot,
    values.ClockInfo: pb.Clock,
    values.DealSet: pb.DealSet,
    FaultRecord: pb.Fault,
    values.GameOutcome: pb.GameResult,
    Pile: pb.Pile,
    SeatFrame: pb.Seat,
    values.Standing: pb.Standing,
}
"""The messages that are parts of others, by the types of their values."""

_PART_OF = {message.DESCRIPTOR.full_name: kind for kind, message in _PARTS.items()}

_RUN_UPDATES: dict[str, type[Any]] = {
    "run": values.RunInfo,
    "set_finished": values.SetFinished,
    "set_voided": values.SetVoided,
    "bot_failed": values.BotFailed,
    "games_opened": values.GamesOpened,
    "ratings_changed": values.Standings,
    "round_started": values.RoundBegan,
    "lost": values.Lost,
    "run_ended": values.RunOver,
}
"""The updates of a run, by field of `WatchRunResponse`."""

_TABLE_UPDATES: dict[str, type[Any]] = {
    "table": values.TableInfo,
    "frame": Frame,
    "thinking": values.Thinking,
    "lost": values.Lost,
    "ended": values.TableEnded,
}
"""The updates of a table, by field of `WatchTableResponse`."""

_LACKING: dict[type[Any], dict[str, Any]] = {
    FaultRecord: {"hand": 0, "action": 0, "detail": ""},
    Pile: {"cards": ()},
    SeatFrame: {"cards": (), "put_away": ()},
}
"""The values for fields without a default that a message lacks."""


def message_of(kind: type[M], value: object) -> M:
    """Return a value as a message of this kind. A frame must be public, since its message has no field for a hand."""
    parts = {name: _sent(getattr(value, name)) for name in kind.DESCRIPTOR.fields_by_name}
    if isinstance(value, Frame):
        parts["kind"] = _KINDS[value.kind]
        parts["trick"] = [pb.PlayedCard(seat=seat, card=card) for seat, card in value.trick]
        parts["facts"] = [pb.Fact(name=name, value=fact) for name, fact in value.facts]
    make: Callable[..., M] = kind
    return make(**parts)


def _sent(value: object) -> Any:
    """Return a field of a value as an argument for the constructor of a message."""
    if isinstance(value, tuple):
        return [_sent(item) for item in value]
    kind = _PARTS.get(type(value))
    return value if kind is None else message_of(kind, value)


def value_from(kind: type[V], message: Message) -> V:
    """Return the value of this kind in a message. A frame of an unknown, later kind becomes an action."""
    parts = {field.name: _received(message, field) for field in message.DESCRIPTOR.fields}
    if isinstance(message, pb.Frame):
        parts["kind"] = _KIND_OF.get(message.kind, "action")
        parts["trick"] = tuple((card.seat, card.card) for card in message.trick)
        parts["facts"] = tuple((fact.name, fact.value) for fact in message.facts)
        fault = replace(parts["fault"], hand=message.hand, action=message.step)
        parts["fault"] = fault if message.HasField("fault") else None
    make: Callable[..., V] = kind
    return make(**parts, **_LACKING.get(kind, {}))


def _received(message: Message, field: Any) -> Any:  # the descriptor type of either protobuf implementation
    """Return a field of a message as a value: None for an optional number that was not sent."""
    value = getattr(message, field.name)
    kind = _PART_OF.get(field.message_type.full_name) if field.message_type else None
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, MutableSequence):
        return tuple(value) if kind is None else tuple(value_from(kind, item) for item in value)
    if kind is not None:
        return value_from(kind, value)
    return None if field.has_presence and not message.HasField(field.name) else value


def run_update_message(update: values.RunUpdate) -> pb.WatchRunResponse:
    """Return an update of a run as a message."""
    return _with_update(pb.WatchRunResponse(), _RUN_UPDATES, update)


def run_update_from(message: pb.WatchRunResponse) -> values.RunUpdate | None:
    """Return the update of a run in a message, or None for an update of a later version."""
    found: values.RunUpdate | None = _update_in(message, _RUN_UPDATES)
    return found


def table_update_message(update: values.TableUpdate) -> pb.WatchTableResponse:
    """Return an update of a table as a message. A frame must be public, since its message has no field for a hand."""
    return _with_update(pb.WatchTableResponse(), _TABLE_UPDATES, update)


def table_update_from(message: pb.WatchTableResponse) -> values.TableUpdate | None:
    """Return the update of a table in a message, or None for an update of a later version."""
    found: values.TableUpdate | None = _update_in(message, _TABLE_UPDATES)
    return found


def _with_update(message: M, updates: Mapping[str, type[Any]], update: object) -> M:
    field = next(name for name, kind in updates.items() if isinstance(update, kind))
    part = getattr(message, field)
    part.CopyFrom(message_of(type(part), update))
    return message


def _update_in(message: Message, updates: Mapping[str, type[Any]]) -> Any:
    field = message.WhichOneof("update") or ""
    return value_from(updates[field], getattr(message, field)) if field in updates else None
