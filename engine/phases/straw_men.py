"""Straw men: columns on the table of a card face up on a card that nobody has seen (V8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.auction import GoingRoundAuction
from engine.phases.base import Phase
from engine.phases.tricks import Tricks

if TYPE_CHECKING:
    from engine.state import State

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
        return h.rules.pack.plays(self.choices(h))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card to the trick, from the hand or from the table."""
        seat: int = h.actor  # type: ignore[assignment]  # as in `holding`
        if h.laid[seat] & card:
            h.hands[seat] ^= card  # taken up, so that it is played as any other
            h.laid = tuple([cards & ~card for cards in h.laid])
            self.played_from_table(h, seat, card)
        return super().apply(h, action, card)

    def played_from_table(self, h: State, seat: int, card: int) -> None:
        """A card has gone from the table."""
        turn_up(h, seat, card)


class PatientTableTricks(TableTricks):
    """As `TableTricks`, but cards are turned up when the trick is complete, all at once (V8 `flip_when`)."""

    def played_from_table(self, h: State, seat: int, card: int) -> None:
        """What it covered waits for the end of the trick."""

    def trick_ends(self, h: State) -> int | None:
        """Turn up what was covered by the cards of this trick."""
        bits = h.rules.pack.bits
        for seat, code in h.trick:
            turn_up(h, seat, bits[code])
        return super().trick_ends(h)


def turn_up(h: State, seat: int, card: int) -> None:
    """This card has been played: if it covered another one, that lies face up from now on."""
    covering = h.scratch
    if card not in covering[seat]:
        return
    place = covering[seat].index(card)
    pile = h.piles[beneath(seat)]
    turned = pile[place]
    h.piles = {**h.piles, beneath(seat): pile[:place] + pile[place + 1 :]}
    h.scratch = tuple([c if s != seat else c[:place] + c[place + 1 :] for s, c in enumerate(covering)])
    h.covered = tuple([count - (s == seat) for s, count in enumerate(h.covered)])
    h.laid = tuple([cards if s != seat else cards | turned for s, cards in enumerate(h.laid)])
    top, under = h.rules.pack.code[card], h.rules.pack.code[turned]
    h.extra = tuple(
        [(name, text if s != seat else text.replace(top, f"{top}/{under}")) for s, (name, text) in enumerate(h.extra)]
    )
