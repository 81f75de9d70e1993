"""A network between remote bots and a referee that breaks every connection after a while, often unseen by one side."""

from __future__ import annotations

import contextlib
import math
import random
import select
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

BOTH = "both sides see it"
BOT = "the bot alone sees it"
REFEREE = "the referee alone sees it"

FOR_EVER = (BOTH, BOT, BOTH, REFEREE)
"""Kinds of breaks to be repeated for ever. Every second one leaves the connection half-open."""

EACH_KIND = (BOT, BOTH, BOT, REFEREE, BOTH, BOT)
"""A few breaks of each kind. A bot needs 15 s to notice one that only the referee sees, so there is only one of
them."""

RESET = struct.pack("ii", 1, 0)
"""The value of SO_LINGER with which `close` sends a reset."""

CHUNK = 65536
TICK_S = 0.05


class FlakyNetwork:
    """Forwards connections to a referee. Breaks each of them `shortest_s` to `longest_s` after it was opened.

    When no kind of break is left, connections hold.

    Attributes:
        address: what a bot dials.
        breaks: how often each kind of break happened.
    """

    def __init__(self, target: str, shortest_s: float, longest_s: float, kinds: Iterable[str], seed: int = 0) -> None:
        """Listen. `kinds` are the kinds of breaks, in turn; `seed` decides how long each connection lasts."""
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._range = (shortest_s, longest_s)
        self._kinds = iter(kinds)
        self._rng = random.Random(seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._half_open: list[socket.socket] = []
        self._is_closed = False
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.breaks: Counter[str] = Counter()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed at the end of the test
            while True:
                bot, _ = self._listener.accept()
                try:
                    referee = socket.create_connection(self._target)
                except OSError:  # it is gone: a bot that comes back for a lost Goodbye must learn that
                    bot.close()
                    continue
                kind = next(self._kinds, None)
                lasts_s = self._rng.uniform(*self._range) if kind is not None else math.inf
                threading.Thread(target=self._carry, args=(bot, referee, lasts_s, kind), daemon=True).start()

    def _carry(self, bot: socket.socket, referee: socket.socket, lasts_s: float, kind: str | None) -> None:
        """Forward both ways until a side closes or the connection has lasted long enough."""
        ends_at = time.monotonic() + lasts_s
        try:
            while time.monotonic() < ends_at and not self._is_closed:
                ready, _, _ = select.select([bot, referee], [], [], TICK_S)
                for source in ready:
                    data = source.recv(CHUNK)
                    if not data:
                        _reset(bot, referee)
                        return
                    (referee if source is bot else bot).sendall(data)
        except OSError:  # a side has reset the connection
            _reset(bot, referee)
            return
        if kind is not None:
            self._break(bot, referee, kind)

    def _break(self, bot: socket.socket, referee: socket.socket, kind: str) -> None:
        self.breaks[kind] += 1
        if kind in (BOTH, BOT):
            _reset(bot)
        else:
            self._half_open.append(bot)
        if kind in (BOTH, REFEREE):
            _reset(referee)
        else:
            self._half_open.append(referee)

    def close(self) -> None:
        """Accept no further connections and end those that are half-open."""
        self._is_closed = True
        self._listener.close()
        _reset(*self._half_open)


def _reset(*ends: socket.socket) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        end.close()


@contextmanager
def flaky_network(
    target: str, shortest_s: float, longest_s: float, kinds: Iterable[str], seed: int = 0
) -> Iterator[FlakyNetwork]:
    """Open a flaky network; close it on leaving."""
    made = FlakyNetwork(target, shortest_s, longest_s, kinds, seed)
    try:
        yield made
    finally:
        made.close()
