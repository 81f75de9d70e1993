"""Poor hands right after the deal: the claim of a misdeal (B6), and a farmer's hand that goes under (B7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from bowerbird.engine.actions import Action
from bowerbird.engine.cards.pack import Pack, members
from bowerbird.engine.phases.base import DECLINE, Phase, ask_in_turn, next_asked
from bowerbird.engine.phases.exchange import KEEP, SWAP
from bowerbird.engine.phases.joker_turned import joker_is_turned
from bowerbird.engine.phases.lone import CLAIM
from bowerbird.engine.results import THROWN_IN
from bowerbird.engine.state import Setup, State

TALON = "talon"
"""The name of the pile that a farmer's hand takes its cards from."""

SHOWN = 3
"""The number of cards that a farmer's hand gives up."""


@cache
def cards_of(pack: Pack, ranks: str) -> int:
    """Return the set of cards in `pack` with one of `ranks`; `X` stands for a joker."""
    return pack.set_of([code for code in pack.codes if code[0] in ranks])


@dataclass(frozen=True)
class Misdeal(Phase):
    """The claim of a poor hand, which is thrown in (B6).

    Applies unless a joker was turned up: the dealer has not seen his cards yet (O1). Starting with the eldest, each
    seat is asked once until one claims. Even seats that cannot claim are asked, so that declining reveals nothing. A
    hand qualifies if it has no king, queen, jack or joker, and at most `aces` aces.
    """

    aces: int

    stage = "misdeal"

    def begin(self, h: State) -> int | None:
        """Ask all seats from the eldest."""
        return None if joker_is_turned(h) else ask_in_turn(h, h.from_seat(h.eldest))

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (CLAIM, DECLINE)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return declining, and claiming for a hand that qualifies."""
        pack, hand = h.rules.pack, h.hands[h.actor]  # type: ignore[index]  # an actor is never None while asked
        poor = not hand & cards_of(pack, "KQJX") and (hand & cards_of(pack, "A")).bit_count() <= self.aces
        return _MISDEAL[not poor :]

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """End the hand and show the cards if the actor claims; otherwise ask the next seat."""
        if action is DECLINE:
            return next_asked(h)
        h.laid = tuple(hand if seat == h.actor else 0 for seat, hand in enumerate(h.hands))
        h.hand_ended = THROWN_IN
        return None


_MISDEAL = (CLAIM, DECLINE)


@dataclass(frozen=True)
class GoUnder(Phase):
    """The choice to exchange three low cards with the talon (B7).

    Applies unless a joker was turned up (O1). Starting with the eldest, each seat is asked once until one swaps. Even
    seats that cannot swap are asked, so that keeping the hand reveals nothing. A hand qualifies with three cards of one
    of `groups` of ranks.
    """

    groups: tuple[str, ...]

    stage = "go under"

    def begin(self, h: State) -> int | None:
        """Ask all seats from the eldest."""
        return None if joker_is_turned(h) else ask_in_turn(h, h.from_seat(h.eldest))

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (SWAP, KEEP)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return keeping the hand, and swapping for a hand that qualifies."""
        pack, hand = h.rules.pack, h.hands[h.actor]  # type: ignore[index]  # an actor is never None while asked
        low = any((hand & cards_of(pack, ranks)).bit_count() >= SHOWN for ranks in self.groups)
        return _FARMER[not low :]

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat if the actor keeps his hand; otherwise `ShowLow` follows."""
        return next_asked(h) if action is KEEP else None


_FARMER = (SWAP, KEEP)


@dataclass(frozen=True)
class ShowLow(Phase):
    """The exchange of three low cards, which a seat shows to everyone and puts away, for three unseen talon cards (B7).

    Applies if a seat has just swapped (`GoUnder`). `groups` is as in `GoUnder`; all three cards must belong to one
    group.
    """

    groups: tuple[str, ...]

    stage = "show"
    facts = ("shown", "widow")

    def begin(self, h: State) -> int | None:
        """Ask the seat that has swapped."""
        return h.log[-1].seat if h.log and h.log[-1].action is SWAP else None

    def holding(self, h: State) -> int:
        """Return the actor's hand."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def choices(self, h: State) -> int:
        """Return the cards of each group that has enough cards for the number still to be shown."""
        hand, left = self.holding(h), _left(h)
        found = 0
        for group in self._open(h):
            if (hand & group).bit_count() >= left:
                found |= hand & group
        return found

    def _open(self, h: State) -> list[int]:
        """Return the cards of each group that contains every card shown so far."""
        pack, shown = h.rules.pack, _shown(h)
        groups = [cards_of(pack, ranks) for ranks in self.groups]
        return [group for group in groups if shown & group == shown]

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return rules.pack.shows(sum(cards_of(rules.pack, ranks) for ranks in self.groups))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return showing each card of `choices`."""
        return h.rules.pack.shows(self.choices(h))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card away, face up. After the third one give the seat its cards from the talon."""
        seat = h.actor
        assert seat is not None
        h.hands[seat] ^= card
        h.dead |= card
        if _left(h):
            return seat
        taken = h.take_pile(TALON)
        h.hands[seat] |= taken
        h.note(seat, "widow", taken)
        return None

    def must_hold(self, h: State) -> Iterator[tuple[int, int]]:
        """Yield each way to have enough cards of a group; see `Phase.must_hold`."""
        left, shown = _left(h), _shown(h)
        for group in self._open(h):
            rest = tuple(members(group & ~shown))
            for number in range(left, min(len(rest), self.holding(h).bit_count()) + 1):
                for cards in combinations(rest, number):
                    yield group & ~shown, sum(cards)


def _shown(h: State) -> int:
    """Return the cards shown so far in this hand."""
    pack = h.rules.pack
    return sum(pack.bits[event.action.card] for event in h.log if event.action.kind == "show")


def _left(h: State) -> int:
    """Return the number of cards that are still to be shown."""
    return SHOWN - sum(event.action.kind == "show" for event in h.log)


def farmers_hand(*groups: str) -> tuple[Phase, ...]:
    """Return the whole procedure B7 for hands with three cards of one of `groups` of ranks."""
    return GoUnder(groups), ShowLow(groups)
