"""A cache of pages: each address is made once for all readers, until something has changed.

A page that took long to make is still sent for a while after a change.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import trio

MOST_BYTES = 64 * 1024 * 1024
LEAST_S, MOST_S = 1.0, 30.0
SHARE = 10
"""How long a page is kept, as a multiple of the time that it took to make."""


MOST_WAITING = 64
"""The maximum number of pages being made or waiting to be made."""


class TooBusyError(Exception):
    """Too many pages are being made."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, as bytes."""

    status: int
    body: bytes
    kind: str
    policy: str = ""

    @property
    def tag(self) -> str:
        """A tag that identifies this content, for browsers that already have it."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:24]}"'


@dataclass(slots=True)
class _Kept:
    answer: Answer
    state: object
    until: float
    is_announced: bool = False


class PagesCache:
    """A cache of pages. If several readers request the same page at once, it is made once while all wait.

    on_due: called when a page that was sent after a change may be made again. Without it the readers of that page would
        not learn of the last change.
    """

    def __init__(self, nursery: trio.Nursery, on_due: Callable[[], None], workers: int = 1) -> None:
        self._nursery = nursery
        self._on_due = on_due
        self._holds_back = True
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0
        self._making: dict[str, trio.Event] = {}
        self._workers = trio.CapacityLimiter(workers)
        self.made = 0
        self.seconds = 0.0

    async def get(self, key: str, state: object, make: Callable[[], Answer]) -> Answer:
        """Return the page of an address at a state of its contents, calling `make` in a thread if needed.

        A caller who stops waiting does not stop the others: the page is still completed.
        """
        while (found := self._fresh(key, state)) is None:
            if key not in self._making:
                if len(self._making) >= MOST_WAITING:
                    raise TooBusyError
                self._making[key] = trio.Event()
                self._nursery.start_soon(self._make, key, state, make)
            await self._making[key].wait()
        return found

    def stop_holding_back(self) -> None:
        """From now on, return only pages of the requested state, however long they take to make."""
        self._holds_back = False

    def _fresh(self, key: str, state: object) -> Answer | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept.state != state:
            if not self._holds_back or trio.current_time() >= kept.until:
                return None
            if not kept.is_announced:
                kept.is_announced = True
                self._nursery.start_soon(self._announce, kept.until)
        self._kept.move_to_end(key)
        return kept.answer

    async def _announce(self, due: float) -> None:
        await trio.sleep_until(due)
        self._on_due()

    async def _make(self, key: str, state: object, make: Callable[[], Answer]) -> None:
        began = trio.current_time()
        try:
            answer = await trio.to_thread.run_sync(make, limiter=self._workers)
        finally:
            self._making.pop(key).set()
        took = trio.current_time() - began
        self.made += 1
        self.seconds += took
        until = trio.current_time() + min(MOST_S, max(LEAST_S, SHARE * took))
        old = self._kept.pop(key, None)
        self._size += len(answer.body) - (len(old.answer.body) if old is not None else 0)
        self._kept[key] = _Kept(answer, state, until)
        while self._size > MOST_BYTES and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest.answer.body)
