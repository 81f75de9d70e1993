"""Estimates the tricks of a hand quickly: the greedy bot's odds, cached suit by suit."""

from __future__ import annotations

from bowerbird.bots.greedy.odds import Odds, trick_chances
from bowerbird.bots.greedy.ranking import Ranking
from bowerbird.engine import Pack

MOST_HANDS = 50_000
"""How many hands one estimator caches. Ten full estimators need about 50 MB."""


class TrickEstimator:
    """An estimator of the tricks of hands under one trump, against `opponents` opponents with `cards_each` cards each.

    The tricks of a suit depend almost only on the cards held in it. There are few different holdings, so each is
    evaluated once (`bowerbird.bots.greedy.odds.trick_chances`).
    """

    __slots__ = (
        "_cards_each",
        "_hands",
        "_opponents",
        "_plain_holdings",
        "_plain_suits",
        "_ranking",
        "_trump_holdings",
        "_trumps",
    )

    def __init__(self, pack: Pack, trump: str, opponents: int, cards_each: int) -> None:
        """Start with empty caches."""
        ranking = self._ranking = Ranking(pack, trump)
        self._opponents = opponents
        self._cards_each = cards_each
        self._trumps = ranking.trumps
        self._plain_suits = tuple({suit for suit in ranking.suit.values() if not suit & ranking.trumps})
        self._plain_holdings: dict[int, float] = {0: 0.0}
        self._trump_holdings: dict[tuple[int, int], float] = {}
        self._hands: dict[int, float] = {}

    def tricks(self, hand: int) -> float:
        """Return the tricks that the set of cards `hand` takes alone, on average."""
        found = self._hands.get(hand)
        if found is None:
            if len(self._hands) >= MOST_HANDS:
                self._hands.clear()
            found = self._hands[hand] = self._add_suits(hand)
        return found

    def _add_suits(self, hand: int) -> float:
        """Add up the tricks of each suit."""
        plain = self._plain_holdings
        total = 0.0
        voids = 0
        for suit in self._plain_suits:
            held = hand & suit
            if not held:
                voids += 1
                continue
            tricks = plain.get(held)
            if tricks is None:
                tricks = plain[held] = sum(trick_chances(self._odds(held), held).values())
            total += tricks
        trumps = hand & self._trumps
        if not trumps:
            return total
        tricks = self._trump_holdings.get((trumps, voids))
        if tricks is None:
            tricks = self._trump_holdings[trumps, voids] = self._trump_tricks(trumps, voids)
        return total + tricks

    def _odds(self, held: int) -> Odds:
        unseen = self._ranking.pack.whole & ~held
        return Odds(self._ranking, unseen, 0, self._opponents, self._cards_each)

    def _trump_tricks(self, trumps: int, voids: int) -> float:
        """Evaluate trumps beside the lowest card of each plain suit held, since only the number of voids matters."""
        fillers = [suit & -suit for suit in self._plain_suits[voids:]]
        found = trick_chances(self._odds(trumps), trumps | sum(fillers))
        return sum(chance for card, chance in found.items() if card & trumps)
