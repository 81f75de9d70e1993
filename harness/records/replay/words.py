"""Actions and cards in words, for replays: "orders up, alone", "plays J♣"."""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.engine import Action, Event, counted
from bowerbird.harness.records.values.game_record import FaultRecord

SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣", "nt": "no trump", "low": "low"}

_VERBS = {
    "pass": "passes",
    "order": "orders up",
    "call": "calls",
    "bid": "bids",
    "lone": "bids alone",
    "discard": "discards",
    "alone": "goes alone",
    "decline": "declines",
    "swap": "swaps hands",
    "keep": "keeps the hand",
    "show": "shows",
    "take": "takes it up",
    "exchange": "exchanges",
    "defend": "defends alone",
    "ask": "asks",
    "give": "gives",
    "claim": "claims the Jamboree",
    "dictate": "dictates",
    "stay": "stays in",
    "drop": "drops out",
    "partner": "chooses",
    "lead": "names as leader",
    "play": "plays",
}


_AT_STAGE = {
    ("misdeal", "claim"): "claims a misdeal",
    ("misdeal", "decline"): "claims no misdeal",
    ("go under", "swap"): "goes under",
}
"""Words for an action that has a different meaning in a certain stage."""


def bid_in_words(history: Sequence[Event], number: int) -> str:
    """Return the highest bid of a hand: its `number`, or its token if it is a lone bid, whose number differs."""
    bids = [event.action for event in history if event.action.kind in ("bid", "lone")]
    return str(bids[-1]) if bids and bids[-1].kind == "lone" else str(number)


def card_sign(card: str) -> str:
    """Return `Ts` as T♠. A joker is "Joker", with its colour or number if there are several."""
    if card.startswith("X"):
        return {"X1": "Joker", "Xr": "red Joker", "Xb": "black Joker"}.get(card, f"Joker {card[1]}")
    return f"{card[0]}{SIGNS[card[1]]}"


def in_words(token: str, stage: str = "") -> str:
    """Return an action in the third person: "orders up, alone". `stage` is the question that it answers, if known."""
    action = Action(token)
    parts = action_parts(action, _AT_STAGE.get((stage, action.kind)) or _VERBS[action.kind])
    if action.seat is not None:
        parts.append(f"seat {action.seat}")
    return " ".join(parts) + (f", {action.how}" if action.how else "")


def action_parts(action: Action, verb: str) -> list[str]:
    """Return the words of an action from `verb` to its card."""
    parts = [verb]
    suit = [SIGNS[action.suit]] if action.suit else []
    if action.number is None:
        parts += suit
    elif action.kind == "lone":
        parts += [*(f"in {sign}" for sign in suit), f"with {counted(action.number, 'card')} of the partner"]
    elif action.kind == "exchange":
        parts.append(counted(action.number, "card"))
    else:
        parts += [str(action.number), *suit]
    if action.card:
        parts.append(card_sign(action.card))
    return parts


def fault_in_words(fault: FaultRecord) -> str:
    """Return a fault's kind, time and detail as one line."""
    return f"{fault.kind}{clock_in_words(fault)}" + (f": {fault.detail}" if fault.detail else "")


def clock_in_words(fault: FaultRecord) -> str:
    """Return a fault's time and limit, to follow its kind; "" if no clock was running."""
    return f", {fault.elapsed_ms} ms of {fault.limit_ms} ms" if fault.limit_ms or fault.elapsed_ms else ""
