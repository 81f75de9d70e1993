"""The bidding: order up, name trump, bid, go alone, defend alone, stay in, choose a partner."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bowerbird.bots.greedy.evaluation import (
    best_trump,
    open_upcard,
    possible_trumps,
    value,
    value_if_ordered,
    with_card,
)
from bowerbird.bots.greedy.position import Position
from bowerbird.bots.greedy.ranking import SUITS
from bowerbird.bots.greedy.thresholds import Thresholds
from bowerbird.engine import Action

STAY_MARGIN = {1: 1.1, 2: 0.4}
"""How many more tricks a hand needs to stay in, by number of opponents.

The fewer opponents there are, the more of the missing trumps the maker holds.
"""


def order_up(position: Position) -> Action:
    """Accept the upcard's suit with a good hand for it. Go alone if the hand can hardly lose a trick."""
    view = position.view
    thresholds = position.thresholds
    if thresholds.names_any_suit:
        hand = position.hand
        tricks = max(value(position, trump, with_card(position, trump, hand, open_upcard(position))) for trump in SUITS)
    else:
        tricks = value_if_ordered(position, view.proposed or view.upcard[1])
    offers = [action for action in view.legal if action.kind == "order"]
    return _alone_or_with_partners(position, offers, tricks, thresholds.order)


def name_trump(position: Position) -> Action:
    """Name the trump under which the hand is strongest. Pass if the hand is too weak and passing is allowed."""
    legal = [action for action in position.view.legal if action.kind == "call"]
    tricks = {suit: value(position, suit, position.hand) for suit in dict.fromkeys(action.suit for action in legal)}
    best = max(tricks, key=tricks.__getitem__)
    offers = [action for action in legal if action.suit == best]
    return _alone_or_with_partners(position, offers, tricks[best], position.thresholds.name)


def _alone_or_with_partners(position: Position, offers: Sequence[Action], tricks: float, needed: float) -> Action:
    """Choose from `offers`: alone above its threshold, with partners from `needed` tricks on, otherwise pass.

    Jambone is never chosen, since a player with open cards seldom takes all five tricks.
    """
    first = position.view.legal[0]
    by_how = {action.how: action for action in reversed(offers)}
    if tricks >= position.thresholds.alone and "alone" in by_how:
        return by_how["alone"]
    if first.kind == "pass" and (tricks < needed or "" not in by_how):
        return first
    return by_how.get("", offers[0])


def bid(position: Position) -> Action:
    """Bid by the scoring: a contract if both teams score, a stake with a suit, otherwise just enough to win."""
    if position.thresholds.shares_tricks:
        return _bid_of_team(position)
    bids = [action for action in position.view.legal if action.kind == "bid"]
    return _bid_stake(position, bids) if bids[0].suit else _bid_contract(position, bids)


def _bid_of_team(position: Position) -> Action:
    """Bid for the team if both teams score the tricks that they take (V22)."""
    legal = position.view.legal
    named = dict.fromkeys(action.suit for action in legal if action.suit) or possible_trumps(position)
    by_trump = {trump: value(position, trump, position.hand) for trump in named}
    return chosen_contract(legal, by_trump, position.hand.bit_count(), position.thresholds)


LONE_SLACK = {0: 0.8, 1: 1.1, 2: 1.5, 3: 1.9}
"""How many tricks a hand may lack for a lone bid, by the number of cards from the partner.

Each is 0.4 above the former value, which gained 0.08 ± 0.07 points a deal in 3,000 mirrored deals; 0.4 below it lost
0.11 ± 0.09 in 500.
"""


def chosen_contract(
    legal: Sequence[Action], by_trump: Mapping[str, float], tricks: int, thresholds: Thresholds
) -> Action:
    """Return the lowest bid of the best trump if the team expects to make it, or a lone bid with a hand for one.

    `by_trump` has the tricks, out of `tricks`, that the seat's own hand takes under each trump. A higher bid gains
    nothing, since the tricks taken count. Otherwise pass, or bid the minimum if passing is not allowed.
    """
    best = max(by_trump, key=by_trump.__getitem__)
    alone = by_trump[best]
    expected = alone + thresholds.shares_tricks * (tricks - alone)
    offers = [action for action in legal if action.suit in ("", best)]
    bids = [action for action in offers if action.kind == "bid"]
    for action in offers:
        if action.kind == "lone" and alone >= tricks - LONE_SLACK[action.number or 0]:
            return action
    if bids and (legal[0].kind != "pass" or expected >= (bids[0].number or 0) + thresholds.bid_margin):
        return bids[0]
    return legal[0]


def _bid_contract(position: Position, bids: Sequence[Action]) -> Action:
    """Bid just above the highest bid if the hand expects the tricks, since the tricks score and not the bid."""
    first = position.view.legal[0]
    tricks = best_trump(position, position.hand)[0]
    card = open_upcard(position) if position.thresholds.takes_upcard else 0
    if card:
        with_upcard = (value(position, trump, with_card(position, trump, position.hand, card)) for trump in SUITS)
        tricks = max(tricks, *with_upcard)
    if first.kind == "pass" and tricks < (bids[0].number or 0) + position.thresholds.bid_margin:
        return first
    return bids[0]


def _bid_stake(position: Position, bids: Sequence[Action]) -> Action:
    """Make the bid with the best balance.

    A made bid scores its number, and a failed one scores it for the opponents.
    """
    by_suit = {suit: value(position, suit, position.hand) for suit in SUITS}
    thresholds = position.thresholds

    def balance(action: Action) -> float:
        number = action.number or 0
        needed, partners, takes_widow = thresholds.contracts[number]
        widow = thresholds.widow_tricks if takes_widow else 0.0
        tricks = by_suit[action.suit] + thresholds.partner_tricks * partners + widow
        return number * (2.0 * chance_to_make(tricks - needed) - 1.0)

    best = max(bids, key=balance)
    return best if balance(best) > 0 else position.view.legal[0]


def chance_to_make(margin: float) -> float:
    """Return the chance of making a contract when `margin` more tricks are expected than needed.

    The curve is fitted to hands that the bot played against itself.
    """
    return 1.0 / (1.0 + math.exp(-(margin + 0.5) / 0.5))


def go_alone(position: Position) -> Action:
    """Go alone after the discard (V2.5.1) if the hand can hardly lose a trick."""
    alone, decline = position.view.legal
    return alone if value(position, position.view.trump, position.hand) >= position.thresholds.alone else decline


def defend_alone(position: Position) -> Action:
    """Defend alone only with a hand that can euchre the maker alone.

    That pays double, but gives up a partner's help.
    """
    defend, decline = position.view.legal
    return defend if value(position, position.view.trump, position.hand) >= position.thresholds.defend else decline


def claim(position: Position) -> Action:
    """Always claim: a Jamboree scores more than playing the hand could, and a misdeal disposes of a poor hand."""
    return position.view.legal[0]


def stay_in(position: Position) -> Action:
    """Stay in (B5) if a trick is likely enough: taking none costs five points, and each trick scores one."""
    stay, drop = position.view.legal
    needed = position.thresholds.stay + STAY_MARGIN.get(len(position.opponents), 0.0)
    return stay if value(position, position.view.trump, position.hand) >= needed else drop


def choose_partner(position: Position) -> Action:
    """Choose a seat that bid the same suit, preferring the highest bid, or else the seat with the fewest points.

    A bid of the suit shows cards in it, and a higher bid shows a stronger hand. A partner gains as much as the chooser.
    """
    view = position.view
    bids = {event.seat: event.action for event in view.history if event.action.kind == "bid"}

    def merit(action: Action) -> tuple[bool, int, int]:
        assert action.seat is not None  # every "partner" action names a seat
        said = bids.get(action.seat)
        strength = (said.number or 0) if said is not None else 0
        return said is not None and said.suit == view.trump, strength, -view.scores[action.seat]

    return max(view.legal, key=merit)
