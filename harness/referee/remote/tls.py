"""TLS of one connection at the referee's end. Bytes come in and go out, and only the handshake waits.

A connection is read and written by plain calls (`link`), which `trio.SSLStream` does not offer. The amount decrypted at
once is limited by the amount read at once, so no client can keep the trio thread busy.
"""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress

import trio

READ = 16384
"""The bytes of a handshake that are read before others get their turn."""


class Tls:
    """A `Cipher` of `link`. `has_ended` tells whether the client has announced the end of its data."""

    def __init__(self, context: ssl.SSLContext) -> None:
        """Start before the handshake."""
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self.has_ended = False

    async def do_handshake(self, sock: socket.socket) -> None:
        """Do the handshake over a socket that does not block. Raises OSError, such as ssl.SSLError."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await _send_all(sock, self._outgoing.read())
            except ssl.SSLError:
                with suppress(OSError):
                    sock.send(self._outgoing.read())  # the alert, if there is room
                raise
            else:
                await _send_all(sock, self._outgoing.read())
                return
            await trio.lowlevel.wait_readable(sock)
            with suppress(BlockingIOError):
                data = sock.recv(READ)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()

    @property
    def protocol(self) -> str | None:
        """The protocol that both sides agreed on (ALPN), after the handshake."""
        return self._tls.selected_alpn_protocol()

    def decrypt(self, data: bytes) -> bytes:
        """Return the plain text of the client's next bytes, as far as it is complete. Raises ssl.SSLError."""
        self._incoming.write(data)
        said = []
        with suppress(ssl.SSLWantReadError):
            while not self.has_ended:
                try:
                    part = self._tls.read(READ)
                except ssl.SSLZeroReturnError:
                    part = b""
                self.has_ended = not part
                said.append(part)
        return b"".join(said)

    def encrypt(self, data: bytes) -> bytes:
        """Return the bytes to write for this plain text, and for TLS itself."""
        if data:
            self._tls.write(data)
        return self._outgoing.read()


async def _send_all(sock: socket.socket, data: bytes) -> None:
    """Send bytes of a handshake. Raises OSError."""
    while data:
        try:
            data = data[sock.send(data) :]
        except BlockingIOError:
            await trio.lowlevel.wait_writable(sock)
