"""V22 written a second time, from rules.md alone and without the engine's code: legal tokens, points, and who wins.

`SecondGame` is fed with packs and tokens. It is slow and simple, and knows all cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SUITS = "shdc"
MATE = {"s": "c", "c": "s", "h": "d", "d": "h"}
RANKS = "AKQJT9"
DECKS = {"double-32": ("AKQJ", 2), "single-24": ("AKQJT9", 1), "double-40": ("AKQJT", 2), "double-48": ("AKQJT9", 2)}
TRUMPS = {"none": [*SUITS], "high": [*SUITS, "nt"], "high_low": [*SUITS, "nt", "low"]}
LONE = {"none": [], "plain": [0], "call_1": [0, 1], "call_2": [0, 1, 2], "call_3": [0, 3]}


class SecondGame:
    """A game under `options`, all of them given. `deal` begins each hand."""

    def __init__(self, options: Mapping[str, Any], dealer: int) -> None:
        self.options = options
        self.dealer = dealer
        self.scores = [0, 0]
        self.winner: int | None = None
        ranks, copies = DECKS[options["deck"]]
        self.cards_each = len(ranks) * copies
        self.order = [rank + suit for suit in SUITS for rank in ranks]

    def deal(self, pack: str) -> None:
        """Deal the next hand, one card at a time from the eldest (V22.4)."""
        cards = pack.split()
        assert sorted(cards) == sorted(self.order * DECKS[self.options["deck"]][1])
        self.hands = {(self.dealer + 1 + k) % 4: cards[k::4] for k in range(4)}
        self.walk = self._hand()
        self.is_over = False
        self.seat, self.legal = next(self.walk)

    def apply(self, token: str) -> None:
        """Make the decision of `seat`; after the last one of a hand `is_over` is set and the scores are counted."""
        assert token in self.legal
        self.token = token
        try:
            self.seat, self.legal = next(self.walk)
        except StopIteration:
            self.is_over = True
            self.dealer = (self.dealer + 1) % 4

    def _hand(self) -> Iterator[tuple[int, list[str]]]:
        maker, bid = None, ""
        for seat in self._turns():
            pass_allowed = not (self.options["stick_dealer"] and seat == self.dealer and not bid)
            yield seat, ["pass"] * pass_allowed + self._bids(bid)
            self._said.append(self.token)
            if self.token != "pass":
                maker, bid = seat, self.token
        if maker is None:
            return
        kind, number, trump = (*bid.split(), "")[:3]
        if not trump:
            yield maker, [f"call {name}" for name in TRUMPS[self.options["no_trump"]]]
            trump = self.token.split()[1]
        partner = (maker + 2) % 4
        alone = kind == "lone"
        if alone:
            for giver, verb in ((maker, "discard"), (partner, "give")):
                for _ in range(int(number)):
                    yield giver, self._named(verb, self.hands[giver])
                    self.hands[giver].remove(self.token.split()[1])
                    self._moved.append((verb, self.token.split()[1]))
            self.hands[maker] += [card for verb, card in self._moved if verb == "give"]
        won = {0: 0, 1: 0}
        leader = maker
        for _ in range(self.cards_each):
            seats = [(leader + k) % 4 for k in range(4) if not (alone and (leader + k) % 4 == partner)]
            played: list[tuple[int, str]] = []
            for seat in seats:
                hand = self.hands[seat]
                led = played and self._suit(played[0][1], trump)
                following = [card for card in hand if played and self._suit(card, trump) == led]
                yield seat, self._named("play", following or hand)
                card = self.token.split()[1]
                hand.remove(card)
                played.append((seat, card))
            leader = self._winner(played, trump)
            won[leader % 2] += 1
        self._count(maker % 2, won, alone, int(number))

    def _turns(self) -> Iterator[int]:
        self._said: list[str] = []
        self._moved: list[tuple[str, str]] = []
        place = 0
        while True:
            if self.options["auction"] == "one_round":
                if place == 4:
                    return
            else:
                passes = len(self._said) - max(
                    (k + 1 for k, said in enumerate(self._said) if said != "pass"), default=0
                )
                if passes == (4 if passes == len(self._said) else 3):
                    return
            yield (self.dealer + 1 + place) % 4
            place += 1

    def _bids(self, highest: str) -> list[str]:
        trumps = TRUMPS[self.options["no_trump"]] if self.options["bids"] == "with_suit" else [""]
        kind, number = (*highest.split(), "", "")[:2]
        least = self.options["min_bid"] if not highest else int(number) + 1 if kind == "bid" else 99
        numbers = [f"bid {n}" for n in range(least, self.cards_each + 1)]
        cards = [k for k in LONE[self.options["lone_bids"]] if kind != "lone" or k < int(number)]
        return [f"{said} {trump}".strip() for said in (*numbers, *(f"lone {k}" for k in cards)) for trump in trumps]

    def _named(self, verb: str, cards: list[str]) -> list[str]:
        return [f"{verb} {card}" for card in self.order if card in cards]

    @staticmethod
    def _suit(card: str, trump: str) -> str:
        return trump if trump in MATE and card == f"J{MATE[trump]}" else card[1]

    def _winner(self, played: list[tuple[int, str]], trump: str) -> int:
        led = self._suit(played[0][1], trump)

        def height(card: str) -> tuple[int, int]:
            suit = self._suit(card, trump)
            if suit == trump:
                return 2, 10 if card == f"J{trump}" else 9 if card[0] == "J" else -RANKS.index(card[0])
            if suit != led:
                return 0, 0
            return 1, RANKS.index(card[0]) if trump == "low" else -RANKS.index(card[0])

        return max(played, key=lambda one: height(one[1]))[0]  # of equal ones the first

    def _count(self, makers: int, won: dict[int, int], alone: bool, number: int) -> None:
        options, tricks = self.options, won[makers]
        if alone:
            points = options[("alone_points", "call_1_points", "call_2_points", "call_3_points")[number]]
            made = tricks == self.cards_each
            self.scores[makers] += points if made else -points
        else:
            made = tricks >= number
            gain = {"tricks": tricks, "tricks_plus_two": tricks + 2, "bid": number}[options["made_scores"]]
            self.scores[makers] += gain if made else -number
        self.scores[1 - makers] += won[1 - makers]
        makers_there, others_there = (self.scores[side] >= options["target"] for side in (makers, 1 - makers))
        who = options["defenders_win"]
        if makers_there and (made or who == "always"):
            self.winner = makers
        elif others_there and (who == "always" or (who == "after_set" and not made)):
            self.winner = 1 - makers
