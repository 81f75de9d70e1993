"""Making trump: accept, name, bid; alone or with partners."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bots.greedy.ranking import SUITS
from bots.greedy.situation import Situation
from bots.greedy.strength import best_trump, if_accepted, upcard, value, with_card
from engine import Action


def accept(s: Situation) -> Action:
    """Take the upcard's suit when the hand is good for it, alone when hardly a trick can be lost."""
    view = s.view
    if s.temper.names_any_suit:
        hand = s.hand
        tricks = max(value(s, trump, with_card(s, trump, hand, upcard(s))) for trump in SUITS)
    else:
        tricks = if_accepted(s, view.proposed or view.upcard[1])
    return _with_how(s, [action for action in view.legal if action.kind == "order"], tricks, s.temper.order)


def name(s: Situation) -> Action:
    """Name the trump under which the hand is strongest; pass, where one may, when that is not enough."""
    legal = [action for action in s.view.legal if action.kind == "call"]
    worth = {suit: value(s, suit, s.hand) for suit in dict.fromkeys(action.suit for action in legal)}
    best = max(worth, key=worth.__getitem__)
    return _with_how(s, [action for action in legal if action.suit == best], worth[best], s.temper.name)


def _with_how(s: Situation, offers: Sequence[Action], tricks: float, threshold: float) -> Action:
    """The offer to make: alone from the one threshold, with partners from the other, or pass.

    Jambone is never chosen: with his cards open a player seldom takes all five tricks.
    """
    first = s.view.legal[0]
    by_how = {action.how: action for action in reversed(offers)}
    if tricks >= s.temper.alone and "alone" in by_how:
        return by_how["alone"]
    if first.kind == "pass" and (tricks < threshold or "" not in by_how):
        return first
    return by_how.get("", offers[0])


def bid(s: Situation) -> Action:
    """Bid as the scoring wants it: bids that name a suit are stakes, others are contracts that only win the auction."""
    bids = [action for action in s.view.legal if action.kind == "bid"]
    return _stake(s, bids) if bids[0].suit else _contract(s, bids)


def _contract(s: Situation, bids: Sequence[Action]) -> Action:
    """What just tops the highest bid, when the tricks are there: tricks count, not the bid."""
    first = s.view.legal[0]
    tricks = best_trump(s, s.hand)[0]
    card = upcard(s) if s.temper.takes_upcard else 0
    if card:
        tricks = max(tricks, *(value(s, trump, with_card(s, trump, s.hand, card)) for trump in SUITS))
    if first.kind == "pass" and tricks < (bids[0].number or 0) + s.temper.caution:
        return first
    return bids[0]


def _stake(s: Situation, bids: Sequence[Action]) -> Action:
    """The bid that wins most on balance: made it brings its number, failed it brings it to the opponents."""
    worth = {suit: value(s, suit, s.hand) for suit in SUITS}

    def balance(action: Action) -> float:
        number = action.number or 0
        needed, partners, widow = s.temper.ladder[number]
        tricks = worth[action.suit] + s.temper.partner * partners + (s.temper.widow if widow else 0.0)
        return number * (2.0 * chance_to_make(tricks - needed) - 1.0)

    best = max(bids, key=balance)
    return best if balance(best) > 0 else s.view.legal[0]


def chance_to_make(margin: float) -> float:
    """The chance to take what is needed by the tricks expected above it; fitted to hands of the bot's own play."""
    return 1.0 / (1.0 + math.exp(-(margin + 0.5) / 0.5))


def alone_or_not(s: Situation) -> Action:
    """After the discard (V2.5.1): alone when hardly a trick can be lost."""
    alone, decline = s.view.legal
    return alone if value(s, s.view.trump, s.hand) >= s.temper.alone else decline


def defend(s: Situation) -> Action:
    """Defend alone only with a hand that euchres by itself: it pays double, and a partner would help."""
    yes, no = s.view.legal
    return yes if value(s, s.view.trump, s.hand) >= s.temper.defend else no


def claim(s: Situation) -> Action:
    """A Jamboree is worth more than any play of the hand."""
    return s.view.legal[0]
