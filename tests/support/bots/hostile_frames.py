"""HTTP/2 frames as a hostile bot writes them, by hand and without a library: no gRPC client would send them.

A `RawConnection` is one connection to the bot's address. Its methods write frames; none waits for an answer. The frames
follow RFC 9113 and the header blocks follow RFC 7541, without Huffman codes.
"""

from __future__ import annotations

import select
import socket

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM = 0x1
END_HEADERS = 0x4
ACK = 0x1
FRAME_BYTES = 16384
CANCEL = 8
PATIENCE_S = 2.0


def address_of(target: str) -> tuple[int, str | tuple[str, int]]:
    """Return the socket family and address of a gRPC target."""
    if target.startswith("unix:"):
        return socket.AF_UNIX, target.removeprefix("unix:")
    host, _, port = target.rpartition(":")
    return socket.AF_INET, (host, int(port))


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame with its header of nine bytes."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def integer(value: int, prefix_bits: int, first: int = 0) -> bytes:
    """Return an integer as HPACK writes it; `first` holds the bits before the prefix."""
    most = (1 << prefix_bits) - 1
    if value < most:
        return bytes((first | value,))
    out = bytearray((first | most,))
    value -= most
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    out.append(value)
    return bytes(out)


def field(name: bytes, value: bytes, *, index: bool = False) -> bytes:
    """Return a literal header field. `index` adds it to the receiver's dynamic table."""
    kind = b"\x40" if index else b"\x00"
    return kind + integer(len(name), 7) + name + integer(len(value), 7) + value


def call_fields(path: str) -> bytes:
    """Return the header fields of a gRPC call."""
    pairs = (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path.encode()),
        (b":authority", b"seat"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    )
    return b"".join(field(name, value) for name, value in pairs)


def message(data: bytes) -> bytes:
    """Return a gRPC message: its prefix of five bytes and its data."""
    return b"\x00" + len(data).to_bytes(4, "big") + data


class RawConnection:
    """One connection. `write` returns False once the referee has closed it."""

    def __init__(self, target: str, *, begin: bool = True) -> None:
        """Connect to a gRPC target. Raises OSError. `begin` sends the preface and empty SETTINGS."""
        family, address = address_of(target)
        self.socket = socket.socket(family)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(address)
        self.received = 0
        self.is_open = True
        if begin:
            self.write(PREFACE + frame(SETTINGS, 0, 0) + frame(SETTINGS, ACK, 0))

    def write(self, data: bytes) -> bool:
        """Write all of `data`, reading whatever arrives in the meantime. Return whether the connection is still open.

        Writing stops after PATIENCE_S without progress.
        """
        left = memoryview(data)
        while left and self.is_open:
            readable, writable, _ = select.select([self.socket], [self.socket], [], PATIENCE_S)
            if readable:
                self._read()
            if not writable and not readable:
                return self.is_open
            if writable and self.is_open:
                try:
                    left = left[self.socket.send(left[:65536], socket.MSG_DONTWAIT) :]
                except BlockingIOError:
                    continue
                except OSError:
                    self.is_open = False
        return self.is_open

    def call(self, stream: int, path: str, more: bytes = b"", *, ends: bool = False) -> bool:
        """Open a stream with the headers of a call and the fields `more`."""
        return self.write(frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, call_fields(path) + more))

    def data(self, stream: int, payload: bytes) -> bool:
        """Write DATA frames, whatever the windows allow."""
        return all(
            self.write(frame(DATA, 0, stream, payload[at : at + FRAME_BYTES]))
            for at in range(0, len(payload), FRAME_BYTES)
        )

    def wait_for_end(self, seconds: float) -> bool:
        """Read until the referee closes the connection; return False if it stays open for `seconds`."""
        while self.is_open:
            readable, _, _ = select.select([self.socket], [], [], seconds)
            if not readable:
                return False
            self._read()
        return True

    def _read(self) -> None:
        try:
            got = len(self.socket.recv(65536))
        except OSError:
            got = 0
        self.received += got
        self.is_open = got > 0
