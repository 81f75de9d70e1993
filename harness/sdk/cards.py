"""Questions about the cards of a position: which card beats which, which cards are unseen, who is void."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from bowerbird.engine import Event, Memory, Pack, SeatView, effective_suit, listed, members, rules_of

TRUMPS = ("s", "h", "d", "c", "nt", "low")

SHOWING = frozenset({"play", "dictate"})
"""Kinds of decision that show a card to every seat."""

PUT_AWAY = frozenset({"discarded", "left"})
"""Kinds of memory (`bowerbird.engine.Memory`) about a seat's own cards that it laid aside face down."""


class Cards:
    """The cards of one view, written as in notation.md (`As`, `X1`).

    The parameter `trump` of a method replaces the trump of the view, so that a bot can ask about a suit that it might
    name. Before trump is fixed, "" counts as no trump, except that jokers form their own suit. An unknown trump, or a
    card that is not in the pack, raises ValueError.
    """

    def __init__(self, view: SeatView) -> None:
        self.view = view
        self._pack: Pack = rules_of(view.variant).rules(view.options).pack

    @property
    def pack(self) -> tuple[str, ...]:
        """Every card of the pack. A double pack contains each card twice."""
        return self._pack.codes

    def suit(self, card: str, trump: str | None = None) -> str:
        """Return the suit that `card` follows. Bowers and jokers follow the trump suit (rules.md A3)."""
        self._one(card)
        return effective_suit(card, self._trump(trump))

    def trumps(self, trump: str | None = None) -> tuple[str, ...]:
        """Return all trumps of the pack, highest first; () if there are none."""
        asked = self._trump(trump)
        if not asked:
            return ()
        return tuple(self._pack.code[card] for card in self._pack.order(asked).ranking)

    def beats(self, card: str, other: str, trump: str | None = None) -> bool:
        """Return True if `card`, played after `other`, wins the trick that `other` led or is winning (rules.md A5).

        The second of two equal cards wins; in some variants the first (V22.3). Raises ValueError before trump is fixed.
        """
        asked = self._trump(trump)
        if not asked:
            raise ValueError("trump is not fixed yet; say which one you mean, as in beats('As', 'Ks', trump='h')")
        best = self._one(other)
        lead = self._pack.order(asked).lead[best]
        return lead.strength[self._one(card)] >= lead.to_beat[best]

    def winning(self) -> tuple[int, str] | None:
        """Return the seat that is winning the trick on the table, and its card; None before a card is played to it."""
        best: tuple[int, str] | None = None
        for seat, card in self.view.trick:
            if best is None or self.beats(card, best[1]):
                best = (seat, card)
        return best

    @property
    def unseen(self) -> tuple[str, ...]:
        """The cards that the seat has not seen in this hand, in canonical order.

        It has seen its own hand, the cards played, laid open or turned up, the cards it put away or gave, and those
        that it saw go to another hand (`seen_in_hand`). In a showdown the unplayed cards are shuffled and dealt again,
        so they count as unseen (V11.5.8).
        """
        view, pack = self.view, self._pack
        found = [event.action.card for event in self._shown()]
        found += [event.action.card for event in self.view.history if event.action.kind == "show"]  # put away (B7)
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
        """Return the unplayed cards that this seat knows `seat` to hold, or that lie face up before `seat`.

        For the bot's own seat these are its hand; for another seat, the upcard it took and the cards it was given.
        Under some rules that seat may have put such a card away since then (the upcard in V11, a gift in V19 and V20).
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
        """Return the events of this hand in which a card was shown."""
        return [event for event in self.view.history if event.action.kind in SHOWING]

    def _memory(self) -> tuple[Memory, ...]:
        """Return the seat's memories since the deal; in a showdown, since the deal for the showdown."""
        memory = self.view.memory
        if not self._is_showdown:
            return memory
        deals = [place for place, memo in enumerate(memory) if memo.what == "dealt"]
        return memory[deals[1] :] if len(deals) > 1 else ()

    @cached_property
    def _is_showdown(self) -> bool:
        """True if a seat that played to a trick of this hand is no longer active (V11.5.8)."""
        return bool({self._owner(event) for event in self._shown()} - set(self.view.active))

    def void(self, seat: int) -> frozenset[str]:
        """Return the suits that `seat` failed to follow when they were led. Its hand contains none of them.

        It can still have such cards covered on the table (V8).
        """
        found = set()
        for trick in self._tricks():
            led = self.suit(trick[0][1])
            if any(owner == seat and self.suit(card) != led for owner, card in trick):
                found.add(led)
        return frozenset(found)

    def _tricks(self) -> list[list[tuple[int, str]]]:
        """Return the tricks of this hand as lists of (owner, card), the trick on the table last.

        A trick ends when a seat that has played to it plays again. Tricks before a showdown (V11.5.8) are left out:
        they had more players, who played from other hands.
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
        """Return the seat that owned the card. Another seat dictates a Jambone player's card (V4.5.5)."""
        if event.action.kind == "dictate":
            assert self.view.maker is not None  # the Jambone player is the maker
            return self.view.maker
        return event.seat

    def _trump(self, trump: str | None) -> str:
        if trump is None:
            return self.view.trump
        if trump and trump not in TRUMPS:
            raise ValueError(f"unknown trump {trump!r}; must be {listed(TRUMPS)}")
        return trump

    def _one(self, code: str) -> int:
        """Return one copy of a card."""
        copies = self._pack.bits.get(code, 0)
        if not copies:
            raise ValueError(f"unknown card {code!r}; this pack has {', '.join(dict.fromkeys(self._pack.codes))}")
        return copies & -copies
