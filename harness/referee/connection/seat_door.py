"""The rules for who may connect to an address, and how much a client may request there.

`SeatDoor` is the door of one local bot. It admits the holder of its token once. Each connection of a remote bot has its
own door (`bowerbird.harness.referee.remote.remote_server`). `link` consults the doors. Everything runs in the trio
thread.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from bowerbird.harness.rate_limit import RateLimit
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.messages import MAX_MESSAGE
from bowerbird.harness.referee.connection.stream import Listener, Malformed, Received, Refusal, StreamEvent
from bowerbird.seat.v1 import seat_pb2

if TYPE_CHECKING:
    from bowerbird.harness.referee.connection.link_stream import LinkStream

SERVICE = "bowerbird.seat.v1.SeatService"
PLAY = f"/{SERVICE}/Play"
LIST_VARIANTS = f"/{SERVICE}/ListVariants"

OUTDATED = "/harness.v1."
"""Prefix of the methods of the protocol before its first release."""

OUTDATED_SENTENCE = (
    "this bot speaks harness.v1, which is no longer supported; use bowerbird.seat.v1 (bowerbird docs protocol)"
)

TRANSPORT_LIMIT = 2 * MAX_MESSAGE
"""The largest message that is read, in bytes.

A message between `MAX_MESSAGE` and this limit reaches the referee, which reports how long it was. A larger message is
refused at its first bytes: the stream ends as if the bot had left. Nothing is ever decompressed: a compressed message
stays as it is, however far it would expand.
"""

STREAMS = 3
"""How many streams one connection may have at once, and a local server in total."""

CONNECTIONS = 4
"""How many connections a bot in a sandbox may have: its own, and a few for other channels.

Further ones are closed when they are accepted.
"""

SHARED_CONNECTIONS = 64
"""How many connections the address of a local bot may have if other processes of the machine can also reach it."""

SHARED_IDLE_MS = 5000
"""How long a connection to such an address may stay without a stream."""

CALLS_AT_ONCE = 100
CALLS_PER_S = 20.0
"""How many calls a local server accepts: this many at once, and then this many per second (`RateLimit`)."""

MAX_REFUSED_CALLS = 1000
"""How many calls beyond that budget one bot may make. More than that is a flood."""

FLOOD_OF_CALLS = f"more than {MAX_REFUSED_CALLS} calls that were refused because they came too fast"
TOO_FAST = "too many calls in a short time"

SOCKET_MODE = 0o666
"""A bot in a sandbox runs as another user. Only the referee can enter the folder of the sockets."""

NO_HELLO = "the first message must be a Hello with the token of BOWERBIRD_TOKEN"
UNKNOWN_TOKEN = "this token is not known here"
USED_TOKEN = "this token was used before"


class SeatDoor:
    """The door that admits the one process with `token`. The token works once.

    `is_private` means that no other process can reach the address, so that a flood of calls is blamed on the bot.
    """

    def __init__(
        self,
        token: str,
        on_connect: Callable[[LinkStream, Received], None],
        on_event: Listener,
        *,
        mailbox: Mailbox,
        is_private: bool,
    ) -> None:
        """Wait for the bot."""
        self.mailbox = mailbox
        self._token = utf8(token)
        self.is_private = is_private
        self._budget = RateLimit(CALLS_PER_S, CALLS_AT_ONCE)
        self._refused_calls = 0
        self._is_claimed = False
        self._on_connect = on_connect
        self._on_event = on_event
        self.refused = ""
        """Why the last refused stream was refused. Only at a private address is it certainly the bot's own."""

    def claim(self, first: StreamEvent, stream: LinkStream) -> Listener | Refusal:
        """Accept the bot's own stream, once."""
        hello = self._own_hello(first)
        if isinstance(hello, Refusal):
            self.refused = hello.sentence
            return hello
        self._on_connect(stream, hello)
        return self._on_event

    def accepts_call(self) -> bool:
        """Charge a call to the budget. Notify the session once if a bot makes far too many."""
        if self._budget.take(time.monotonic()):
            return True
        self._refused_calls += 1
        if self._refused_calls == MAX_REFUSED_CALLS + 1:
            self.blame(FLOOD_OF_CALLS)
        return False

    def blame(self, why: str, *, is_certain: bool = False) -> None:
        """Report that the bot violated the protocol, if nobody else can have done it.

        is_certain: whether it is certainly the bot, even if others can reach the address.
        """
        if self.is_private or is_certain:
            self.refused = why
            self._on_event(Malformed(why, time.monotonic_ns()))

    def knows(self, token: str) -> bool:
        """Return whether this is the token of the process."""
        return hmac.compare_digest(utf8(token), self._token)

    def probed(self) -> None:
        """Do nothing, since nobody needs to know who probes a local bot's address."""

    def turned_away(self, sentence: str) -> None:
        """Store why a stream was refused."""
        self.refused = sentence

    def _own_hello(self, first: StreamEvent) -> Received | Refusal:
        """Return the Hello of the bot's own stream and use up the token, or return why this is not the bot's stream."""
        hello = hello_of(first)
        if isinstance(hello, Refusal):
            return hello
        if hello.session_secret and not hello.token:
            return Refusal("SESSION_OVER", "a bot that the referee started has no session to resume")
        if not self.knows(hello.token):
            return Refusal("TOKEN", UNKNOWN_TOKEN)
        if self._is_claimed:
            return Refusal("TOKEN", USED_TOKEN)
        self._is_claimed = True
        assert isinstance(first, Received)  # it contains the Hello
        return first


def hello_of(first: StreamEvent) -> seat_pb2.Hello | Refusal:
    """Return the Hello at the beginning of a stream, or a refusal if there is none.

    The stream has already limited its size.
    """
    match first:
        case Received(request=request) if request.WhichOneof("message") == "hello":
            return request.hello
        case Malformed(why=why):
            return Refusal("PROTOCOL", f"{NO_HELLO}; it was {why}")
        case _:
            return Refusal("PROTOCOL", NO_HELLO)
