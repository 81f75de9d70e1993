"""How the cards are dealt, declared as text (A7).

`"hands 2, hands 3, upcard"`: a packet of two to each hand in the deal order, then of three, then one card face up.
A round may name more than one receiver: `"hands widow 2"` gives two to each hand and then two to the pile `widow`.

Receivers:
    hands          every seat from the eldest to the dealer
    seconds        (any other plural that is declared in `each`) one pile for each seat, named `seconds 0` and so on
    eldest, dealer one seat's hand
    upcard         face up, one card, no number
    anything else  one pile of that name, face down
A number after the receivers is the size of the packet, `x 4` after it repeats the round.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each place of the pack goes when a certain seat deals.

    `hands[seat]` takes a seat's cards out of the shuffled pack, `piles` the named piles in the order dealt to them,
    `upcard` is the place of the upcard or None, `dealt` how many cards are dealt in all.
    """

    hands: tuple[itemgetter[Any], ...]
    piles: tuple[tuple[str, tuple[int, ...]], ...]
    upcard: int | None
    dealt: int


def plans(text: str, players: int, *, each: tuple[str, ...] = ()) -> tuple[Plan, ...]:
    """The plan for each dealer; `each` lists the piles that every seat has one of."""
    rounds = [step.split() for step in text.split(",")]
    return tuple(_plan(rounds, players, dealer, each) for dealer in range(players))


def _plan(rounds: list[list[str]], players: int, dealer: int, each: tuple[str, ...]) -> Plan:
    order = [(dealer + 1 + k) % players for k in range(players)]
    hands: list[list[int]] = [[] for _ in range(players)]
    piles: dict[str, list[int]] = {}
    upcard = None
    place = 0
    for step in rounds:
        names, size, times = _parse(step)
        for _ in range(times):
            for name in names:
                if name == "upcard":
                    upcard = place
                    place += 1
                    continue
                for receiver in _receivers(name, order, each, hands, piles):
                    receiver.extend(range(place, place + size))
                    place += size
    fixed = tuple((name, tuple(places)) for name, places in piles.items())
    return Plan(tuple(itemgetter(*places) for places in hands), fixed, upcard, place)


def _parse(step: list[str]) -> tuple[list[str], int, int]:
    """Receivers, size of a packet, number of times."""
    times = 1
    if "x" in step:
        at = step.index("x")
        times = int(step[at + 1])
        step = step[:at]
    if step[-1].isdigit():
        return step[:-1], int(step[-1]), times
    return step, 1, times


def _receivers(
    name: str, order: list[int], each: tuple[str, ...], hands: list[list[int]], piles: dict[str, list[int]]
) -> list[list[int]]:
    if name == "hands":
        return [hands[seat] for seat in order]
    if name == "eldest":
        return [hands[order[0]]]
    if name == "dealer":
        return [hands[order[-1]]]
    if name in each:
        return [piles.setdefault(f"{name} {seat}", []) for seat in order]
    return [piles.setdefault(name, [])]
