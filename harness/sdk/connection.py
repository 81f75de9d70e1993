"""Carries a bot's session over gRPC, in one stream or, if the connection breaks, in several."""

from __future__ import annotations

import math
import queue
import sys
import threading
import time
import traceback
from pathlib import Path

import grpc

from bowerbird.harness.sdk.bot import Bot, BotFailedError
from bowerbird.harness.sdk.log import fail, log
from bowerbird.harness.sdk.session import RefusedError, Session
from bowerbird.seat.v1 import seat_pb2, seat_pb2_grpc

CONNECT_TIMEOUT_S = 20.0
"""Total time to wait for the referee's first message, over all attempts."""

ATTEMPT_TIMEOUT_S = 10.0
"""Time for one attempt to reach a referee on another machine. A connection can be silent from the start."""

CLOSE_TIMEOUT_S = 2.0
"""Time to wait for the referee to end the stream after the bot's last message."""

RECONNECT_DELAY_S = 0.25
"""Pause before each new attempt after the connection breaks."""

TLS_ERRORS = ("handshake failed", "peer name", "certificate")
"""Phrases, in lower case, in gRPC's errors for a connection that failed because of TLS."""

TLS_HINT = "BOWERBIRD_CA must be the PEM file, and BOWERBIRD_ADDRESS the name, that came with the token"

MAX_DETAIL = 4096
"""The most characters of a traceback in a BotFault."""

CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_http_proxy", 0),
)

REMOTE_CHANNEL_OPTIONS = (
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 2_000),
    ("grpc.max_reconnect_backoff_ms", 500),
)
"""gRPC options for a referee on another machine: detect a broken connection, and retry soon (seat.proto, Keepalive)."""

FINAL = (
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
)
"""Statuses of a stream without a Welcome after which another attempt is pointless."""


def connect_and_play(bot: Bot, *, address: str, token: str, ca_file: str) -> int:
    """Connect and play to the end. Return the exit code.

    `ca_file` is the path of a PEM file with the certificate authority to trust; "" connects in plain text.
    """
    if not ca_file:
        channel = grpc.insecure_channel(address, options=CHANNEL_OPTIONS)
    else:
        try:
            trusted = Path(ca_file).read_bytes()
        except OSError as error:
            return fail(f"the certificate authority that BOWERBIRD_CA names cannot be read: {error}")
        if not _is_certificate(trusted):
            return fail(f"BOWERBIRD_CA={ca_file} holds no certificate: the PEM file that came with the token is needed")
        options = CHANNEL_OPTIONS + REMOTE_CHANNEL_OPTIONS
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(trusted), options=options)
    with channel:
        return _Connection(channel, Session(bot, token), address, is_remote=bool(ca_file)).run()


def _is_certificate(pem: bytes) -> bool:
    """Return True if a PEM file contains a certificate. gRPC accepts any bytes, and would try to connect in vain."""
    import ssl  # the import takes 10 ms, which bots without TLS can save

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem.decode("ascii"))
    except (ssl.SSLError, ValueError):
        return False
    return True


class _Stream:
    """One call of Play. gRPC's own thread sends the messages from a queue.

    With `wait`, used for a session that was held before, the call waits until the referee can be reached, because a
    channel reconnects only while a call is waiting.
    """

    def __init__(self, channel: grpc.Channel, hello: seat_pb2.PlayRequest, *, wait: bool) -> None:
        self._outbox: queue.SimpleQueue[seat_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._outbox.put(hello)
        self.call = seat_pb2_grpc.SeatServiceStub(channel).Play(iter(self._outbox.get, None), wait_for_ready=wait)

    def send(self, request: seat_pb2.PlayRequest) -> None:
        """Queue a message."""
        self._outbox.put(request)

    def close(self) -> None:
        """Close this side, and wait up to CLOSE_TIMEOUT_S for the referee to close its own.

        Without the wait, the last message could be lost.
        """
        self._outbox.put(None)
        timer = self.cancel_after(CLOSE_TIMEOUT_S)
        try:
            for _ in self.call:
                pass
        except grpc.RpcError:
            pass  # the referee or our own timer cut the stream; either way it is over
        finally:
            timer.cancel()

    def cancel_after(self, seconds: float) -> threading.Timer:
        """Start a timer that cancels the call unless the timer itself is cancelled first."""
        timer = threading.Timer(seconds, self.call.cancel)
        timer.daemon = True
        timer.start()
        return timer


class _Connection:
    """A session, and the stream that currently carries it."""

    def __init__(self, channel: grpc.Channel, session: Session, address: str, *, is_remote: bool) -> None:
        self._channel = channel
        self._session = session
        self._address = address
        self._is_remote = is_remote
        self._is_over = False
        self._retry_s = RECONNECT_DELAY_S
        self._lost_at: float | None = None
        self._connects_until = time.monotonic() + CONNECT_TIMEOUT_S
        self._last_logged = ""
        self._stream = _Stream(channel, session.hello(), wait=False)

    def run(self) -> int:
        """Receive and answer messages to the end. Return the exit code."""
        try:
            while True:
                code = self._run_stream()
                if not self._may_dial_again():
                    break
                time.sleep(self._retry_s)
                self._stream = _Stream(self._channel, self._session.hello(), wait=True)
        except KeyboardInterrupt:
            code = 130
        except Exception as error:  # the bot's code can raise anything; report it to both sides
            code = self._report_fault(error)
        self._stream.close()
        return code

    def _run_stream(self) -> int:
        """Receive and answer messages until this stream ends. Return the exit code if no other stream follows."""
        self._retry_s = RECONNECT_DELAY_S
        try:
            self._receive()
        except grpc.RpcError as error:
            return self._stream_failed(error)
        except RefusedError as refusal:
            self._log(str(refusal))
            self._is_over = refusal.retry_after_ms is None
            self._retry_s = max(RECONNECT_DELAY_S, (refusal.retry_after_ms or 0) / 1000)
            return 1
        if not self._session.welcomes:
            self._log(f"the referee at BOWERBIRD_ADDRESS={self._address} ended the stream before its Welcome")
            return 1
        return 0

    def _receive(self) -> None:
        timer = self._stream.cancel_after(self._patience_s())
        welcomes = self._session.welcomes
        try:
            for response in self._stream.call:
                timer.cancel()
                for request in self._session.receive(response):
                    self._stream.send(request)
                if self._session.welcomes > welcomes:
                    self._resumed()
                if self._session.is_over:
                    return
        finally:
            timer.cancel()

    def _resumed(self) -> None:
        if self._lost_at is not None:
            self._lost_at = None
            self._log("the session with the referee continues")

    def _patience_s(self) -> float:
        """Return the time limit for the referee's first message on a stream, in seconds."""
        now = time.monotonic()
        until = self._connects_until
        if self._session.welcomes:
            until = self._session.resumable_until(now if self._lost_at is None else self._lost_at)
        return max(0.0, min(until - now, ATTEMPT_TIMEOUT_S if self._is_remote else math.inf))

    def _may_dial_again(self) -> bool:
        """Return True if another stream may follow (seat.proto, "When the connection breaks")."""
        now = time.monotonic()
        if self._is_over:
            return False
        if self._session.welcomes == 0:
            return self._is_remote and now < self._connects_until
        if not self._session.can_resume:
            return False
        if self._lost_at is None:
            self._lost_at = now
        return now < self._session.resumable_until(self._lost_at)

    def _stream_failed(self, error: grpc.RpcError) -> int:
        """Return 0 if the stream ever worked (by rule 7 its end is then normal), else 1."""
        why = error.details() if isinstance(error, grpc.Call) else str(error)
        if self._session.welcomes:
            self._log(f"the stream to the referee ended: {why}")
            return 0
        sentence = f"no referee answers at BOWERBIRD_ADDRESS={self._address}: {why}"
        is_tls = any(words in str(why).lower() for words in TLS_ERRORS)
        self._is_over = is_tls or (isinstance(error, grpc.Call) and error.code() in FINAL)
        self._log(f"{sentence} ({TLS_HINT})" if is_tls else sentence)
        return 1

    def _log(self, sentence: str) -> None:
        """Log a sentence, but don't repeat it at every attempt to reconnect."""
        if sentence != self._last_logged:
            self._last_logged = sentence
            log(sentence)

    def _report_fault(self, error: Exception) -> int:
        if isinstance(error, BotFailedError):
            log(str(error))
            fault = seat_pb2.BotFault(message=str(error))
        else:
            text = "".join(traceback.format_exception(error))
            sys.stderr.write(text)
            fault = seat_pb2.BotFault(message=f"{type(error).__name__}: {error}", detail=text[-MAX_DETAIL:])
        self._stream.send(seat_pb2.PlayRequest(bot_fault=fault))
        return 1
