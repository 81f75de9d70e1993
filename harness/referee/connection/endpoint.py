"""The endpoint of one bot process: a server, a token known only to that process, and its inbox.

This module must not import trio: bots are started while trio is still being imported (`prestart`).
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from bowerbird.harness.referee.connection.local_server import LocalServer
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.stream import Inbox, Listener, Received, Refusal
from bowerbird.harness.referee.isolation.launch import ADDRESS

if TYPE_CHECKING:
    from bowerbird.harness.referee.connection.link_stream import LinkStream

PROTOCOL_VERSION = 1


class Endpoint(LocalServer):
    """The endpoint of one bot process. Buffers its events in `inbox` until a listener is attached.

    Life: created (listening), begun, connected (`stream` is set), stopped. It may be created before trio is imported;
    `inbox`, `stream` and `listen` are used in the trio thread.
    """

    def __init__(self, address: str, mailbox: Mailbox, silence_s: float, *, is_private: bool = False) -> None:
        """Listen on `address` (see `LocalServer`). Raises OSError.

        `is_private` means that only the bot's process can reach the address, as is the case in a sandbox.
        """
        self.token = secrets.token_urlsafe(32)
        self.inbox = Inbox()
        self.stream: LinkStream | None = None
        self._has_begun = False
        put = self.inbox.put
        super().__init__(
            address, self.token, self._connected, put, mailbox=mailbox, silence_s=silence_s, is_private=is_private
        )

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables with the address to dial and the token."""
        return {
            ADDRESS: self.target,
            "BOWERBIRD_TOKEN": self.token,
            "BOWERBIRD_PROTOCOLS": str(PROTOCOL_VERSION),
        }

    @property
    def has_refused_bot(self) -> bool:
        """Whether the bot's own stream was certainly refused, since no other process can reach the address."""
        return self.is_private and bool(self.refused)

    @property
    def received_bytes(self) -> int:
        """The total size of the bot's messages."""
        return self.stream.received_bytes if self.stream is not None else 0

    def begin(self, spawn: Callable[[Callable[[], Awaitable[None]]], None]) -> None:
        """Start to serve connections, in a task that `spawn` starts. Further calls do nothing."""
        if not self._has_begun:
            self._has_begun = True
            spawn(self.serve)

    def refuse(self, refusal: Refusal) -> bool:
        """Refuse the process's stream, or else the streams without a Hello. Return whether there were any."""
        if self.stream is None:
            return self.refuse_silent(refusal)
        self.stream.refuse(refusal)
        return True

    def listen(self, listener: Listener) -> None:
        """Pass all events to `listener` from now on, the buffered ones first. The process must have connected."""
        assert self.stream is not None  # the caller must ensure it
        self.inbox.attach(listener)
        self.stream.listener = listener  # the inbox gets no further events

    def _connected(self, stream: LinkStream, hello: Received) -> None:
        self.stream = stream
        self.inbox.put(hello)
