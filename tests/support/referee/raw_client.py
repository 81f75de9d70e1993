"""One stream to a seat address, whose every message the test writes itself, even bytes that are not a message."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import TypeVar

import grpc
import trio

from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S

PLAY = "/bowerbird.seat.v1.SeatService/Play"
LIST_VARIANTS = "/bowerbird.seat.v1.SeatService/ListVariants"

Answer = TypeVar("Answer")


def dial(target: str, trust: bytes = b"") -> grpc.Channel:
    """Return a channel of its own to `target`; over TLS if there is a certificate to trust."""
    options = (("grpc.use_local_subchannel_pool", 1),)
    if trust:
        return grpc.secure_channel(target, grpc.ssl_channel_credentials(trust), options=options)
    return grpc.insecure_channel(target, options=options)


async def call(function: Callable[[], Answer]) -> Answer:
    """Call a function that blocks, in a thread."""
    return await trio.to_thread.run_sync(function, abandon_on_cancel=True)


class RawClient:
    """One stream of Play. Makes its blocking calls in threads, each with a deadline. `heard` has all that came."""

    def __init__(
        self, channel: grpc.Channel, *, method: str = PLAY, compression: grpc.Compression | None = None
    ) -> None:
        self.channel = channel
        self.heard: list[seat_pb2.PlayResponse] = []
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play: grpc.StreamStreamMultiCallable[bytes, seat_pb2.PlayResponse] = channel.stream_stream(
            method, response_deserializer=seat_pb2.PlayResponse.FromString
        )
        self.call = play(iter(self._outbox.get, None), timeout=DEADLINE_S, compression=compression)

    def say(self, message: seat_pb2.PlayRequest | bytes) -> None:
        self._outbox.put(message if isinstance(message, bytes) else message.SerializeToString())

    def hello(
        self,
        token: str = "",
        secret: str = "",
        *,
        version: int = 1,
        capabilities: seat_pb2.Capabilities | None = None,
    ) -> None:
        self.say(
            seat_pb2.PlayRequest(
                hello=seat_pb2.Hello(
                    token=token, session_secret=secret, protocol_versions=[version], capabilities=capabilities
                )
            )
        )

    def ready(self) -> None:
        self.say(seat_pb2.PlayRequest(ready=seat_pb2.Ready()))

    def half_close(self) -> None:
        self._outbox.put(None)

    async def hear(self) -> seat_pb2.PlayResponse | None:
        """Return the next message, or None at the end of the stream, whatever its status."""
        try:
            message = await call(lambda: next(self.call, None))
        except grpc.RpcError:
            return None
        if message is not None:
            self.heard.append(message)
        return message

    async def hear_a(self, kind: str) -> seat_pb2.PlayResponse:
        """Return the next message; fail if it is not of this kind."""
        message = await self.hear()
        assert message is not None, f"the stream ended instead of bringing {kind}"
        assert message.WhichOneof("message") == kind, message
        return message

    async def status(self) -> grpc.StatusCode:
        """Return the status with which the stream ended. Waits for its end."""
        while await self.hear() is not None:
            pass
        return await call(self.call.code)

    async def refusal(self) -> tuple[str, str, grpc.StatusCode]:
        """Receive a fatal Error and the end of the stream; return the Error's code and sentence, and the status."""
        error = (await self.hear_a("error")).error
        assert error.fatal
        assert await self.hear() is None
        return seat_pb2.ErrorCode.Name(error.code).removeprefix("ERROR_CODE_"), error.message, await self.status()

    async def headers(self) -> object:
        return await call(self.call.initial_metadata)

    def close(self) -> None:
        """Break the connection."""
        self._outbox.put(None)
        self.channel.close()
