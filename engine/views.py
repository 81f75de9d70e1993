"""Views of seats: the only place that decides what a seat may know (A9).

A view contains all public facts, the seat's own cards, its private memory of this hand, and its legal actions if it is
to decide. This module reads nothing else of the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from bowerbird.engine.actions import Action, Event
from bowerbird.engine.cards.pack import Pack
from bowerbird.engine.options import Options, OptionValue
from bowerbird.engine.state import Facts, State, Trick

OVER = "over"
"""The stage when the game is over."""


class Memory(NamedTuple):
    """A fact that only one seat learnt in this hand.

    `what` is "dealt", "upcard" (took it), "discarded", "gave", "received", "widow" (a pile it took up) or "left" (a
    hand it gave up unplayed). `cards` are in canonical order. `seat` is the other seat of a gift, otherwise None.
    """

    what: str
    cards: tuple[str, ...]
    seat: int | None = None


class SeatView(NamedTuple):
    """The game as one seat sees it. Immutable; views with equal fields are equal.

    >>> game = new_game("euchre", first_dealer=3, seed=bytes(32))
    >>> game.view(0).stage, len(game.view(0).hand), game.view(0).trump
    ('order up', 5, '')
    >>> game.view(0).upcard == game.view(1).upcard, game.view(0).hand == game.view(1).hand
    (True, False)

    Fields are ordered by how often they change: per game, mostly per hand, and per decision. Private fields come last.
    Cards are codes (`As`, `X1`), seats are numbers from 0, absent values are "" or None. "By seat" means one entry for
    each seat, or () if the variant does not use the field.

    Attributes:
        variant, options, seat, players: id in rules.md, every option with its value, the seat whose view this is,
            number of seats.
        hand_number, dealer: number of the hand from 0, the seat that dealt.
        scores, games, drops: scores, games won (B4), and consecutive drops (B5), all by seat.
        stage: name of the question: "order up", "discard", "name trump", "stay", "play", ..., "over"; "" while the
            decision is private to another seat.
        actor: the seat to decide; None when the game is over or the decision is private to another seat.
        upcard, upcard_place, upcard_holder: place is "up", "down" (turned down), "taken" (by the holder) or "out".
        proposed: suit that a dealer proposed for a turned joker.
        trump: "s", "h", "d", "c", "nt" or "low"; "" until it is fixed.
        maker, contract, how: contract is 0 if there is none; how is "", "alone" or "jambone".
        lone_defender, highest_bid, highest_bidder: None, 0 and None until there is one. Lone bids continue the count
            from the number of tricks: the lowest lone bid is one higher (V22.5.1).
        active: seats that play in this hand. sides: the number of each seat's side in this hand.
        leader, trick: the seat that leads, and the trick on the table as (seat, card) in the order played.
        tricks_won: by seat. trick_number: tricks finished in this hand.
        tricks: the tricks finished in this hand, in order (`Trick`).
        laid: face-up cards by seat. covered: number of face-down cards on the table by seat.
        history: every public decision of this hand in order.
        extra: public facts of a single variant, as (name, value).
        hand: the seat's own cards. memory: facts that only this seat learnt in this hand, in order.
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
    tricks: tuple[Trick, ...]
    history: tuple[Event, ...]

    hand: tuple[str, ...]
    memory: tuple[Memory, ...]
    legal: tuple[Action, ...]

    def fields(self) -> dict[str, Any]:
        """Return every field by name."""
        return self._asdict()

    @classmethod
    def from_fields(cls, **fields: Any) -> SeatView:
        """Return the view with these fields; the inverse of `fields`. Raise TypeError for a wrong name."""
        if not isinstance(fields.get("options"), Options):
            fields["options"] = Options(fields["options"])
        return cls(**fields)


class OwnView(NamedTuple):
    """What only one seat knows: the private fields of its `SeatView`."""

    seat: int
    hand: tuple[str, ...]
    memory: tuple[Memory, ...]
    legal: tuple[Action, ...]


def own_view_of(h: State, seat: int, legal: tuple[Action, ...]) -> OwnView:
    """Return what only `seat` knows; `legal` contains its legal actions, () unless it is to decide."""
    return OwnView(seat, h.rules.pack.text(h.hands[seat]), _memory_of(h, seat), legal)


def view_of(h: State, seat: int, legal: tuple[Action, ...]) -> SeatView:
    """Return the view of `seat`; `legal` contains the actor's legal actions and is ignored for other seats."""
    rules = h.rules
    seldom, often, trick, tricks = public_parts_of(h, seat)
    values = (
        rules.variant,
        rules.options,
        seat,
        rules.players,
        *seldom,
        *often,
        trick,
        tricks,
        tuple(h.log),
        rules.pack.text(h.hands[seat]),
        _memory_of(h, seat),
        legal if h.actor == seat else (),
    )
    return tuple.__new__(SeatView, values)  # the same as SeatView(*values), but with one call fewer


PublicParts = tuple[tuple[Any, ...], tuple[Any, ...], tuple[tuple[int, str], ...], tuple[Trick, ...]]
"""The public fields of a view except `history`: from `hand_number` to `extra`, from `stage` to `trick_number`, `trick`,
`tricks`."""


def public_parts_of(h: State, seat: int) -> PublicParts:
    """Return the part of the view of `seat` that every seat sees."""
    pack = h.rules.pack
    actor = h.actor
    stage = h.phase.stage
    if actor is None:
        stage = OVER
    elif actor != seat and h.phase.private:
        actor, stage = None, ""
    return (
        (
            h.hand_number,
            h.dealer,
            h.scores,
            h.games,
            h.drops,
            pack.code[h.upcard] if h.upcard else "",
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
            tuple(map(pack.text, h.laid)) if h.laid else (),
            h.extra,
        ),
        (stage, actor, h.leader, tuple(h.tricks_won), h.trick_number),
        h.trick,
        h.tricks,
    )


class SeatParts(NamedTuple):
    """The parts of a seat's view that are not public, and marks that show whether an earlier view is still valid.

    Attributes:
        deal: number of the hand, and of the shuffle in it. While both stay the same, `tricks` only grows; while the
            first stays the same, `history` only grows.
        history: as in `SeatView`. This is the game's own list, so do not change it.
        hand, legal: as in `SeatView`.
        learnt: while this and `deal` stay the same, so does the memory of this seat (`Game.own_view`).
    """

    deal: tuple[int, int]
    history: Sequence[Event]
    hand: tuple[str, ...]
    legal: tuple[Action, ...]
    learnt: tuple[int, int]


def seat_parts_of(h: State, seat: int, legal: tuple[Action, ...]) -> SeatParts:
    """Return the parts of `seat`; `legal` contains its legal actions, () unless it is to decide."""
    values = (
        (h.hand_number, len(h.orders)),
        h.log,
        h.rules.pack.text(h.hands[seat]),
        legal,
        (h.dealt[seat], len(h.notes)),
    )
    return tuple.__new__(SeatParts, values)


def _memory_of(h: State, seat: int) -> tuple[Memory, ...]:
    """Return what only `seat` learnt in this hand, in order."""
    dealt = h.dealt[seat]
    memory: tuple[Memory, ...] = (_dealt(h.rules.pack, dealt),) if dealt else ()
    if h.notes:
        text = h.rules.pack.text
        memory += tuple([Memory(what, text(cards), other) for owner, what, cards, other in h.notes if owner == seat])
    return memory


@lru_cache(maxsize=1 << 12)
def _dealt(pack: Pack, cards: int) -> Memory:
    """Return the memory of the cards dealt, cached because every view of a hand contains it."""
    return Memory("dealt", pack.text(cards))
