"""The address for bots that run elsewhere: TLS, and limits for strangers.

Failed TLS handshakes are reported to the organiser, and a bot that speaks plain text gets an error.

A connection passes three stages: silent (`acceptor`), unauthenticated, admitted. Each stage has its own places. The
rate at which connections enter the second stage is limited, so that each has time there. Addresses from which a bot was
admitted have their own places and their own rate, which a flood from elsewhere cannot use up.
"""

from __future__ import annotations

import select
import socket
import ssl
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from functools import partial

import trio

from bowerbird.harness.rate_limit import AddressRateLimit, RateLimit
from bowerbird.harness.referee.connection.link import Account, Link, Links
from bowerbird.harness.referee.connection.link_stream import LinkStream
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.stream import Listener, Refusal, StreamEnded, StreamEvent
from bowerbird.harness.referee.remote.acceptor import (
    FIRST_BYTES,
    HANDSHAKE_S,
    NO_HANDSHAKE,
    Accepted,
    Acceptor,
    Places,
    within_descriptors,
)
from bowerbird.harness.referee.remote.tls import Tls

MAX_FIRST_BYTES = 1 << 16
"""The most bytes that a client may send before its Hello is accepted."""

MAX_FIRST_STREAMS = 8
"""The most streams that a client may open before its Hello is accepted."""

STREAMS_PER_S, STREAMS_BURST = 4.0, 32
"""The most streams that a client may open after its Hello. One Play is enough, plus one after each break."""

MAX_FIRST_FRAMES = 1024
"""The most frames that a client may send before its Hello is accepted."""

FRAMES_PER_S, FRAMES_BURST = 20_000.0, 40_000
"""The most frames that a client may send after its Hello. An answer is one or two frames."""

CHUNKS_PER_S, CHUNKS_BURST = 5_000.0, 5_000
"""How many pieces of data are read from one client; further ones wait. Each costs the trio thread about 50 µs."""

TOO_MUCH = "it sent too much before its Hello"


class FrameGuard(Account):
    """The limits on one client's input. Call `admit` when its Hello is accepted."""

    __slots__ = ("_chunks", "_frames", "_is_admitted", "_streams")

    def __init__(self) -> None:
        """Start before the client's first byte."""
        super().__init__()
        self._is_admitted = False
        self._streams = RateLimit(0.0, MAX_FIRST_STREAMS)
        self._frames = RateLimit(0.0, MAX_FIRST_FRAMES)
        self._chunks = RateLimit(CHUNKS_PER_S, CHUNKS_BURST)

    def admit(self) -> None:
        """Raise the limits to those of a bot that plays for hours."""
        if not self._is_admitted:
            self._is_admitted = True
            self._streams = RateLimit(STREAMS_PER_S, STREAMS_BURST)
            self._frames = RateLimit(FRAMES_PER_S, FRAMES_BURST)

    def judge(self, size: int, frames: int, openings: int, now_ns: int) -> str:
        """See `Account`."""
        now = now_ns / 1e9
        self.read += size
        self.pause_s = self._chunks.wait_s(now)
        if not self._is_admitted and self.read > MAX_FIRST_BYTES:
            return TOO_MUCH
        if not self._streams.take(now, openings):
            return "it opened too many streams"
        return "" if self._frames.take(now, frames) else "it sent too many HTTP/2 frames"


UNAUTHENTICATED_S = 10.0
"""How long a connection may last until its Hello is accepted."""

MAX_UNAUTHENTICATED = 64
"""How many connections may wait for that at once, each from known addresses and from others.

If there are more, the oldest of the address with the most is closed. By then it has had at least half a second
(`HANDSHAKES_BURST`).
"""

DESCRIPTORS_SHARE = 16
"""Clients of these two kinds may use one descriptor in `DESCRIPTORS_SHARE`."""

HANDSHAKES_PER_S, ADDRESS_HANDSHAKES_PER_S = 30.0, 20.0
"""How many TLS handshakes may begin per second, in total and from one address, if no bot was admitted from there."""

KNOWN_HANDSHAKES_PER_S, KNOWN_ADDRESS_HANDSHAKES_PER_S = 60.0, 50.0
"""The same for known addresses.

A bot that shares its address with a flood must succeed with one of its attempts, of which it makes four a second
(protocol.md).

A handshake takes the trio thread about a millisecond.
"""

HANDSHAKES_BURST = 30.0
"""How many may begin at once."""

MAX_PLAIN_TEXT = 8
"""How many unauthenticated connections may speak plain text. They only get an error."""

MAX_ADMITTED = 3
"""How many admitted connections one bot may have: one that plays, and others that read why they ended."""

MAX_KNOWN = 4
"""How many addresses of one bot are remembered: the latest ones."""

STREAMS = 2
"""How many calls one connection may make at once: Play and ListVariants."""

HELLO_S = 5.0
"""How long a stream may be silent before its Hello."""

CLOSING_S = 5.0
"""How long a connection without a session may stay. Its bot may not yet know that the session is over."""

TLS_HANDSHAKE = b"\x16"
HTTP2_PREFACE = b"PRI * HTTP/2.0"[:FIRST_BYTES]

CLOSED_BY_CLIENT: int = getattr(select, "POLLRDHUP", 0)
"""The event of a socket whose other side will send no more. Only Linux has it."""

SPOKE_PLAIN_TEXT = "this address is for TLS, and the bot spoke plain text"
"""The sentence for a bot that speaks plain text."""

TOO_FAST = f"TLS handshakes come too fast: at most {ADDRESS_HANDSHAKES_PER_S:g} a second may begin from one address"
NO_HELLO = "it closed the connection before its Hello: does it accept the certificate for this name?"
NO_HELLO_IN_TIME = "no Hello came in time"
DISPLACED = "its address has too many connections that have not said Hello"

DISTRUST_REASONS = frozenset(
    {
        "TLSV1_ALERT_UNKNOWN_CA",
        "SSLV3_ALERT_BAD_CERTIFICATE",
        "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
        "UNEXPECTED_EOF_WHILE_READING",
    }
)
"""The errors of a handshake in which the client rejects our certificate; some clients just disconnect."""


class _RefusedError(Exception):
    """A connection is refused. The sentence is the reason."""


Admit = Callable[[StreamEvent, LinkStream, str], Listener | Refusal]
"""Decides by its first event who gets a stream; the last argument is the name of its connection."""


class _Connection:
    """A connection whose first bytes have arrived, as the `Door` of its calls. Cancelling `scope` closes it.

    owner: the bot that was admitted over it, or "". is_refused: whether no further reports are made about it.
    """

    def __init__(self, front: RemoteServer, accepted: Accepted, name: str) -> None:
        self._front = front
        self.mailbox = front.mailbox
        self.accepted = accepted
        self.name = name
        self.is_plain_text = not accepted.first.startswith(TLS_HANDSHAKE)
        self.scope = trio.CancelScope(deadline=accepted.accepted_at + UNAUTHENTICATED_S)
        self.guard = FrameGuard()
        self.is_authenticated = False
        self.is_refused = False

    @property
    def peer(self) -> str:
        """Return "address:port" of the client."""
        return self.accepted.peer

    def claim(self, first: StreamEvent, stream: LinkStream) -> Listener | Refusal:
        """See `Door`."""
        if self.is_plain_text:
            self.turned_away(SPOKE_PLAIN_TEXT)
            return Refusal("TLS", SPOKE_PLAIN_TEXT)
        if isinstance(first, StreamEnded):  # nobody receives the refusal, but the end of the connection is reported
            return Refusal("PROTOCOL", NO_HELLO)
        return self._front.admits(first, stream, self.name)

    def knows(self, token: str) -> bool:
        """See `Door`. Nobody may list the variants over plain text."""
        return not self.is_plain_text and self._front.knows(token)

    def accepts_call(self) -> bool:
        """See `Door`. `FrameGuard` limits them."""
        return True

    def probed(self) -> None:
        """See `Door`. The connection still has a limit."""
        self.is_refused = True  # its departure is not reported

    def turned_away(self, sentence: str) -> None:
        """See `Door`. The connection stays open until its deadline, to read the answer."""
        if not self.is_refused:
            self.is_refused = True
            self._front.on_refused(self.peer, sentence)

    def blame(self, why: str, *, is_certain: bool = False) -> None:
        """See `Door`."""
        if self.is_authenticated:
            self._front.on_violation(self.name, why)
        else:
            self.turned_away(why)


class RemoteServer:
    """A server that accepts connections and serves those with TLS; those in plain text get an error.

    admits: decides who gets a stream. knows: whether a token may list the variants.
    on_refused: called with a peer and a sentence, at most once for each connection.
    on_violation: called with the name of a connection and a sentence when an admitted client floods (`FrameGuard`),
    before its connection is closed.
    """

    def __init__(
        self,
        context: ssl.SSLContext,
        mailbox: Mailbox,
        *,
        admits: Admit,
        knows: Callable[[str], bool],
        on_refused: Callable[[str, str], None],
        on_violation: Callable[[str, str], None],
    ) -> None:
        """Begin without connections."""
        self._context = context
        self.mailbox = mailbox
        self.admits = admits
        self.knows = knows
        self.on_refused = on_refused
        self.on_violation = on_violation
        self.links = Links(silence_s=HELLO_S, max_streams=STREAMS, max_calls=float("inf"))
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
        acceptor = Acceptor(is_known=self._is_known, on_ready=self._open, on_refused=self.on_refused)
        await self.links.run(partial(acceptor.run, listener))

    def peer_of(self, name: str) -> str:
        """Return "address:port" of the bot at the other end of a connection; "unknown" once it is closed."""
        connection = self._connections.get(name)
        return connection.peer if connection is not None else "unknown"

    def admit(self, name: str, owner: str = "") -> None:
        """Note that a connection has authenticated as `owner`, and may stay without limit.

        Its address is now known. If the bot has too many connections, close its oldest.
        """
        connection = self._connections.get(name)
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

    def refuse(self, name: str, sentence: str) -> None:
        """Report that a stream of a connection was refused. It stays open until its deadline, to read the answer."""
        connection = self._connections.get(name)
        if connection is not None:
            connection.turned_away(sentence)

    def close_soon(self, name: str) -> None:
        """Close a connection without a session after `CLOSING_S`, so that the bot can read the reason.

        Otherwise a half-open or idle connection would use a descriptor forever.
        """
        connection = self._connections.get(name)
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

    def _open(self, accepted: Accepted) -> None:
        """Serve a connection whose first bytes have arrived, or close it at once."""
        if _has_left(accepted.socket):
            accepted.socket.close()
            return
        if sentence := self._unwanted(accepted):
            accepted.socket.close()
            self.on_refused(accepted.peer, sentence)
            return
        self._count += 1
        connection = _Connection(self, accepted, f"client-{self._count}")
        self._connections[connection.name] = connection
        displaced = self._places[accepted.is_known].add(connection, accepted.address)
        if displaced is not None:
            displaced.turned_away(DISPLACED)
            displaced.scope.cancel()
        self.links.start_soon(partial(self._handle, connection))

    def _unwanted(self, accepted: Accepted) -> str:
        """Return the reason to close a connection with these first bytes at once, or ""."""
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
        self._plain_text += connection.is_plain_text
        try:
            with connection.scope:
                await self._serve(connection)
                if not connection.is_authenticated:
                    connection.turned_away(NO_HELLO)
            if connection.scope.cancelled_caught:
                connection.turned_away(NO_HELLO_IN_TIME)
        except _RefusedError as reason:
            connection.turned_away(str(reason))
        except OSError:
            pass  # the connection broke
        finally:
            self._plain_text -= connection.is_plain_text
            self._leave_place(connection)
            del self._connections[connection.name]
            for theirs in self._admitted.values():
                if connection in theirs:
                    theirs.remove(connection)
            connection.accepted.socket.close()

    def _leave_place(self, connection: _Connection) -> None:
        self._places[connection.accepted.is_known].remove(connection, connection.accepted.address)

    async def _serve(self, connection: _Connection) -> None:
        """Do the TLS handshake, then serve calls until the connection ends. Raises _RefusedError."""
        accepted = connection.accepted
        tls = None
        if not connection.is_plain_text:
            tls = Tls(self._context)
            with trio.move_on_at(accepted.accepted_at + HANDSHAKE_S) as patience:
                try:
                    await tls.do_handshake(accepted.socket)
                except OSError as error:
                    raise _RefusedError(_handshake_failure(error)) from error
            if patience.cancelled_caught:
                raise _RefusedError(NO_HANDSHAKE)
            if tls.protocol != "h2":
                raise _RefusedError("it speaks TLS, but not gRPC (no HTTP/2)")
        await Link(accepted.socket, self.links, connection, connection.guard, tls).run()


def _has_left(client: socket.socket) -> bool:
    """Return whether a client has closed its connection; False if the system does not report it.

    A bot that dials while nobody accepts gives up after a while and dials again. Its abandoned connections must neither
    take time nor count towards the limits of its address.
    """
    if not CLOSED_BY_CLIENT:
        return False
    poll = select.poll()
    poll.register(client, CLOSED_BY_CLIENT)
    return bool(poll.poll(0))


def _handshake_failure(cause: OSError) -> str:
    """Return the reason for a failed handshake, for the organiser."""
    reason = cause.reason if isinstance(cause, ssl.SSLError) else ""
    if reason in DISTRUST_REASONS:
        return f"it broke off the TLS handshake ({_readable(reason)}): does it have the PEM file of its invitation?"
    if reason:
        return f"the TLS handshake failed ({_readable(reason)})"
    return "it closed the connection during the TLS handshake"


def _readable(reason: str) -> str:
    return reason.replace("_", " ").lower()
