"""The socket at which a run can be watched. It loads gRPC when the first spectator speaks: most runs have none.

Input: a `RunSource` (`service`). Until a client sends something, one thread waits at the socket. Then gRPC listens in
its place. What the first clients have sent goes on to gRPC by a thread in each direction; later clients need none.
"""

from __future__ import annotations

import os
import select
import selectors
import socket
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from bowerbird.harness.watch.address import WatchAddress, WatchAddressError, listening_path

if TYPE_CHECKING:
    from bowerbird.harness.extras.watch.service import RunningService, RunSource

BACKLOG = 4096
PAUSE_S = 0.5
"""How long to wait if a client cannot be accepted."""

MOST_RELAYED = 16
"""How many clients that came before gRPC are passed on. The others are closed, and may connect again."""

PIECE = 1 << 16
"""The most bytes that are passed on at once."""


class WatchServer:
    """The server of one run. Life: created, started, stopped."""

    def __init__(self, source: RunSource) -> None:
        """Create a server that does not listen yet."""
        self._source = source
        self._path: Path | None = None
        self._thread: Thread | None = None
        self._stopping, self._awake = socket.socketpair()
        self._service: RunningService | None = None
        self._passing: list[socket.socket] = []
        """Both ends of what is passed on."""
        self._relays: list[Thread] = []

    def start(self, address: WatchAddress) -> None:
        """Listen. Raises WatchAddressError, with a sentence, if that is not possible."""
        path = listening_path(address)
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(str(path))
            listener.listen(BACKLOG)
        except OSError as error:
            listener.close()
            raise WatchAddressError(f"{path}: cannot listen there ({error.strerror})") from error
        listener.setblocking(False)
        self._path = path
        self._thread = Thread(target=self._serve, args=(listener, path), name="watch door", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End all streams, each after its last updates, and stop listening. Harmless when not started."""
        self._stopping.close()
        if self._thread is not None:
            self._thread.join()
        if self._service is not None:
            self._service.stop()
        for end in self._passing:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for relay in self._relays:
            relay.join()
        for end in self._passing:
            end.close()
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def _serve(self, listener: socket.socket, path: Path) -> None:
        """Let gRPC listen at `path` when a client has sent something. If gRPC can't start, that client is closed."""
        with listener, self._awake:
            while clients := self._first_clients(listener):
                try:
                    self._start_grpc(path)
                except (OSError, RuntimeError):  # no descriptor or thread is left; the next client may have more luck
                    for client in clients:
                        client.close()
                    continue
                with suppress(BlockingIOError):
                    while True:
                        clients.append(listener.accept()[0])
                for client in clients[:MOST_RELAYED]:
                    self._pass_on(client, path)
                for client in clients[MOST_RELAYED:]:
                    client.close()
                return

    def _first_clients(self, listener: socket.socket) -> list[socket.socket]:
        """Wait until a client sends something. Return it, then the silent ones; none if `stop` comes first."""
        clients: list[socket.socket] = []
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(self._awake, selectors.EVENT_READ)
            while self._awake not in (ready := [key.fileobj for key, _ in selector.select()]):
                for one in ready:
                    assert isinstance(one, socket.socket)
                    if one is listener:
                        try:
                            client, _ = one.accept()
                        except OSError:  # it has left, or there are no descriptors left
                            select.select([self._awake], [], [], PAUSE_S)
                            continue
                        selector.register(client, selectors.EVENT_READ)
                        clients.append(client)
                    elif _has_spoken(one):
                        return [one, *(client for client in clients if client is not one)]
                    else:
                        selector.unregister(one)
                        clients.remove(one)
                        one.close()
        for client in clients:
            client.close()
        return []

    def _start_grpc(self, path: Path) -> None:
        """Load gRPC and let it take the place of the listener. Raises OSError, RuntimeError."""
        from bowerbird.harness.extras.watch.service import RunningService

        beside = path.with_suffix(".next")  # no longer than `path`, whose length is checked
        service = RunningService(self._source, beside)
        try:
            os.rename(beside, path)
        except OSError:
            service.stop()
            raise
        self._service = service

    def _pass_on(self, client: socket.socket, path: Path) -> None:
        """Connect a client of the listener to gRPC, with a thread for each direction."""
        try:
            server = socket.socket(socket.AF_UNIX)
        except OSError:  # no descriptor is left
            client.close()
            return
        self._passing += [client, server]
        with suppress(OSError):
            server.connect(str(path))
        for source, target in ((client, server), (server, client)):
            self._relays.append(Thread(target=_copy, args=(source, target), name="watch relay", daemon=True))
            self._relays[-1].start()


def _has_spoken(client: socket.socket) -> bool:
    """Return whether a client that can be read has sent something, not just left."""
    try:
        return client.recv(1, socket.MSG_PEEK) != b""
    except OSError:
        return False


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Send on what `source` sends, up to its end."""
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
