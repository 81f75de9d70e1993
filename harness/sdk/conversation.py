"""Holds the one stream of a bot process over gRPC."""

from __future__ import annotations

import queue
import sys
import threading
import traceback
from pathlib import Path

import grpc

from harness.sdk.bot import Bot
from harness.sdk.client import fail
from harness.sdk.session import RefusedError, Session
from harness.v1 import seat_pb2, seat_pb2_grpc

CONNECT_S = 20.0
"""How long to wait for the first word of the referee."""

FAREWELL_S = 2.0
"""How long to wait for the referee to end the stream after the last word of the bot."""

DETAIL = 4096
"""How many characters of a traceback go into a BotFault."""

OPTIONS = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_http_proxy", 0),
)


def converse(bot: Bot, *, address: str, token: str, authority: str) -> int:
    """Connect, play to the end; returns the exit code. `authority` is the path of a PEM file; "" is plain text."""
    try:
        credentials = grpc.ssl_channel_credentials(Path(authority).read_bytes()) if authority else None
    except OSError as error:
        return fail(f"the certificate authority of BOWERBIRD_CA cannot be read: {error}")
    channel = (
        grpc.secure_channel(address, credentials, options=OPTIONS)
        if credentials is not None
        else grpc.insecure_channel(address, options=OPTIONS)
    )
    with channel:
        return _Conversation(channel, Session(bot, token), address).hold()


class _Conversation:
    """What the session says goes into a queue, from which gRPC's own thread sends."""

    def __init__(self, channel: grpc.Channel, session: Session, address: str) -> None:
        self._session = session
        self._address = address
        self._outbox: queue.SimpleQueue[seat_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._outbox.put(session.hello())
        self._call = seat_pb2_grpc.SeatServiceStub(channel).Play(iter(self._outbox.get, None))
        self._heard = threading.Event()

    def hold(self) -> int:
        """Listen and answer to the end; returns the exit code."""
        try:
            self._listen()
            code = 0
        except grpc.RpcError as error:
            code = self._broken(error)
        except RefusedError as refusal:
            code = fail(str(refusal))
        except KeyboardInterrupt:
            code = 130
        except Exception as error:  # whatever the bot's own code raises is told to both sides
            code = self._report(error)
        self._leave()
        return code

    def _listen(self) -> None:
        silence = self._cancel_in(CONNECT_S)
        try:
            for response in self._call:
                silence.cancel()
                self._heard.set()
                for request in self._session.hear(response):
                    self._outbox.put(request)
                if self._session.over:
                    return
        finally:
            silence.cancel()

    def _broken(self, error: grpc.RpcError) -> int:
        """The end of a stream that once stood is an end like any other (rule 8); one that never stood is an error."""
        why = error.details() if isinstance(error, grpc.Call) else str(error)
        if self._heard.is_set():
            sys.stderr.write(f"the stream to the referee ended: {why}\n")
            return 0
        return fail(f"no referee answers at BOWERBIRD_ADDRESS={self._address}: {why}")

    def _report(self, error: Exception) -> int:
        story = "".join(traceback.format_exception(error))
        sys.stderr.write(story)
        fault = seat_pb2.BotFault(message=f"{type(error).__name__}: {error}", detail=story[-DETAIL:])
        self._outbox.put(seat_pb2.PlayRequest(bot_fault=fault))
        return 1

    def _leave(self) -> None:
        """Close this side and give the referee a moment to close the other, so that the last word arrives."""
        self._outbox.put(None)
        patience = self._cancel_in(FAREWELL_S)
        try:
            for _ in self._call:
                pass
        except grpc.RpcError:
            pass  # cut off by the referee or by our own patience: over is over
        finally:
            patience.cancel()

    def _cancel_in(self, seconds: float) -> threading.Timer:
        timer = threading.Timer(seconds, self._call.cancel)
        timer.daemon = True
        timer.start()
        return timer
