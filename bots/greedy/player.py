"""One decision: from a view to a legal action."""

from __future__ import annotations

from collections.abc import Callable

from bots.greedy import calling, exchanging, play, staying
from bots.greedy.situation import Situation
from engine import Action, SeatView

Choose = Callable[[Situation], Action]

BY_KIND: dict[str, Choose] = {
    "order": calling.accept,
    "call": calling.name,
    "bid": calling.bid,
    "alone": calling.alone_or_not,
    "defend": calling.defend,
    "claim": calling.claim,
    "stay": staying.stay_or_drop,
    "discard": exchanging.discard,
    "swap": exchanging.swap,
    "take": exchanging.take,
    "exchange": exchanging.exchange,
    "ask": exchanging.ask,
    "give": exchanging.give,
    "partner": exchanging.partner,
    "lead": exchanging.leader,
    "dictate": play.dictate,
    "play": play.play,
}
"""What is asked, by the kind of the first legal action that is not a pass (NOTATION.md, Decisions)."""


def choose(view: SeatView) -> Action:
    """The action of the seat that is to decide; the same for equal views.

    Raises:
        ValueError: the seat is not to decide.
    """
    legal = view.legal
    if not legal:
        raise ValueError(f"seat {view.seat} has nothing to decide")
    if len(legal) == 1:
        return legal[0]
    asked = legal[0].kind if legal[0].kind != "pass" else legal[1].kind
    return BY_KIND[asked](Situation(view))
