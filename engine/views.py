"""What a seat may know: the one place that decides it (A9).

A view is all that is public, the seat's own cards and its private memory of this hand, and for the seat that decides
its legal actions. Nothing else of the state is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.actions import Action, Event
from engine.options import Options, OptionValue

if TYPE_CHECKING:
    from engine.cards import Pack
    from engine.state import State

OVER = "over"

Facts = tuple[tuple[str, str], ...]
"""Public facts that only one variant has, as (name, value)."""


class Memory(NamedTuple):
    """One thing that a seat alone has learnt in this hand.

    `what` is "dealt", "upcard" (took it), "discarded", "gave", "received", "widow" (a pile it took up) or "left" (a
    hand it gave up unplayed); `cards` in canonical order; `seat` the other seat of a gift, else None.
    """

    what: str
    cards: tuple[str, ...]
    seat: int | None = None


class SeatView(NamedTuple):
    """The game as one seat sees it. Immutable; views with equal fields are equal.

    The fields are in this order: what stands through the game, what mostly stands through a hand, what changes from
    one decision to the next, what this seat alone knows. Cards are codes (`As`, `X1`), seats are numbers from 0, what
    is absent is "" or None. By seat means one entry for each seat, `()` where the variant does not use the field.

    Attributes:
        variant, options, seat, players: the game, every option resolved, whose view it is, number of seats.
        hand_number, dealer, scores, games, drops: `games` credited (B4), `drops` in a row (B5), all by seat.
        stage: what is being asked: "order up", "discard", "name trump", "stay", "play", ..., "over"; "" while the
            decision is private to another seat.
        actor: the seat to decide; None when the game is over or the decision is private to another seat.
        upcard, upcard_place, upcard_holder: place is "up", "down" (turned down), "taken" (by the holder), "out".
        proposed: suit that a dealer proposed for a turned joker.
        trump: "s" "h" "d" "c" "nt", "" until it is fixed. maker, contract (0: none), how ("", "alone", "jambone").
        lone_defender, highest_bid, highest_bidder: as the names say; 0 and None until there is one.
        active: seats in the play of this hand. sides: by seat, number of its side in this hand.
        leader, trick: the trick on the table as (seat, card) in the order played.
        tricks_won: by seat. trick_number: tricks finished in this hand.
        laid: face-up cards by seat. covered: number of face-down cards on the table by seat.
        history: every public decision of this hand in order.
        extra: public facts that only one variant has, as (name, value).
        hand: own cards. memory: what this seat alone has learnt in this hand, in order.
        legal: this seat's legal actions in canonical order; () unless it is to decide.
    """

    variant: str
    options: Mapping[str, OptionValue]
    seat: int
    players: int

    hand_number: int
    dealer: int
    scores: tuple[int, ...]
    games: tuple[int, ...]
    drops: tuple[int, ...]
    upcard: str
    upcard_place: str
    upcard_holder: int | None
    proposed: str
    trump: str
    maker: int | None
    contract: int
    how: str
    lone_defender: int | None
    highest_bid: int
    highest_bidder: int | None
    active: tuple[int, ...]
    sides: tuple[int, ...]
    covered: tuple[int, ...]
    laid: tuple[tuple[str, ...], ...]
    extra: Facts

    stage: str
    actor: int | None
    leader: int | None
    tricks_won: tuple[int, ...]
    trick_number: int
    trick: tuple[tuple[int, str], ...]
    history: tuple[Event, ...]

    hand: tuple[str, ...]
    memory: tuple[Memory, ...]
    legal: tuple[Action, ...]

    def fields(self) -> dict[str, Any]:
        """Every field by name."""
        return self._asdict()

    @classmethod
    def from_fields(cls, **fields: Any) -> SeatView:
        """The view with these fields, all of them by name; the inverse of `fields`. TypeError for a wrong name."""
        if not isinstance(fields.get("options"), Options):
            fields["options"] = Options(fields["options"])
        return cls(**fields)


def view_of(h: State, seat: int, legal: tuple[Action, ...]) -> SeatView:
    """The view of `seat`; `legal` are the actor's legal actions, left out for everybody else."""
    rules = h.rules
    text = rules.pack.text
    actor = h.actor
    stage = h.phase.stage
    if actor is None:
        stage = OVER
    elif actor != seat:
        legal = ()
        if h.phase.private:
            actor, stage = None, ""
    dealt = h.dealt[seat]
    memory: tuple[Memory, ...] = (_dealt(rules.pack, dealt),) if dealt else ()
    if h.notes:
        memory += tuple(Memory(what, text(cards), other) for owner, what, cards, other in h.notes if owner == seat)
    values = (
        rules.variant,
        rules.options,
        seat,
        rules.players,
        h.hand_number,
        h.dealer,
        h.scores,
        h.games,
        h.drops,
        rules.pack.code[h.upcard] if h.upcard else "",
        h.upcard_place,
        h.upcard_holder,
        h.proposed,
        h.trump,
        h.maker,
        h.contract,
        h.how,
        h.lone_defender,
        h.highest_bid,
        h.highest_bidder,
        h.active,
        h.sides,
        h.covered,
        tuple(map(text, h.laid)) if h.laid else (),
        h.extra,
        stage,
        actor,
        h.leader,
        tuple(h.tricks_won),
        h.trick_number,
        h.trick,
        tuple(h.log),
        text(h.hands[seat]),
        memory,
        legal,
    )
    return tuple.__new__(SeatView, values)  # what SeatView(*values) does, without a call between


@lru_cache(maxsize=1 << 12)
def _dealt(pack: Pack, cards: int) -> Memory:
    """The memory of the cards dealt, which goes with every view of a hand."""
    return Memory("dealt", pack.text(cards))
