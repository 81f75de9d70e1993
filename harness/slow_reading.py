"""Reports reads that take long, and aborts them where they would keep others waiting.

A bot's folder may contain gigabytes, or be on a disk that hardly responds. The code that reads it is far below the
command with the terminal, so the command sets the terms around the call: `saying` and `within`.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

SAID_AFTER_S = 2.0


@dataclass(frozen=True, slots=True)
class _Terms:
    say: Callable[[str], None] | None = None
    most_s: float | None = None


_NONE = _Terms()
_TERMS: ContextVar[_Terms] = ContextVar("terms of slow reading", default=_NONE)


@contextmanager
def saying(say: Callable[[str], None]) -> Iterator[None]:
    """Call `say` with a sentence for each item that takes longer than SAID_AFTER_S to read in the block."""
    with _changed(replace(_TERMS.get(), say=say)):
        yield


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Abort each item that takes longer to read in the block."""
    with _changed(replace(_TERMS.get(), most_s=seconds)):
        yield


@contextmanager
def _changed(terms: _Terms) -> Iterator[None]:
    token = _TERMS.set(terms)
    try:
        yield
    finally:
        _TERMS.reset(token)


class SlowReading:
    """One item that is read piece by piece, such as all files of a bot."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Start to read `what`, a part of a sentence that is shown unchanged. `clock` is in seconds."""
        self._what = what
        self._clock = clock
        self._terms = _TERMS.get()
        self._begun = clock()
        self._is_said = False

    def go_on(self, path: str) -> None:
        """Report once that reading takes long, or raise OSError for the current `path` if it takes too long."""
        passed = self._clock() - self._begun
        most, say = self._terms.most_s, self._terms.say
        if most is not None and passed > most:
            raise OSError(errno.ETIMEDOUT, f"it could not all be read within {most:g} s", path)
        if say is not None and not self._is_said and passed > SAID_AFTER_S:
            self._is_said = True
            say(f"reading {self._what} takes longer than {SAID_AFTER_S:g} s; now at {path}")
