"""Carries a bot's session in one stream or, if the connection breaks, in several.

How it reaches the referee depends on the address: see `connect_and_play`.
"""

from __future__ import annotations

import math
import sys
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bowerbird.harness.process_settings import configure_grpc
from bowerbird.harness.sdk.bot import Bot, BotFailedError
from bowerbird.harness.sdk.log import fail, log
from bowerbird.harness.sdk.session import RefusedError, Session
from bowerbird.harness.sdk.socket_stream import UNIX, SocketStream
from bowerbird.harness.sdk.stream import Stream, StreamBrokenError
from bowerbird.seat.v1 import seat_pb2

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


def connect_and_play(bot: Bot, *, address: str, token: str, ca_file: str) -> int:
    """Connect and play to the end. Return the exit code.

    `ca_file` is the path of a PEM file with the certificate authority to trust; "" connects in plain text.
    """
    session = Session(bot, token)
    if address.startswith(UNIX) and not ca_file:
        return _Connection(lambda wait: SocketStream(address), session, address, is_remote=False).run()
    trusted = b""
    if ca_file:
        try:
            trusted = Path(ca_file).read_bytes()
        except OSError as error:
            return fail(f"the certificate authority that BOWERBIRD_CA names cannot be read: {error}")
        if not _is_certificate(trusted):
            return fail(f"BOWERBIRD_CA={ca_file} holds no certificate: the PEM file that came with the token is needed")
    configure_grpc()
    from bowerbird.harness.sdk.grpc_stream import GrpcStream, open_channel

    with open_channel(address, trusted) as channel:
        dial = partial(GrpcStream, channel)
        return _Connection(dial, session, address, is_remote=bool(ca_file)).run()


def _is_certificate(pem: bytes) -> bool:
    """Return True if a PEM file contains a certificate. gRPC accepts any bytes, and would try to connect in vain."""
    import ssl  # the import takes 10 ms, which bots without TLS can save

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem.decode("ascii"))
    except (ssl.SSLError, ValueError):
        return False
    return True


class _Connection:
    """A session, and the stream that currently carries it."""

    def __init__(self, dial: Callable[[bool], Stream], session: Session, address: str, *, is_remote: bool) -> None:
        """Note how to reach the referee.

        dial: begins a stream. Its argument tells whether to wait until the referee can be reached, which a stream to
            another machine can do. Raises StreamBrokenError.
        """
        self._dial = dial
        self._session = session
        self._address = address
        self._is_remote = is_remote
        self._is_over = False
        self._retry_s = RECONNECT_DELAY_S
        self._lost_at: float | None = None
        self._connects_until = time.monotonic() + CONNECT_TIMEOUT_S
        self._last_logged = ""
        self._stream: Stream | None = None

    def run(self) -> int:
        """Receive and answer messages to the end. Return the exit code."""
        try:
            code = self._run_stream(wait=False)
            while self._may_dial_again():
                time.sleep(self._retry_s)
                code = self._run_stream(wait=True)
        except KeyboardInterrupt:
            code = 130
        except Exception as error:  # the bot's code can raise anything; report it to both sides
            code = self._report_fault(error)
        if self._stream is not None:
            timer = self._cancel_after(self._stream, CLOSE_TIMEOUT_S)
            self._stream.close()
            timer.cancel()
        return code

    def _run_stream(self, *, wait: bool) -> int:
        """Receive and answer messages until this stream ends. Return the exit code if no other stream follows."""
        self._retry_s = RECONNECT_DELAY_S
        hello = self._session.hello()  # nothing else may be the first message
        try:
            self._stream = self._dial(wait)
            self._stream.send(hello)
            self._receive(self._stream)
        except StreamBrokenError as error:
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

    def _receive(self, stream: Stream) -> None:
        timer = self._cancel_after(stream, self._patience_s())
        welcomes = self._session.welcomes
        try:
            for response in stream.responses():
                timer.cancel()
                for request in self._session.receive(response):
                    stream.send(request)
                if self._session.welcomes > welcomes:
                    self._resumed()
                if self._session.is_over:
                    return
        finally:
            timer.cancel()

    def _cancel_after(self, stream: Stream, seconds: float) -> threading.Timer:
        """Start a timer that cancels a stream unless the timer itself is cancelled first."""
        timer = threading.Timer(seconds, stream.cancel)
        timer.daemon = True
        timer.start()
        return timer

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

    def _stream_failed(self, error: StreamBrokenError) -> int:
        """Return 0 if the stream ever worked (by rule 7 its end is then normal), else 1."""
        if self._session.welcomes:
            self._log(f"the stream to the referee ended: {error}")
            return 0
        sentence = f"no referee answers at BOWERBIRD_ADDRESS={self._address}: {error}"
        is_tls = any(words in str(error).lower() for words in TLS_ERRORS)
        self._is_over = is_tls or error.is_final
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
        if self._stream is not None:
            self._stream.send(seat_pb2.PlayRequest(bot_fault=fault))
        return 1
