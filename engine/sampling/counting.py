"""Uniformly random assignments of unseen cards to places, some of which admit only certain cards.

Cards admitted by the same places form a class. Dynamic programming over these classes counts the assignments exactly.
Draws follow the counts, so every assignment is equally likely and none is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb, factorial, prod
from random import Random
from typing import NamedTuple


class Group(NamedTuple):
    """Places that admit the same cards: the number of places and the set of cards."""

    size: int
    allowed: int


class _Split(NamedTuple):
    """The ways to fill one group and all later ones, by the number of cards that the group takes from each class."""

    total: int
    cumulative: tuple[int, ...]
    taken: tuple[tuple[int, ...], ...]


_Wanted = tuple[tuple[int, int], ...]
"""The size of each group still to fill, and the set of classes (as bits) that it admits."""


@lru_cache(maxsize=1 << 16)
def _split(wanted: _Wanted, left: tuple[int, ...]) -> _Split:
    """Return the number of ways to fill `wanted` with `left` cards of each class."""
    if not wanted:
        return _Split(1, (), ())
    (size, classes), rest = wanted[0], wanted[1:]
    weights, taken = [], []
    for taking in _compositions(size, left, classes):
        after = tuple(n - k for n, k in zip(left, taking, strict=True))
        ways = prod(map(comb, left, taking)) * _split(rest, after).total
        if ways:
            weights.append(ways)
            taken.append(taking)
    cumulative = tuple(accumulate(weights))
    return _Split(cumulative[-1] if cumulative else 0, cumulative, tuple(taken))


def _compositions(size: int, left: tuple[int, ...], classes: int) -> Iterator[tuple[int, ...]]:
    """Yield each choice of `size` cards by class, with at most `left` cards of each class admitted."""
    if not left:
        if not size:
            yield ()
        return
    most = min(size, left[0]) if classes & 1 else 0
    for taking in range(most + 1):
        for others in _compositions(size - taking, left[1:], classes >> 1):
            yield (taking, *others)


class Filling:
    """The ways to assign `cards` (bits) to the places of `groups`, one card to each place.

    The numbers of cards and places are equal.

    Attributes:
        ways: the number of ways, with places and cards distinguished; 0 if the demands contradict each other.
    """

    __slots__ = ("_cards", "_classes", "_free", "_left", "_tight", "_wanted", "ways")

    def __init__(self, groups: Sequence[Group], cards: Sequence[int]) -> None:
        assert sum(group.size for group in groups) == len(cards)
        whole = sum(cards)
        self._cards = list(cards)
        self._tight = [k for k, group in enumerate(groups) if whole & ~group.allowed]
        self._free = [k for k, group in enumerate(groups) if not whole & ~group.allowed]
        tight = [groups[k] for k in self._tight]
        by_signature: dict[int, list[int]] = {}
        for card in cards:
            signature = sum(1 << k for k, group in enumerate(tight) if group.allowed & card)
            by_signature.setdefault(signature, []).append(card)
        self._classes = list(by_signature.values())
        self._left = tuple(map(len, self._classes))
        self._wanted: _Wanted = tuple(
            (group.size, sum(1 << c for c, signature in enumerate(by_signature) if signature >> k & 1))
            for k, group in enumerate(tight)
        )
        sizes = [group.size for group in tight]
        self.ways = (
            _split(self._wanted, self._left).total * prod(map(factorial, sizes)) * factorial(len(cards) - sum(sizes))
        )

    def draw(self, rng: Random) -> tuple[list[int], dict[int, list[int]]]:
        """Return one way at random; all are equally likely.

        Returns:
            The cards of all groups without a demand, and the cards of each other group by its number, both in random
            order.
        """
        if not self._tight:
            free = self._cards[:]
            rng.shuffle(free)
            return free, {}
        classes = [cards[:] for cards in self._classes]
        left = self._left
        drawn: dict[int, list[int]] = {}
        for place, group in enumerate(self._tight):
            split = _split(self._wanted[place:], left)
            pick = rng.randrange(split.total)
            taking = next(taken for below, taken in zip(split.cumulative, split.taken, strict=True) if pick < below)
            cards: list[int] = []
            for among, count in zip(classes, taking, strict=True):
                for _ in range(count):
                    cards.append(among.pop(rng.randrange(len(among))))
            rng.shuffle(cards)
            drawn[group] = cards
            left = tuple(map(len, classes))
        free = [card for among in classes for card in among]
        rng.shuffle(free)
        return free, drawn

    @property
    def free(self) -> list[int]:
        """The numbers of the groups without a demand. Their places get the free cards of `draw` in this order."""
        return self._free
