"""Many deal sets as a value that stays small: a bit for each. A run is remembered by it, however long it is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harness.records.run import BLOCK_SETS, SetKey

Place = tuple[int, str, str, int]
"""Where a deal set stands in the schedule (`schedule_order`)."""


class Block(NamedTuple):
    """A block of one line-up, of up to BLOCK_SETS deal sets; `number` is the block's. They sort as in the schedule."""

    number: int
    entry: str
    lineup: str

    @property
    def sets(self) -> range:
        """The numbers that deal sets of it can have."""
        return range(self.number * BLOCK_SETS, (self.number + 1) * BLOCK_SETS)


def block_of(key: SetKey) -> Block:
    """The block that a deal set is of."""
    return Block(key.number // BLOCK_SETS, key.entry, key.lineup)


class SetKeys:
    """A set of deal sets, in the order of the schedule."""

    def __init__(self, keys: Iterable[SetKey] = ()) -> None:
        """These, to begin with."""
        self._bits: dict[Block, int] = {}
        """By block a number whose bit n is the block's deal set n."""
        self._in_order: list[Block] | None = []
        """The blocks, None until they are asked for again."""
        self._number = 0
        for key in keys:
            self.add(key)

    def add(self, key: SetKey) -> bool:
        """Take in a deal set; whether it was not there."""
        block, bit = block_of(key), 1 << key.number % BLOCK_SETS
        bits = self._bits.get(block)
        if bits is None:
            self._in_order = None
            bits = 0
        self._bits[block] = bits | bit
        self._number += not bits & bit
        return not bits & bit

    def remove(self, key: SetKey) -> None:
        """Take out a deal set. Raises KeyError where it is not there."""
        if key not in self:
            raise KeyError(key)
        block = block_of(key)
        self._bits[block] ^= 1 << key.number % BLOCK_SETS
        self._number -= 1
        if not self._bits[block]:
            del self._bits[block]
            self._in_order = None

    def __contains__(self, key: object) -> bool:
        """Whether a deal set is one of them."""
        return isinstance(key, SetKey) and bool(self._bits.get(block_of(key), 0) >> key.number % BLOCK_SETS & 1)

    def __len__(self) -> int:
        """How many there are."""
        return self._number

    def __iter__(self) -> Iterator[SetKey]:
        """Each of them, in their order. Nothing may be added or removed meanwhile."""
        for block in self._blocks():
            bits = self._bits[block]
            for number in block.sets:
                if bits >> number - block.sets.start & 1:
                    yield SetKey(block.entry, block.lineup, number)

    def blocks(self, first: int = 0) -> Iterator[Block]:
        """The blocks that have some of them, from block `first` on. Nothing may be added or removed meanwhile."""
        blocks = self._blocks()
        return (blocks[place] for place in range(bisect_left(blocks, (first, "", "")), len(blocks)))

    def after(self, place: Place) -> SetKey | None:
        """The first of them that stands behind this place of the schedule."""
        blocks = self._blocks()
        for at in range(bisect_left(blocks, place[:3]), len(blocks)):
            block = blocks[at]
            done = place[3] % BLOCK_SETS + 1 if block == place[:3] else 0
            if bits := self._bits[block] >> done:
                number = block.sets.start + done + (bits & -bits).bit_length() - 1
                return SetKey(block.entry, block.lineup, number)
        return None

    def _blocks(self) -> list[Block]:
        if self._in_order is None:
            self._in_order = sorted(self._bits)
        return self._in_order
