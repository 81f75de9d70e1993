"""Converts small values of the engine to and from messages: actions, events, memories, options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from bowerbird.engine import Action, Event, Memory, OptionValue
from bowerbird.harness.wire import INT32, WireError
from bowerbird.harness.wire.enums import ACTION_KINDS, HOWS, MEMORY_KINDS, SUITS
from bowerbird.seat.v1 import action_pb2, table_pb2, view_pb2


def action_to_wire(action: Action) -> action_pb2.Action:
    """Return the message of an action, with its token and its parts."""
    return action_pb2.Action(
        token=str(action),
        kind=ACTION_KINDS.number(action.kind),  # type: ignore[arg-type]  # enum values are plain ints at run time
        card=action.card,
        number=action.number,
        suit=SUITS.number(action.suit) if action.suit else None,  # type: ignore[arg-type]  # as above
        how=HOWS.number(action.how) if action.how else None,  # type: ignore[arg-type]  # as above
        seat=action.seat,
    )


@lru_cache(maxsize=4096)
def action_from_wire(token: str) -> Action:
    """Return the action of a token. Raises EngineError for a token unknown to the engine."""
    return Action.parse(token)


def event_to_wire(event: Event) -> action_pb2.Event:
    """Return the message of a public event."""
    return action_pb2.Event(seat=event.seat, action=action_to_wire(event.action))


def event_from_wire(message: action_pb2.Event) -> Event:
    """Return the event of a message. Raises EngineError for a token unknown to the engine."""
    return Event(message.seat, action_from_wire(message.action.token))


def memory_from_wire(message: view_pb2.Memory) -> Memory:
    """Return the memory of a message. `view_fields.MEMORY` does the opposite."""
    seat = message.seat if message.HasField("seat") else None
    return Memory(MEMORY_KINDS.word(message.kind), tuple(message.cards), seat)


def option_value_to_wire(value: OptionValue) -> table_pb2.OptionValue:
    """Return the message of an option's value. A bool becomes a flag, never a number.

    Raises WireError for a number outside INT32.
    """
    if isinstance(value, bool):
        return table_pb2.OptionValue(flag=value)
    if isinstance(value, int):
        if value not in INT32:
            raise WireError(f"an option's value {value} is out of range; must be from {INT32[0]} to {INT32[-1]}")
        return table_pb2.OptionValue(number=value)
    return table_pb2.OptionValue(text=value)


def option_value_from_wire(message: table_pb2.OptionValue) -> OptionValue:
    """Return the value of a message. Raises WireError if none is set."""
    match message.WhichOneof("value"):
        case "flag":
            return message.flag
        case "number":
            return message.number
        case "text":
            return message.text
        case _:
            raise WireError("an option came without a value")


def options_to_wire(options: Mapping[str, OptionValue]) -> list[table_pb2.Option]:
    """Return a message for each option, in the order of the mapping. The messages are cached, so do not change them."""
    return [_option(name, value) for name, value in options.items()]


@lru_cache(maxsize=4096, typed=True)
def _option(name: str, value: OptionValue) -> table_pb2.Option:
    return table_pb2.Option(name=name, value=option_value_to_wire(value))


def options_from_wire(messages: Iterable[table_pb2.Option]) -> dict[str, OptionValue]:
    """Return the options by name. Raises WireError for an option without a value."""
    return {message.name: option_value_from_wire(message.value) for message in messages}
