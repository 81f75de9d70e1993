"""Chooses the action for one decision."""

from __future__ import annotations

from collections.abc import Callable

from bowerbird.bots.greedy import bidding, exchanging, play
from bowerbird.bots.greedy.position import Position
from bowerbird.bots.greedy.thresholds import Thresholds
from bowerbird.engine import Action, SeatView

Choose = Callable[[Position], Action]

BY_KIND: dict[str, Choose] = {
    "order": bidding.order_up,
    "call": bidding.name_trump,
    "bid": bidding.bid,
    "lone": bidding.bid,
    "alone": bidding.go_alone,
    "defend": bidding.defend_alone,
    "claim": bidding.claim,
    "stay": bidding.stay_in,
    "partner": bidding.choose_partner,
    "discard": exchanging.discard,
    "swap": exchanging.swap_hand,
    "show": exchanging.discard,
    "take": exchanging.take_cards,
    "exchange": exchanging.exchange_cards,
    "ask": exchanging.ask_partner,
    "give": exchanging.give_card,
    "lead": play.choose_leader,
    "dictate": play.dictate,
    "play": play.play,
}
"""The rule for each decision, by the kind of the first legal action that is not a pass (notation.md, Decisions)."""


def choose(view: SeatView, thresholds: Thresholds | None = None) -> Action:
    """Return the action of the seat to decide, which is the same for equal views.

    The thresholds are the variant's by default.

    Raises ValueError if the seat has nothing to decide.
    """
    legal = view.legal
    if not legal:
        raise ValueError(f"seat {view.seat} has nothing to decide")
    if len(legal) == 1:
        return legal[0]
    kind = legal[0].kind if legal[0].kind != "pass" else legal[1].kind
    return BY_KIND[kind](Position(view, thresholds))
