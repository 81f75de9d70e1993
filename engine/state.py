"""Everything that changes in a game, each field declared with who may know it.

`copy` and the views follow from this declaration; tests compare them with `KNOWLEDGE` field by field.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.trumps import NOTHING_LED

if TYPE_CHECKING:
    from engine.actions import Action, Event
    from engine.packs import PackSource
    from engine.phases.base import Phase
    from engine.results import HandResult
    from engine.rules import Rules
    from engine.trumps import Lead, Order


class Know(Enum):
    """Who may know a field."""

    CARRIED = "everybody; it lasts from hand to hand"
    PUBLIC = "everybody; it belongs to the hand in play"
    OWN = "by seat, each its own entry"
    HIDDEN = "nobody"


KNOWLEDGE: dict[str, Know] = {
    "rules": Know.CARRIED,
    "hand_number": Know.CARRIED,
    "dealer": Know.CARRIED,
    "scores": Know.CARRIED,
    "games": Know.CARRIED,
    "drops": Know.CARRIED,
    "winners": Know.CARRIED,
    "ended": Know.CARRIED,
    "step": Know.PUBLIC,
    "phase": Know.PUBLIC,
    "actor": Know.PUBLIC,
    "asking": Know.PUBLIC,
    "upcard": Know.PUBLIC,
    "upcard_place": Know.PUBLIC,
    "upcard_holder": Know.PUBLIC,
    "proposed": Know.PUBLIC,
    "trump": Know.PUBLIC,
    "order": Know.PUBLIC,
    "maker": Know.PUBLIC,
    "contract": Know.PUBLIC,
    "how": Know.PUBLIC,
    "lone_defender": Know.PUBLIC,
    "highest_bid": Know.PUBLIC,
    "highest_bidder": Know.PUBLIC,
    "active": Know.PUBLIC,
    "after": Know.PUBLIC,
    "sides": Know.PUBLIC,
    "leader": Know.PUBLIC,
    "trick": Know.PUBLIC,
    "lead": Know.PUBLIC,
    "best": Know.PUBLIC,
    "winning": Know.PUBLIC,
    "trick_number": Know.PUBLIC,
    "tricks_won": Know.PUBLIC,
    "laid": Know.PUBLIC,
    "covered": Know.PUBLIC,
    "log": Know.PUBLIC,
    "extra": Know.PUBLIC,
    "scratch": Know.PUBLIC,
    "hand_ended": Know.PUBLIC,
    "hands": Know.OWN,
    "dealt": Know.OWN,
    "notes": Know.OWN,
    "piles": Know.HIDDEN,
    "dead": Know.HIDDEN,
    "orders": Know.HIDDEN,
    "source": Know.HIDDEN,
    "results": Know.HIDDEN,
    "legal_now": Know.OWN,
}
"""Who may know each field of `State`. `legal_now` belongs to the actor; `results` hold the packs of past hands."""

Note = tuple[int, str, int, int | None]
"""Private knowledge: the seat that has it, what (as `Memory.what`), the cards, the other seat or None."""


@cache
def ring(players: int, active: tuple[int, ...]) -> tuple[int, ...]:
    """By seat, the next active seat clockwise after it (itself when no other is active)."""
    return tuple(
        next((seat + k) % players for k in range(1, players + 1) if (seat + k) % players in active)
        for seat in range(players)
    )


@cache
def _without(active: tuple[int, ...], gone: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(seat for seat in active if seat not in gone)


@cache
def _others(sides: tuple[int, ...], seat: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The other seats of this seat's side, and those of all other sides, each clockwise after it."""
    after = tuple((seat + k) % len(sides) for k in range(1, len(sides)))
    return tuple(s for s in after if sides[s] == sides[seat]), tuple(s for s in after if sides[s] != sides[seat])


class State:
    """One game in play: the scores so far and the hand on the table. Mutable; phases change it, nobody else.

    Cards are bits of `rules.pack`, sets of cards ints. Tuples and mappings are replaced, never changed, so that a copy
    shares them; `hands`, `tricks_won`, `notes` and `log` are lists, and a copy has its own.
    """

    __slots__ = tuple(KNOWLEDGE)

    # CARRIED
    rules: Rules
    hand_number: int
    dealer: int
    scores: tuple[int, ...]
    games: tuple[int, ...]
    drops: tuple[int, ...]
    winners: tuple[int, ...]
    ended: str
    # PUBLIC: where the hand stands
    step: int
    phase: Phase
    actor: int | None
    asking: tuple[int, ...]  # seats still to be asked in this phase, the actor first
    scratch: Any  # immutable; what the phase in play has to remember, known to all
    hand_ended: str  # how the hand ended, "" while it is played
    # PUBLIC: the call
    upcard: int
    upcard_place: str
    upcard_holder: int | None
    proposed: str
    trump: str
    order: Order
    maker: int | None
    contract: int
    how: str
    lone_defender: int | None
    highest_bid: int
    highest_bidder: int | None
    active: tuple[int, ...]
    after: tuple[int, ...]  # next active seat by seat
    sides: tuple[int, ...]
    # PUBLIC: the play
    leader: int | None
    trick: tuple[tuple[int, str], ...]
    lead: Lead
    best: int  # strength of the best card so far
    winning: int  # its owner
    trick_number: int
    tricks_won: list[int]
    laid: tuple[int, ...]
    covered: tuple[int, ...]
    log: list[Event]
    extra: tuple[tuple[str, str], ...]
    # OWN
    hands: list[int]
    dealt: tuple[int, ...]  # the hand each seat was dealt; 0 until it has looked at it
    notes: list[Note]
    legal_now: tuple[Action, ...] | None  # the actor's, once asked for
    # HIDDEN
    piles: dict[str, tuple[int, ...]]  # face-down piles by name, in the order dealt
    dead: int
    orders: tuple[tuple[int, ...], ...]  # the shuffled packs of this hand
    source: PackSource
    results: tuple[HandResult, ...]

    def clear(self) -> None:
        """Take everything off the table for a new hand."""
        rules = self.rules
        self.step = -1
        self.phase = rules.phases[0]
        self.actor = None
        self.asking = ()
        self.scratch = None
        self.hand_ended = ""
        self.upcard = 0
        self.upcard_place = ""
        self.upcard_holder = None
        self.proposed = ""
        self.trump = ""
        self.order = rules.no_order
        self.maker = None
        self.contract = 0
        self.how = ""
        self.lone_defender = None
        self.highest_bid = 0
        self.highest_bidder = None
        self.active = rules.seats
        self.after = rules.ring
        self.sides = rules.sides
        self.leader = None
        self.trick = ()
        self.lead = NOTHING_LED
        self.best = 0
        self.winning = 0
        self.trick_number = 0
        self.tricks_won = [0] * rules.players
        self.laid = ()
        self.covered = ()
        self.log = []
        self.extra = ()
        self.hands = []
        self.dealt = ()
        self.notes = []
        self.legal_now = None
        self.piles = {}
        self.dead = 0
        self.orders = ()

    def copy_from(self, other: State) -> None:
        """Become an independent copy of another state: same future for the same actions."""
        self.rules = other.rules
        self.hand_number = other.hand_number
        self.dealer = other.dealer
        self.scores = other.scores
        self.games = other.games
        self.drops = other.drops
        self.winners = other.winners
        self.ended = other.ended
        self.step = other.step
        self.phase = other.phase
        self.actor = other.actor
        self.asking = other.asking
        self.scratch = other.scratch
        self.hand_ended = other.hand_ended
        self.upcard = other.upcard
        self.upcard_place = other.upcard_place
        self.upcard_holder = other.upcard_holder
        self.proposed = other.proposed
        self.trump = other.trump
        self.order = other.order
        self.maker = other.maker
        self.contract = other.contract
        self.how = other.how
        self.lone_defender = other.lone_defender
        self.highest_bid = other.highest_bid
        self.highest_bidder = other.highest_bidder
        self.active = other.active
        self.after = other.after
        self.sides = other.sides
        self.leader = other.leader
        self.trick = other.trick
        self.lead = other.lead
        self.best = other.best
        self.winning = other.winning
        self.trick_number = other.trick_number
        self.tricks_won = other.tricks_won[:]
        self.laid = other.laid
        self.covered = other.covered
        self.log = other.log[:]
        self.extra = other.extra
        self.hands = other.hands[:]
        self.dealt = other.dealt
        self.notes = other.notes[:]
        self.legal_now = other.legal_now
        self.piles = other.piles
        self.dead = other.dead
        self.orders = other.orders
        self.source = other.source
        self.results = other.results

    # What phases do to the table.

    def from_seat(self, seat: int) -> tuple[int, ...]:
        """All seats clockwise, beginning with this one ("from x", A1)."""
        return self.rules.rounds[seat % self.rules.players]

    @property
    def eldest(self) -> int:
        """The seat left of the dealer (A1)."""
        return (self.dealer + 1) % self.rules.players

    def fix_trump(self, trump: str) -> None:
        """From now on this suit, or no trump, is trump."""
        self.trump = trump
        self.order = self.rules.pack.order(trump)

    def set_active(self, active: tuple[int, ...]) -> None:
        """From now on only these seats take part in the play."""
        self.active = active
        self.after = ring(self.rules.players, active)

    def sit_out(self, *seats: int) -> None:
        """These seats lay their cards aside, face down and unseen (B2, B5)."""
        self.set_active(_without(self.active, seats))

    def partners(self, seat: int) -> tuple[int, ...]:
        """The other seats on this seat's side in this hand, clockwise after it."""
        return _others(self.sides, seat)[0]

    def opponents(self, seat: int) -> tuple[int, ...]:
        """The seats on other sides in this hand, clockwise after it."""
        return _others(self.sides, seat)[1]

    def note(self, seat: int, what: str, cards: int, other: int | None = None) -> None:
        """This seat alone learns something; it stays in its memory for the hand (`Memory`)."""
        self.notes.append((seat, what, cards, other))

    def put_away(self, seat: int, card: int) -> None:
        """This seat discards one card of its hand, face down, for good (A10)."""
        self.hands[seat] ^= card
        self.dead |= card
        self.notes.append((seat, "discarded", card, None))

    def take_upcard(self, seat: int) -> None:
        """This seat takes the upcard into its hand; everybody sees it (T2)."""
        self.hands[seat] |= self.upcard
        self.upcard_place = "taken"
        self.upcard_holder = seat
        self.notes.append((seat, "upcard", self.upcard, None))

    def substitute(self, cards: dict[int, int]) -> None:
        """Replace cards by others wherever they lie (for `engine.shadow`: symbols by the cards they stand for)."""
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
