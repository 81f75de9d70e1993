"""What is left of a hand or a game when it is over."""

from __future__ import annotations

from typing import NamedTuple

from engine.actions import Event
from engine.cards import Pack


class HandResult(NamedTuple):
    """One finished hand.

    `orders` are the cards of `pack` as each shuffle left them, copies of a card all as the first of them; `scores` and
    `games` stand as after the hand, by seat (`games` is empty without B4). `ended` says how: "scored" (played out),
    "thrown in", "uncontested" (B5), "sweep" (all tricks, and the game with them), "claimed" (Jamboree), and what a
    variant's page adds. `tricks` are those won, by seat; `history` is every public decision of the hand in order, its
    last ones too, which no view shows any more.
    """

    number: int
    dealer: int
    pack: Pack
    orders: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    games: tuple[int, ...]
    ended: str
    tricks: tuple[int, ...]
    history: tuple[Event, ...]

    @property
    def packs(self) -> tuple[str, ...]:
        """The text of each shuffle in order, top card first."""
        return tuple(map(self.pack.written, self.orders))


class Verdict(NamedTuple):
    """The game is over: how (NOTATION.md, result), and the seats that won."""

    ended: str
    winners: tuple[int, ...]


SCORED = "scored"
THROWN_IN = "thrown in"
UNCONTESTED = "uncontested"
SWEEP = "sweep"
CLAIMED = "claimed"
KING = "king"
"""In mid-hand, by a king's point (V11.9); the game's end is called so, too."""
SHOWDOWN = "showdown"
"""Decided by a showdown (V11.5.8); so is a game whose last point it was."""
REDEAL = "redeal"
"""Deal again: same hand, same dealer, next shuffle (V11); never a hand's result."""

TARGET = "target"
LIMIT = "limit"
