"""Straw men: columns on the table, each a face-up card on a card that neither player has seen (V8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.auction import GoingRoundAuction
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.state import State

Value = TypeVar("Value")

COLUMNS = "columns"
"""The start of the name of the public fact (`h.extra`) with a seat's columns; the seat's number follows.

Its value lists the first top card of each column, followed by a slash and the lower card once that card is turned up:
"As/Jc Kd Th 9c".
"""


def top(seat: int) -> str:
    """Return the name of the dealt pile that provides the face-up cards of `seat`, column by column."""
    return f"laid {seat}"


def bottom(seat: int) -> str:
    """Return the name of the dealt pile beneath the face-up cards of `seat`, column by column."""
    return f"covered {seat}"


class LayOut(Phase):
    """The layout of the columns: top cards face up, lower cards unknown to both players (V8.4, V8.6).

    Always applies. Afterwards each covered card is a pile with the name of the card on it.
    """

    __slots__ = ()

    facts = ("covered", "laid")

    def begin(self, h: State) -> None:
        """Lay out the columns; no seat is asked."""
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
    """An auction between two players that ends with a pass after a bid, two passes, or a bid of all tricks (V8.5.1).

    Always applies. With `forced` the first player must bid (V8 `forced_opening`). See `Auction`.
    """

    forced: bool = False

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a pass, unless the opening is forced, and every bid above the last."""
        offers = super().legal(h)
        return offers[1:] if self.forced and not h.highest_bid else offers

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the other seat. A bid of all tricks ends the auction at once."""
        if action.number != self.high:
            return super().apply(h, action, card)
        self.bid(h, action)
        self.close(h)
        return None


@dataclass(frozen=True)
class TableTricks(Tricks):
    """The play from hand and table (V8.7): the duty to follow suit covers the hand and the face-up cards.

    When a face-up card is played, the card beneath it is turned up at once. It can be played from the next trick on.
    Applies when `Tricks` does.
    """

    def holding(self, h: State) -> int:
        """Return the actor's hand and his face-up cards."""
        seat: int = h.actor  # type: ignore[assignment]  # an actor is never None while a phase is asked
        return h.hands[seat] | h.laid[seat]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return plays that follow the effective suit of the card led, or all plays if none does (A4)."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        cards = h.hands[seat] | h.laid[seat]
        return h.rules.pack.plays(cards & h.lead.follow or cards)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Play the card from the hand or from the table."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        laid = h.laid[seat]
        if laid & card:
            h.hands[seat] ^= card  # moved to the hand first, so that `Tricks.apply` plays it from there
            laid ^= card
            if action.card in h.piles:
                laid |= self.cover_is_gone(h, seat, action.card)
            h.laid = _changed(h.laid, seat, laid)
        return Tricks.apply(self, h, action, card)

    def cover_is_gone(self, h: State, seat: int, cover: str) -> int:
        """Turn up the card beneath `cover`, which has just left the table, and return it; 0 if it waits."""
        return turn_up(h, seat, cover)


class PatientTableTricks(TableTricks):
    """Tricks like `TableTricks`, in which cards are turned up together when the trick is complete (V8 `flip_when`)."""

    def cover_is_gone(self, h: State, seat: int, cover: str) -> int:
        """Return 0, because the card beneath `cover` is turned up at the end of the trick."""
        return 0

    def trick_ends(self, h: State) -> int | None:
        """Turn up the cards beneath those of this trick, then give the trick to its winner."""
        for seat, code in h.trick:
            if code in h.piles:
                h.laid = _changed(h.laid, seat, h.laid[seat] | turn_up(h, seat, code))
        return super().trick_ends(h)


def turn_up(h: State, seat: int, cover: str) -> int:
    """Turn up the card beneath `cover` and return it; the caller adds it to the face-up cards of `seat`."""
    piles = h.piles.copy()
    (card,) = piles.pop(cover)
    h.piles = piles
    h.covered = _changed(h.covered, seat, h.covered[seat] - 1)
    name, text = h.extra[seat]
    h.extra = _changed(h.extra, seat, (name, text.replace(cover, f"{cover}/{h.rules.pack.code[card]}")))
    return card


def _changed(values: tuple[Value, ...], seat: int, value: Value) -> tuple[Value, ...]:
    """Return the `values` of both seats with the value of `seat` replaced."""
    return (values[0], value) if seat else (value, values[1])
