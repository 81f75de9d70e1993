"""What a bot asks of a position: what beats what, what is unseen, who is void."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from engine import Event, Memory, SeatView, rules_of
from engine.cards import Pack, members
from engine.trumps import effective_suit

SHOWING = frozenset({"play", "dictate"})
"""Decisions that show a card to all."""

PUT_AWAY = frozenset({"discarded", "left"})
"""What a seat remembers (`engine.Memory`) of its own cards that it laid aside unseen by the others."""


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
        """Cards that the seat has not seen in this hand, in canonical order: the pack without all that it has seen.

        It has seen its own hand, what was played, laid open or turned, what it put away or gave, and what it saw go
        into another hand (`seen_in_hand`). In a showdown what was not played is shuffled and dealt again, and no card
        of it has been seen (V11.5.8).
        """
        view, pack = self.view, self._pack
        found = [event.action.card for event in self._shown()]
        found += [card for memory in self._memory() if memory.what in PUT_AWAY for card in memory.cards]
        found += [card for seat in range(view.players) for card in self.seen_in_hand(seat)]
        if view.upcard_place in ("up", "down", "out") and not self._is_showdown:
            found.append(view.upcard)
        seen = 0
        for card in found:
            free = pack.bits[card] & ~seen
            seen |= free & -free
        return tuple(pack.code[card] for card in members(pack.whole & ~seen))

    def seen_in_hand(self, seat: int) -> tuple[str, ...]:
        """Cards not yet played that this seat has seen a seat hold, or that lie face up before that one.

        Of the own seat that is the hand; of another the upcard that it took and what it was given. Where the rules let
        it, it may have put one of these away since (the upcard in V11, a gift in V19 and V20).
        """
        view = self.view
        laid = view.laid[seat] if view.laid else ()
        if seat == view.seat:
            return (*view.hand, *(card for card in laid if card not in view.hand))
        if self._is_showdown:
            return ()
        gifts = (memory for memory in view.memory if memory.what == "gave" and memory.seat == seat)
        went = [card for gift in gifts for card in gift.cards]
        if view.upcard_place == "taken" and view.upcard_holder == seat:
            went.append(view.upcard)
        gone = Counter(event.action.card for event in self._shown() if self._owner(event) == seat)
        return (*laid, *(Counter(went) - gone - Counter(laid)).elements())

    def _shown(self) -> list[Event]:
        """The decisions of this hand that showed a card."""
        return [event for event in self.view.history if event.action.kind in SHOWING]

    def _memory(self) -> tuple[Memory, ...]:
        """What the seat has learnt since the cards were dealt; in a showdown, since they were dealt for that."""
        memory = self.view.memory
        if not self._is_showdown:
            return memory
        deals = [place for place, memo in enumerate(memory) if memo.what == "dealt"]
        return memory[deals[1] :] if len(deals) > 1 else ()

    @cached_property
    def _is_showdown(self) -> bool:
        """Whether somebody who has played to a trick of this hand plays no more (V11.5.8)."""
        return bool({self._owner(event) for event in self._shown()} - set(self.view.active))

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
        for event in self._shown():
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
