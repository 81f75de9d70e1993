"""Exchanges of cards: discards, swaps of hands, widows, dummies, gifts."""

from __future__ import annotations

from bowerbird.bots.greedy.evaluation import best_trump, open_upcard, value, with_card
from bowerbird.bots.greedy.odds import trick_chances, weakest_card
from bowerbird.bots.greedy.position import Position
from bowerbird.bots.greedy.ranking import bits, ranking_of, set_of
from bowerbird.engine import Action

USEFUL = 0.3
"""A card with a lower chance to take a trick is exchanged for an unknown one."""


def discard(position: Position) -> Action:
    """Discard the card that the hand misses least, under the trump or the likeliest trump."""
    view = position.view
    allowed = set_of(position.pack, [action.card for action in view.legal])
    ranking = position.ranking if view.trump else ranking_of(view, best_trump(position, position.hand)[1])
    return _action_with_card(position, weakest_card(position.odds_under(ranking), position.hand, allowed))


def _action_with_card(position: Position, card: int) -> Action:
    """Return the legal action that names `card`."""
    code = position.pack.code[card]
    return next(action for action in position.view.legal if action.card == code)


def swap_hand(position: Position) -> Action:
    """Take the unseen hand if the seat's own hand is weaker than an average one."""
    swap, keep = position.view.legal
    return swap if best_trump(position, position.hand)[0] < position.thresholds.swap else keep


def take_cards(position: Position) -> Action:
    """Take the dummy unless the hand can go alone (V7). Take the upcard if it makes the hand stronger (V15)."""
    take, other = position.view.legal
    trump = position.view.trump
    tricks = value(position, trump, position.hand)
    if other.kind == "alone":
        return other if tricks >= position.thresholds.alone else take
    return (
        take
        if value(position, trump, with_card(position, trump, position.hand, open_upcard(position))) > tricks
        else other
    )


def exchange_cards(position: Position) -> Action:
    """Exchange all cards that are of little use under the best trump (V17)."""
    ranking = ranking_of(position.view, best_trump(position, position.hand)[1])
    chances = trick_chances(position.odds_under(ranking), position.hand)
    useless = sum(chance < USEFUL for chance in chances.values())
    possible = (action for action in position.view.legal if (action.number or 0) <= useless)
    return max(possible, key=lambda action: action.number or 0)


def ask_partner(position: Position) -> Action:
    """Always ask, since one more card to choose from never hurts. The partners look alike, so ask the first."""
    return position.view.legal[0]


def give_card(position: Position) -> Action:
    """Give the card that is likeliest to take a trick. Among equals, give the strongest."""
    chances = trick_chances(position.odds, position.hand)
    strength = position.ranking.strength
    return _action_with_card(position, max(bits(position.hand), key=lambda card: (chances[card], strength[card])))
