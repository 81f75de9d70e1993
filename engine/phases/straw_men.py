"""Straw men: columns on the table of a card face up on a card that nobody has seen (V8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from engine.actions import Action
from engine.phases.auction import GoingRoundAuction
from engine.phases.base import Phase
from engine.phases.tricks import Tricks

if TYPE_CHECKING:
    from engine.state import State

Value = TypeVar("Value")

COLUMNS = "columns"
"""Name of the public fact (`h.extra`) of a seat's columns, followed by the seat.

Its value has the card that lay on top of each column, and after a stroke the one beneath once that is turned:
"As/Jc Kd Th 9c".
"""


def top(seat: int) -> str:
    """The pile of the deal that becomes a seat's face-up cards, column by column."""
    return f"laid {seat}"


def bottom(seat: int) -> str:
    """The pile of the deal that lies beneath them, column by column."""
    return f"covered {seat}"


class LayOut(Phase):
    """The top cards of all columns lie face up, those beneath are unknown to both players (V8.4, V8.6).

    Always applies; nobody is asked. From now on each covered card is a pile named by the card that lies on it.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Show the top cards."""
        code = h.rules.pack.code
        columns = [tuple(zip(h.piles[top(seat)], h.piles[bottom(seat)], strict=True)) for seat in h.rules.seats]
        h.laid = tuple([sum(h.piles[top(seat)]) for seat in h.rules.seats])
        h.covered = tuple(map(len, columns))
        h.extra = tuple(
            [(f"{COLUMNS} {seat}", " ".join([code[upper] for upper, _ in columns[seat]])) for seat in h.rules.seats]
        )
        h.piles = {code[upper]: (lower,) for column in columns for upper, lower in column}


@dataclass(frozen=True)
class ToAndFro(GoingRoundAuction):
    """The auction goes to and fro until somebody passes after a bid, or bids all tricks (V8.5.1).

    Always applies. With `forced` the first to speak must bid (V8 `forced_opening`). See `Auction`.
    """

    forced: bool = False

    def legal(self, h: State) -> tuple[Action, ...]:
        """Pass, or bid more than the last bid."""
        offers = super().legal(h)
        return offers[1:] if self.forced and not h.highest_bid else offers

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the other one; the highest bid of all needs no answer."""
        if action.number != self.high:
            return super().apply(h, action, card)
        self.bid(h, action)
        h.scratch = None
        self.close(h)
        return None


@dataclass(frozen=True)
class TableTricks(Tricks):
    """The play from hand and table (V8.7): the duty to follow suit covers the hand and the cards that lie face up.

    When a card that covers another one is played, this is turned up at once, and may be played from the next trick on.
    Applies as `Tricks`.
    """

    def holding(self, h: State) -> int:
        """The hand and the cards that lie face up."""
        seat: int = h.actor  # type: ignore[assignment]  # an actor is never None while a phase is asked
        return h.hands[seat] | h.laid[seat]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Follow the effective suit of the card led, or play anything (A4)."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        cards = h.hands[seat] | h.laid[seat]
        return h.rules.pack.plays(cards & h.lead.follow or cards)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card to the trick, from the hand or from the table."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        laid = h.laid[seat]
        if laid & card:
            h.hands[seat] ^= card  # taken up, so that it is played as any other
            laid ^= card
            if action.card in h.piles:
                laid |= self.cover_is_gone(h, seat, action.card)
            h.laid = _changed(h.laid, seat, laid)
        return Tricks.apply(self, h, action, card)

    def cover_is_gone(self, h: State, seat: int, cover: str) -> int:
        """A card that covered another one has gone from the table; the card that is turned up now, 0 if none is."""
        return turn_up(h, seat, cover)


class PatientTableTricks(TableTricks):
    """As `TableTricks`, but cards are turned up when the trick is complete, all at once (V8 `flip_when`)."""

    def cover_is_gone(self, h: State, seat: int, cover: str) -> int:
        """What it covered waits for the end of the trick."""
        return 0

    def trick_ends(self, h: State) -> int | None:
        """Turn up what was covered by the cards of this trick."""
        for seat, code in h.trick:
            if code in h.piles:
                h.laid = _changed(h.laid, seat, h.laid[seat] | turn_up(h, seat, code))
        return super().trick_ends(h)


def turn_up(h: State, seat: int, cover: str) -> int:
    """Turn up the card that this one has covered; the caller lays it to the others that lie face up."""
    piles = h.piles.copy()
    (card,) = piles.pop(cover)
    h.piles = piles
    h.covered = _changed(h.covered, seat, h.covered[seat] - 1)
    name, text = h.extra[seat]
    h.extra = _changed(h.extra, seat, (name, text.replace(cover, f"{cover}/{h.rules.pack.code[card]}")))
    return card


def _changed(values: tuple[Value, ...], seat: int, value: Value) -> tuple[Value, ...]:
    """The values of both seats, with that of one changed."""
    return (values[0], value) if seat else (value, values[1])
