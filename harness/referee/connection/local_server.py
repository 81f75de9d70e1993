"""The address of one local bot: a listening socket with connections that are served in the trio thread (`link`).

The socket listens as soon as the server is created, before trio is imported (`prestart`). Until then, clients wait in
the kernel. So this module must not import trio.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.seat_door import (
    CONNECTIONS,
    SHARED_CONNECTIONS,
    SOCKET_MODE,
    SeatDoor,
)
from bowerbird.harness.referee.connection.stream import Listener, Received, Refusal

if TYPE_CHECKING:
    from bowerbird.harness.referee.connection.link import LinkServer
    from bowerbird.harness.referee.connection.link_stream import LinkStream

BACKLOG = 4096
"""How many clients may wait to be accepted; the system may allow fewer. Further ones fail to connect at once."""


class LocalServer(SeatDoor):
    """A server with its own address for the one process that has `token`. The token works once.

    Life: created (listening), `serve` in the trio thread, stopped. Except for creation and an end before `serve`, it is
    used only in the trio thread.
    """

    def __init__(
        self,
        address: str,
        token: str,
        on_connect: Callable[[LinkStream, Received], None],
        on_event: Listener,
        *,
        mailbox: Mailbox,
        silence_s: float,
        is_private: bool = False,
    ) -> None:
        """Start to listen; see `SeatDoor`. Raises OSError if `address` is not available.

        `address` is "unix:/path" or "127.0.0.1:0"; a client dials `target`. A stream on which nothing is sent within
        its first `silence_s` is cut off. The start-up clock is elsewhere (`handshake`).
        """
        super().__init__(token, on_connect, on_event, mailbox=mailbox, is_private=is_private)
        self._silence_s = silence_s
        self._socket, self.target = _listen(address)
        self._links: LinkServer | None = None
        self._is_closed = False

    async def serve(self) -> None:
        """Serve connections until `close`, or until cancelled."""
        from bowerbird.harness.referee.connection.link import LinkServer

        if not self._is_closed:
            most = CONNECTIONS if self.is_private else SHARED_CONNECTIONS
            self._links = LinkServer(self, self._socket, silence_s=self._silence_s, max_connections=most)
            await self._links.serve()

    def refuse_silent(self, refusal: Refusal) -> bool:
        """Refuse the streams that have sent nothing yet. Return whether there were any."""
        return self._links.refuse_silent(refusal) if self._links is not None else False

    async def stop(self) -> None:
        """Call `close`."""
        self.close()

    def close(self) -> None:
        """End all streams and release the address. May be called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._links is not None:
            self._links.close()
        self._socket.close()
        if self.target.startswith("unix:"):
            with suppress(FileNotFoundError):
                os.unlink(self.target.removeprefix("unix:"))


def _listen(address: str) -> tuple[socket.socket, str]:
    """Return a socket that listens on `address`, and the target to dial. Raises OSError."""
    path = address.removeprefix("unix:")
    is_unix = path != address
    listener = socket.socket(socket.AF_UNIX if is_unix else socket.AF_INET)
    try:
        if is_unix:
            _remove_socket(path)
            listener.bind(path)
            os.chmod(path, SOCKET_MODE)
        else:
            host, _, port = address.rpartition(":")
            listener.bind((host, int(port)))
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise OSError(f"cannot listen on {address}") from error
    return listener, address if is_unix else f"{host}:{listener.getsockname()[1]}"


def _remove_socket(path: str) -> None:
    """Remove the socket file of a server that is gone."""
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
