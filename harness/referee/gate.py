"""The door for bots that run elsewhere: TCP and TLS up to a gRPC server behind it that nobody else can reach.

gRPC would do TLS itself, but says nothing when a handshake fails, neither to the organiser nor to a bot that speaks
plain text. Here both are told. Whoever is not known yet has little time and takes no place from those who are.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import trio

HANDSHAKE_S = 2.0
"""FAULTS.md, gRPC server."""

STRANGER_S = 10.0
"""How long a connection may last without a Hello that was found good."""

STRANGERS = 64
"""How many such connections there may be; one more, and the oldest of them is cut off."""

SIGN_OF_LIFE = {
    "TCP_KEEPIDLE": 1,
    "TCP_KEEPINTVL": 1,
    "TCP_KEEPCNT": 2,
    "TCP_USER_TIMEOUT": 3000,
}
"""Asks the system at the other end within three seconds; the bot itself may be thinking, and is not asked."""

CHUNK = 65536
TLS_HANDSHAKE = b"\x16"
HTTP2_PREFACE = b"PRI * HTTP/2.0"

DISTRUST = frozenset(
    {
        "TLSV1_ALERT_UNKNOWN_CA",
        "SSLV3_ALERT_BAD_CERTIFICATE",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
        "UNEXPECTED_EOF_WHILE_READING",
    }
)
"""How a client breaks the handshake off that does not accept our certificate; some just leave."""


class _TurnedAwayError(Exception):
    """A connection that gets no further; the sentence says why."""


@dataclass(eq=False)
class _Visit:
    """One connection: where it comes from, the name of its way inside, what cuts it off, what was made of it."""

    peer: str
    name: str
    stream: trio.SocketStream
    scope: trio.CancelScope
    is_known: bool = False
    is_refused: bool = False


class Gate:
    """Takes connections and carries those that speak TLS to the gRPC server at `inside`, the others to `plain`.

    Both are sockets in `folder`, which must be private; the inner end of each connection has a path of its own there,
    by which `peer_of` knows it. `tell(peer, sentence)` is called for each connection that is turned away.
    """

    def __init__(
        self, context: ssl.SSLContext, folder: Path, *, inside: Path, plain: Path, tell: Callable[[str, str], None]
    ) -> None:
        """A gate without connections."""
        self._context = context
        self._folder = folder
        self._inside = inside
        self._plain = plain
        self._tell = tell
        self._count = 0
        self._visits: dict[str, _Visit] = {}
        self._strangers: OrderedDict[str, _Visit] = OrderedDict()

    async def serve(self, listener: socket.socket) -> None:
        """Take connections until cancelled. `listener` listens, and is closed at the end."""
        listener.setblocking(False)
        stream = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        await trio.serve_listeners(self._visit, [stream])

    def peer_of(self, inner: str) -> str:
        """Address and port of whoever is behind a connection that the server knows as `inner`."""
        visit = self._visits.get(_name(inner))
        return visit.peer if visit is not None else "unknown"

    def admit(self, inner: str) -> None:
        """This one is known now, and may stay as long as it likes."""
        visit = self._strangers.pop(_name(inner), None)
        if visit is not None:
            visit.is_known = True
            visit.scope.deadline = float("inf")

    def refuse(self, inner: str, sentence: str) -> None:
        """This one was answered that it cannot come in; it has its time to read that."""
        visit = self._visits.get(_name(inner))
        if visit is not None:
            self._turn_away(visit, sentence)

    def ask_for_sign_of_life(self, inner: str) -> None:
        """Somebody says that this connection is broken: find out soon, without asking the bot."""
        visit = self._visits.get(_name(inner))
        if visit is None:
            return
        visit.stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in SIGN_OF_LIFE.items():
            if hasattr(socket, option):
                visit.stream.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    async def _visit(self, stream: trio.SocketStream) -> None:
        self._count += 1
        visit = _Visit(_peer(stream), f"visit-{self._count}", stream, trio.CancelScope())
        visit.scope.deadline = trio.current_time() + STRANGER_S
        self._visits[visit.name] = self._strangers[visit.name] = visit
        if len(self._strangers) > STRANGERS:
            _, oldest = self._strangers.popitem(last=False)
            oldest.scope.cancel()
        try:
            with visit.scope:
                await self._let_in(stream, visit)
                if not visit.is_known:
                    self._turn_away(visit, "it left without a Hello, and may not accept the certificate for its name")
            if visit.scope.cancelled_caught:
                self._turn_away(visit, "no Hello came in time")
        except _TurnedAwayError as reason:
            self._turn_away(visit, str(reason))
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the connection broke: whoever had a seat through it is told by the server inside
        finally:
            self._strangers.pop(visit.name, None)
            del self._visits[visit.name]
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)

    def _turn_away(self, visit: _Visit, sentence: str) -> None:
        if not visit.is_refused:
            visit.is_refused = True
            self._tell(visit.peer, sentence)

    async def _let_in(self, stream: trio.SocketStream, visit: _Visit) -> None:
        outer: trio.abc.Stream = stream
        way = self._inside
        with trio.move_on_after(HANDSHAKE_S) as patience:
            first = await stream.socket.recv(len(HTTP2_PREFACE), socket.MSG_PEEK)
            if first.startswith(TLS_HANDSHAKE):
                outer = await self._shake_hands(stream)
            elif first and HTTP2_PREFACE.startswith(first):
                way = self._plain
            else:
                raise _TurnedAwayError("it speaks neither TLS nor gRPC" if first else "it left without a word")
        if patience.cancelled_caught:
            raise _TurnedAwayError(f"no TLS handshake within {HANDSHAKE_S:g} s")
        inner = await self._way_in(way, visit)
        try:
            await _carry(outer, inner)
        finally:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(inner)
            with contextlib.suppress(FileNotFoundError):
                (self._folder / visit.name).unlink()

    async def _shake_hands(self, stream: trio.SocketStream) -> trio.SSLStream[trio.SocketStream]:
        secure = trio.SSLStream(stream, self._context, server_side=True, https_compatible=True)
        try:
            await secure.do_handshake()
        except trio.BrokenResourceError as error:
            raise _TurnedAwayError(_why(error.__cause__)) from error
        if secure.selected_alpn_protocol() != "h2":
            raise _TurnedAwayError("it speaks TLS, but not gRPC (no HTTP/2)")
        return secure

    async def _way_in(self, way: Path, visit: _Visit) -> trio.SocketStream:
        inner = trio.socket.socket(socket.AF_UNIX)
        try:
            await inner.bind(str(self._folder / visit.name))
            await inner.connect(str(way))
        except BaseException:
            inner.close()
            raise
        return trio.SocketStream(inner)


def _name(inner: str) -> str:
    """gRPC calls the other end of a Unix socket "unix:/path"."""
    return inner.rpartition("/")[2]


def _peer(stream: trio.SocketStream) -> str:
    try:
        host, port = stream.socket.getpeername()[:2]
    except OSError:
        return "unknown"  # it has left already
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _why(cause: BaseException | None) -> str:
    """Why a handshake failed, for the organiser."""
    reason = cause.reason if isinstance(cause, ssl.SSLError) else ""
    if reason in DISTRUST:
        return f"it broke the TLS handshake off ({_plain(reason)}): does it have the PEM file of its invitation?"
    if reason:
        return f"the TLS handshake failed ({_plain(reason)})"
    return "it left during the TLS handshake"


def _plain(reason: str) -> str:
    return reason.replace("_", " ").lower()


async def _carry(outer: trio.abc.Stream, inner: trio.abc.Stream) -> None:
    """Pass everything on, both ways, until one side ends."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_pump, outer, inner, nursery.cancel_scope)
        nursery.start_soon(_pump, inner, outer, nursery.cancel_scope)


async def _pump(source: trio.abc.Stream, sink: trio.abc.Stream, scope: trio.CancelScope) -> None:
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while data := await source.receive_some(CHUNK):
            await sink.send_all(data)
    scope.cancel()
