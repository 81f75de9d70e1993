"""Making trump: accept, name, bid; alone or with partners."""

from __future__ import annotations

from collections.abc import Sequence

from bots.greedy.situation import Situation
from bots.greedy.strength import best_trump, if_accepted, upcard, value, with_card
from engine import Action


def accept(s: Situation) -> Action:
    """Take the upcard's suit when the hand is good for it, alone when hardly a trick can be lost."""
    view = s.view
    if s.temper.names_any_suit:
        hand = s.hand
        tricks = max(value(s, trump, with_card(s, trump, hand, upcard(s))) for trump in "shdc")
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

    Jambone, with the cards open, costs more than going alone and brings no more often anything: never chosen freely.
    """
    first = s.view.legal[0]
    by_how = {action.how: action for action in reversed(offers)}
    if tricks >= s.temper.alone and "alone" in by_how:
        return by_how["alone"]
    if first.kind == "pass" and (tricks < threshold or "" not in by_how):
        return first
    return by_how.get("", offers[0])


def bid(s: Situation) -> Action:
    """Bid when the tricks are there: what just tops the highest where only the tricks count, the most where bids do.

    A bid with a suit is scored by its number, and partners and widow help it; a bid without is a contract that its
    maker has to keep by himself.
    """
    bids = [action for action in s.view.legal if action.kind == "bid"]
    if not bids:
        return s.view.legal[0]
    if bids[0].suit:
        affordable = [action for action in bids if _tricks_with_partners(s, action) >= 0]
        best = max(affordable, key=lambda action: (action.number or 0, _tricks_with_partners(s, action)), default=None)
        return best or s.view.legal[0]
    hand = s.hand
    card = upcard(s) if s.temper.takes_upcard else 0
    tricks = best_trump(s, hand)[0]
    if card:
        tricks = max(tricks, *(value(s, trump, with_card(s, trump, hand, card)) for trump in "shdc"))
    if tricks >= (bids[0].number or 0) + s.temper.caution or s.view.legal[0].kind != "pass":
        return bids[0]
    return s.view.legal[0]


def _tricks_with_partners(s: Situation, action: Action) -> float:
    """Tricks expected above those that a bid needs, from hand, widow and partners."""
    number = action.number or 0
    needed, partners, widow = s.temper.ladder[number]
    own = value(s, action.suit, s.hand) + (s.temper.widow if widow else 0.0)
    return own + s.temper.partner * partners - needed - s.temper.caution


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
