"""Cards that change place: discards, swaps, widows, gifts; and who is to be the partner."""

from __future__ import annotations

from bots.greedy.odds import chances, worst
from bots.greedy.ranking import Ranking, bits, ranking_of, set_of
from bots.greedy.situation import Situation
from bots.greedy.strength import best_trump, upcard, value, with_card
from engine import Action

USEFUL = 0.3
"""A card that takes a trick less often than this is given away for an unknown one."""


def discard(s: Situation) -> Action:
    """Put away the card that the hand misses least, under the trump or the likeliest one."""
    view = s.view
    pack = s.pack
    allowed = set_of(pack, [action.card for action in view.legal])
    ranking = s.ranking if view.trump else ranking_of(view, best_trump(s, s.hand)[1])
    return _of_card(s, worst(s.under(ranking), s.hand, allowed))


def _of_card(s: Situation, card: int) -> Action:
    """The legal action that names a card."""
    code = s.pack.code[card]
    return next(action for action in s.view.legal if action.card == code)


def swap(s: Situation) -> Action:
    """Take the unseen hand when the own one is weaker than hands are on average."""
    yes, no = s.view.legal
    return yes if best_trump(s, s.hand)[0] < s.temper.swap else no


def take(s: Situation) -> Action:
    """Take the dummy unless the hand can go alone (V7); take the upcard when it makes the hand stronger (V15)."""
    yes, other = s.view.legal
    trump = s.view.trump
    tricks = value(s, trump, s.hand)
    if other.kind == "alone":
        return other if tricks >= s.temper.alone else yes
    return yes if value(s, trump, with_card(s, trump, s.hand, upcard(s))) > tricks else other


def exchange(s: Situation) -> Action:
    """Exchange as many cards as are of little use under the best trump (V17)."""
    useless = sum(chance < USEFUL for chance in chances(s.under(_likeliest(s)), s.hand).values())
    return max((action for action in s.view.legal if (action.number or 0) <= useless), key=lambda a: a.number or 0)


def _likeliest(s: Situation) -> Ranking:
    return ranking_of(s.view, best_trump(s, s.hand)[1])


def ask(s: Situation) -> Action:
    """Always ask: one card more to choose from never hurts. Nothing tells the partners apart; the first is asked."""
    return s.view.legal[0]


def give(s: Situation) -> Action:
    """Give the card that takes a trick most often; among equals the strongest."""
    worth = chances(s.odds, s.hand)
    return _of_card(s, max(bits(s.hand), key=lambda card: (worth[card], s.ranking.strength[card])))


def partner(s: Situation) -> Action:
    """Choose who bid the same suit, for he holds it; then whoever has the fewest points, for he gains the same.

    A higher bid tells of a stronger hand.
    """
    view = s.view
    told = {event.seat: event.action for event in view.history if event.action.kind == "bid"}

    def merit(action: Action) -> tuple[bool, int, int]:
        assert action.seat is not None
        said = told.get(action.seat)
        strength = (said.number or 0) if said is not None else 0
        return said is not None and said.suit == view.trump, strength, -view.scores[action.seat]

    return max(view.legal, key=merit)


def leader(s: Situation) -> Action:
    """Let the one who has fewer points lead the showdown (V11): it helps the less dangerous."""
    return min(s.view.legal, key=lambda action: s.view.scores[action.seat or 0])
