"""What a bot asks of a position: what beats what, what is unseen, who is void."""

from __future__ import annotations

from collections.abc import Mapping

from engine import Event, SeatView, rules_of
from engine.cards import Pack, members
from engine.trumps import effective_suit

SHOWING = frozenset({"play", "dictate"})
"""Decisions that show a card to all."""


class Cards:
    """The cards of one view, written as in NOTATION.md (`As`, `X1`).

    `trump` stands for the view's own where a method takes one, so that a bot may ask about a suit that it thinks of
    naming. Before trump is fixed, "" is as no trump, save that jokers are left as a suit of their own.
    """

    def __init__(self, view: SeatView) -> None:
        """Of this view."""
        self.view = view
        self._pack: Pack = rules_of(view.variant).rules(view.options).pack

    @property
    def pack(self) -> tuple[str, ...]:
        """Every card of the pack; in a double pack each stands twice."""
        return self._pack.codes

    def suit(self, card: str, trump: str | None = None) -> str:
        """The suit that a card follows: that of the trumps for both bowers and jokers (RULES.md A3)."""
        return effective_suit(card, self._trump(trump))

    def trumps(self, trump: str | None = None) -> tuple[str, ...]:
        """All trumps of the pack, highest first; () where there are none."""
        asked = self._trump(trump)
        if not asked:
            return ()
        return tuple(self._pack.code[card] for card in self._pack.order(asked).ranking)

    def beats(self, card: str, other: str, trump: str | None = None) -> bool:
        """Whether `card`, played after `other`, takes the trick that `other` has led or is winning (RULES.md A5).

        Of equal cards the second wins. Raises KeyError for a card that the pack has not, ValueError for no trump yet.
        """
        asked = self._trump(trump)
        if not asked:
            raise ValueError("trump is not fixed yet: say which one is meant, as in beats('As', 'Ks', trump='h')")
        strength = self._pack.order(asked).lead[_one(self._pack.bits, other)].strength
        return strength[_one(self._pack.bits, card)] >= strength[_one(self._pack.bits, other)]

    def winning(self) -> tuple[int, str] | None:
        """The seat that is taking the trick on the table, and its card; None when nobody has played to it."""
        best: tuple[int, str] | None = None
        for seat, card in self.view.trick:
            if best is None or self.beats(card, best[1]):
                best = (seat, card)
        return best

    @property
    def unseen(self) -> tuple[str, ...]:
        """Cards of which the seat does not know where they are, in canonical order."""
        pack = self._pack
        seen = pack.set_of(self.view.hand)
        for card in self._open():
            free = pack.bits[card] & ~seen
            seen |= free & -free
        return tuple(pack.code[card] for card in members(pack.whole & ~seen))

    def _open(self) -> list[str]:
        """Cards that were played, lie open, were turned, or that the seat put away or gave itself."""
        view = self.view
        found = [event.action.card for event in view.history if event.action.kind in SHOWING]
        for seat, laid in enumerate(view.laid):
            found += [card for card in laid if seat != view.seat or card not in view.hand]
        for memory in view.memory:
            if memory.what in ("discarded", "left"):
                found += memory.cards
        if view.upcard_place in ("up", "down", "out"):
            found.append(view.upcard)
        return found

    def void(self, seat: int) -> frozenset[str]:
        """Suits of which a seat has shown in the play that it holds none: it did not follow when they were led.

        Cards that lie covered on the table (V8) are another matter.
        """
        found = set()
        for trick in self._tricks():
            led = self.suit(trick[0][1])
            if any(owner == seat and self.suit(card) != led for owner, card in trick):
                found.add(led)
        return frozenset(found)

    def _tricks(self) -> list[list[tuple[int, str]]]:
        """The tricks of this hand as (owner, card), the one on the table last.

        A trick ends when one who has played to it plays again. Those before a showdown (V11.5.8), which had more
        players, were played from other hands and are left out.
        """
        tricks: list[list[tuple[int, str]]] = []
        for event in self.view.history:
            if event.action.kind not in SHOWING:
                continue
            owner = self._owner(event)
            if not tricks or owner in (seat for seat, _ in tricks[-1]):
                tricks.append([])
            tricks[-1].append((owner, event.action.card))
        players = set(self.view.active)
        return [trick for trick in tricks if {seat for seat, _ in trick} <= players]

    def _owner(self, event: Event) -> int:
        """Who played a card: that of a Jambone player is named by another seat (V4.5.5)."""
        if event.action.kind == "dictate":
            assert self.view.maker is not None
            return self.view.maker
        return event.seat

    def _trump(self, trump: str | None) -> str:
        return self.view.trump if trump is None else trump


def _one(bits: Mapping[str, int], code: str) -> int:
    """One copy of a card."""
    return bits[code] & -bits[code]
