"""A compact set of deal-set keys: one bit each, so that a run of any length fits in memory."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from bowerbird.harness.records.values.run import BLOCK_SETS, SchedulePosition, SetKey


class Block(NamedTuple):
    """Up to BLOCK_SETS consecutive deal sets of one line-up.

    `number` is the number of the block. Blocks sort in schedule order.
    """

    number: int
    entry: str
    lineup: str

    @property
    def sets(self) -> range:
        """The numbers of the deal sets that the block can contain."""
        return range(self.number * BLOCK_SETS, (self.number + 1) * BLOCK_SETS)


def block_of(key: SetKey) -> Block:
    """Return the block of a deal set."""
    return Block(key.number // BLOCK_SETS, key.entry, key.lineup)


class SetKeys:
    """A mutable set of deal-set keys that iterates in schedule order."""

    def __init__(self, keys: Iterable[SetKey] = ()) -> None:
        """Start with `keys`."""
        self._bits: dict[Block, int] = {}
        """For each block, an integer with bit n for the n-th deal set of the block."""
        self._in_order: list[Block] | None = []
        """The blocks, sorted; None after a block was added or removed."""
        self._number = 0
        for key in keys:
            self.add(key)

    def add(self, key: SetKey) -> bool:
        """Add a deal set. Return True if it was not there before."""
        block, bit = block_of(key), 1 << key.number % BLOCK_SETS
        bits = self._bits.get(block)
        if bits is None:
            self._in_order = None
            bits = 0
        self._bits[block] = bits | bit
        self._number += not bits & bit
        return not bits & bit

    def remove(self, key: SetKey) -> None:
        """Remove a deal set. Raises KeyError if it is not there."""
        if key not in self:
            raise KeyError(key)
        block = block_of(key)
        self._bits[block] ^= 1 << key.number % BLOCK_SETS
        self._number -= 1
        if not self._bits[block]:
            del self._bits[block]
            self._in_order = None

    def __contains__(self, key: object) -> bool:
        """Return True if a deal set is in the set."""
        return isinstance(key, SetKey) and bool(self._bits.get(block_of(key), 0) >> key.number % BLOCK_SETS & 1)

    def __len__(self) -> int:
        """Return the number of deal sets."""
        return self._number

    def count_where(self, wanted: Callable[[str], bool]) -> int:
        """Return the number of deal sets of the line-ups with the text `wanted`."""
        return sum(bits.bit_count() for block, bits in self._bits.items() if wanted(block.lineup))

    def __iter__(self) -> Iterator[SetKey]:
        """Yield each deal set in schedule order. Do not add or remove while iterating."""
        for block in self._blocks():
            bits = self._bits[block]
            for number in block.sets:
                if bits >> number - block.sets.start & 1:
                    yield SetKey(block.entry, block.lineup, number)

    def blocks(self, first: int = 0) -> Iterator[Block]:
        """Yield the non-empty blocks, starting at block `first`. Do not add or remove while iterating."""
        blocks = self._blocks()
        return (blocks[at] for at in range(bisect_left(blocks, (first, "", "")), len(blocks)))

    def after(self, position: SchedulePosition) -> SetKey | None:
        """Return the first deal set after this position in the schedule; None if there is none."""
        blocks = self._blocks()
        for at in range(bisect_left(blocks, position[:3]), len(blocks)):
            block = blocks[at]
            done = position[3] % BLOCK_SETS + 1 if block == position[:3] else 0
            if bits := self._bits[block] >> done:
                number = block.sets.start + done + (bits & -bits).bit_length() - 1
                return SetKey(block.entry, block.lineup, number)
        return None

    def _blocks(self) -> list[Block]:
        if self._in_order is None:
            self._in_order = sorted(self._bits)
        return self._in_order
