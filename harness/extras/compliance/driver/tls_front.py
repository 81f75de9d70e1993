"""The bot's server over TLS, like a referee's for bots on other machines."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import trio

from bowerbird.harness.extras.compliance.results import NotReachedError
from bowerbird.harness.referee.connection.link_stream import LinkStream
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.seat_door import SeatDoor
from bowerbird.harness.referee.connection.stream import Listener, Refusal, StreamEvent
from bowerbird.harness.referee.remote.certificate import CertificateError, self_signed
from bowerbird.harness.referee.remote.remote_server import RemoteServer

HOST = "127.0.0.1"
"""The name in the certificate, and in the address that the bot dials."""


class TlsFront:
    """An address with TLS, its certificate, and a message for clients without TLS. `door` accepts or refuses streams.

    `trust` is the PEM file for BOWERBIRD_CA. `on_refused` gets a sentence for each connection that is refused.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        door: SeatDoor,
        on_refused: Callable[[str], None],
        *,
        mailbox: Mailbox,
    ) -> None:
        """Make a certificate and listen.

        The certificate's file is in `folder`, named after `name`. Raises NotReachedError if the library for
        certificates is missing.
        """
        try:
            certificate = self_signed([HOST])
        except CertificateError as error:
            raise NotReachedError(
                "a certificate needs the library 'cryptography' (pip install cryptography)"
            ) from error
        self.trust = folder / f"{name}.pem"
        self.trust.write_bytes(certificate.trust)
        self._door = door
        self._server = RemoteServer(
            certificate.server_context(),
            mailbox,
            admits=self._admit,
            knows=door.knows,
            on_refused=lambda _peer, sentence: on_refused(sentence),
            on_violation=lambda _name, sentence: door.blame(sentence, is_certain=True),
        )
        self._listener = socket.create_server((HOST, 0))
        self._scope = trio.CancelScope()

    @property
    def port(self) -> int:
        """The port of the listener."""
        port: int = self._listener.getsockname()[1]
        return port

    def _admit(self, first: StreamEvent, stream: LinkStream, name: str) -> Listener | Refusal:
        """Ask the door. A refused connection stays open, so that the bot has time to read why."""
        self._server.admit(name)
        return self._door.claim(first, stream)

    def break_streams(self) -> None:
        """Cancel all streams. The connections stay open."""
        self._server.links.cancel_calls()

    async def serve(self) -> None:
        """Accept connections until `close`."""
        with self._scope:
            await self._server.serve(self._listener)

    def close(self) -> None:
        """Close all connections and stop listening. A second call does nothing."""
        self._scope.cancel()
        self._server.links.cut()
