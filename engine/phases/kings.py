"""The play for kings (V11.7, V11.8) and the showdown of two who took three tricks each (V11.5.8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.cards import members
from engine.phases.base import Phase
from engine.phases.tricks import Tricks
from engine.results import KING, SHOWDOWN
from engine.views import Facts

if TYPE_CHECKING:
    from engine.state import State

KINGS = "kings"
"""Name of the public fact (`h.extra`) that kings have won tricks in this hand: how many, by seat."""

NO_MAJORITY = [1, 3, 3]
"""Tricks, ascending, that lead to a showdown."""

SHOWDOWN_CARDS = 6
SHOWDOWN_TRICKS = 5


@dataclass(frozen=True)
class KingTricks(Tricks):
    """Tricks in which a king that wins is a point at once; with `target` points the game is over in mid-hand (V11.9).

    Applies as `Tricks`.
    """

    target: int = field(kw_only=True)

    def trick_ends(self, h: State) -> int | None:
        """A king that took the trick scores for the player who played it."""
        trick, following = h.trick, super().trick_ends(h)
        winner = h.winning
        if dict(trick)[winner][0] != "K":
            return following
        h.scores = tuple([score + (seat == winner) for seat, score in enumerate(h.scores)])
        h.extra = with_king(h.extra, winner, h.rules.players)
        if h.scores[winner] < self.target:
            return following
        h.hand_ended = KING
        return None


def kings_of(extra: Facts, players: int) -> tuple[int, ...]:
    """Kings that have won tricks in this hand, by seat."""
    known = dict(extra)
    return tuple(map(int, known[KINGS].split())) if KINGS in known else (0,) * players


@cache
def with_king(extra: Facts, winner: int, players: int) -> Facts:
    """The public facts with one more king of this seat."""
    kings = " ".join(str(count + (seat == winner)) for seat, count in enumerate(kings_of(extra, players)))
    return (*((name, value) for name, value in extra if name != KINGS), (KINGS, kings))


def rivals(h: State) -> tuple[int, ...]:
    """The two who meet in a showdown, clockwise from the mediator, who has the seventh trick; () when none is due."""
    return h.from_seat(h.tricks_won.index(1))[1:] if sorted(h.tricks_won) == NO_MAJORITY else ()


class LastWinnerLeads(Phase):
    """The one of the two who took the later trick will lead the showdown (V11.5.8).

    Applies when a showdown is due; nobody is asked.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """When the mediator took the last trick, it was led by the winner of the trick before it."""
        two = rivals(h)
        if two and h.leader not in two:
            h.leader = h.log[-h.rules.players].seat


class MediatorNamesLeader(Phase):
    """The mediator says which of the two leads the showdown, before they look at their cards (V11 `showdown_lead`).

    Applies when a showdown is due.
    """

    __slots__ = ()

    stage = "lead"

    def begin(self, h: State) -> int | None:
        """Ask the mediator."""
        return h.tricks_won.index(1) if rivals(h) else None

    def legal(self, h: State) -> tuple[Action, ...]:
        """One of the two."""
        return _leads(rivals(h))

    def apply(self, h: State, action: Action, card: int) -> None:
        """He leads."""
        h.leader = action.seat


@cache
def _leads(seats: tuple[int, ...]) -> tuple[Action, ...]:
    return tuple(Action(f"lead {seat}") for seat in sorted(seats))


class DealShowdown(Phase):
    """The outside cards are shuffled and dealt to the two, six to each, the first from the mediator first (V11.5.8).

    Applies when a showdown is due. Whatever lies outside may come back: own discards, too.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Deal; the mediator takes no part from now on."""
        two = rivals(h)
        if not two:
            return
        pack = h.rules.pack
        outside = tuple(members(h.dead))
        order = h.source.shuffled(h.hand_number, len(h.orders), pack, outside)
        h.orders = (*h.orders, order)
        h.dead = 0
        h.sit_out(h.tricks_won.index(1))
        for place, seat in enumerate(two):
            cards = sum(order[place * SHOWDOWN_CARDS :][:SHOWDOWN_CARDS])
            h.hands[seat] = cards
            h.note(seat, "dealt", cards)


def _lead_showdown(h: State) -> int | None:
    """Who leads the showdown, if there is one: whoever was found or named before."""
    return h.leader if len(h.active) < h.rules.players else None


@dataclass(frozen=True)
class ShowdownTricks(Tricks):
    """The tricks of the showdown, counted on from those of the hand (V11.5.8).

    Applies when the showdown has been dealt.
    """

    def begin(self, h: State) -> int | None:
        """Ask the leader."""
        return _lead_showdown(h)

    def trick_ends(self, h: State) -> int | None:
        """After the last trick the hand is decided by the showdown."""
        following = super().trick_ends(h)
        if following is None:
            h.hand_ended = SHOWDOWN
        return following


@dataclass(frozen=True)
class KingShowdownTricks(KingTricks, ShowdownTricks):
    """The tricks of a showdown in which kings score, too (V11.8). Applies as `ShowdownTricks`."""
