"""TLS in front of the bot's server, as a referee has it for bots on other machines."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import trio

from bowerbird.harness.extras.compliance.results import NotReachedError
from bowerbird.harness.referee.connection.mailbox import Mailbox, MailboxClosedError
from bowerbird.harness.referee.connection.server import StreamServer
from bowerbird.harness.referee.connection.stream import Listener, Refusal, SeatStream, StreamEvent
from bowerbird.harness.referee.remote.certificate import CertificateError, self_signed
from bowerbird.harness.referee.remote.tls_proxy import SPOKE_PLAIN_TEXT, TlsProxy

HOST = "127.0.0.1"
"""The name in the certificate, and in the address that the bot dials."""


class _PlainTextServer(StreamServer):
    """Refuses the streams that come without TLS."""

    def __init__(self, path: Path, on_refused: Callable[[str], None], *, mailbox: Mailbox, silence_s: float) -> None:
        self._on_refused = on_refused
        super().__init__(f"unix:{path}", mailbox=mailbox, streams=4, silence_s=silence_s)

    def claim(self, first: StreamEvent, stream: SeatStream, peer: str) -> Listener | Refusal:
        """Refuse every stream."""
        with suppress(MailboxClosedError):  # the check is over
            self.mailbox.put(self._on_refused, SPOKE_PLAIN_TEXT)
        return Refusal("TLS", SPOKE_PLAIN_TEXT)

    def knows(self, token: str) -> bool:
        """Return False: no bot may list variants without TLS."""
        return False


class TlsFront:
    """A TLS proxy, its certificate, and a server that refuses plain text.

    `trust` is the PEM file for BOWERBIRD_CA. `on_refused` gets a sentence for each connection that is refused.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        grpc_socket: Path,
        on_refused: Callable[[str], None],
        *,
        mailbox: Mailbox,
        silence_s: float,
    ) -> None:
        """Make a certificate and listen; the files are in `folder`, named after `name`.

        Raises NotReachedError if the library that makes certificates is missing.
        """
        try:
            certificate = self_signed([HOST])
        except CertificateError as error:
            raise NotReachedError(
                "it needs a certificate, and the library 'cryptography' is missing (pip install cryptography)"
            ) from error
        self.trust = folder / f"{name}.pem"
        self.trust.write_bytes(certificate.trust)
        plain_socket = folder / f"{name}-plain"
        self._plain_server = _PlainTextServer(plain_socket, on_refused, mailbox=mailbox, silence_s=silence_s)
        connections = folder / f"{name}-tls"
        connections.mkdir(mode=0o700)
        self._proxy = TlsProxy(
            certificate.server_context(),
            connections,
            grpc_socket=grpc_socket,
            plaintext_socket=plain_socket,
            on_refused=lambda _peer, sentence: on_refused(sentence),
        )
        self._listener = socket.create_server((HOST, 0))
        self._scope = trio.CancelScope()

    @property
    def port(self) -> int:
        """The port on which it listens."""
        port: int = self._listener.getsockname()[1]
        return port

    def admit(self, peer: str) -> None:
        """Take note that the stream of this peer began with an accepted Hello: its connection may last."""
        self._proxy.admit(peer)

    async def serve(self) -> None:
        """Accept connections until `close`."""
        with self._scope:
            await self._proxy.serve(self._listener)

    async def close(self) -> None:
        """Close all connections and stop to listen. Harmless when repeated."""
        self._scope.cancel()
        await self._plain_server.stop()
