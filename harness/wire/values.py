"""Small values of the engine <-> small messages: actions, events, memories, options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from engine import Action, Event, Memory, OptionValue
from harness.v1 import action_pb2, table_pb2, view_pb2
from harness.wire.numbers import NUMBERS
from harness.wire.vocabulary import HOWS, KINDS, MEMORIES, SUITS, WireError


def action_message(action: Action) -> action_pb2.Action:
    """An action with its token and its parts."""
    return action_pb2.Action(
        token=str(action),
        kind=KINDS.number(action.kind),  # type: ignore[arg-type]  # enum values are plain ints at run time
        card=action.card,
        number=action.number,
        suit=SUITS.number(action.suit),  # type: ignore[arg-type]  # as above
        how=HOWS.number(action.how),  # type: ignore[arg-type]  # as above
        seat=action.seat,
    )


@lru_cache(maxsize=4096)
def action_of(token: str) -> Action:
    """The action that a token on the wire stands for. Raises EngineError if the engine knows none."""
    return Action.parse(token)


def event_message(event: Event) -> action_pb2.Event:
    """Something that everybody saw."""
    return action_pb2.Event(seat=event.seat, action=action_message(event.action))


def event_of(message: action_pb2.Event) -> Event:
    """Back from the wire."""
    return Event(message.seat, action_of(message.action.token))


def memory_of(message: view_pb2.Memory) -> Memory:
    """Back from the wire."""
    seat = message.seat if message.HasField("seat") else None
    return Memory(MEMORIES.word(message.kind), tuple(message.cards), seat)


def value_message(value: OptionValue) -> table_pb2.OptionValue:
    """The value of an option; a bool is a flag and never a number. Raises WireError for a number without room."""
    if isinstance(value, bool):
        return table_pb2.OptionValue(flag=value)
    if isinstance(value, int):
        if value not in NUMBERS:
            raise WireError(
                f"an option's value {value} is out of range: the protocol carries {NUMBERS[0]} to {NUMBERS[-1]}"
            )
        return table_pb2.OptionValue(number=value)
    return table_pb2.OptionValue(text=value)


def value_of(message: table_pb2.OptionValue) -> OptionValue:
    """Back from the wire. Raises WireError if no value is set."""
    match message.WhichOneof("value"):
        case "flag":
            return message.flag
        case "number":
            return message.number
        case "text":
            return message.text
        case _:
            raise WireError("an option came without a value")


def option_messages(options: Mapping[str, OptionValue]) -> list[table_pb2.Option]:
    """Every option with its value, in the order of the mapping. The messages are shared: copy them, change none."""
    return [_option(name, value) for name, value in options.items()]


@lru_cache(maxsize=4096, typed=True)
def _option(name: str, value: OptionValue) -> table_pb2.Option:
    return table_pb2.Option(name=name, value=value_message(value))


def options_of(messages: Iterable[table_pb2.Option]) -> dict[str, OptionValue]:
    """Back from the wire."""
    return {message.name: value_of(message.value) for message in messages}
