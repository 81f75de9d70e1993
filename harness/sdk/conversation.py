"""Holds the conversation of a bot process over gRPC: one stream, or several where its connection breaks."""

from __future__ import annotations

import queue
import sys
import threading
import time
import traceback
from pathlib import Path

import grpc

from harness.sdk.bot import Bot
from harness.sdk.session import RefusedError, Session
from harness.sdk.telling import fail, tell
from harness.v1 import seat_pb2, seat_pb2_grpc

CONNECT_S = 20.0
"""How long to wait for the first word of the referee."""

FAREWELL_S = 2.0
"""How long to wait for the referee to end the stream after the last word of the bot."""

AGAIN_S = 0.25
"""How long to wait before dialling again after the connection broke."""

PEM = b"-----BEGIN CERTIFICATE-----"
TLS_TROUBLE = ("handshake failed", "peer name", "certificate")
"""What gRPC's words for a connection that did not come about hold, in small letters, where TLS was the reason."""

TLS_HINT = "BOWERBIRD_CA must be the PEM file, and BOWERBIRD_ADDRESS the name, that came with the token"

DETAIL = 4096
"""How many characters of a traceback go into a BotFault."""

OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_http_proxy", 0),
)

REMOTE_OPTIONS = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 2_000),
    ("grpc.max_reconnect_backoff_ms", 500),
)
"""For a referee elsewhere: find out that the way to it is gone, and try again soon."""


def converse(bot: Bot, *, address: str, token: str, authority: str) -> int:
    """Connect, play to the end; returns the exit code. `authority` is the path of a PEM file; "" is plain text."""
    if not authority:
        channel = grpc.insecure_channel(address, options=OPTIONS)
    else:
        try:
            trusted = Path(authority).read_bytes()
        except OSError as error:
            return fail(f"the certificate authority of BOWERBIRD_CA cannot be read: {error}")
        if PEM not in trusted:
            return fail(
                f"BOWERBIRD_CA={authority} holds no certificate: the PEM file that came with the token is needed"
            )
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(trusted), options=OPTIONS + REMOTE_OPTIONS)
    with channel:
        return _Conversation(channel, Session(bot, token), address).hold()


class _Stream:
    """One call of Play. What is said goes into a queue, from which gRPC's own thread sends.

    `again` is for a session that was held before: the call then waits until there is a way to the referee. A channel
    looks for one only while a call waits for it.
    """

    def __init__(self, channel: grpc.Channel, hello: seat_pb2.PlayRequest, *, again: bool) -> None:
        self._outbox: queue.SimpleQueue[seat_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._outbox.put(hello)
        self.call = seat_pb2_grpc.SeatServiceStub(channel).Play(iter(self._outbox.get, None), wait_for_ready=again)

    def say(self, request: seat_pb2.PlayRequest) -> None:
        """Queue a message."""
        self._outbox.put(request)

    def leave(self) -> None:
        """Close this side and give the referee a moment to close the other, so that the last word arrives."""
        self._outbox.put(None)
        patience = self.cancel_in(FAREWELL_S)
        try:
            for _ in self.call:
                pass
        except grpc.RpcError:
            pass  # cut off by the referee or by our own patience: over is over
        finally:
            patience.cancel()

    def cancel_in(self, seconds: float) -> threading.Timer:
        """A timer that ends the call, unless it is cancelled before."""
        timer = threading.Timer(seconds, self.call.cancel)
        timer.daemon = True
        timer.start()
        return timer


class _Conversation:
    """A session and the stream that carries it at the moment."""

    def __init__(self, channel: grpc.Channel, session: Session, address: str) -> None:
        self._channel = channel
        self._session = session
        self._address = address
        self._heard = False
        self._is_refused = False
        self._lost_at: float | None = None
        self._told = ""
        self._stream = _Stream(channel, session.hello(), again=False)

    def hold(self) -> int:
        """Listen and answer to the end; returns the exit code."""
        try:
            while True:
                code = self._hold_stream()
                if not self._may_come_back():
                    break
                time.sleep(AGAIN_S)
                self._stream = _Stream(self._channel, self._session.hello(), again=True)
        except KeyboardInterrupt:
            code = 130
        except Exception as error:  # whatever the bot's own code raises is told to both sides
            code = self._report(error)
        self._stream.leave()
        return code

    def _hold_stream(self) -> int:
        """Listen and answer to the end of this stream; returns the exit code if there is no other."""
        try:
            self._listen()
        except grpc.RpcError as error:
            return self._broken(error)
        except RefusedError as refusal:
            self._is_refused = self._lost_at is None  # who comes back may be too early: the old stream seems to stand
            self._tell(str(refusal))
            return 1
        return 0

    def _listen(self) -> None:
        silence = self._stream.cancel_in(CONNECT_S if self._lost_at is None else self._session.patience_s)
        welcomes = self._session.welcomes
        try:
            for response in self._stream.call:
                silence.cancel()
                self._heard = True
                for request in self._session.hear(response):
                    self._stream.say(request)
                if self._session.welcomes > welcomes:
                    self._back()
                if self._session.over:
                    return
        finally:
            silence.cancel()

    def _back(self) -> None:
        if self._lost_at is not None:
            self._lost_at = None
            self._tell("the session with the referee goes on")

    def _may_come_back(self) -> bool:
        """Whether the session may still be taken up over another stream."""
        now = time.monotonic()
        if self._is_refused or not self._session.can_resume:
            return False
        if self._lost_at is None:
            self._lost_at = now
        return now < self._lost_at + self._session.patience_s

    def _broken(self, error: grpc.RpcError) -> int:
        """The end of a stream that once stood is an end like any other (rule 8); one that never stood is an error."""
        why = error.details() if isinstance(error, grpc.Call) else str(error)
        if self._heard:
            self._tell(f"the stream to the referee ended: {why}")
            return 0
        sentence = f"no referee answers at BOWERBIRD_ADDRESS={self._address}: {why}"
        is_tls = any(words in str(why).lower() for words in TLS_TROUBLE)
        return fail(f"{sentence} ({TLS_HINT})" if is_tls else sentence)

    def _tell(self, sentence: str) -> None:
        """Say something on stderr, but not again and again while we dial."""
        if sentence != self._told:
            self._told = sentence
            tell(sentence)

    def _report(self, error: Exception) -> int:
        story = "".join(traceback.format_exception(error))
        sys.stderr.write(story)
        fault = seat_pb2.BotFault(message=f"{type(error).__name__}: {error}", detail=story[-DETAIL:])
        self._stream.say(seat_pb2.PlayRequest(bot_fault=fault))
        return 1
