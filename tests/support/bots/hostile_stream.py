"""The stream of every hostile behaviour to the referee, made from the stubs alone: through gRPC, or by hand."""

from __future__ import annotations

import os
import queue
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, cast

from bowerbird.seat.v1 import seat_pb2
from tests.support.bots.plain_call import PLAY, BrokenError, Call

MANY = 64

Message = seat_pb2.PlayRequest | bytes
"""What a bot can send: a message, or bytes that may be malformed."""


def wait_for_ever() -> None:
    while True:
        signal.pause()


class Stream:
    """One call of Play. `spy` is a folder that gets every byte received, each message behind its length."""

    def __init__(self, spy: str | None) -> None:
        self._spy = (Path(spy) / f"{os.getpid()}.bytes").open("ab") if spy else None

    def _read(self, message: bytes) -> seat_pb2.PlayResponse:
        if self._spy is not None:
            self._spy.write(len(message).to_bytes(4, "big") + message)
            self._spy.flush()
        return seat_pb2.PlayResponse.FromString(message)

    def messages(self) -> Iterator[seat_pb2.PlayResponse]:
        """Return each message of the referee until it ends the stream. Raises BrokenError."""
        raise NotImplementedError

    def say(self, message: Message) -> None:
        """Send a message."""
        raise NotImplementedError

    def half_close(self) -> None:
        """End the bot's side."""
        raise NotImplementedError

    def hello(
        self,
        token: str | None = None,
        versions: tuple[int, ...] = (1,),
        batch: int = MANY,
        *,
        wants_events: bool = False,
        resume: bool = False,
        secret: str = "",
        features: tuple[str, ...] = (),
    ) -> None:
        capabilities = seat_pb2.Capabilities(
            max_tables=MANY, max_batch=batch, wants_events=wants_events, resume=resume, features=features
        )
        self.say(
            seat_pb2.PlayRequest(
                hello=seat_pb2.Hello(
                    token=os.environ["BOWERBIRD_TOKEN"] if token is None else token,
                    protocol_versions=versions,
                    bot_name="hostile",
                    bot_version="1.0",
                    capabilities=capabilities,
                    session_secret=secret,
                )
            )
        )

    def ready(self) -> None:
        self.say(seat_pb2.PlayRequest(ready=seat_pb2.Ready()))


class PlainStream(Stream):
    """A call without gRPC. It answers pings only while the bot reads."""

    def __init__(self, spy: str | None = None) -> None:
        super().__init__(spy)
        try:
            self._call: Call | None = Call(os.environ["BOWERBIRD_ADDRESS"])
        except OSError:  # reading says so, as with gRPC
            self._call = None

    def messages(self) -> Iterator[seat_pb2.PlayResponse]:
        if self._call is None:
            raise BrokenError("nobody listens")
        try:
            yield from map(self._read, self._call.heard())
        except OSError as error:
            raise BrokenError(str(error)) from error

    def say(self, message: Message) -> None:
        if self._call is not None:
            with suppress(OSError):  # reading says why
                self._call.send(message if isinstance(message, bytes) else message.SerializeToString())

    def half_close(self) -> None:
        if self._call is not None:
            self._call.close()


class GrpcStream(Stream):
    """A call through gRPC, which reads and answers pings in threads of its own.

    `trust` is the PEM file of the certificate authority to trust; None for plain text.
    """

    def __init__(
        self, spy: str | None = None, *, gzip: bool = False, address: str | None = None, trust: str | None = None
    ) -> None:
        import grpc

        super().__init__(spy)
        self._outbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        target = address or os.environ["BOWERBIRD_ADDRESS"]
        options = [("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
        compression = grpc.Compression.Gzip if gzip else None
        if trust is None:
            self._channel = grpc.insecure_channel(target, options=options, compression=compression)
        else:
            credentials = grpc.ssl_channel_credentials(Path(trust).read_bytes())
            self._channel = grpc.secure_channel(target, credentials, options=options, compression=compression)
        play: grpc.StreamStreamMultiCallable[Message, seat_pb2.PlayResponse] = self._channel.stream_stream(
            PLAY,
            request_serializer=lambda said: said if isinstance(said, bytes) else said.SerializeToString(),
            response_deserializer=self._read,
        )
        self.heard = play(iter(self._outbox.get, None))

    def messages(self) -> Iterator[seat_pb2.PlayResponse]:
        import grpc

        try:
            yield from self.heard
        except grpc.RpcError as error:
            raise BrokenError(str(error.code() if isinstance(error, grpc.Call) else error)) from error

    def refusal(self) -> str:
        """Read the stream to its end. Return the sentence of the fatal Error and the status; "" for no refusal."""
        sentence = ""
        try:
            for message in self.messages():
                sentence = message.error.message
        except BrokenError as end:
            return f"{sentence} ({end})"
        return ""

    def say(self, message: Message) -> None:
        self._outbox.put(message)

    def half_close(self) -> None:
        self._outbox.put(None)


Field = Literal["table_id", "decision_id", "action_index", "action", "note"]


def answer(request: seat_pb2.DecisionRequest, **changes: object) -> seat_pb2.Decision:
    """Return an honest answer with `changes` applied; a change to None clears the field.

    The n-th decision at a table gets the n-th legal action, counted round and round.
    """
    decision = seat_pb2.Decision(
        table_id=request.table_id,
        decision_id=request.decision_id,
        action_index=request.decision_id % len(request.legal_actions),
    )
    for name, value in changes.items():
        if value is None:
            decision.ClearField(cast(Field, name))  # the acts change fields of Decision
        else:
            setattr(decision, name, value)
    return decision


def answers(*decisions: seat_pb2.Decision) -> seat_pb2.PlayRequest:
    return seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=decisions))
