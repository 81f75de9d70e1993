"""Tricks that a hand may expect, quickly: the greedy bot's odds, remembered suit by suit."""

from __future__ import annotations

from bots.greedy.odds import Odds, chances
from bots.greedy.ranking import Ranking
from engine.cards import Pack

MOST_HANDS = 50_000
"""Hands remembered by one estimate; about as many megabytes as ten such estimates need."""


class Estimate:
    """Expected tricks of any hand under one trump, against so many opponents with so many cards each.

    What a suit brings depends, nearly, on the cards held in it alone, so that few different holdings occur and each is
    worked out once (`bots.greedy.odds.chances`).
    """

    __slots__ = ("_brings", "_each", "_known", "_opponents", "_plain", "_ranking", "_suits", "_trumps")

    def __init__(self, pack: Pack, trump: str, opponents: int, each: int) -> None:
        """See the class."""
        ranking = self._ranking = Ranking(pack, trump)
        self._opponents = opponents
        self._each = each
        self._trumps = ranking.trumps
        self._suits = tuple({suit for suit in ranking.suit.values() if not suit & ranking.trumps})
        self._plain: dict[int, float] = {0: 0.0}
        self._brings: dict[tuple[int, int], float] = {}
        self._known: dict[int, float] = {}

    def tricks(self, hand: int) -> float:
        """Tricks that a set of cards takes by itself, as a rule."""
        found = self._known.get(hand)
        if found is None:
            if len(self._known) >= MOST_HANDS:
                self._known.clear()
            found = self._known[hand] = self._added_up(hand)
        return found

    def _added_up(self, hand: int) -> float:
        """Suit by suit."""
        plain = self._plain
        total = 0.0
        gaps = 0
        for suit in self._suits:
            held = hand & suit
            if not held:
                gaps += 1
                continue
            brings = plain.get(held)
            if brings is None:
                brings = plain[held] = self._worked_out(held)
            total += brings
        trumps = hand & self._trumps
        if not trumps:
            return total
        brings = self._brings.get((trumps, gaps))
        if brings is None:
            brings = self._brings[trumps, gaps] = self._of_trumps(trumps, gaps)
        return total + brings

    def _odds(self, held: int) -> Odds:
        unseen = self._ranking.pack.whole & ~held
        return Odds(self._ranking, unseen, 0, self._opponents, self._each)

    def _worked_out(self, held: int) -> float:
        return sum(chances(self._odds(held), held).values())

    def _of_trumps(self, trumps: int, gaps: int) -> float:
        """With the lowest card of each suit that is there, since the number of gaps counts and nothing else."""
        fillers = [suit & -suit for suit in self._suits[gaps:]]
        found = chances(self._odds(trumps), trumps | sum(fillers))
        return sum(chance for card, chance in found.items() if card & trumps)
