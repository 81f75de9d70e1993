"""A client that attacks a hosted referee, as a program: `python -m tests.support.command.stranger KIND ADDRESS`.

It speaks TCP, TLS and HTTP/2 itself, byte by byte, since no library sends what it sends. It never stops. It writes a
line "NUMBER attempts" to standard output from time to time.
"""

from __future__ import annotations

import os
import socket
import ssl
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count, islice, repeat

from bowerbird.seat.v1 import seat_pb2

SERVICE = "/bowerbird.seat.v1.SeatService/"
PLAY, LIST_VARIANTS = f"{SERVICE}Play", f"{SERVICE}ListVariants"

CONNECTIONS_PER_S = 500
KEPT = 300
"""The most connections that a flood keeps open."""

SPEAKERS = 16
"""Connections over which a stranger speaks at the same time."""

REPORTED = 20
"""Number of attempts of all speakers after which a line is written."""

DATA, HEADERS, SETTINGS, CONTINUATION = 0x0, 0x1, 0x4, 0x9
END_HEADERS = 0x4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
FRAME = 16384
WELCOME_AND_MORE = 3
"""Frames of data from the referee after which a bot is in the middle of a game."""


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return an HTTP/2 frame (RFC 9113, section 4.1)."""
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def field(name: bytes, value: bytes) -> bytes:
    """Return a header field, literally and without an index (RFC 7541, section 6.2.2)."""
    return bytes([0, len(name)]) + name + bytes([len(value)]) + value


def call(stream: int, path: str, message: bytes = b"", *, flags: int = END_HEADERS) -> bytes:
    """Return the frames with which a gRPC call begins: its headers, and a message unless it is empty."""
    fields = (
        (b":method", b"POST"),
        (b":scheme", b"https"),
        (b":path", path.encode()),
        (b":authority", b"x"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    )
    head = frame(HEADERS, flags, stream, b"".join(field(name, value) for name, value in fields))
    return head + (data(stream, message) if message else b"")


def data(stream: int, message: bytes) -> bytes:
    """Return a gRPC message in a frame."""
    return frame(DATA, 0, stream, b"\0" + struct.pack("!I", len(message)) + message)


def hello(token: str, versions: int = 1) -> bytes:
    """Return a Hello with the protocol versions 1 to `versions`."""
    able = seat_pb2.Capabilities(max_tables=8, max_batch=8)
    said = seat_pb2.Hello(token=token, protocol_versions=range(1, versions + 1), capabilities=able)
    return seat_pb2.PlayRequest(hello=said).SerializeToString()


def secure(sock: socket.socket) -> ssl.SSLSocket:
    """Do the TLS handshake without checking the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(sock)


def headers_without_end(stream: int = 1) -> Iterator[bytes]:
    """Yield the headers of a call, which never end."""
    yield call(stream, PLAY, flags=0)
    yield from repeat(frame(CONTINUATION, 0, stream, field(b"x", b"y" * 100) * (FRAME // 104)))


def large_messages() -> Iterator[bytes]:
    """Yield four calls, each with a message of 16 MiB."""
    for stream in (1, 3, 5, 7):
        yield call(stream, PLAY) + frame(DATA, 0, stream, b"\0" + struct.pack("!I", 16 << 20))
    for stream in (1, 3, 5, 7) * 1024:
        yield frame(DATA, 0, stream, bytes(FRAME))


def guesses() -> Iterator[bytes]:
    """Yield call after call, each with a different wrong token."""
    for stream in count(1, 2):
        yield call(stream, PLAY, hello(f"guess-{stream}"))


def many_versions() -> Iterator[bytes]:
    """Yield calls whose Hello lists 3,000 protocol versions or more, a different number each time.

    They nearly fill a first message. With more of them it would be refused for its size.
    """
    for stream in count(1, 2):
        message = seat_pb2.PlayRequest(
            hello=seat_pb2.Hello(token="x", protocol_versions=range(9, 3_009 + stream))
        ).SerializeToString()
        yield call(stream, PLAY) + b"".join(split(stream, message))


def split(stream: int, message: bytes) -> Iterator[bytes]:
    """Yield the frames of one large message."""
    whole = b"\0" + struct.pack("!I", len(message)) + message
    for start in range(0, len(whole), FRAME):
        yield frame(DATA, 0, stream, whole[start : start + FRAME])


def lists() -> Iterator[bytes]:
    """Yield call after call of ListVariants."""
    message = seat_pb2.ListVariantsRequest(token="x").SerializeToString()
    for stream in count(1, 2):
        yield call(stream, LIST_VARIANTS) + frame(DATA, 1, stream, b"\0" + struct.pack("!I", len(message)) + message)


SPEECHES = {
    "headers": headers_without_end,
    "messages": large_messages,
    "tokens": guesses,
    "versions": many_versions,
    "lists": lists,
}
"""What a client sends over a connection of its own, until it is cut."""


def connect(address: str, source: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=5, source_address=(source, 0))


def speak(address: str, source: str, speech: Iterator[bytes]) -> None:
    """Send a speech over TLS until the referee cuts the connection. Raises OSError."""
    with secure(connect(address, source)) as stranger:
        stranger.sendall(PREFACE + frame(SETTINGS, 0, 0, b""))
        for words in speech:
            stranger.sendall(words)
        while stranger.recv(FRAME):
            pass


def speak_for_ever(address: str, source: str, speech: Callable[[], Iterator[bytes]], attempts: Iterator[int]) -> None:
    """Send a speech again and again, over a new connection each time."""
    for attempt in attempts:
        with suppress(OSError):
            speak(address, source, speech())
        report(attempt)


def flood_with_connections(address: str, source: str, first: bytes) -> None:
    """Open connection after connection, and send only `first` over each."""
    kept: deque[socket.socket] = deque()
    began = time.monotonic()
    for attempt in count(1):
        time.sleep(max(0.0, began + attempt / CONNECTIONS_PER_S - time.monotonic()))
        with suppress(OSError):
            kept.append(connect(address, source))
            kept[-1].sendall(first)
        if len(kept) > KEPT:
            kept.popleft().close()
        report(attempt)


def client_hello() -> bytes:
    """Return the first bytes of a TLS handshake."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="x")
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def report(attempt: int) -> None:
    if attempt % REPORTED == 0:
        print(attempt, "attempts", flush=True)


def play_and_break() -> None:
    """Join as a bot with the variables of its invitation, and send headers without end in the middle of a game."""
    with secure(connect(os.environ["BOWERBIRD_ADDRESS"], "127.0.0.1")) as bot:
        bot.settimeout(None)  # the first card waits until the other bots have started, however long that takes
        ready = seat_pb2.PlayRequest(ready=seat_pb2.Ready()).SerializeToString()
        bot.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + call(1, PLAY, hello(os.environ["BOWERBIRD_TOKEN"])))
        bot.sendall(data(1, ready))
        for _ in islice(frames_of(bot, DATA), WELCOME_AND_MORE):
            pass
        with suppress(OSError):
            for words in headers_without_end(3):
                bot.sendall(words)


def frames_of(bot: socket.socket, kind: int) -> Iterator[bytes]:
    """Yield the payloads of the frames of one kind that the referee sends."""
    received = bot.makefile("rb")
    while len(head := received.read(9)) == 9:
        payload = received.read(int.from_bytes(head[:3], "big"))
        if head[3] == kind:
            yield payload


def main(kind: str, address: str = "", source: str = "127.0.0.1") -> None:
    if kind == "bot":
        play_and_break()
    elif kind == "connections":
        flood_with_connections(address, source, b"")
    elif kind == "handshakes":
        flood_with_connections(address, source, client_hello())
    else:
        attempts = count(1)
        speakers = [
            threading.Thread(target=speak_for_ever, args=(address, source, SPEECHES[kind], attempts))
            for _ in range(SPEAKERS)
        ]
        for speaker in speakers:
            speaker.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
