"""The messages about a connection, serialized. `harness.wire.encode` makes those about tables."""

from __future__ import annotations

from engine import RULES_VERSION, rules_of, variant_names
from bowerbird.seat.v1 import seat_pb2, table_pb2
from harness.wire.values import option_value_to_wire

HINTS = {
    "TOKEN": "send the value of BOWERBIRD_TOKEN in Hello, on one stream only",
    "VERSION": "BOWERBIRD_PROTOCOLS lists what the referee speaks",
    "ILLEGAL": "answer with an index into legal_actions, or with one of their tokens",
    "SESSION": "dial again until the first connection is known to be broken; a session that is over needs a new token",
    "TLS": "set BOWERBIRD_CA to the PEM file that came with the token",
    "TIMEOUT": "budget_ms and bank_ms of the request say how long a decision may take",
}


def welcome(
    *,
    version: int,
    max_tables: int,
    max_batch: int,
    max_message: int,
    max_note: int,
    startup_ms: int,
    session_secret: str = "",
    resume_ms: int = 0,
) -> bytes:
    """Return a Welcome. `startup_ms` is the time left until the bot must say Ready.

    With `session_secret` the bot may resume its session within `resume_ms` after its connection broke.
    """
    limits = seat_pb2.Limits(
        max_tables=max_tables, max_batch=max_batch, max_message_bytes=max_message, max_note_bytes=max_note
    )
    message = seat_pb2.Welcome(
        protocol_version=version,
        limits=limits,
        startup_ms=startup_ms,
        session_secret=session_secret,
        resume_ms=resume_ms,
    )
    return seat_pb2.PlayResponse(welcome=message).SerializeToString()


def error(code: str, sentence: str, *, table_id: str = "", fatal: bool = False) -> bytes:
    """Return an Error. `code` is the name of an ErrorCode without its prefix, such as TOKEN."""
    message = seat_pb2.Error(
        code=seat_pb2.ErrorCode.Value(f"ERROR_CODE_{code}"),
        message=sentence,
        hint=HINTS.get(code, ""),
        fatal=fatal,
        table_id=table_id,
    )
    return seat_pb2.PlayResponse(error=message).SerializeToString()


def ping(ping_id: int) -> bytes:
    """Return a Ping."""
    return seat_pb2.PlayResponse(ping=seat_pb2.Ping(ping_id=ping_id)).SerializeToString()


def goodbye(reason: str, grace_ms: int) -> bytes:
    """Return a Goodbye. `reason` is the name of a GoodbyeReason without its prefix, such as FINISHED."""
    message = seat_pb2.Goodbye(reason=seat_pb2.GoodbyeReason.Value(f"GOODBYE_REASON_{reason}"), grace_ms=grace_ms)
    return seat_pb2.PlayResponse(goodbye=message).SerializeToString()


def list_variants() -> bytes:
    """Return a ListVariantsResponse with every variant of the engine."""
    variants = [_variant(name) for name in variant_names()]
    return seat_pb2.ListVariantsResponse(variants=variants, rules_version=RULES_VERSION).SerializeToString()


def _variant(name: str) -> table_pb2.Variant:
    rules = rules_of(name)
    defaults = {option: rule.default for option, rule in rules.options.items()}
    return table_pb2.Variant(
        name=name,
        title=rules.title,
        players=rules.seats(defaults),
        options=[
            table_pb2.OptionRule(
                name=option, default_value=option_value_to_wire(rule.default), allowed=str(rule.allowed), help=rule.help
            )
            for option, rule in rules.options.items()
        ],
        description=rules.describe,
    )
