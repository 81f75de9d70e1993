"""The play for kings (V11.7, V11.8) and the showdown of two players with three tricks each (V11.5.8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from bowerbird.engine.actions import Action
from bowerbird.engine.cards.pack import members
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.results import KING, SHOWDOWN
from bowerbird.engine.state import Facts, Setup, State

KINGS = "kings"
"""The name of the public fact (`h.extra`) with the number of kings that won tricks in this hand, by seat."""

NO_MAJORITY = [1, 3, 3]
"""The players' numbers of tricks that lead to a showdown, in ascending order."""

SHOWDOWN_CARDS = 6
SHOWDOWN_TRICKS = 5


@dataclass(frozen=True)
class KingTricks(Tricks):
    """Tricks in which a winning king scores a point at once.

    A player who reaches `target` points by a king ends the game in mid-hand (V11.9). Applies when `Tricks` does.
    """

    target: int = field(kw_only=True)

    def trick_ends(self, h: State) -> int | None:
        """Give the trick to its winner, and a point if he won it with a king."""
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
    """Return the number of kings that have won tricks in this hand, by seat."""
    known = dict(extra)
    return tuple(map(int, known[KINGS].split())) if KINGS in known else (0,) * players


@cache
def with_king(extra: Facts, winner: int, players: int) -> Facts:
    """Return the public facts `extra` with one more king for the seat `winner`."""
    kings = " ".join(str(count + (seat == winner)) for seat, count in enumerate(kings_of(extra, players)))
    return (*((name, value) for name, value in extra if name != KINGS), (KINGS, kings))


def rivals(h: State) -> tuple[int, ...]:
    """Return the two seats of a showdown that is due, clockwise from the mediator (the seat with one trick), or ()."""
    return h.from_seat(h.tricks_won.index(1))[1:] if sorted(h.tricks_won) == NO_MAJORITY else ()


class LastWinnerLeads(Phase):
    """The lead of the showdown by the rival who took the later trick (V11.5.8).

    Applies when a showdown is due; no seat is asked.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Set the leader. If the mediator took the last trick, the leader is the rival who led that trick."""
        two = rivals(h)
        if two and h.leader not in two:
            h.leader = h.log[-h.rules.players].seat


class MediatorNamesLeader(Phase):
    """The mediator's choice of the rival who leads the showdown (V11 `showdown_lead`).

    He chooses before the rivals look at their cards. Applies when a showdown is due.
    """

    __slots__ = ()

    stage = "lead"

    def begin(self, h: State) -> int | None:
        """Ask the mediator if a showdown is due."""
        return h.tricks_won.index(1) if rivals(h) else None

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return _leads(rules.seats)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a lead for each of the two rivals."""
        return _leads(rivals(h))

    def apply(self, h: State, action: Action, card: int) -> None:
        """Make the named rival the leader."""
        h.leader = action.seat


@cache
def _leads(seats: tuple[int, ...]) -> tuple[Action, ...]:
    return tuple(Action(f"lead {seat}") for seat in sorted(seats))


class DealShowdown(Phase):
    """The deal of the shuffled outside cards to the two rivals, six to each (V11.5.8).

    The first rival clockwise from the mediator gets the first six. Players may get their own discards back. Applies
    when a showdown is due.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Deal the cards and let the mediator sit out; no seat is asked."""
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
    """Return the leader of the showdown, or None if there is no showdown."""
    return h.leader if len(h.active) < h.rules.players else None


@dataclass(frozen=True)
class ShowdownTricks(Tricks):
    """The tricks of the showdown (V11.5.8). Their numbers and counts continue those of the hand.

    Applies when the showdown has been dealt.
    """

    def begin(self, h: State) -> int | None:
        """Ask the leader of the showdown, if there is one."""
        return _lead_showdown(h)

    def trick_ends(self, h: State) -> int | None:
        """Give the trick to its winner; after the last trick end the hand."""
        following = super().trick_ends(h)
        if following is None:
            h.hand_ended = SHOWDOWN
        return following


@dataclass(frozen=True)
class KingShowdownTricks(KingTricks, ShowdownTricks):
    """The tricks of a showdown in which kings also score (V11.8). Applies when `ShowdownTricks` does."""
