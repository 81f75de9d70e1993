"""Suits by their part in a hand, not by name: rules treat all alike, so a network learns nothing four times.

Trump is renamed to spades, the other suit of its colour to clubs. Before trump is fixed, the suit of the upcard takes
its place, and without an upcard the suit of which the seat holds most. Of the two suits of the other colour, the one of
which the seat holds more is renamed to hearts.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.champion.network import Array, Masks
from bowerbird.envs.tracking import Observer

Numbers = NDArray[np.int64]
Naming = Mapping[str, str]
"""For each suit as renamed, the suit that it is."""

SUITS = "shdc"
MATES = {"s": "c", "h": "d", "d": "h", "c": "s"}
"""The other suit of the same colour."""

_LEAST, _MOST_FACTS = 2**22, 2**8
"""Facts that tell equal suits apart weigh less than the first, and there are fewer of a suit than the second."""

_NAMED = re.compile(r"\b([AKQJT2-9]?)([shdc])\b")
"""A suit, or a card with its rank, in the notation of a card or an action."""


class Suits:
    """The eight ways to rename suits so that two of one colour stay two of one colour, for one layout.

    Arrays have a row for each decision; `ways` holds the number of the way in which each row is renamed.
    """

    def __init__(self, observer: Observer) -> None:
        pack, actions = observer.layout.rules.pack, observer.actions.actions
        namings = [naming_of(first, other) for first, other in _ways()]
        self._observed = np.array([_places_of_layout(observer, naming) for naming in namings])
        self._actions = np.array([_places([str(action) for action in actions], naming) for naming in namings])
        self._renamed_actions = self._actions.argsort(axis=1)
        self._cards = np.array([_places(pack.bit_order, naming) for naming in namings])
        self._weights = _weights(observer)
        self._way = np.zeros((len(SUITS), len(SUITS)), np.int64)
        for way, (first, other) in enumerate(_ways()):
            self._way[SUITS.index(first), SUITS.index(other)] = way

    def ways(self, observations: Array) -> Numbers:
        """Return the way in which to rename each row of observations."""
        order = np.argsort(-(observations @ self._weights), axis=1, kind="stable")
        first, second = order[:, 0], order[:, 1]
        other = np.where(first + second == 3, order[:, 2], second)  # the numbers of two suits of one colour sum to 3
        return self._way[first, other]

    def observations(self, found: Array, ways: Numbers) -> Array:
        """Return observations with suits renamed."""
        return _taken(found, self._observed[ways])

    def masks(self, found: Masks, ways: Numbers) -> Masks:
        """Return masks of legal actions with suits renamed."""
        return _taken(found, self._actions[ways])

    def hands(self, found: Array, ways: Numbers) -> Array:
        """Return sets of cards with suits renamed; each row has some, one after the other."""
        sets = found.reshape(len(found), -1, self._cards.shape[1])
        renamed: Array = np.take_along_axis(sets, self._cards[ways][:, None], axis=2).reshape(found.shape)
        return renamed

    def scores(self, renamed: Array, ways: Numbers) -> Array:
        """Return the scores of the actions as they are from those of the actions with suits renamed."""
        return _taken(renamed, self._renamed_actions[ways])

    def actions(self, renamed: Numbers, ways: Numbers) -> Numbers:
        """Return the numbers of actions as they are from those with suits renamed."""
        found: Numbers = self._actions[ways, renamed]
        return found

    def renamed(self, actions: Numbers, ways: Numbers) -> Numbers:
        """Return the numbers of actions with suits renamed."""
        found: Numbers = self._renamed_actions[ways, actions]
        return found


def naming_of(first: str, other: str) -> dict[str, str]:
    """Return the naming under which `first` becomes spades and `other`, a suit of the other colour, hearts."""
    return {"s": first, "c": MATES[first], "h": other, "d": MATES[other]}


def _ways() -> Iterator[tuple[str, str]]:
    return ((first, other) for first in SUITS for other in SUITS if other not in {first, MATES[first]})


def _taken(rows: NDArray[Any], places: Numbers) -> NDArray[Any]:
    """Return from each row what stands at its places."""
    starts = np.arange(len(rows))[:, None] * rows.shape[1]
    found: NDArray[Any] = rows.ravel().take(places + starts)
    return found


def _places(texts: Sequence[str], naming: Naming) -> list[int]:
    """Return where in `texts` each of them stands under its true name. Equal ones keep their order."""
    place, seen = {}, Counter[str]()
    for number, text in enumerate(texts):
        place[text, seen[text]] = number
        seen[text] += 1
    found, seen = [], Counter()
    for text in texts:
        true = _NAMED.sub(lambda match: match[1] + naming[match[2]], text)
        found.append(place[true, seen[true]])
        seen[true] += 1
    return found


def _texts(observer: Observer) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each part of an observation whose places stand for suits or cards: its first place, and their names."""
    layout, pack = observer.layout, observer.layout.rules.pack
    for field in layout.fields.values():
        # A field without names has a place for each card once or more often, or nothing to do with suits.
        texts = field.values or (() if field.length % pack.size else pack.bit_order * (field.length // pack.size))
        for seat in range(layout.players if field.part == "seats" else 1):
            yield field.offset + seat * layout.block, texts


def _places_of_layout(observer: Observer, naming: Naming) -> list[int]:
    """Return by place of an observation with suits renamed the place of an observation as it is."""
    found = list(range(observer.layout.size))
    for first, texts in _texts(observer):
        found[first : first + len(texts)] = [first + place for place in _places(texts, naming)]
    return found


def _weights(observer: Observer) -> NDArray[np.float64]:
    """Return by place and suit how much the place speaks for renaming the suit to spades: integers, exact in sums.

    Trump counts more than the upcard, the upcard more than the hand, the number of cards there more than their ranks.
    What else tells suits apart decides between equals, each fact with a weight of its own.
    """
    layout, pack = observer.layout, observer.layout.rules.pack
    found = np.zeros((layout.size, len(SUITS)))
    rng, drawn = random.Random(0), dict[tuple[int, str, int], int]()
    for first, texts in _texts(observer):
        seen = Counter[str]()
        for number, text in enumerate(texts):
            named = _NAMED.search(text)
            if named:
                fact = (first, _NAMED.sub(r"\1", text), seen[text])
                seen[text] += 1
                weight = drawn.setdefault(fact, rng.randrange(_LEAST))
                found[first + number, SUITS.index(named[2])] += weight
    for number, code in enumerate(pack.bit_order):
        if code not in pack.jokers:
            suit, rank = SUITS.index(code[1]), pack.ranks.index(code[0])
            worth = 2.0 ** len(pack.ranks) * (1 + 0.5 ** (1 + rank))
            found[layout["hand"].offset + number, suit] += _LEAST * _MOST_FACTS * worth
            if "upcard" in layout:
                found[layout["upcard"].offset + number, suit] += 2.0**50
    found[layout["trump"].offset :][: len(SUITS)] += np.eye(len(SUITS)) * 2.0**51
    return found
