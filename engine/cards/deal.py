"""Deals, declared as text (A7).

`"hands 2, hands 3, upcard"` deals a packet of two to each hand in the deal order, then a packet of three, then one card
face up. A round can name several receivers: `"hands widow 2"` deals two cards to each hand and then two to the pile
`widow`.

Receivers:
    hands          every seat from the eldest to the dealer
    eldest, dealer one seat's hand
    upcard         face up, one card, no number
    seconds        (any plural declared in `each`) one pile for each seat, named `seconds 0` and so on
    widow          (any name declared in `piles`) one pile of that name, face down
The number after the receivers is the packet size. `x 4` after that number deals the round four times.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from bowerbird.engine.wording import unknown

HANDS = "hands"
ELDEST = "eldest"
DEALER = "dealer"
UPCARD = "upcard"


@dataclass(frozen=True, slots=True)
class DealPlan:
    """A plan of where each card of the shuffled pack goes, for one dealer.

    Attributes:
        hands: for each seat, a function that takes the seat's cards out of the shuffled pack.
        piles: (name, places) of each pile, with the places in the order dealt.
        upcard: place of the upcard, or None. dealt: total number of cards dealt.
    """

    hands: tuple[itemgetter[Any], ...]
    piles: tuple[tuple[str, tuple[int, ...]], ...]
    upcard: int | None
    dealt: int


class _Round(NamedTuple):
    """One round of a deal: `size` cards to each receiver, repeated `times` times."""

    receivers: tuple[str, ...]
    size: int
    times: int


def plans(text: str, players: int, *, each: tuple[str, ...] = (), piles: tuple[str, ...] = ()) -> tuple[DealPlan, ...]:
    """Return the plan for each dealer.

    Args:
        text: the deal, as described above.
        players: number of seats.
        each: names of the piles that exist once for each seat.
        piles: names of the other piles.

    Raises:
        ValueError: `text` names an unknown receiver or is malformed.
    """
    known = (HANDS, ELDEST, DEALER, UPCARD, *each, *piles)
    rounds = [_round(text, step.split(), known) for step in text.split(",")]
    return tuple(_plan(rounds, players, dealer, each) for dealer in range(players))


def _round(text: str, words: list[str], known: tuple[str, ...]) -> _Round:
    """Parse one round of the deal `text` from `words`; `known` contains the allowed receivers."""
    times = size = 1
    if len(words) > 2 and words[-2] == "x" and words[-1].isdigit():
        times = int(words[-1])
        words = words[:-2]
    if words and words[-1].isdigit():
        size = int(words[-1])
        words = words[:-1]
    for word in words:
        if word not in known:
            raise ValueError(f'deal "{text}": {unknown("receiver", word, known)}')
    if not words:
        raise ValueError(f'deal "{text}": a round names no receiver')
    if UPCARD in words and (size, times) != (1, 1):
        raise ValueError(f'deal "{text}": the upcard is one card and takes no number')
    return _Round(tuple(words), size, times)


def _plan(rounds: list[_Round], players: int, dealer: int, each: tuple[str, ...]) -> DealPlan:
    order = [(dealer + 1 + k) % players for k in range(players)]
    hands: list[list[int]] = [[] for _ in range(players)]
    piles: dict[str, list[int]] = {}
    upcard = None
    place = 0
    for receivers, size, times in rounds:
        for name in receivers * times:
            if name == UPCARD:
                upcard = place
                place += 1
                continue
            for receiver in _receivers(name, order, each, hands, piles):
                receiver.extend(range(place, place + size))
                place += size
    fixed = tuple((name, tuple(places)) for name, places in piles.items())
    return DealPlan(tuple(itemgetter(*places) for places in hands), fixed, upcard, place)


def _receivers(
    name: str, order: list[int], each: tuple[str, ...], hands: list[list[int]], piles: dict[str, list[int]]
) -> list[list[int]]:
    """Return the hands or piles that the receiver `name` stands for, in the deal order."""
    if name == HANDS:
        return [hands[seat] for seat in order]
    if name == ELDEST:
        return [hands[order[0]]]
    if name == DEALER:
        return [hands[order[-1]]]
    if name in each:
        return [piles.setdefault(f"{name} {seat}", []) for seat in order]
    return [piles.setdefault(name, [])]
