"""How likely a card wins a trick, from what a seat has not seen.

Cards that were not seen are taken to lie anywhere with equal chance, which is all that a plain player assumes.
"""

from __future__ import annotations

from dataclasses import dataclass

from bots.greedy.ranking import Ranking, bits


@dataclass(frozen=True, slots=True)
class Odds:
    """What stands against a seat.

    Attributes:
        ranking: the cards under the trump that is, or might be.
        unseen: cards whose place the seat does not know.
        shown: cards that opponents are known to hold, face up.
        opponents: number of seats that play against it.
        each: cards that each of them holds face down.
    """

    ranking: Ranking
    unseen: int
    shown: int
    opponents: int
    each: int

    def high(self, above: int, opponents: int) -> float:
        """The chance that none of so many opponents holds one of the cards `above`."""
        if not opponents:
            return 1.0
        if above & self.shown:
            return 0.0
        unseen = self.unseen.bit_count()
        if not unseen:
            return 1.0
        held = min(1.0, opponents * self.each / unseen)
        return float((1.0 - held) ** (above & self.unseen).bit_count())

    def void(self, suit: int, fewer: int = 0) -> float:
        """The chance that one opponent has no card of a suit after `fewer` of the unseen ones are gone."""
        if suit & self.shown:
            return 0.0
        unseen = self.unseen.bit_count()
        left = max(0, (suit & self.unseen).bit_count() - fewer)
        if not left or not unseen:
            return 1.0
        return float((1.0 - min(1.0, left / unseen)) ** self.each)

    def holds(self, cards: int, suit: int) -> float:
        """The chance that one opponent who has no card of `suit` holds one of these cards."""
        if cards & self.shown:
            return 1.0
        others = (self.unseen & ~suit).bit_count()
        wanted = (self.unseen & cards & ~suit).bit_count()
        if not wanted:
            return 0.0
        return float(1.0 - (1.0 - min(1.0, wanted / others)) ** self.each)

    def leading(self, card: int, opponents: int, fewer: int = 0) -> float:
        """The chance that a card wins when it is led and so many opponents play after it."""
        ranking = self.ranking
        stands = self.high(ranking.above[card], opponents)
        suit = ranking.suit[card]
        if not stands or suit & ranking.trumps or not ranking.trumps:
            return stands
        ruffed = self.void(suit, fewer) * self.holds(ranking.trumps, suit)
        return stands * float((1.0 - ruffed) ** opponents)

    def ruffing(self, card: int, led: int, opponents: int) -> float:
        """The chance that a trump put on a plain card stands against so many opponents who play after it."""
        if not opponents:
            return 1.0
        over = self.void(self.ranking.suit[led]) * self.holds(self.ranking.above[card], self.ranking.suit[led])
        return float((1.0 - over) ** opponents)


def chances(odds: Odds, hand: int) -> dict[int, float]:
    """By card of a hand, the chance that it takes a trick some time.

    A plain card must be high and escape the trumps, the second of a suit more so than the first. A trump is high, or
    becomes so because higher ones of the hand draw those above it, or is long, or ruffs where a suit is missing. The
    better chances of a hand's trumps are said of its higher ones: which of them turns out long or ruffs is open.
    """
    ranking = odds.ranking
    found: dict[int, float] = {}
    trumps = ranking.descending(hand & ranking.trumps)
    gaps = _missing_suits(ranking, hand)
    longest = _longest_trumps(odds)
    won: list[float] = []
    for place, card in enumerate(trumps):
        above = ranking.above[card] & odds.unseen
        for _ in range(place):  # each higher trump of the hand, when led, takes one of those above it away
            above &= above - 1
        long = min(0.9, max(0.0, place + 1 - longest))
        ruff = min(0.6, 0.22 + 0.13 * gaps)
        won.append(max(odds.high(above | ranking.above[card] & odds.shown, odds.opponents), long, ruff))
    found.update(zip(trumps, sorted(won, reverse=True), strict=True))
    plain = hand & ~ranking.trumps
    while plain:
        suit = ranking.suit[plain & -plain]
        for place, card in enumerate(ranking.descending(plain & suit)):
            found[card] = odds.leading(card, odds.opponents, place * odds.opponents)
        plain &= ~suit
    return found


def _missing_suits(ranking: Ranking, hand: int) -> int:
    """How many plain suits a hand lacks."""
    plain = ranking.pack.whole & ~ranking.trumps
    missing = 0
    while plain:
        suit = ranking.suit[plain & -plain]
        missing += not hand & suit
        plain &= ~suit
    return missing


def _longest_trumps(odds: Odds) -> float:
    """How many trumps the opponent who has most of them holds, as a rule."""
    unseen = odds.unseen.bit_count()
    shown = (odds.shown & odds.ranking.trumps).bit_count()
    if not unseen or not odds.opponents:
        return float(shown)
    each = (odds.unseen & odds.ranking.trumps).bit_count() * odds.each / unseen
    return shown + each + (0.8 if each else 0.0)


def expected(odds: Odds, hand: int) -> float:
    """Tricks that a hand takes by itself, as a rule."""
    return sum(chances(odds, hand).values())


def worst(odds: Odds, hand: int, allowed: int) -> int:
    """The card of `allowed` without which the hand is strongest; among equals the weakest card."""
    return max(
        bits(allowed), key=lambda card: (round(expected(odds, hand & ~card), 6), -odds.ranking.strength[card], -card)
    )
