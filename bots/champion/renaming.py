"""Renames suits and seats by their role in a hand.

The rules treat all suits alike, so a network need not learn anything four times. Trump is renamed to spades, and the
other suit of its colour to clubs. Before trump is fixed, the upcard's suit takes its place or, without an upcard, the
seat's longest suit.

Of the two suits of the other colour, the longer one is renamed to hearts. A seat in an action, as in `partner 3`, is
renamed to its distance from the actor, which is also the order of seats in an observation.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bowerbird.bots.champion.network import Array, Masks
from bowerbird.envs.tracking import Observer

Numbers = NDArray[np.int64]
SUITS = "shdc"
MATES = {"s": "c", "h": "d", "d": "h", "c": "s"}
"""The other suit of the same colour."""

_LEAST, _MOST_FACTS = 2**22, 2**8
"""Facts that distinguish equal suits have weights below the first number. A suit has fewer of them than the second."""

_NAMED = re.compile(r"\b([AKQJT2-9]?)([shdc])\b")
"""A suit, or a card with its rank, in the notation of cards and actions."""

_SEATED = re.compile(r"\b(ask|partner|lead|seat) (\d+)$")
"""A seat, in the notation of the actions that name one or after the word "seat"."""


@dataclass(frozen=True)
class Naming:
    """A way to rename suits and seats.

    Attributes:
        suits: the original suit of each renamed suit.
        actor: the seat from which the others are counted. `players` is the number of seats.
    """

    suits: Mapping[str, str]
    actor: int
    players: int

    def true(self, text: str) -> str:
        """Return the original of a renamed card or action."""
        named = _NAMED.sub(lambda match: match[1] + self.suits[match[2]], text)
        return _SEATED.sub(lambda match: f"{match[1]} {(int(match[2]) + self.actor) % self.players}", named)


class Renaming:
    """The ways to rename suits and seats, for one layout. Suits of the same colour keep a common colour.

    So there are eight ways, or eight for each actor if actions name seats. Arrays have a row for each decision, and
    `ways` has the number of each row's way.
    """

    def __init__(self, observer: Observer) -> None:
        layout, pack, actions = observer.layout, observer.layout.rules.pack, observer.actions.actions
        self._seat = layout.fields.get("seat")
        """The part of an observation for the actor's own seat, or None if no action names a seat."""
        actors = 1 if self._seat is None else layout.players
        namings = [
            Naming(suits_of(first, other), actor, layout.players) for first, other in _ways() for actor in range(actors)
        ]
        self._observed = np.array([_places_of_layout(observer, naming) for naming in namings])
        self._actions = np.array([_places([str(action) for action in actions], naming) for naming in namings])
        self._renamed_actions = self._actions.argsort(axis=1)
        self._cards = np.array([_places(pack.bit_order, naming) for naming in namings])
        self._weights = _weights(observer)
        self._way = np.zeros((len(SUITS), len(SUITS)), np.int64)
        for way, (first, other) in enumerate(_ways()):
            self._way[SUITS.index(first), SUITS.index(other)] = way * actors

    def ways(self, observations: Array) -> Numbers:
        """Return the way in which to rename each row of observations."""
        order = np.argsort(-(observations @ self._weights), axis=1, kind="stable")
        first, second = order[:, 0], order[:, 1]
        other = np.where(first + second == 3, order[:, 2], second)  # the numbers of a colour's two suits sum to 3
        way: Numbers = self._way[first, other]
        if self._seat is None:
            return way
        actors: Numbers = observations[:, self._seat.offset :][:, : self._seat.length].argmax(axis=1)
        return way + actors

    def observations(self, found: Array, ways: Numbers) -> Array:
        """Return observations renamed."""
        return _taken(found, self._observed[ways])

    def masks(self, found: Masks, ways: Numbers) -> Masks:
        """Return masks of legal actions, renamed."""
        return _taken(found, self._actions[ways])

    def hands(self, found: Array, ways: Numbers) -> Array:
        """Return sets of cards, renamed. A row has several sets, one after another."""
        sets = found.reshape(len(found), -1, self._cards.shape[1])
        renamed: Array = np.take_along_axis(sets, self._cards[ways][:, None], axis=2).reshape(found.shape)
        return renamed

    def scores(self, renamed: Array, ways: Numbers) -> Array:
        """Return the scores of the original actions from the scores of the renamed actions."""
        return _taken(renamed, self._renamed_actions[ways])

    def actions(self, renamed: Numbers, ways: Numbers) -> Numbers:
        """Return the original numbers of renamed actions."""
        found: Numbers = self._actions[ways, renamed]
        return found

    def renamed(self, actions: Numbers, ways: Numbers) -> Numbers:
        """Return the renamed numbers of actions."""
        found: Numbers = self._renamed_actions[ways, actions]
        return found


def suits_of(first: str, other: str) -> dict[str, str]:
    """Return the suits of the way that renames `first` to spades and `other`, of the other colour, to hearts."""
    return {"s": first, "c": MATES[first], "h": other, "d": MATES[other]}


def _ways() -> Iterator[tuple[str, str]]:
    return ((first, other) for first in SUITS for other in SUITS if other not in {first, MATES[first]})


def _taken(rows: NDArray[Any], places: Numbers) -> NDArray[Any]:
    """Return the elements at each row's places."""
    starts = np.arange(len(rows))[:, None] * rows.shape[1]
    found: NDArray[Any] = rows.ravel().take(places + starts)
    return found


def _places(texts: Sequence[str], naming: Naming) -> list[int]:
    """Return the place in `texts` of each text's original. Equal texts keep their order."""
    place, seen = {}, Counter[str]()
    for number, text in enumerate(texts):
        place[text, seen[text]] = number
        seen[text] += 1
    found, seen = [], Counter()
    for text in texts:
        true = naming.true(text)
        found.append(place[true, seen[true]])
        seen[true] += 1
    return found


def _texts(observer: Observer) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each part of an observation that is about suits, cards or seats: its first place, and their names."""
    layout, pack = observer.layout, observer.layout.rules.pack
    for name, field in layout.fields.items():
        # A field without names has one or more places for each card, or is not about suits.
        texts = field.values or (() if field.length % pack.size else pack.bit_order * (field.length // pack.size))
        if name == "seat":
            texts = tuple(f"seat {value}" for value in texts)
        for seat in range(layout.players if field.part == "seats" else 1):
            yield field.offset + seat * layout.block, texts


def _places_of_layout(observer: Observer, naming: Naming) -> list[int]:
    """Return, for each place of a renamed observation, its place in the original one."""
    found = list(range(observer.layout.size))
    known: dict[tuple[str, ...], list[int]] = {}  # each seat has the same fields
    for first, texts in _texts(observer):
        if texts not in known:
            known[texts] = _places(texts, naming)
        found[first : first + len(texts)] = [first + place for place in known[texts]]
    return found


def _weights(observer: Observer) -> NDArray[np.float64]:
    """Return by place and suit how strongly the place favours renaming the suit to spades, as integers with exact sums.

    Trump counts more than the upcard, the upcard more than the hand, and the number of cards in it more than their
    ranks. All other facts that distinguish suits break ties, each with its own weight.
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
