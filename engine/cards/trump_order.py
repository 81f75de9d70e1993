"""Trump, bowers, following suit and winning tricks (A3, A4, A5).

For one pack and one trump, `TrumpOrder` records for each card led which cards follow, how strong each card is, and the
least strength that beats it. Two cards are equally strong only if they are copies of each other (or jokers declared
equal). Then the second beats the first (A5c), or with `first_wins` the first stays best (V22.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bowerbird.engine.actions import LOW, RANKS

MATES = {"s": "c", "c": "s", "h": "d", "d": "h"}
"""The other suit of the same colour (A2)."""

_RED = ("h", "d")
_STRENGTH_OF_A_TRUMP = 100


def effective_suit(code: str, trump: str) -> str:
    """Return the suit of the card `code` (notation.md, Cards) under `trump` (A3).

    >>> effective_suit("Jc", "s"), effective_suit("Jc", "h"), effective_suit("Jc", "nt")
    ('s', 'c', 'c')
    """
    if code[0] == "X":
        return trump
    if trump in MATES and code == "J" + MATES[trump]:
        return trump
    return code[1]


@dataclass(frozen=True, slots=True)
class Lead:
    """The effect of the card led: the cards that follow it, and each card's strength and what beats it.

    `to_beat` is the smallest strength that beats the card when it is the best so far.
    """

    follow: int
    strength: dict[int, int]
    to_beat: dict[int, int]


NOTHING_LED = Lead(0, {}, {})
"""The lead before the first card of a trick, when there is no suit to follow."""


class TrumpOrder:
    """The cards of one pack under one trump. Immutable.

    Attributes:
        trumps: the set of all trumps, including both bowers and the jokers.
        lead: the `Lead` by the bit of the card led.
        ranking: trumps from the highest down; copies of a card are neighbours.
    """

    def __init__(
        self, codes: Mapping[int, str], trump: str, *, equal_jokers: bool = False, first_wins: bool = False
    ) -> None:
        """Order the cards `codes` (text by bit). Raise ValueError for a joker at no trump, which no variant allows."""
        suits: dict[str, list[int]] = {}
        rank: dict[int, int] = {}
        for bit, code in codes.items():
            if trump not in MATES and code[0] == "X":
                raise ValueError("no variant combines a joker with no trump (A3)")
            suits.setdefault(effective_suit(code, trump), []).append(bit)
            rank[bit] = _rank(code, trump, equal_jokers)
        self.trump = trump
        self.ranking = tuple(sorted(suits.get(trump, ()), key=rank.__getitem__, reverse=True))
        self.trumps = sum(self.ranking)
        self.lead: dict[int, Lead] = {}
        for bits in suits.values():
            strength = dict.fromkeys(codes, 0)
            strength.update((bit, rank[bit]) for bit in bits)
            strength.update((bit, rank[bit] + _STRENGTH_OF_A_TRUMP) for bit in self.ranking)
            to_beat = {bit: worth + 1 for bit, worth in strength.items()} if first_wins else strength
            lead = Lead(sum(bits), strength, to_beat)
            self.lead.update((bit, lead) for bit in bits)

    def highest(self, n: int) -> int:
        """Return the set of the `n` highest trumps (for single packs)."""
        return sum(self.ranking[:n])


def _rank(code: str, trump: str, equal_jokers: bool) -> int:
    """Return the rank of a card in its effective suit: 1 or more, and higher is stronger."""
    if code[0] == "X":
        return 30 + _rank_of_joker(code, trump, equal_jokers)
    if trump == LOW:
        return 1 + RANKS.index(code[0])
    if trump in MATES and code[0] == "J":
        if code[1] == trump:
            return 21
        if code[1] == MATES[trump]:
            return 20
    return 14 - RANKS.index(code[0])


def _rank_of_joker(code: str, trump: str, equal_jokers: bool) -> int:
    if equal_jokers:
        return 0
    if code in ("Xr", "Xb"):  # V19.3: the joker of the trump's colour is higher
        return int((code == "Xr") == (trump in _RED))
    return 3 - int(code[1])
