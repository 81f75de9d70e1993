"""The state of a hand: everything that phases, scores and ends read and change.

Each field of `State` is declared once (`bowerbird.engine.fields`); tests compare the views with these declarations.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import NamedTuple, Protocol

from bowerbird.engine.actions import Event
from bowerbird.engine.cards.deal import DealPlan, plans
from bowerbird.engine.cards.pack import Pack
from bowerbird.engine.cards.sources import PackSource
from bowerbird.engine.cards.trump_order import NOTHING_LED, Lead, TrumpOrder
from bowerbird.engine.fields import Record, carried, hidden, own, public
from bowerbird.engine.options import Options

Teams = tuple[tuple[int, ...], ...]


class Trick(NamedTuple):
    """A complete trick: its cards as (seat, card) in the order played, and the seat that won it."""

    cards: tuple[tuple[int, str], ...]
    winner: int

    @property
    def leader(self) -> int:
        """The seat that led this trick."""
        return self.cards[0][0]


Facts = tuple[tuple[str, str], ...]
"""Public facts of a single variant, as (name, value)."""

Note = tuple[int, str, int, int | None]
"""Private knowledge: the seat that has it, its kind (`Memory.what`), the cards, and the other seat or None."""


@cache
def ring(players: int, active: tuple[int, ...]) -> tuple[int, ...]:
    """Return for each seat the next active seat clockwise (the seat itself if no other is active)."""
    return tuple(
        next((seat + k) % players for k in range(1, players + 1) if (seat + k) % players in active)
        for seat in range(players)
    )


@cache
def _without(active: tuple[int, ...], gone: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(seat for seat in active if seat not in gone)


@cache
def _others(sides: tuple[int, ...], seat: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the other seats on the side of `seat`, and the seats on other sides, each clockwise after `seat`."""
    after = tuple((seat + k) % len(sides) for k in range(1, len(sides)))
    return tuple(s for s in after if sides[s] == sides[seat]), tuple(s for s in after if sides[s] != sides[seat])


@dataclass(frozen=True, slots=True)
class Setup:
    """The set-up of a variant under its options: seats, sides, pack and deal.

    Attributes:
        variant: its id in rules.md.
        options: every option with its value.
        players: number of seats.
        pack: the cards.
        deal: the deal as text (`bowerbird.engine.cards.deal`).
        teams: fixed sides, or None if each seat plays alone.
        each: names of the piles of the deal that exist once for each seat.
        piles: names of the other piles of the deal.

    Derived from these, once for all games:
        hand_size: number of cards dealt to each hand.
        seats: all seats in order.
        ring: the next seat of each seat while all are active.
        rounds: for each seat, all seats clockwise from it.
        sides: the number of each seat's side at the start of a hand.
        plans: for each dealer, where each card of the shuffled pack goes.
        no_order: placeholder for a hand's `order` before trump is fixed; it is never read.
    """

    variant: str
    options: Options
    _: KW_ONLY
    players: int
    pack: Pack
    deal: str
    teams: Teams | None = None
    each: tuple[str, ...] = ()
    piles: tuple[str, ...] = ()
    hand_size: int = field(init=False)
    seats: tuple[int, ...] = field(init=False)
    ring: tuple[int, ...] = field(init=False)
    rounds: tuple[tuple[int, ...], ...] = field(init=False)
    sides: tuple[int, ...] = field(init=False)
    plans: tuple[DealPlan, ...] = field(init=False)
    no_order: TrumpOrder = field(init=False)

    def __post_init__(self) -> None:
        seats = tuple(range(self.players))
        teams = self.teams or tuple((seat,) for seat in seats)
        deals = plans(self.deal, self.players, each=self.each, piles=self.piles)
        derived = {
            "hand_size": len(deals[0].hands[0](range(self.pack.size))),
            "seats": seats,
            "ring": ring(self.players, seats),
            "rounds": tuple(seats[seat:] + seats[:seat] for seat in seats),
            "sides": tuple(next(side for side, team in enumerate(teams) if seat in team) for seat in seats),
            "plans": deals,
            "no_order": self.pack.order("s"),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)


class Query(Protocol):
    """The part of a phase (`bowerbird.engine.phases.base`) that views show."""

    @property
    def stage(self) -> str:
        """The name of the question."""

    @property
    def private(self) -> bool:
        """Whether only the seat that is asked may know about the question."""


def _empty_list(rules: Setup) -> list[int]:
    return []


class State(Record):
    """One game in play: the scores so far and the hand on the table. It is mutable, but only phases change it.

    Cards are bits of `rules.pack`, and sets of cards are ints. Tuples and mappings are replaced, never changed, because
    copies of the state share them. A copy has its own lists.
    """

    # Fields that last from hand to hand.
    rules: Setup = carried()
    hand_number: int = carried()
    dealer: int = carried()
    scores: tuple[int, ...] = carried()
    games: tuple[int, ...] = carried()
    lapped: tuple[int, ...] = carried()  # points that a lap brought into this game, by seat (O8)
    drops: tuple[int, ...] = carried()
    winners: tuple[int, ...] = carried()
    ended: str = carried()

    # The seat that is asked, and the end of the hand ("" while it is in play).
    actor: int | None = public(None)
    phase: Query = public(lambda rules: rules.phases[0])
    asking: tuple[int, ...] = public(())  # seats still to be asked in this phase, the actor first
    hand_ended: str = public("")

    # The call.
    upcard: int = public(0)
    upcard_place: str = public("")
    upcard_holder: int | None = public(None)
    proposed: str = public("")
    highest_bid: int = public(0)
    highest_bidder: int | None = public(None)
    trump: str = public("")
    order: TrumpOrder = public(lambda rules: rules.no_order)
    maker: int | None = public(None)
    contract: int = public(0)
    how: str = public("")
    lone_defender: int | None = public(None)

    # Seats in play and their sides.
    active: tuple[int, ...] = public(lambda rules: rules.seats)
    after: tuple[int, ...] = public(lambda rules: rules.ring)  # the next active seat of each seat
    sides: tuple[int, ...] = public(lambda rules: rules.sides)

    # The play.
    leader: int | None = public(None)
    trick: tuple[tuple[int, str], ...] = public(())
    tricks: tuple[Trick, ...] = public(())
    lead: Lead = public(NOTHING_LED)
    best: int = public(0)  # least strength that beats the best card of the trick so far
    winning: int = public(0)  # the seat that played it
    trick_number: int = public(0)
    tricks_won: list[int] = public(lambda rules: [0] * rules.players, is_list=True)
    laid: tuple[int, ...] = public(())
    covered: tuple[int, ...] = public(())

    # Every public decision of this hand, including the one that a phase is now applying (`Phase.apply`).
    log: list[Event] = public(_empty_list, is_list=True)
    extra: Facts = public(())

    # Private knowledge of each seat.
    hands: list[int] = own(_empty_list, is_list=True)
    dealt: tuple[int, ...] = own(())  # the hand dealt to each seat; 0 until the seat has looked at it
    notes: list[Note] = own(_empty_list, is_list=True)

    # Fields that are hidden from all seats.
    piles: dict[str, tuple[int, ...]] = hidden(lambda rules: {})  # face-down piles by name, in the order dealt
    dead: int = hidden(0)
    orders: tuple[tuple[int, ...], ...] = hidden(())  # the shuffled packs of this hand
    source: PackSource = hidden()

    # Operations that phases use on the table.

    def from_seat(self, seat: int) -> tuple[int, ...]:
        """Return all seats clockwise, starting with `seat` ("from x", A1)."""
        return self.rules.rounds[seat % self.rules.players]

    @property
    def eldest(self) -> int:
        """The seat to the dealer's left (A1)."""
        return (self.dealer + 1) % self.rules.players

    def fix_trump(self, trump: str) -> None:
        """Set the trump of this hand: a suit, "nt" or "low"."""
        self.trump = trump
        self.order = self.rules.pack.order(trump)

    def set_active(self, active: tuple[int, ...]) -> None:
        """Let only the seats in `active` play."""
        self.active = active
        self.after = ring(self.rules.players, active)

    def sit_out(self, *seats: int) -> None:
        """Take `seats` out of the play: their cards lie face down and unseen (B2, B5)."""
        self.set_active(_without(self.active, seats))

    def partners(self, seat: int) -> tuple[int, ...]:
        """Return the other seats on the side of `seat` in this hand, clockwise after it."""
        return _others(self.sides, seat)[0]

    def opponents(self, seat: int) -> tuple[int, ...]:
        """Return the seats on sides other than that of `seat` in this hand, clockwise after it."""
        return _others(self.sides, seat)[1]

    def note(self, seat: int, what: str, cards: int, other: int | None = None) -> None:
        """Record private knowledge of `seat`; it stays in the seat's memory for the hand (`Memory`)."""
        self.notes.append((seat, what, cards, other))

    def put_away(self, seat: int, card: int) -> None:
        """Discard `card` from the hand of `seat`, face down, for good (A10)."""
        self.hands[seat] ^= card
        self.dead |= card
        self.notes.append((seat, "discarded", card, None))

    def take_upcard(self, seat: int) -> None:
        """Put the upcard into the hand of `seat`, in public (T2)."""
        self.hands[seat] |= self.upcard
        self.upcard_place = "taken"
        self.upcard_holder = seat
        self.notes.append((seat, "upcard", self.upcard, None))

    def take_pile(self, name: str) -> int:
        """Remove the pile `name` from the table and return its cards."""
        cards = sum(self.piles[name])
        self.piles = {other: pile for other, pile in self.piles.items() if other != name}
        return cards

    def substitute(self, cards: dict[int, int]) -> None:
        """Replace each key of `cards` with its value everywhere (`engine.sampling` replaces symbols with cards)."""
        old = sum(cards)

        def replaced(held: int) -> int:
            for card, by in cards.items() if held & old else ():
                if held & card:
                    held ^= card | by
            return held

        self.hands = [replaced(hand) for hand in self.hands]
        self.dealt = tuple(map(replaced, self.dealt))
        self.laid = tuple(map(replaced, self.laid))
        self.dead = replaced(self.dead)
        self.upcard = replaced(self.upcard)
        self.notes = [(seat, what, replaced(held), other) for seat, what, held, other in self.notes]
        self.piles = {name: tuple([cards.get(card, card) for card in pile]) for name, pile in self.piles.items()}
        self.orders = tuple(tuple([cards.get(card, card) for card in order]) for order in self.orders)
