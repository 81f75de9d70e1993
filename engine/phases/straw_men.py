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


def uncovered(seat: int) -> str:
    """The name of the pile of a seat's top cards, column by column."""
    return f"laid {seat}"


def beneath(seat: int) -> str:
    """The name of the pile of a seat's covered cards, column by column."""
    return f"covered {seat}"


class LayOut(Phase):
    """The top cards of all columns lie face up, those beneath are unknown to both players (V8.4, V8.6).

    Always applies; nobody is asked.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Show the top cards."""
        code = h.rules.pack.code
        tops = tuple(h.piles[uncovered(seat)] for seat in h.rules.seats)
        h.laid = tuple(map(sum, tops))
        h.covered = tuple(map(len, tops))
        h.extra = tuple((f"{COLUMNS} {seat}", " ".join(map(code.__getitem__, tops[seat]))) for seat in h.rules.seats)


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
    `scratch` holds, by seat, the cards that still cover another one, in the order of `beneath`. Applies as `Tricks`.
    """

    def begin(self, h: State) -> int | None:
        """Ask the first leader; until now every top card covers another one."""
        h.scratch = tuple(h.piles[uncovered(seat)] for seat in h.rules.seats)
        h.piles = {beneath(seat): h.piles[beneath(seat)] for seat in h.rules.seats}
        return super().begin(h)

    def holding(self, h: State) -> int:
        """The hand and the cards that lie face up."""
        seat: int = h.actor  # type: ignore[assignment]  # an actor is never None while a phase is asked
        return h.hands[seat] | h.laid[seat]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Follow the effective suit of the card led, or play anything (A4)."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        cards = h.hands[seat] | h.laid[seat]
        return h.rules.pack.plays((cards & h.lead.follow or cards) if h.trick else cards)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card to the trick, from the hand or from the table."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        laid = h.laid[seat]
        if laid & card:
            h.hands[seat] ^= card  # taken up, so that it is played as any other
            h.laid = _changed(h.laid, seat, laid ^ card)
            if card in h.scratch[seat]:
                self.cover_is_gone(h, seat, card)
        return super().apply(h, action, card)

    def cover_is_gone(self, h: State, seat: int, card: int) -> None:
        """A card that covered another one has gone from the table."""
        turn_up(h, seat, card)


class PatientTableTricks(TableTricks):
    """As `TableTricks`, but cards are turned up when the trick is complete, all at once (V8 `flip_when`)."""

    def cover_is_gone(self, h: State, seat: int, card: int) -> None:
        """What it covered waits for the end of the trick."""

    def trick_ends(self, h: State) -> int | None:
        """Turn up what was covered by the cards of this trick."""
        bits = h.rules.pack.bits
        for seat, code in h.trick:
            if bits[code] in h.scratch[seat]:
                turn_up(h, seat, bits[code])
        return super().trick_ends(h)


def turn_up(h: State, seat: int, card: int) -> None:
    """What this card has covered lies face up from now on."""
    covering, pile = h.scratch[seat], h.piles[beneath(seat)]
    place = covering.index(card)
    turned = pile[place]
    h.piles = {**h.piles, beneath(seat): pile[:place] + pile[place + 1 :]}
    h.scratch = _changed(h.scratch, seat, covering[:place] + covering[place + 1 :])
    h.covered = _changed(h.covered, seat, len(pile) - 1)
    h.laid = _changed(h.laid, seat, h.laid[seat] | turned)
    code = h.rules.pack.code
    name, text = h.extra[seat]
    h.extra = _changed(h.extra, seat, (name, text.replace(code[card], f"{code[card]}/{code[turned]}")))


def _changed(values: tuple[Value, ...], seat: int, value: Value) -> tuple[Value, ...]:
    """The values by seat, with that of one seat changed."""
    return (*values[:seat], value, *values[seat + 1 :])
