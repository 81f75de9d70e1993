"""TLS in front of a gRPC server, for bots that run elsewhere.

Accepts TCP connections and forwards those that speak TLS to a gRPC server on a private Unix socket.
gRPC could do TLS itself, but reports a failed handshake neither to the organiser nor to a bot that speaks plain text;
the proxy tells both. A connection must authenticate quickly, and never displaces one that has.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import trio

HANDSHAKE_S = 2.0
"""faults.md, gRPC server."""

UNAUTHENTICATED_S = 10.0
"""How long a connection may last before its Hello was accepted."""

MAX_UNAUTHENTICATED = 64
"""How many connections may wait for that at once. Beyond it, the oldest of the address with the most is closed."""

MAX_UNAUTHENTICATED_BYTES = 1 << 18
"""How much each of them may send. gRPC takes messages of 16 MiB, and would keep that for each of their streams."""

CLOSING_S = 5.0
"""How long a connection without a session may stay. Its bot may not know yet that the session is over."""

CHUNK_BYTES = 65536
TLS_HANDSHAKE = b"\x16"
HTTP2_PREFACE = b"PRI * HTTP/2.0"

SPOKE_PLAIN_TEXT = "this address is for TLS, and the bot spoke plain text"
"""The sentence for a bot that reached the gRPC server for plain text."""

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


@dataclass(eq=False)
class _Connection:
    """A TCP connection.

    `name` is the file name of the Unix socket through which it reaches a gRPC server; cancelling `scope` closes it.
    """

    peer: str
    name: str
    stream: trio.SocketStream
    scope: trio.CancelScope
    is_authenticated: bool = False
    is_refused: bool = False
    received: int = 0

    @property
    def host(self) -> str:
        """The address of the client, without its port."""
        return self.peer.rpartition(":")[0]


class TlsProxy:
    """Accepts connections, forwards TLS to `grpc_socket` and plain text to `plaintext_socket`.

    Each forwarded connection binds a Unix socket of its own in `folder`, which must be private. Its path is what gRPC
    calls the peer (`grpc_peer` below). `on_refused(peer, sentence)` is called once for each connection that is refused.
    """

    def __init__(
        self,
        context: ssl.SSLContext,
        folder: Path,
        *,
        grpc_socket: Path,
        plaintext_socket: Path,
        on_refused: Callable[[str, str], None],
    ) -> None:
        """Begin without connections."""
        self._context = context
        self._folder = folder
        self._grpc_socket = grpc_socket
        self._plaintext_socket = plaintext_socket
        self._on_refused = on_refused
        self._count = 0
        self._connections: dict[str, _Connection] = {}
        self._unauthenticated: OrderedDict[str, _Connection] = OrderedDict()

    async def serve(self, listener: socket.socket) -> None:
        """Accept connections until cancelled; then close `listener`, which must be listening."""
        listener.setblocking(False)
        stream = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        await trio.serve_listeners(self._handle, [stream])

    def peer_of(self, grpc_peer: str) -> str:
        """Return "address:port" of the bot at the other end of a connection; "unknown" once it is closed."""
        connection = self._connections.get(_name(grpc_peer))
        return connection.peer if connection is not None else "unknown"

    def admit(self, grpc_peer: str) -> None:
        """Take note that a connection has authenticated: it may stay without limit."""
        connection = self._connections.get(_name(grpc_peer))
        if connection is not None:
            self._unauthenticated.pop(connection.name, None)
            connection.is_authenticated = True
            connection.scope.deadline = float("inf")

    def refuse(self, grpc_peer: str, sentence: str) -> None:
        """Report that the gRPC server refused a connection. It stays open until its deadline, to read the answer."""
        connection = self._connections.get(_name(grpc_peer))
        if connection is not None:
            self._report_refusal(connection, sentence)

    def serve_without_hello(self, grpc_peer: str) -> None:
        """Take note that a connection asks for something that needs no Hello. It still has a limit."""
        connection = self._connections.get(_name(grpc_peer))
        if connection is not None:
            connection.is_refused = True  # it is not reported when it leaves

    def close_soon(self, grpc_peer: str) -> None:
        """Close a connection without a session after `CLOSING_S`, so that the bot can read why.

        Otherwise a half-open or kept connection would hold a descriptor for ever.
        """
        connection = self._connections.get(_name(grpc_peer))
        if connection is not None:
            connection.is_refused = True
            connection.scope.deadline = trio.current_time() + CLOSING_S

    async def _handle(self, stream: trio.SocketStream) -> None:
        """Serve one connection from its beginning to its end."""
        self._count += 1
        connection = _Connection(_peer(stream), f"client-{self._count}", stream, trio.CancelScope())
        connection.scope.deadline = trio.current_time() + UNAUTHENTICATED_S
        self._connections[connection.name] = self._unauthenticated[connection.name] = connection
        if len(self._unauthenticated) > MAX_UNAUTHENTICATED:
            self._close_one()
        try:
            with connection.scope:
                await self._accept_and_forward(connection)
                if not connection.is_authenticated:
                    self._report_refusal(
                        connection,
                        "it closed the connection before its Hello: does it accept the certificate for this name?",
                    )
            if connection.scope.cancelled_caught:
                self._report_refusal(connection, "no Hello came in time")
        except _RefusedError as reason:
            self._report_refusal(connection, str(reason))
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the connection broke: the gRPC server notices if a bot played over it
        finally:
            self._unauthenticated.pop(connection.name, None)
            del self._connections[connection.name]
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)

    def _close_one(self) -> None:
        """Close the oldest connection of the address with the most, so that a stranger displaces itself, not a bot."""
        hosts = Counter(connection.host for connection in self._unauthenticated.values())
        most = max(hosts.values())
        oldest = next(one for one in self._unauthenticated.values() if hosts[one.host] == most)
        del self._unauthenticated[oldest.name]
        oldest.scope.cancel()

    def _may_send(self, connection: _Connection, received: int) -> bool:
        """Count what a client sends. Return False, and report it, if that is too much before its Hello."""
        connection.received += received
        if connection.is_authenticated or connection.received <= MAX_UNAUTHENTICATED_BYTES:
            return True
        self._report_refusal(connection, "it sent too much before its Hello")
        return False

    def _report_refusal(self, connection: _Connection, sentence: str) -> None:
        if not connection.is_refused:
            connection.is_refused = True
            self._on_refused(connection.peer, sentence)

    async def _accept_and_forward(self, connection: _Connection) -> None:
        """Detect the client's protocol, then forward until either side closes. Raises _RefusedError."""
        client: trio.abc.Stream = connection.stream
        target = self._grpc_socket
        with trio.move_on_after(HANDSHAKE_S) as patience:
            first = await connection.stream.socket.recv(len(HTTP2_PREFACE), socket.MSG_PEEK)
            if first.startswith(TLS_HANDSHAKE):
                client = await self._do_handshake(connection.stream)
            elif first and HTTP2_PREFACE.startswith(first):
                target = self._plaintext_socket
            else:
                raise _RefusedError(
                    "it speaks neither TLS nor gRPC" if first else "it closed the connection without sending anything"
                )
        if patience.cancelled_caught:
            raise _RefusedError(f"no TLS handshake within {HANDSHAKE_S:g} s")
        server = await self._connect(target, connection)
        try:
            await forward(client, server, may_send=partial(self._may_send, connection))
        finally:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(server)
            with contextlib.suppress(FileNotFoundError):
                (self._folder / connection.name).unlink()

    async def _do_handshake(self, stream: trio.SocketStream) -> trio.SSLStream[trio.SocketStream]:
        secure = trio.SSLStream(stream, self._context, server_side=True, https_compatible=True)
        try:
            await secure.do_handshake()
        except trio.BrokenResourceError as error:
            raise _RefusedError(_handshake_failure(error.__cause__)) from error
        if secure.selected_alpn_protocol() != "h2":
            raise _RefusedError("it speaks TLS, but not gRPC (no HTTP/2)")
        return secure

    async def _connect(self, target: Path, connection: _Connection) -> trio.SocketStream:
        """Connect to a gRPC server from the connection's own Unix socket."""
        server = trio.socket.socket(socket.AF_UNIX)
        try:
            await server.bind(str(self._folder / connection.name))
            await server.connect(str(target))
        except BaseException:
            server.close()
            raise
        return trio.SocketStream(server)


def _name(grpc_peer: str) -> str:
    """Return the last part of "unix:/path", as gRPC calls the peer at a Unix socket."""
    return grpc_peer.rpartition("/")[2]


def _peer(stream: trio.SocketStream) -> str:
    try:
        host, port = stream.socket.getpeername()[:2]
    except OSError:
        return "unknown"  # it has disconnected already
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


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


def _any_number(_received: int) -> bool:
    return True


async def forward(
    client: trio.abc.Stream, server: trio.abc.Stream, *, may_send: Callable[[int], bool] = _any_number
) -> None:
    """Copy data both ways until one side closes, or until `may_send` returns False for some bytes of the client."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_copy, client, server, nursery.cancel_scope, may_send)
        nursery.start_soon(_copy, server, client, nursery.cancel_scope, _any_number)


async def _copy(
    source: trio.abc.Stream, sink: trio.abc.Stream, scope: trio.CancelScope, may_send: Callable[[int], bool]
) -> None:
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while (data := await source.receive_some(CHUNK_BYTES)) and may_send(len(data)):
            await sink.send_all(data)
    scope.cancel()
