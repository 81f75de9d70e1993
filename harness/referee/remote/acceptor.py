"""Accepts TCP connections, and keeps those that have not sent anything yet.

One task serves all of them, so a silent connection costs a descriptor and a few microseconds. A genuine client sends
its first bytes at once.
"""

from __future__ import annotations

import errno
import resource
import selectors
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NoReturn, TypeVar

import trio

from bowerbird.harness.rate_limit import network_of

Item = TypeVar("Item")


class Places(Generic[Item]):
    """Items in order, at most `limit`.

    An item too many displaces the oldest item of the address with the most. So a flood from one address displaces
    itself.
    """

    def __init__(self, limit: int) -> None:
        """Start without items."""
        self._limit = limit
        self._by_address: dict[str, dict[Item, None]] = {}
        self._count = 0

    def add(self, item: Item, address: str) -> Item | None:
        """Add an item. Return the item that it displaces, if any."""
        self._by_address.setdefault(address, {})[item] = None
        self._count += 1
        if self._count <= self._limit:
            return None
        address, most = max(self._by_address.items(), key=lambda entry: len(entry[1]))
        oldest = next(iter(most))
        self.remove(oldest, address)
        return oldest

    def remove(self, item: Item, address: str) -> None:
        """Remove an item if it is present."""
        items = self._by_address.get(address, {})
        if item in items:
            del items[item]
            self._count -= 1
            if not items:
                del self._by_address[address]


def within_descriptors(places: int, share: int) -> int:
    """Return `places`, or fewer if that exceeds one `share`-th of the descriptors allowed to this process."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return places if soft == resource.RLIM_INFINITY else max(1, min(places, soft // share))


HANDSHAKE_S = 2.0
"""The time limit for the first bytes and the TLS handshake together (faults.md, gRPC server)."""

MAX_SILENT = 128
"""How many connections may be silent at once, from known addresses and from all others.

If there are more, the oldest of the address with the most is closed. A process limited to fewer than 1,024 descriptors
has fewer places (`DESCRIPTORS_SHARE`).
"""

DESCRIPTORS_SHARE = 8
"""Each of these two kinds may use one descriptor in `DESCRIPTORS_SHARE`."""

MAX_ACCEPTS = 64
"""How many connections are accepted before other tasks get their turn."""

PAUSE_S = 0.1
"""How long to accept nothing when the process has no descriptors left."""

FIRST_BYTES = 14
"""How many bytes are examined to recognise the client's protocol."""

NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

NO_HANDSHAKE = f"no TLS handshake within {HANDSHAKE_S:g} s"
CROWD = "its address has too many silent connections"
SAID_NOTHING = "it closed the connection without sending anything"
OUT_OF_DESCRIPTORS = "the referee has no file descriptors left for more connections; it accepts none for a moment"


@dataclass(eq=False, slots=True)
class Accepted:
    """An accepted connection.

    peer: "address:port" of the client. address: what the limits treat as one address (`network_of`). is_known: whether
        a
    bot was admitted from there. accepted_at: trio's time. first: its first bytes, still to be read.
    """

    socket: socket.socket
    peer: str
    address: str
    is_known: bool
    accepted_at: float
    first: bytes = b""


class Acceptor:
    """An acceptor of connections that passes each on when its first bytes have arrived.

    Silent connections from known addresses have their own places, which strangers cannot fill.
    """

    def __init__(
        self,
        *,
        is_known: Callable[[str], bool],
        on_ready: Callable[[Accepted], None],
        on_refused: Callable[[str, str], None],
    ) -> None:
        """Start without connections.

        is_known: whether a bot was admitted from an address.
        on_ready: takes a connection over. on_refused: called with the peer and a sentence for each connection that is
            closed before it is ready.
        """
        self._is_known = is_known
        self._on_ready = on_ready
        self._on_refused = on_refused
        limit = within_descriptors(MAX_SILENT, DESCRIPTORS_SHARE)
        self._places: dict[bool, Places[Accepted]] = {known: Places(limit) for known in (False, True)}
        self._silent: dict[Accepted, None] = {}
        """All silent connections, oldest first."""

    async def run(self, listener: socket.socket) -> NoReturn:
        """Accept connections until cancelled; then close `listener` and the silent connections."""
        listener.setblocking(False)
        with selectors.DefaultSelector() as self._selector, listener:
            self._selector.register(listener, selectors.EVENT_READ)
            try:
                while True:
                    await self._serve_once(listener)
            finally:
                for accepted in self._silent:
                    accepted.socket.close()

    async def _serve_once(self, listener: socket.socket) -> None:
        """Wait for the next event: connections, first bytes, or the deadline of the oldest silent connection."""
        oldest = next(iter(self._silent), None)
        with trio.move_on_at(oldest.accepted_at + HANDSHAKE_S if oldest is not None else float("inf")):
            await trio.lowlevel.wait_readable(self._selector.fileno())  # of epoll or kqueue
        for key, _ in self._selector.select(0):
            if key.data is not None:
                self._read_first(key.data)
            elif not self._accept_all(listener):
                await trio.sleep(PAUSE_S)
        self._close_expired(trio.current_time())

    def _accept_all(self, listener: socket.socket) -> bool:
        """Accept waiting connections, up to MAX_ACCEPTS. Return False if there are no descriptors left."""
        for _ in range(MAX_ACCEPTS):
            try:
                accepted, name = listener.accept()
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno in NO_DESCRIPTORS:
                    self._on_refused("somebody", OUT_OF_DESCRIPTORS)
                    return False
                continue  # the client has already left
            self._keep(accepted, *name[:2])
        return True

    def _keep(self, accepted: socket.socket, host: str, port: int) -> None:
        """Add a new connection to the silent ones."""
        accepted.setblocking(False)
        address = network_of(host)
        peer = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        one = Accepted(accepted, peer, address, self._is_known(address), trio.current_time())
        self._silent[one] = None
        self._selector.register(accepted, selectors.EVENT_READ, one)
        displaced = self._places[one.is_known].add(one, address)
        if displaced is not None:
            self._refuse(displaced, CROWD)

    def _read_first(self, one: Accepted) -> None:
        """Pass on a connection whose first bytes have arrived."""
        if one not in self._silent:
            return  # it has been displaced since
        try:
            one.first = one.socket.recv(FIRST_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            self._forget(one)
            one.socket.close()
            return
        if one.first:
            self._forget(one)
            self._on_ready(one)
        else:
            self._refuse(one, SAID_NOTHING)

    def _close_expired(self, now: float) -> None:
        for one in list(self._silent):
            if now < one.accepted_at + HANDSHAKE_S:
                return
            self._refuse(one, NO_HANDSHAKE)

    def _refuse(self, one: Accepted, sentence: str) -> None:
        self._forget(one)
        one.socket.close()
        self._on_refused(one.peer, sentence)

    def _forget(self, one: Accepted) -> None:
        if one in self._silent:
            del self._silent[one]
            self._selector.unregister(one.socket)
            self._places[one.is_known].remove(one, one.address)
