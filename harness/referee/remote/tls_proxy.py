"""TLS in front of a gRPC server, for bots that run elsewhere.

Forwards connections that speak TLS to a gRPC server on a private Unix socket. gRPC could do TLS itself, but reports a
failed handshake neither to the organiser nor to a bot that speaks plain text; the proxy tells both.

A connection passes three stages: silent (`acceptor`), unauthenticated, admitted. Each has places of its own. The rate
at which connections enter the second one is limited, so that each has time there. Addresses from which a bot was
admitted have places and a rate of their own, which a flood from elsewhere cannot use up.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import trio

from bowerbird.harness.rate_limit import AddressRateLimit, RateLimit
from bowerbird.harness.referee.remote.acceptor import FIRST_BYTES, HANDSHAKE_S, NO_HANDSHAKE, Accepted, Acceptor
from bowerbird.harness.referee.remote.frame_guard import FrameGuard
from bowerbird.harness.referee.remote.places import Places, within_descriptors

UNAUTHENTICATED_S = 10.0
"""How long a connection may last before its Hello was accepted."""

MAX_UNAUTHENTICATED = 64
"""How many connections may wait for that at once, of known addresses and of others each.

Beyond it, the oldest of the address with the most is closed. It has had half a second at least (`HANDSHAKES_BURST`).
"""

DESCRIPTORS_SHARE = 16
"""Clients of these two kinds may hold one descriptor in `DESCRIPTORS_SHARE`; a connection takes three."""

HANDSHAKES_PER_S, ADDRESS_HANDSHAKES_PER_S = 30.0, 20.0
"""How many TLS handshakes may begin each second in all and from one address, where no bot was admitted from."""

KNOWN_HANDSHAKES_PER_S, KNOWN_ADDRESS_HANDSHAKES_PER_S = 60.0, 50.0
"""The same for known addresses. A bot that shares its address with a flood must come through with one of its attempts.

A bot makes four attempts a second (protocol.md). A handshake takes the trio thread about a millisecond.
"""

HANDSHAKES_BURST = 30.0
"""How many may begin at once."""

MAX_UNAUTHENTICATED_BYTES = 1 << 16
"""How much an unauthenticated client may send. gRPC would take a message of 128 KiB in each stream."""

MAX_PLAIN_TEXT = 8
"""How many unauthenticated connections may speak plain text. They are only told that they should not."""

MAX_ADMITTED = 3
"""How many admitted connections one bot may have: one that plays, and others that read why they are over."""

MAX_KNOWN = 4
"""How many addresses of one bot are known, the latest."""

CHUNKS_PER_S, CHUNKS_BURST = 5_000.0, 5_000
"""How many pieces of data are read from one client; beyond it they wait. Each costs the trio thread some 50 µs."""

CLOSING_S = 5.0
"""How long a connection without a session may stay. Its bot may not know yet that the session is over."""

CHUNK_BYTES = 65536
TLS_HANDSHAKE = b"\x16"
HTTP2_PREFACE = b"PRI * HTTP/2.0"[:FIRST_BYTES]

CLOSED_BY_CLIENT: int = getattr(select, "POLLRDHUP", 0)
"""The event of a socket whose other side sends nothing more. Only Linux has it."""

SPOKE_PLAIN_TEXT = "this address is for TLS, and the bot spoke plain text"
"""The sentence for a bot that reached the gRPC server for plain text."""

TOO_FAST = f"TLS handshakes come too fast: at most {ADDRESS_HANDSHAKES_PER_S:g} a second may begin from one address"
NO_HELLO_IN_TIME = "no Hello came in time"
DISPLACED = "its address has too many connections that have not said Hello"
TOO_MUCH = "it sent too much before its Hello"

DISTRUST_REASONS = frozenset(
    {
        "TLSV1_ALERT_UNKNOWN_CA",
        "SSLV3_ALERT_BAD_CERTIFICATE",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
        "UNEXPECTED_EOF_WHILE_READING",
    }
)
"""The errors of a handshake whose client does not accept our certificate; some clients just disconnect."""


class _RefusedError(Exception):
    """A connection is refused; the sentence says why."""


def _ignore(_name: str, _sentence: str) -> None:
    """Do nothing: the default of `on_violation`."""


@dataclass(eq=False)
class _Connection:
    """A connection whose first bytes have come.

    `name` is the file name of the Unix socket through which it reaches a gRPC server; cancelling `scope` closes it.
    `owner` is the bot that was admitted over it, or "".
    """

    accepted: Accepted
    name: str
    scope: trio.CancelScope
    guard: FrameGuard = field(default_factory=FrameGuard)
    chunks: RateLimit = field(default_factory=lambda: RateLimit(CHUNKS_PER_S, CHUNKS_BURST))
    is_authenticated: bool = False
    is_refused: bool = False
    received: int = 0

    @property
    def peer(self) -> str:
        """Return "address:port" of the client."""
        return self.accepted.peer


class TlsProxy:
    """Accepts connections, forwards TLS to `grpc_socket` and plain text to `plaintext_socket`.

    Each forwarded connection binds a Unix socket of its own in `folder`, which must be private. Its path is what gRPC
    calls the peer (`grpc_peer` below). `on_refused(peer, sentence)` is called at most once for each connection.
    `on_violation(name, sentence)` is called when an admitted client breaks HTTP/2 (`frame_guard`), before its
    connection is closed; `name` is the last part of its `grpc_peer`.
    """

    def __init__(
        self,
        context: ssl.SSLContext,
        folder: Path,
        *,
        grpc_socket: Path,
        plaintext_socket: Path,
        on_refused: Callable[[str, str], None],
        on_violation: Callable[[str, str], None] = _ignore,
    ) -> None:
        """Begin without connections."""
        self._context = context
        self._folder = folder
        self._grpc_socket = grpc_socket
        self._plaintext_socket = plaintext_socket
        self._on_refused = on_refused
        self._on_violation = on_violation
        self._count = 0
        self._connections: dict[str, _Connection] = {}
        limit = within_descriptors(MAX_UNAUTHENTICATED, DESCRIPTORS_SHARE)
        self._places = {known: Places[_Connection](limit) for known in (False, True)}
        self._handshakes = {
            False: AddressRateLimit(ADDRESS_HANDSHAKES_PER_S, HANDSHAKES_BURST, HANDSHAKES_PER_S),
            True: AddressRateLimit(KNOWN_ADDRESS_HANDSHAKES_PER_S, HANDSHAKES_BURST, KNOWN_HANDSHAKES_PER_S),
        }
        self._plain_text = 0
        self._admitted: defaultdict[str, list[_Connection]] = defaultdict(list)
        self._known: defaultdict[str, OrderedDict[str, None]] = defaultdict(OrderedDict)

    async def serve(self, listener: socket.socket) -> None:
        """Accept connections until cancelled; then close `listener`, which must be listening."""
        async with trio.open_nursery() as nursery:
            acceptor = Acceptor(
                is_known=self._is_known,
                on_ready=partial(self._open, nursery),
                on_refused=self._on_refused,
            )
            await acceptor.run(listener)

    def peer_of(self, grpc_peer: str) -> str:
        """Return "address:port" of the bot at the other end of a connection; "unknown" once it is closed."""
        connection = self._connections.get(name_of(grpc_peer))
        return connection.peer if connection is not None else "unknown"

    def admit(self, grpc_peer: str, owner: str = "") -> None:
        """Take note that a connection has authenticated as `owner`: it may stay without limit.

        Its address is known from now on. If the bot has too many connections, close its oldest.
        """
        connection = self._connections.get(name_of(grpc_peer))
        if connection is None:
            return
        if not connection.is_authenticated:
            connection.is_authenticated = True
            connection.guard.admit()
            self._leave_place(connection)
        connection.scope.deadline = float("inf")
        self._remember(connection.accepted.address, owner)
        theirs = self._admitted[owner] = [one for one in self._admitted[owner] if one is not connection]
        theirs.append(connection)
        for one in theirs[:-MAX_ADMITTED] if owner else []:
            one.is_refused = True
            one.scope.cancel()

    def refuse(self, grpc_peer: str, sentence: str) -> None:
        """Report that the gRPC server refused a connection. It stays open until its deadline, to read the answer."""
        connection = self._connections.get(name_of(grpc_peer))
        if connection is not None:
            self._report_refusal(connection, sentence)

    def serve_without_hello(self, grpc_peer: str) -> None:
        """Take note that a connection asks for something that needs no Hello. It still has a limit."""
        connection = self._connections.get(name_of(grpc_peer))
        if connection is not None:
            connection.is_refused = True  # it is not reported when it leaves

    def close_soon(self, grpc_peer: str) -> None:
        """Close a connection without a session after `CLOSING_S`, so that the bot can read why.

        Otherwise a half-open or kept connection would hold a descriptor for ever.
        """
        connection = self._connections.get(name_of(grpc_peer))
        if connection is not None:
            connection.is_refused = True
            connection.scope.deadline = trio.current_time() + CLOSING_S

    # Known addresses.

    def _is_known(self, address: str) -> bool:
        return any(address in addresses for addresses in self._known.values())

    def _remember(self, address: str, owner: str) -> None:
        addresses = self._known[owner]
        addresses[address] = None
        addresses.move_to_end(address)
        if len(addresses) > MAX_KNOWN:
            addresses.popitem(last=False)

    # A connection, from its first bytes to its end.

    def _open(self, nursery: trio.Nursery, accepted: Accepted) -> None:
        """Serve a connection whose first bytes are there, or close it at once."""
        if _has_left(accepted.socket):
            accepted.socket.close()
            return
        if sentence := self._unwanted(accepted):
            accepted.socket.close()
            self._on_refused(accepted.peer, sentence)
            return
        self._count += 1
        connection = _Connection(accepted, f"client-{self._count}", trio.CancelScope())
        connection.scope.deadline = accepted.accepted_at + UNAUTHENTICATED_S
        self._connections[connection.name] = connection
        displaced = self._places[accepted.is_known].add(connection, accepted.address)
        if displaced is not None:
            self._report_refusal(displaced, DISPLACED)
            displaced.scope.cancel()
        nursery.start_soon(self._handle, connection)

    def _unwanted(self, accepted: Accepted) -> str:
        """Return why a connection with these first bytes is closed at once, or ""."""
        is_plain_text = HTTP2_PREFACE.startswith(accepted.first)
        if not is_plain_text and not accepted.first.startswith(TLS_HANDSHAKE):
            return "it speaks neither TLS nor gRPC"
        if is_plain_text and self._plain_text >= MAX_PLAIN_TEXT:
            return SPOKE_PLAIN_TEXT
        if not self._handshakes[accepted.is_known].take(accepted.address, trio.current_time()):
            return TOO_FAST
        return ""

    async def _handle(self, connection: _Connection) -> None:
        """Serve one connection to its end."""
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(connection.accepted.socket))
        try:
            with connection.scope:
                await self._accept_and_forward(connection, stream)
                if not connection.is_authenticated:
                    self._report_refusal(
                        connection,
                        "it closed the connection before its Hello: does it accept the certificate for this name?",
                    )
            if connection.scope.cancelled_caught:
                self._report_refusal(connection, NO_HELLO_IN_TIME)
        except _RefusedError as reason:
            self._report_refusal(connection, str(reason))
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the connection broke: the gRPC server notices if a bot played over it
        finally:
            self._leave_place(connection)
            del self._connections[connection.name]
            for theirs in self._admitted.values():
                if connection in theirs:
                    theirs.remove(connection)
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)

    def _leave_place(self, connection: _Connection) -> None:
        self._places[connection.accepted.is_known].remove(connection, connection.accepted.address)

    async def _may_pass(self, connection: _Connection, data: bytes | bytearray) -> bool:
        """Check what a client sends. Return False, and report it, if the connection must be closed."""
        now = trio.current_time()
        connection.received += len(data)
        if not connection.is_authenticated and connection.received > MAX_UNAUTHENTICATED_BYTES:
            self._report_refusal(connection, TOO_MUCH)
            return False
        if sentence := connection.guard.check(data, now):
            if connection.is_authenticated:
                self._on_violation(connection.name, sentence)
            else:
                self._report_refusal(connection, sentence)
            return False
        if wait_s := connection.chunks.wait_s(now):
            await trio.sleep(wait_s)
        return True

    def _report_refusal(self, connection: _Connection, sentence: str) -> None:
        if not connection.is_refused:
            connection.is_refused = True
            self._on_refused(connection.peer, sentence)

    async def _accept_and_forward(self, connection: _Connection, stream: trio.SocketStream) -> None:
        """Do the TLS handshake, then forward until either side closes. Raises _RefusedError."""
        if connection.accepted.first.startswith(TLS_HANDSHAKE):
            with trio.move_on_at(connection.accepted.accepted_at + HANDSHAKE_S) as patience:
                client = await self._do_handshake(stream)
            if patience.cancelled_caught:
                raise _RefusedError(NO_HANDSHAKE)
            await self._forward(connection, client, self._grpc_socket)
            return
        self._plain_text += 1
        try:
            await self._forward(connection, stream, self._plaintext_socket)
        finally:
            self._plain_text -= 1

    async def _do_handshake(self, stream: trio.SocketStream) -> trio.SSLStream[trio.SocketStream]:
        secure = trio.SSLStream(stream, self._context, server_side=True, https_compatible=True)
        try:
            await secure.do_handshake()
        except trio.BrokenResourceError as error:
            raise _RefusedError(_handshake_failure(error.__cause__)) from error
        if secure.selected_alpn_protocol() != "h2":
            raise _RefusedError("it speaks TLS, but not gRPC (no HTTP/2)")
        return secure

    async def _forward(self, connection: _Connection, client: trio.abc.Stream, target: Path) -> None:
        """Forward between a client and a gRPC server, over the connection's own Unix socket."""
        server = trio.socket.socket(socket.AF_UNIX)
        try:
            await server.bind(str(self._folder / connection.name))
            await server.connect(str(target))
            await forward(client, trio.SocketStream(server), may_pass=partial(self._may_pass, connection))
        finally:
            server.close()
            with contextlib.suppress(FileNotFoundError):
                (self._folder / connection.name).unlink()


def _has_left(client: socket.socket) -> bool:
    """Return whether a client has closed its connection; False where the system does not tell.

    A bot that dials while nobody accepts gives up after a while and dials again. What it leaves behind must neither
    take time nor count towards the limits of its address.
    """
    if not CLOSED_BY_CLIENT:
        return False
    poll = select.poll()
    poll.register(client, CLOSED_BY_CLIENT)
    return bool(poll.poll(0))


def name_of(grpc_peer: str) -> str:
    """Return the name of a connection: the last part of "unix:/path", as gRPC calls the peer at a Unix socket."""
    return grpc_peer.rpartition("/")[2]


def _handshake_failure(cause: BaseException | None) -> str:
    """Return why a handshake failed, for the organiser."""
    reason = cause.reason if isinstance(cause, ssl.SSLError) else ""
    if reason in DISTRUST_REASONS:
        return f"it broke the TLS handshake off ({_readable(reason)}): does it have the PEM file of its invitation?"
    if reason:
        return f"the TLS handshake failed ({_readable(reason)})"
    return "it closed the connection during the TLS handshake"


def _readable(reason: str) -> str:
    return reason.replace("_", " ").lower()


async def _anything(_data: bytes | bytearray) -> bool:
    return True


async def forward(
    client: trio.abc.Stream,
    server: trio.abc.Stream,
    *,
    may_pass: Callable[[bytes | bytearray], Awaitable[bool]] = _anything,
) -> None:
    """Copy data both ways until one side closes, or until `may_pass` returns False for some data of the client."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_copy, client, server, nursery.cancel_scope, may_pass)
        nursery.start_soon(_copy, server, client, nursery.cancel_scope, _anything)


async def _copy(
    source: trio.abc.Stream,
    sink: trio.abc.Stream,
    scope: trio.CancelScope,
    may_pass: Callable[[bytes | bytearray], Awaitable[bool]],
) -> None:
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while (data := await source.receive_some(CHUNK_BYTES)) and await may_pass(data):
            await sink.send_all(data)
    scope.cancel()
