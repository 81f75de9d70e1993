"""Where one process of a bot comes in: a server of its own, and what it says until somebody listens.

Nothing here needs trio, so that a process can be on its way while trio is imported (`ahead`).
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping

from harness.referee.isolation import ADDRESS
from harness.referee.post import Post
from harness.referee.server import Ear, Event, Link, Said, SeatServer

PROTOCOL_VERSION = 1


class Doorstep:
    """A server for one process, which holds a token that it alone is told.

    Events of its stream are kept, as `news`, until `listen` names who takes them from then on; `ring` is called when
    there are new ones. All this happens in the trio thread, once the post is open.
    """

    def __init__(self, address: str, post: Post, patience_s: float) -> None:
        """Listen on `address` (`server.StreamServer`); `post` brings what the process says. Raises OSError."""
        self._token = secrets.token_urlsafe(32)
        self._ear: Ear | None = None
        self.news: deque[Event] = deque()
        self.ring: Callable[[], None] = _nobody_waits
        self.link: Link | None = None
        self._server = SeatServer(address, self._token, self._on_connect, self.hear, post=post, patience_s=patience_s)

    @property
    def seat(self) -> Mapping[str, str]:
        """The variables of the environment from which the process knows where to dial and what to say."""
        return {
            ADDRESS: self._server.target,
            "BOWERBIRD_TOKEN": self._token,
            "BOWERBIRD_PROTOCOLS": str(PROTOCOL_VERSION),
        }

    @property
    def refused(self) -> str:
        """Why the last stream that was refused was refused, or ""."""
        return self._server.refused

    def hear(self, event: Event) -> None:
        """Take an event of the stream."""
        if self._ear is not None:
            self._ear(event)
        else:
            self.news.append(event)
            self.ring()

    def listen(self, ear: Ear) -> None:
        """From now on `ear` takes the events, those first that nobody has looked at."""
        self._ear = ear
        while self.news:
            ear(self.news.popleft())

    async def stop(self) -> None:
        """See `server.StreamServer`."""
        await self._server.stop()

    def close(self) -> None:
        """See `server.StreamServer`."""
        self._server.close()

    def _on_connect(self, link: Link, hello: Said) -> None:
        self.link = link
        self.hear(hello)


def _nobody_waits() -> None:
    """What `Doorstep.ring` is while nobody waits for news."""
