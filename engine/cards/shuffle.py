"""Shuffled packs from a seed, reproducible in any language (notation.md, Shuffling).

A stream is the HMAC-SHA256, under the 32-byte seed, of a domain word, the stream's fields and a block counter. Streams
with different fields are independent, and cannot be predicted without the seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from operator import mod
from struct import Struct
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from hashlib import _Hash

from bowerbird.engine.errors import EngineError

DOMAIN = b"bowerbird/1"
SEED_BYTES = 32
_BLOCK = 64
_COUNTER = Struct(">Q")
_LENGTH = Struct(">I")
_WORDS_A_BLOCK = 8
_SPAN = 1 << 32
_SAFE = 256
_HIGHEST = b"\xff\xff\xff"
"""The first three bytes of all words from 2**32 - 256 up."""

Item = TypeVar("Item")


@lru_cache(maxsize=64)
def _keyed(seed: bytes) -> tuple[_Hash, _Hash]:
    """Return the inner and outer hash of HMAC under `seed`; the `hmac` module would recompute them for each message."""
    if len(seed) != SEED_BYTES:
        raise EngineError(f"a seed has {SEED_BYTES} bytes, this one has {len(seed)}")
    key = seed.ljust(_BLOCK, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key))
    inner.update(DOMAIN)
    return inner, hashlib.sha256(bytes(byte ^ 0x5C for byte in key))


@lru_cache(maxsize=4096, typed=True)
def _written(field: str | int) -> bytes:
    """Return `field` as bytes: the length of its text, then the text."""
    data = str(field).encode()
    return _LENGTH.pack(len(data)) + data


@cache
def _words(blocks: int) -> Callable[[bytes], tuple[int, ...]]:
    """Return a function that splits `blocks` blocks into words."""
    return Struct(f">{_WORDS_A_BLOCK * blocks}I").unpack


@lru_cache(maxsize=64)
def _counter(block: int) -> bytes:
    return _COUNTER.pack(block)


def written(*fields: str | int) -> bytes:
    """Return the fields of a stream as bytes."""
    return b"".join(map(_written, fields))


class Stream:
    """An endless sequence of uniform random numbers, determined by the seed and the fields."""

    __slots__ = ("_block", "_fields", "_inner", "_next", "_outer", "_words")

    def __init__(self, seed: bytes, fields: bytes) -> None:
        """Start the stream of `fields` (`written`); raise EngineError unless the seed has 32 bytes."""
        self._inner, self._outer = _keyed(seed)
        self._fields = fields
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._next = 0

    def _bytes_of_next_blocks(self, count: int) -> bytes:
        """Return the next `count` digests, 32 bytes each."""
        digests = []
        for block in range(self._block, self._block + count):
            inner = self._inner.copy()
            inner.update(self._fields + _counter(block))
            outer = self._outer.copy()
            outer.update(inner.digest())
            digests.append(outer.digest())
        self._block += count
        return b"".join(digests)

    def word(self) -> int:
        """Return the next 32-bit word."""
        if self._next == len(self._words):
            self._words = _words(1)(self._bytes_of_next_blocks(1))
            self._next = 0
        self._next += 1
        return self._words[self._next - 1]

    def uniform(self, n: int) -> int:
        """Return a number from 0 to n-1, each equally likely; `n` is from 1 to 2**32."""
        limit = _SPAN - _SPAN % n
        word = self.word()
        while word >= limit:
            word = self.word()
        return word % n

    def shuffled(self, cards: Sequence[Item]) -> list[Item]:
        """Return `cards` in a uniformly random order, using a Fisher-Yates shuffle from the last place down."""
        order = list(cards)
        last = len(order) - 1
        if last < 1:
            return order
        if self._next == len(self._words):
            blocks = (last + _WORDS_A_BLOCK - 1) // _WORDS_A_BLOCK
            data = self._bytes_of_next_blocks(blocks)
            self._words = _words(blocks)(data)
            self._next = 0
            # 2**32 mod n is less than n, so for n up to 256 `uniform` rejects no word below 2**32 - 256.
            if _HIGHEST not in data and last < _SAFE:
                for other in map(mod, self._words, range(last + 1, 1, -1)):
                    order[other], order[last] = order[last], order[other]
                    last -= 1
                self._next = len(order) - 1
                return order
        for place in range(last, 0, -1):
            other = self.uniform(place + 1)
            order[place], order[other] = order[other], order[place]
        return order


def stream(seed: bytes, *fields: str | int) -> Stream:
    """Return the stream of `fields` under `seed` from its start; raise EngineError unless the seed has 32 bytes.

    >>> stream(bytes(32), "pack", 0).word() == stream(bytes(32), "pack", 0).word()
    True
    >>> stream(bytes(32), "pack", 0).word() == stream(bytes(32), "pack", 1).word()
    False
    """
    return Stream(seed, written(*fields))


def shuffled(cards: Sequence[Item], source: Stream) -> list[Item]:
    """Return `cards` (in canonical order) shuffled by the next numbers of `source`."""
    return source.shuffled(cards)
