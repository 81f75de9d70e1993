"""One decision of a game as lines: what its seat knew, and what it could do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bowerbird.engine import SeatView

WIDTH = 80
LABEL = 12
"""The width of a line's name, with its indentation."""


def position_lines(view: SeatView, seat_name: str, recorded: str) -> Iterator[str]:
    """Yield the lines: the table, then one line for each fact, in the notation of notation.md.

    view: the view of the seat that decides. seat_name: its bot, made printable. recorded: what it did, in words.
    """
    from bowerbird.engine import counted

    yield f"{view.variant}, hand {view.hand_number}: seat {view.seat} ({seat_name}) is to {view.stage}"
    maker = f"maker seat {view.maker}" if view.maker is not None else ""
    contract = f"contract {view.contract}" if view.contract else ""
    lone = f"seat {view.lone_defender} defends alone" if view.lone_defender is not None else ""
    lines = {
        "dealer": f"seat {view.dealer}",
        "scores": " ".join(map(str, view.scores)),
        "upcard": f"{view.upcard} {view.upcard_place}" if view.upcard else "",
        "trump": ", ".join(filter(None, (view.trump or "not fixed", maker, contract, view.how, lone))),
        "tricks": " ".join(map(str, view.tricks_won)) if any(view.tricks_won) else "",
        "so far": ", ".join(f"{event.seat} {event.action}" for event in view.history),
        "trick": "  ".join(f"{seat} {card}" for seat, card in view.trick),
        "hand": " ".join(view.hand),
        "legal": f"{', '.join(map(str, view.legal))} ({counted(len(view.legal), 'action')})",
        "recorded": recorded,
    }
    for name, text in lines.items():
        if text:
            head = f"  {name:<{LABEL - 2}}"
            yield from textwrap.wrap(
                text, WIDTH, initial_indent=head, subsequent_indent=" " * LABEL, break_on_hyphens=False
            )
