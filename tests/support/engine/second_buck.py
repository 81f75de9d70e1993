"""V12 to V15 and V24, the Buck games of four and more, written again from the rules alone, without the engine's code.

`hand` is a generator: it yields who is asked and what he may say, and is sent what he says. `Score` counts.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from tests.support.engine.second_cards import SUITS, Asked, dealt, tokens, tricks, turns

Options = Mapping[str, bool | int | str]
TURNED = ("buck", "buck-turn-up")


@dataclass
class Score:
    """The points, and the hands in a row that each seat dropped out of (B5), before and after each hand."""

    variant: str
    options: Options
    players: int
    points: list[int] = field(init=False)
    dropped: list[int] = field(init=False)
    winners: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.points = [self.number("start")] * self.players
        self.dropped = [0] * self.players

    def number(self, option: str) -> int:
        """Return the value of an option; 0 where the variant does not have it."""
        return int(self.options.get(option, 0))

    def add(self, hand: Hand) -> None:
        """Count a hand (V12.8, V12.9 and the same numbers of the others)."""
        if hand.is_thrown_in:
            return
        for seat in range(self.players):
            self.dropped[seat] = 0 if seat in hand.active else self.dropped[seat] + 1
        for seat in hand.active:
            self.points[seat] += self._change(hand, seat)
        sweeper = next((seat for seat in hand.active if hand.won[seat] == 5), None)
        enough = len(hand.active) > 1 or self.number("uncontested_sweep_wins")
        if sweeper is not None and self.number("sweep_wins") and enough:
            self.winners = [sweeper]
        elif min(self.points) <= 0:
            there = [seat for seat in hand.seats if self.points[seat] <= 0]
            lowest = [seat for seat in range(self.players) if self.points[seat] == min(self.points)]
            self.winners = there[:1] if self.variant == "buck-wager" else lowest

    def _change(self, hand: Hand, seat: int) -> int:
        taken = hand.won[seat]
        failed = seat == hand.maker and taken < hand.contract
        if self.variant == "buck-wager":
            return -taken + 5 * (taken == 0) + 5 * failed
        if failed:
            if taken == 0:
                return self.number("maker_zero_penalty") or 5
            return 5 - taken * self.number("failed_maker_keeps_tricks")
        return -taken if taken else 5


class Hand:
    """A hand while it is being played, and what came of it."""

    def __init__(self, score: Score, dealer: int, pack: list[str]) -> None:
        self.score, self.options, self.variant, self.dealer = score, score.options, score.variant, dealer
        self.seats = turns((dealer + 1) % score.players, score.players)
        packets = (5,) if self.variant == "buck-wager" else (2, 3)
        self.hands, (self.upcard, *_) = dealt(pack, self.seats, packets)
        self.maker: int | None = None
        self.contract = 0
        self.trump = "nt"
        self.active = set(self.seats)
        self.won = [0] * score.players
        self.is_thrown_in = False

    def play(self) -> Generator[Asked, str, None]:
        """Ask for every decision of the hand."""
        is_club = self.upcard[1] == "c"
        if is_club:
            self.trump = "c"
            if self.options.get("club_pickup") == "dealer":
                yield from self._take_up(self.dealer)
        elif self.variant in TURNED:
            yield from self._upcard_rounds()
        elif self.variant == "buck-wager":
            yield from self._wagers()
        else:
            yield from (self._auction() if self.variant == "buck-auction" else self._one_round())
            self.is_thrown_in = self.maker is None and self.options["all_pass"] == "thrown_in"
        if self.is_thrown_in:
            return
        if not is_club and self._dropping_is_allowed():
            yield from self._staying()
        if len(self.active) == 1:
            self.won[min(self.active)] = 5
        else:
            maker_leads = self.variant == "buck-auction" and self.maker is not None
            leader = self.maker if maker_leads and self.maker is not None else self.seats[0]
            self.won = yield from tricks(self.hands, self.trump, leader, self.active, 5)

    def _take_up(self, seat: int) -> Generator[Asked, str, None]:
        others = list(self.hands[seat])
        card = (yield seat, tokens("discard", others)).split()[1]
        others.remove(card)
        self.hands[seat] = [*others, self.upcard]

    def _call(self, *more: str) -> Generator[Asked, str, None]:
        assert self.maker is not None
        self.trump = (yield self.maker, [f"call {suit}" for suit in (*SUITS, *more)]).split()[1]

    def _upcard_rounds(self) -> Generator[Asked, str, None]:
        for seat in self.seats:
            if (yield seat, ["pass", "order"]) == "order":
                self.maker, self.trump, self.contract = seat, self.upcard[1], 3
                yield from self._take_up(self.dealer)
                return
        named = [suit for suit in SUITS if suit != self.upcard[1]] + ["nt"] * self.score.number("name_no_trump")
        for seat in self.seats:
            said = yield seat, ["pass", *(f"call {trump}" for trump in named)]
            if said != "pass":
                self.maker, self.trump, self.contract = seat, said.split()[1], 3
                return

    def _bid(self, seat: int, least: int, most: int) -> Generator[Asked, str, bool]:
        bids = range(max(least, self.contract + 1), most + 1)
        said = yield seat, ["pass", *(f"bid {number}" for number in bids)]
        if said != "pass":
            self.maker, self.contract = seat, int(said.split()[1])
        return said != "pass"

    def _wagers(self) -> Generator[Asked, str, None]:
        for seat in self.seats[:-1]:
            yield from self._bid(seat, 3, 5)
        if self.maker is None and (yield self.dealer, ["pass", "order"]) == "order":
            self.maker, self.contract = self.dealer, 3
        if self.maker is not None:
            yield from self._take_up(self.dealer)
            yield from self._call()
            if self.options["contract"] == "three":
                self.contract = 3

    def _one_round(self) -> Generator[Asked, str, None]:
        for seat in self.seats:
            yield from self._bid(seat, 1, self.score.number("max_bid"))
        if self.maker is not None:
            yield from self._call("nt")
            if (yield self.maker, ["take", "decline"]) == "take":
                yield from self._take_up(self.maker)

    def _auction(self) -> Generator[Asked, str, None]:
        bidding = list(self.seats)
        while bidding and bidding != [self.maker]:
            seat = bidding.pop(0)
            if (yield from self._bid(seat, self.score.number("min_bid"), self.score.number("max_bid"))):
                bidding.append(seat)
        if self.maker is not None:
            yield from self._call(*["nt"] * self.score.number("name_no_trump"))

    def _dropping_is_allowed(self) -> bool:
        if self.variant == "buck-wager":
            return self.maker is None
        return self.maker is not None or bool(self.options.get("drop_in_no_trump"))

    def _staying(self) -> Generator[Asked, str, None]:
        first, limit = self.seats[0], self.score.number("max_consecutive_drops")
        if self.maker is not None and self.options.get("drop_order") == "from_left_of_maker":
            first = (self.maker + 1) % self.score.players
        for seat in turns(first, self.score.players):
            low = self.score.points[seat] <= self.score.number("no_drop_at_or_below")
            must_stay = low or (limit and self.score.dropped[seat] >= limit)
            if seat == self.maker or must_stay or self.active == {seat}:
                continue
            if (yield seat, ["stay", "drop"]) == "drop":
                self.active.remove(seat)
