"""A decision and a game as text for a model: short, in a fixed order, every name and card as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bowerbird.harness.extras.mcp.desk import OpenDecision


def decision_text(opened: OpenDecision, news: Sequence[str], left_s: float) -> str:
    """Return an open decision with what happened since the agent acted, and the legal actions with their numbers."""
    table, view = opened.table, opened.view
    lines = [
        f"Decision {opened.name} at {table.name}: {table.variant}, you have seat {table.seat} of {table.players}, "
        f"hand {view['hand_number']}, dealer seat {view['dealer']}",
        *_since(news),
        f"Question: {view['stage']}",
        *(f"{label}: {text}" for label, text in _position(view).items() if text),
        "Legal actions:",
        *(f"  {number}. {token}" for number, token in enumerate(opened.legal, 1)),
        f"Time left: {left_s:.0f} s",
    ]
    return "\n".join(lines)


def waiting_text(news: Sequence[str], *, is_over: bool, problem: str) -> str:
    """Return what is said when there is no open decision."""
    if problem:
        state = f"Nothing is played: {problem}."
    elif is_over:
        state = "Nothing is left to decide. All games are over."
    else:
        state = "No decision is open yet. Ask again."
    return "\n".join([*_since(news), state])


def _since(news: Sequence[str]) -> list[str]:
    return ["Since you acted:", *(f"  {line}" for line in news)] if news else []


def _position(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what the seat sees, by label; "" for what there is not."""
    contract = f"contract {view['contract']}" if view["contract"] else ""
    maker = "" if view["maker"] is None else f"maker seat {view['maker']}"
    alone = [event["action"] for event in view["history"] if event["action"].startswith("lone ")]
    bid = (
        f"{alone[-1] if alone else view['highest_bid']} by seat {view['highest_bidder']}" if view["highest_bid"] else ""
    )
    return {
        "Scores by seat": _row(view["scores"]),
        "Games by seat": _row(view["games"]) if any(view["games"]) else "",
        "Sides by seat": _row(view["sides"]),
        "Upcard": f"{view['upcard']} ({view['upcard_place']})" if view["upcard"] else "",
        "Highest bid": bid if not view["trump"] else "",
        "Trump": ", ".join(filter(None, (view["trump"], maker, contract, view["how"]))),
        "Lone defender": "" if view["lone_defender"] is None else f"seat {view['lone_defender']}",
        "Seats in the play": _row(view["active"]),
        "Face-up cards by seat": " | ".join(map(_row, view["laid"])) if any(view["laid"]) else "",
        "Special facts": ", ".join(f"{name} {value}" for name, value in view["extra"]),
        "So far": ", ".join(f"seat {event['seat']} {event['action']}" for event in view["history"]),
        "Tricks won by seat": _row(view["tricks_won"]) if any(view["tricks_won"]) else "",
        "On the table": ", ".join(f"seat {seat} {card}" for seat, card in view["trick"]),
        "Your hand": _row(view["hand"]),
        "You alone know": ", ".join(map(_fact, view["memory"])),
    }


def _row(values: Sequence[object]) -> str:
    return " ".join(map(str, values))


def _fact(fact: Mapping[str, Any]) -> str:
    """Return what the seat alone has learnt, such as "dealt Jc Qs" or "took 9h (seat 2)"."""
    seat = "" if fact["seat"] is None else f" (seat {fact['seat']})"
    return f"{fact['what']} {_row(fact['cards'])}{seat}"
