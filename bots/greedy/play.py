"""The play: what to lead, and what to play to a trick."""

from __future__ import annotations

from bowerbird.bots.greedy.odds import trick_chances
from bowerbird.bots.greedy.position import Position
from bowerbird.bots.greedy.ranking import bits
from bowerbird.engine import Action

LATER_TRICK = 0.8
"""The value of a later trick relative to one now, since a later winner may still be ruffed or discarded."""

LIKELY_WINNER = 0.25
"""A plain card is led to win if its chance is at least this."""


def play(position: Position) -> Action:
    """Lead, or play a card to the trick."""
    view = position.view
    legal = view.legal
    if len(legal) == 1:
        return legal[0]
    by_card = {_bit(position, action.card): action for action in legal}
    return by_card[follow(position, by_card) if view.trick else lead(position, by_card)]


def _bit(position: Position, code: str) -> int:
    """Return one copy of the card `code`."""
    copies = position.pack.bits[code]
    return copies & -copies


def lead(position: Position, legal: dict[int, Action]) -> int:
    """Return the card to lead.

    It is a trump if the seat's side holds the most of them, to draw those that would ruff. Otherwise it is a plain card
    that wins, before it can be ruffed, or else the card that is missed least.
    """
    later = _later_tricks(position, legal)
    ranking = position.ranking
    trumps = [card for card in later if card & ranking.trumps]
    if trumps and _draws_trumps(position, len(trumps)):
        return max(trumps, key=ranking.strength.__getitem__)
    chances = {
        card: position.odds.wins_when_led(card, position.odds.opponents) for card in later if not card & ranking.trumps
    }
    winners = [card for card, chance in chances.items() if chance >= LIKELY_WINNER]
    if winners:
        return max(winners, key=lambda card: (_gain(position, card, chances[card]), -card))
    return min(later, key=lambda card: (later[card], ranking.strength[card], card))


def _draws_trumps(position: Position, trumps: int) -> bool:
    """Return whether to lead trumps: opponents hold some, and the seat's side made trump or the hand is long in it."""
    odds = position.odds
    ranking = position.ranking
    outstanding = (odds.unseen | odds.shown) & ranking.trumps
    if not outstanding or not odds.opponents:
        return False
    view = position.view
    highest = max(bits(position.hand & ranking.trumps), key=ranking.strength.__getitem__)
    is_master = not ranking.above[highest] & (odds.unseen | odds.shown)
    if view.maker is None or (view.maker != view.seat and not position.is_ally(view.maker)):
        return is_master and trumps > 1
    return is_master or trumps > 2


def _later_tricks(position: Position, legal: dict[int, Action]) -> dict[int, float]:
    """Return, for each legal card, the tricks that it may still take later."""
    chances = trick_chances(position.odds, position.hand)
    return {card: _gain(position, card, chances.get(card, 0.0)) for card in legal}


def _gain(position: Position, card: int, chance: float) -> float:
    """Return the gain, in tricks, from a `chance` to win with `card`. A king may count extra (V11)."""
    bonus = position.thresholds.king_bonus
    return chance * (1.0 + bonus) if bonus and position.pack.code[card][0] == "K" else chance


def follow(position: Position, legal: dict[int, Action]) -> int:
    """Return the card with the best chance to win this trick for the seat's side, minus what it might win later.

    So the seat wins as cheaply as possible, plays low if it cannot win or a partner is already winning, and spends a
    high card ahead of opponents only if the card is likely to win.
    """
    trick = _Trick(position)
    later = _later_tricks(position, legal)
    strength = position.ranking.strength

    def merit(card: int) -> tuple[float, int, int]:
        now = _gain(position, card, trick.chance_to_win(card)) + trick.partners_chance(card)
        return round(now - LATER_TRICK * later[card], 6), -strength[card], -card

    return max(legal, key=merit)


class _Trick:
    """The trick on the table, before the seat plays its card."""

    def __init__(self, position: Position) -> None:
        view = position.view
        self._ranking = ranking = position.ranking
        self._led = _bit(position, view.trick[0][1])
        self.best = self._led
        winner = view.trick[0][0]
        for seat, code in view.trick[1:]:
            card = _bit(position, code)
            twin = code == ranking.pack.code[self.best]
            if (twin and not ranking.pack.first_wins) or ranking.beats(card, self.best):
                self.best, winner = card, seat
        played = {seat for seat, _ in view.trick}
        self._opponents_left = sum(seat not in played for seat in position.opponents)
        self._odds = position.odds
        self._ally_wins = position.is_ally(winner)

    def chance_to_win(self, card: int) -> float:
        """Return the chance that `card` wins the trick."""
        is_twin = card == self.best and not self._ranking.pack.first_wins
        if not is_twin and not self._ranking.beats(card, self.best):
            return 0.0
        return self._holds(card)

    def partners_chance(self, card: int) -> float:
        """Return the chance that a partner's card wins the trick if the seat plays `card`."""
        if not self._ally_wins or self._ranking.beats(card, self.best):
            return 0.0
        return self._holds(self.best)

    def _holds(self, card: int) -> float:
        """Return the chance that no opponent still to play beats `card`."""
        if not self._opponents_left:
            return 1.0
        if card & self._ranking.suit[self._led]:
            return self._odds.wins_when_led(card, self._opponents_left)
        return self._odds.wins_when_ruffing(card, self._led, self._opponents_left)


def dictate(position: Position) -> Action:
    """Dictate the strongest of the Jambone player's cards (V4.5.5) that loses, or the weakest if all win."""
    view = position.view
    by_card = {_bit(position, action.card): action for action in view.legal}
    strength = position.ranking.strength
    if view.trick:
        trick = _Trick(position)
        losing = [card for card in by_card if not position.ranking.beats(card, trick.best)]
        if losing:
            return by_card[max(losing, key=lambda card: (strength[card], -card))]
    return by_card[min(by_card, key=lambda card: (strength[card], card))]


def choose_leader(position: Position) -> Action:
    """Let the seat with fewer points lead the showdown (V11), since it is less dangerous."""
    scores = position.view.scores
    return min(position.view.legal, key=lambda action: scores[action.seat or 0])
