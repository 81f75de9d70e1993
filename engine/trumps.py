"""Trump, bowers, who must follow and who wins a trick (A3, A4, A5).

`Order` holds, for one pack and one trump, what the card led asks for and how strong each card then is. A card wins
against the best so far when its strength is *at least* as high: two cards are equally strong only when they are copies
of each other (or jokers declared alike), and then the second beats the first (A5c).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.cards import Pack

MATES = {"s": "c", "c": "s", "h": "d", "d": "h"}
"""The other suit of the same colour (A2)."""

_RED = ("h", "d")
_STRENGTH_OF_A_TRUMP = 100


def effective_suit(code: str, trump: str) -> str:
    """The suit that a card belongs to under this trump (A3); a card written as in NOTATION.md."""
    if code[0] == "X":
        return trump
    if trump != "nt" and code == "J" + MATES[trump]:
        return trump
    return code[1]


@dataclass(frozen=True, slots=True)
class Lead:
    """What a card that was led asks for: the cards that follow it, and every card's strength in this trick."""

    follow: int
    strength: dict[int, int]


NOTHING_LED = Lead(0, {})
"""Before the first card of a trick: nothing need be followed."""


class Order:
    """The cards of one pack under one trump. Immutable.

    Attributes:
        trumps: the set of all trumps, both bowers and the jokers included.
        lead: by the bit of the card led.
        ranking: trumps from the highest down; copies of a card stand side by side.
    """

    def __init__(self, pack: Pack, trump: str) -> None:
        """Raises ValueError for a joker with no trump, which no variant has (A3)."""
        if trump == "nt" and pack.jokers:
            raise ValueError("no variant combines a joker with no trump (RULES.md A3)")
        self.trump = trump
        suits: dict[str, list[int]] = {}
        for bit in pack.cards:
            suits.setdefault(effective_suit(pack.code[bit], trump), []).append(bit)
        rank = {bit: _rank(pack, pack.code[bit], trump) for bit in pack.cards}
        self.ranking = tuple(sorted(suits.get(trump, ()), key=rank.__getitem__, reverse=True))
        self.trumps = sum(self.ranking)
        self.lead: dict[int, Lead] = {}
        for bits in suits.values():
            strength = dict.fromkeys(pack.cards, 0)
            strength.update((bit, rank[bit]) for bit in bits)
            strength.update((bit, rank[bit] + _STRENGTH_OF_A_TRUMP) for bit in self.ranking)
            lead = Lead(sum(bits), strength)
            self.lead.update((bit, lead) for bit in bits)

    def highest(self, n: int) -> int:
        """The set of the n highest trumps (single packs)."""
        return sum(self.ranking[:n])


def _rank(pack: Pack, code: str, trump: str) -> int:
    """Place of a card inside its effective suit, higher is stronger, at least 1."""
    if code[0] == "X":
        return 30 + _rank_of_joker(pack, code, trump)
    if trump != "nt" and code[0] == "J":
        if code[1] == trump:
            return 21
        if code[1] == MATES[trump]:
            return 20
    return 14 - "AKQJT98765432".index(code[0])


def _rank_of_joker(pack: Pack, code: str, trump: str) -> int:
    if pack.equal_jokers:
        return 0
    if code in ("Xr", "Xb"):  # V19.3: the one of the trump's colour is the higher
        return int((code == "Xr") == (trump in _RED))
    return 3 - int(code[1])
