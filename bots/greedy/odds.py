"""The chance that a card wins a trick, estimated from the cards that a seat has not seen.

Like a plain player, it assumes only that every unseen card is equally likely to be anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.bots.greedy.ranking import Ranking, bits


@dataclass(frozen=True, slots=True)
class Odds:
    """The cards and opponents that stand against a seat.

    Attributes:
        ranking: the cards under the actual or assumed trump.
        unseen: the set of cards whose place the seat does not know.
        shown: the set of cards that opponents hold face up.
        opponents: the number of seats that play against the seat.
        cards_each: the number of cards that each opponent holds face down.
    """

    ranking: Ranking
    unseen: int
    shown: int
    opponents: int
    cards_each: int

    def unheld(self, cards: int, opponents: int) -> float:
        """Return the chance that none of `opponents` opponents holds any of `cards`."""
        if not opponents:
            return 1.0
        if cards & self.shown:
            return 0.0
        unseen = self.unseen.bit_count()
        if not unseen:
            return 1.0
        held = min(1.0, opponents * self.cards_each / unseen)
        return float((1.0 - held) ** (cards & self.unseen).bit_count())

    def void(self, suit: int, played: int = 0) -> float:
        """Return the chance that one opponent is void in `suit` after `played` more of its unseen cards are gone."""
        if suit & self.shown:
            return 0.0
        unseen = self.unseen.bit_count()
        left = max(0, (suit & self.unseen).bit_count() - played)
        if not left or not unseen:
            return 1.0
        return float((1.0 - min(1.0, left / unseen)) ** self.cards_each)

    def holds(self, cards: int, suit: int) -> float:
        """Return the chance that one opponent who is void in `suit` holds any of `cards`."""
        if cards & self.shown:
            return 1.0
        others = (self.unseen & ~suit).bit_count()
        wanted = (self.unseen & cards & ~suit).bit_count()
        if not wanted:
            return 0.0
        return float(1.0 - (1.0 - min(1.0, wanted / others)) ** self.cards_each)

    def wins_when_led(self, card: int, opponents: int, played: int = 0) -> float:
        """Return the chance that `card` wins when it is led before `opponents` opponents.

        `played` is the number of unseen cards of its suit that are gone by then.
        """
        ranking = self.ranking
        stands = self.unheld(ranking.above[card], opponents)
        suit = ranking.suit[card]
        if not stands or suit & ranking.trumps or not ranking.trumps:
            return stands
        ruffed = self.void(suit, played) * self.holds(ranking.trumps, suit)
        return stands * float((1.0 - ruffed) ** opponents)

    def wins_when_ruffing(self, card: int, led: int, opponents: int) -> float:
        """Return the chance that trump `card` wins a trick led with plain card `led`, before `opponents` more
        opponents."""
        if not opponents:
            return 1.0
        overruffed = self.void(self.ranking.suit[led]) * self.holds(self.ranking.above[card], self.ranking.suit[led])
        return float((1.0 - overruffed) ** opponents)


def trick_chances(odds: Odds, hand: int) -> dict[int, float]:
    """Return, for each card of `hand`, the chance that it takes a trick at some time.

    A plain card must be high and escape the trumps, and the second card of a suit is ruffed more often than the first.
    A trump takes a trick if it is high, becomes high when higher trumps of the hand draw those above it, is long, or
    ruffs a missing suit. The better chances go to the higher trumps, since it is unknown which trump will turn out to
    be long or will ruff.
    """
    ranking = odds.ranking
    found: dict[int, float] = {}
    trumps = ranking.descending(hand & ranking.trumps)
    voids = _void_suits(ranking, hand)
    longest = _longest_trumps(odds)
    won: list[float] = []
    for place, card in enumerate(trumps):
        above = ranking.above[card] & odds.unseen
        for _ in range(place):  # each higher trump of the hand draws one of those above it when led
            above &= above - 1
        long = min(0.9, max(0.0, place + 1 - longest))
        ruff = min(0.6, 0.22 + 0.13 * voids)
        won.append(max(odds.unheld(above | ranking.above[card] & odds.shown, odds.opponents), long, ruff))
    found.update(zip(trumps, sorted(won, reverse=True), strict=True))
    plain = hand & ~ranking.trumps
    while plain:
        suit = ranking.suit[plain & -plain]
        for place, card in enumerate(ranking.descending(plain & suit)):
            found[card] = odds.wins_when_led(card, odds.opponents, place * odds.opponents)
        plain &= ~suit
    return found


def _void_suits(ranking: Ranking, hand: int) -> int:
    """Return the number of plain suits that `hand` lacks."""
    plain = ranking.pack.whole & ~ranking.trumps
    voids = 0
    while plain:
        suit = ranking.suit[plain & -plain]
        voids += not hand & suit
        plain &= ~suit
    return voids


def _longest_trumps(odds: Odds) -> float:
    """Estimate the number of trumps held by the opponent with the most trumps."""
    unseen = odds.unseen.bit_count()
    shown = (odds.shown & odds.ranking.trumps).bit_count()
    if not unseen or not odds.opponents:
        return float(shown)
    each = (odds.unseen & odds.ranking.trumps).bit_count() * odds.cards_each / unseen
    return shown + each + (0.8 if each else 0.0)


def expected_tricks(odds: Odds, hand: int) -> float:
    """Return the number of tricks that `hand` takes alone, on average."""
    return sum(trick_chances(odds, hand).values())


def weakest_card(odds: Odds, hand: int, allowed: int) -> int:
    """Return the card of `allowed` without which `hand` is strongest. Among equals, it is the lowest."""

    def merit(card: int) -> tuple[float, int, int]:
        return round(expected_tricks(odds, hand & ~card), 6), -odds.ranking.strength[card], -card

    return max(bits(allowed), key=merit)
