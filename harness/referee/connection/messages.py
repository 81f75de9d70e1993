"""Serialized messages about a connection. `bowerbird.harness.wire.encode` makes the messages about tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from bowerbird.engine import RULES_VERSION, rules_of, variant_names
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.annotations import LONGEST_NOTE
from bowerbird.harness.wire.values import option_value_to_wire
from bowerbird.seat.v1 import seat_pb2, table_pb2

MAX_MESSAGE = 65536
"""The largest message that a bot may send, in bytes."""

MAX_HELLO = 8192
"""The largest first message of a stream, in bytes. A larger one is not parsed, since its sender is not known yet."""

MAX_RESPONSE = 1 << 20
"""The largest message to a bot, in bytes. Many libraries refuse messages of more than 4 MB."""

MAX_NOTE = LONGEST_NOTE
"""The longest note on a decision, in bytes."""

LONGEST_SENTENCE = 500
"""The most characters of a sentence to a bot. It is also the text of a status, which gRPC sends as a header.

grpc-java drops a status with more than 8 KiB of headers, where one character can take up to twelve bytes.
"""

MAX_IGNORED = 1000
"""How many unrequested messages and answers one process may send. More than that is a flood."""

FLOOD = f"more than {MAX_IGNORED} unrequested messages and answers"

HINTS = {
    "TOKEN": "send the value of BOWERBIRD_TOKEN in Hello, on one stream only",
    "VERSION": "BOWERBIRD_PROTOCOLS lists the versions that the referee speaks",
    "ILLEGAL": "answer with an index into legal_actions, or with one of their tokens",
    "SESSION_OVER": "a session has one stream; a new session needs a token that was not used",
    "BUSY": "call Play again after retry_after_ms",
    "TLS": "set BOWERBIRD_CA to the PEM file that came with the token",
    "TIMEOUT": "budget_ms and bank_ms of the request say how long a decision may take",
}


def welcome(
    *,
    version: int,
    max_tables: int,
    max_batch: int,
    features: Sequence[str],
    startup_ms: int | None,
    session_secret: str = "",
    resume_ms: int = 0,
) -> bytes:
    """Return a Welcome. `startup_ms` is the time left until the bot must send Ready; None if it already has.

    With `session_secret` the bot may resume its session up to `resume_ms` after its connection breaks.
    """
    limits = seat_pb2.Limits(
        max_tables=max_tables,
        max_batch=max_batch,
        max_message_bytes=MAX_MESSAGE,
        max_note_bytes=MAX_NOTE,
        max_response_bytes=MAX_RESPONSE,
    )
    message = seat_pb2.Welcome(
        protocol_version=version,
        limits=limits,
        startup_ms=startup_ms or 0,
        awaits_ready=startup_ms is not None,
        features=features,
        session_secret=session_secret,
        resume_ms=resume_ms,
    )
    return seat_pb2.PlayResponse(welcome=message).SerializeToString()


def error(
    code: str, sentence: str, *, table_id: str = "", fatal: bool = False, retry_after_ms: int | None = None
) -> bytes:
    """Return an Error. `code` is the name of an ErrorCode without its prefix, such as TOKEN.

    With `retry_after_ms`, the bot may call Play again after this time.
    """
    message = seat_pb2.Error(
        code=seat_pb2.ErrorCode.Value(f"ERROR_CODE_{code}"),
        message=shown(sentence, LONGEST_SENTENCE),
        hint=HINTS.get(code, ""),
        fatal=fatal,
        table_id=table_id,
        retryable=retry_after_ms is not None,
        retry_after_ms=retry_after_ms or 0,
    )
    return seat_pb2.PlayResponse(error=message).SerializeToString()


def ping(ping_id: int) -> bytes:
    """Return a Ping."""
    return seat_pb2.PlayResponse(ping=seat_pb2.Ping(ping_id=ping_id)).SerializeToString()


def goodbye(reason: str, grace_ms: int) -> bytes:
    """Return a Goodbye. `reason` is the name of a GoodbyeReason without its prefix, such as FINISHED."""
    message = seat_pb2.Goodbye(reason=seat_pb2.GoodbyeReason.Value(f"GOODBYE_REASON_{reason}"), grace_ms=grace_ms)
    return seat_pb2.PlayResponse(goodbye=message).SerializeToString()


def list_variants(names: Sequence[str]) -> bytes:
    """Return a ListVariantsResponse with these variants, or with all variants if `names` is empty.

    Raises UnknownVariant.

    Each is listed once: a request that repeats one variant a million times must not take gigabytes.
    """
    variants = [_variant(name) for name in dict.fromkeys(names or variant_names())]
    return seat_pb2.ListVariantsResponse(variants=variants, rules_version=RULES_VERSION).SerializeToString()


@lru_cache(maxsize=64)
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
