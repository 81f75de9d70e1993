"""What bots and spectators are told is short, whatever they sent (clients.md, Status codes).

gRPC sends the text of a status as a header, percent-encoded. grpc-java turns one of more than 8 KiB into INTERNAL,
without the text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import grpc
import pytest

from bowerbird.harness.extras.watch.service import _abort
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.stream import STATUS, Refusal
from bowerbird.harness.watch.errors import NotFoundError, NotOpenError, RunGoneError, TooManyError, WatchError
from bowerbird.seat.v1 import seat_pb2
from tests.support.referee.raw_client import LIST_VARIANTS, RawClient, call
from tests.support.referee.seat_host import TOKEN, open_seat

MOST_BYTES = 8192 // 2
"""Half of what grpc-java takes: the other headers need room, too."""

LONG = "ü" * 3500
"""Nearly as much as a Hello may hold."""


def header_bytes(text: str) -> int:
    """Return how much room a string takes as gRPC's header `grpc-message`: three bytes for each character that is not
    printable ASCII."""
    return sum(1 if 0x20 <= byte <= 0x7E and byte != 0x25 else 3 for byte in text.encode())


def hello(**fields: object) -> bytes:
    return seat_pb2.PlayRequest(hello=seat_pb2.Hello(**fields)).SerializeToString()  # type: ignore[arg-type]  # by name


FIRST = {
    "no message": b"\xff" * 5000,
    "a message that is too large": hello(token="x" * 20_000, protocol_versions=[1]),
    "a compressed message": b"\x1f\x8b" + bytes(5000),
    "no Hello": seat_pb2.PlayRequest(bot_fault=seat_pb2.BotFault(message=LONG)).SerializeToString(),
    "an unknown token": hello(token=LONG, protocol_versions=[1]),
    "an unknown secret": hello(session_secret=LONG, protocol_versions=[1]),
}
"""First messages that a seat refuses."""


async def refused(client: RawClient) -> tuple[seat_pb2.Error, str]:
    """Return the Error that ends a stream, and the text of its status."""
    heard = await client.hear()
    assert heard is not None
    assert await client.hear() is None, "the Error ends the stream"
    return heard.error, client.call.details() or ""


@pytest.mark.parametrize("first", FIRST)
async def test_the_refusal_of_a_stream_is_short(tmp_path: Path, first: str) -> None:
    async with open_seat(f"unix:{tmp_path}/s") as host:
        client = host.client()
        client.say(FIRST[first])
        error, details = await refused(client)
    assert error.fatal
    assert details == error.message != ""
    assert header_bytes(details) < MOST_BYTES
    assert len(error.hint) < messages.LONGEST_SENTENCE


@pytest.mark.parametrize("code", STATUS)
async def test_a_sentence_that_quotes_too_much_is_cut(tmp_path: Path, code: str) -> None:
    """Whoever makes the sentence, it is cut where it is sent."""
    async with open_seat(f"unix:{tmp_path}/s") as host:
        client = host.client()
        client.hello(TOKEN)
        await host.until(1)
        host.streams[0].refuse(Refusal(code, "🂡" * 100_000))
        error, details = await refused(client)
    assert len(error.message) == messages.LONGEST_SENTENCE
    assert details == error.message
    assert MOST_BYTES < header_bytes(details) < 2 * MOST_BYTES, "the worst characters just fit"


async def test_the_refusal_of_a_list_is_short(tmp_path: Path) -> None:
    async with open_seat(f"unix:{tmp_path}/s") as host:
        list_variants: grpc.UnaryUnaryMultiCallable[bytes, bytes] = host.client().channel.unary_unary(LIST_VARIANTS)
        for request in (
            seat_pb2.ListVariantsRequest(token=TOKEN, names=[LONG]),
            seat_pb2.ListVariantsRequest(token=LONG),
        ):
            with pytest.raises(grpc.RpcError) as caught:
                await call(partial(list_variants, request.SerializeToString()))
            assert isinstance(caught.value, grpc.Call)
            assert header_bytes(caught.value.details() or "") < MOST_BYTES


@pytest.mark.parametrize("kind", ["ILLEGAL", "TIMEOUT", "PROTOCOL", "REFEREE"])
def test_an_error_that_ends_nothing_is_short(kind: str) -> None:
    """An illegal answer may be an action of 64 KiB, which the Error quotes."""
    error = seat_pb2.PlayResponse.FromString(messages.error(kind, "x" * messages.MAX_MESSAGE)).error
    assert len(error.message) == messages.LONGEST_SENTENCE
    assert len(error.hint) < messages.LONGEST_SENTENCE


@pytest.mark.parametrize("kind", [NotFoundError, NotOpenError, TooManyError, RunGoneError, WatchError])
def test_a_spectator_is_refused_in_short(kind: Callable[[str], WatchError]) -> None:
    told: list[str] = []

    class Context:
        def abort(self, code: grpc.StatusCode, details: str) -> None:
            told.append(details)
            raise grpc.RpcError

    with pytest.raises(grpc.RpcError):
        _abort(Context(), kind("🂡" * 100_000))  # type: ignore[arg-type] # all it needs of a context
    assert header_bytes(told[0]) < 2 * MOST_BYTES
