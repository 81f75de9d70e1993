"""Names the kind of an action in a card player's words, such as "order up alone" or "lead trump". Pure.

A mistake is named by two kinds, the bot's choice and the judge's. So a flaw of a bot has one name, whatever the cards.
"""

from __future__ import annotations

from bowerbird.engine import Action, Game

PLAYS = frozenset({"play", "dictate"})
AWAY = frozenset({"discard", "give"})
"""The kinds of actions that remove a card from the hand before the play."""


def kind_of(game: Game, action: Action) -> str:
    """Return the kind of a legal action, such as "trump in" or "discard an ace"."""
    if action.kind in PLAYS:
        return _play(game, action)
    if action.kind in AWAY:
        return f"{action.kind} {_card(game, action)}"
    if action.kind in {"order", "call"}:
        suit = action.suit or game.rules.pack.code[game.upcard][-1]
        how = f" {action.how}" if action.how else ""
        return f"{'order up' if action.kind == 'order' else action.kind}{how}{_with_best_trump(game, suit)}"
    return f"{action.kind} {action.how}" if action.how else action.kind


def _play(game: Game, action: Action) -> str:
    trick = game.open_trick()
    card = game.rules.pack.bits[action.card]
    if not trick.is_begun:
        return f"lead {_card(game, action)}"
    trumps = game.rules.pack.order(trick.trump).trumps
    if trick.lead.strength[card & -card] < trick.best:
        return "play a loser"
    return "trump in" if card & trumps and not trick.lead.follow & trumps else "play a winner"


def _card(game: Game, action: Action) -> str:
    pack = game.rules.pack
    trumps = pack.order(game.trump).trumps if game.trump else 0
    if pack.bits[action.card] & trumps:
        return "trump"
    return "an ace" if action.card.startswith("A") else "a plain card"


def _with_best_trump(game: Game, suit: str) -> str:
    """Return words for a caller's hand if it has the best trump."""
    seat = game.actor
    assert seat is not None, "every action has a seat"
    pack = game.rules.pack
    ranking = pack.order(suit).ranking
    if not ranking or not game.hands[seat] & ranking[0]:
        return ""
    best = pack.code[ranking[0]]
    return f" with the {'joker' if best[0] == 'X' else 'right bower' if best == f'J{suit}' else 'best trump'}"
