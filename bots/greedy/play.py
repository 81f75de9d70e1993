"""The play: what to lead, what to put to a trick."""

from __future__ import annotations

from bots.greedy.odds import Odds, chances
from bots.greedy.ranking import Ranking, bits
from bots.greedy.situation import Situation
from engine import Action

KEEP = 0.8
"""What a trick later is worth against one now: a card that would win later may yet be ruffed or discarded."""

SURE = 0.25
"""A plain card is led to win when it does so at least this often."""


def play(s: Situation) -> Action:
    """Lead, or put a card to the trick."""
    view = s.view
    legal = view.legal
    if len(legal) == 1:
        return legal[0]
    by_card = {_bit(s, action.card): action for action in legal}
    return by_card[follow(s, by_card) if view.trick else lead(s, by_card)]


def _bit(s: Situation, code: str) -> int:
    """One copy of a card."""
    copies = s.pack.bits[code]
    return copies & -copies


def lead(s: Situation, legal: dict[int, Action]) -> int:
    """The card to lead.

    Trumps first for who has the most of them, because they draw those that would ruff; then plain cards that win,
    before they can be ruffed; else the card that is missed least.
    """
    worth = _worth(s, legal)
    ranking = s.ranking
    trumps = [card for card in worth if card & ranking.trumps]
    if trumps and _draws(s, len(trumps)):
        return max(trumps, key=ranking.strength.__getitem__)
    odds = s.odds
    winners = [card for card in worth if not card & ranking.trumps and odds.leading(card, odds.opponents) >= SURE]
    if winners:
        return max(winners, key=lambda card: (_gain(s, card, odds.leading(card, odds.opponents)), -card))
    return min(worth, key=lambda card: (worth[card], ranking.strength[card], card))


def _draws(s: Situation, trumps: int) -> bool:
    """Whether to lead trumps: opponents have some, and the own side has made them or the own hand is long in them."""
    odds = s.odds
    out = (odds.unseen | odds.shown) & s.ranking.trumps
    if not out or not odds.opponents:
        return False
    view = s.view
    highest = max(bits(s.hand & s.ranking.trumps), key=s.ranking.strength.__getitem__)
    masters = not s.ranking.above[highest] & (odds.unseen | odds.shown)
    if view.maker is None or (view.maker != view.seat and not s.allied(view.maker)):
        return masters and trumps > 1
    return masters or trumps > 2


def _worth(s: Situation, legal: dict[int, Action]) -> dict[int, float]:
    """By legal card, what it may still bring later."""
    later = chances(s.odds, s.hand)
    return {card: _gain(s, card, later.get(card, 0.0)) for card in legal}


def _gain(s: Situation, card: int, chance: float) -> float:
    """A chance to win with a card, in tricks: a king may count extra (V11)."""
    king = s.temper.king
    return chance * (1.0 + king) if king and s.ranking.pack.code[card][0] == "K" else chance


def follow(s: Situation, legal: dict[int, Action]) -> int:
    """The card whose chance to win this trick for the own side is highest, less what it might bring later.

    So it wins as cheaply as it can, throws the lowest when it cannot or a partner wins already, and spends a high card
    before opponents only when it is likely to hold.
    """
    trick = _Trick(s)
    worth = _worth(s, legal)
    strength = s.ranking.strength

    def merit(card: int) -> tuple[float, int, int]:
        now = _gain(s, card, trick.own(card)) + trick.partners(card)
        return round(now - KEEP * worth[card], 6), -strength[card], -card

    return max(legal, key=merit)


class _Trick:
    """The trick on the table, before the own card."""

    def __init__(self, s: Situation) -> None:
        view = s.view
        ranking: Ranking = s.ranking
        self.ranking = ranking
        self.led = _bit(s, view.trick[0][1])
        self.best = self.led
        self.winner = view.trick[0][0]
        for seat, code in view.trick[1:]:
            card = _bit(s, code)
            if code == ranking.pack.code[self.best] or ranking.beats(card, self.best):
                self.best, self.winner = card, seat
        played = {seat for seat, _ in view.trick}
        self.after = sum(seat not in played for seat in s.foes)
        self.odds: Odds = s.odds
        self.ally_wins = s.allied(self.winner)

    def own(self, card: int) -> float:
        """The chance that the trick is won with this card."""
        if card != self.best and not self.ranking.beats(card, self.best):
            return 0.0
        return self._stands(card)

    def partners(self, card: int) -> float:
        """The chance that a partner's card, not overtaken by this one, wins the trick."""
        if not self.ally_wins or self.ranking.beats(card, self.best):
            return 0.0
        return self._stands(self.best)

    def _stands(self, card: int) -> float:
        """The chance that nobody of the opponents to come beats a card."""
        ranking = self.ranking
        if not self.after:
            return 1.0
        if card & ranking.suit[self.led]:
            return self.odds.leading(card, self.after)
        return self.odds.ruffing(card, self.led, self.after)


def dictate(s: Situation) -> Action:
    """Of the Jambone player's cards (V4.5.5) take the strongest that loses; if all win, the weakest."""
    view = s.view
    by_card = {_bit(s, action.card): action for action in view.legal}
    strength = s.ranking.strength
    if not view.trick:
        return by_card[min(by_card, key=lambda card: (strength[card], card))]
    trick = _Trick(s)
    losing = [card for card in by_card if not s.ranking.beats(card, trick.best)]
    if losing:
        return by_card[max(losing, key=lambda card: (strength[card], -card))]
    return by_card[min(by_card, key=lambda card: (strength[card], card))]
