"""V1 and V2 with the options of Part O once more, written from the rules in plain Python: cards are text, hands lists.

`hand` is a generator: it yields who is asked and what he may say, and is sent what he says. Nothing of the engine's
phases, scores or ends is used, so that a misreading must be made twice to pass unseen.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Options = Mapping[str, bool | int | str]
Asked = tuple[int, list[str]]
SUITS = "shdc"
COLOUR = {"s": "c", "c": "s", "h": "d", "d": "h"}
PLAIN = "AKQJT987"


class Outcome(NamedTuple):
    """What a hand brought: the makers' team or the claimant's, points to it and to the others; None if thrown in."""

    team: int
    own: int
    others: int
    is_claimed: bool = False


def suit_of(card: str, trump: str) -> str:
    """A3: the joker and the left bower are trumps."""
    if card == "X1" or (trump in COLOUR and card == "J" + COLOUR[trump]):
        return trump
    return card[1]


def worth(card: str, trump: str) -> int:
    """Rank of a card within its suit, higher is stronger."""
    if card == "X1":
        return 100
    if card[0] == "J" and suit_of(card, trump) == trump:
        return 99 if card[1] == trump else 98
    return 50 - PLAIN.index(card[0])


def winner_of(trick: Sequence[tuple[int, str]], trump: str) -> int:
    """A5."""
    led = suit_of(trick[0][1], trump)
    trumped = [one for one in trick if suit_of(one[1], trump) == trump]
    rivals = trumped or [one for one in trick if suit_of(one[1], trump) == led]
    return max(rivals, key=lambda one: worth(one[1], trump))[0]


def five_highest(pack: Sequence[str], trump: str) -> set[str]:
    trumps = [card for card in pack if suit_of(card, trump) == trump]
    return set(sorted(trumps, key=lambda card: worth(card, trump))[-5:])


@dataclass
class Table:
    """The state of a hand."""

    variant: str
    o: Options
    dealer: int
    pack: list[str]
    hands: list[list[str]] = field(default_factory=lambda: [[], [], [], []])
    talon: list[str] = field(default_factory=list)
    upcard: str = ""
    trump: str = ""
    maker: int = -1
    how: str = ""
    lone_defender: int = -1

    def __post_init__(self) -> None:
        place = 0
        for size in (2, 3):
            for seat in self.order:
                self.hands[seat] += self.pack[place : place + size]
                place += size
        self.upcard, self.talon = self.pack[20], self.pack[21:]

    @property
    def order(self) -> list[int]:
        return [(self.dealer + step) % 4 for step in (1, 2, 3, 4)]

    @property
    def hows(self) -> list[str]:
        return ["", " alone", " jambone"] if self.o["jambone"] else ["", " alone"]

    def option(self, name: str, default: bool | int | str = False) -> bool | int | str:
        return self.o.get(name, default)


def hand(t: Table) -> Generator[Asked, str, Outcome | None]:
    """Play a hand."""
    if t.upcard == "X1":
        yield from _benny(t)
    else:
        if t.o["misdeal"] != "none" and (yield from _misdeal(t)):
            return None
        if t.o["farmers_hand"] != "none":
            yield from _farmer(t)
        yield from _bidding(t)
        if t.maker < 0:
            return None
    if t.o["jamboree"] and t.trump != "nt" and five_highest(t.pack, t.trump) <= set(t.hands[t.maker]):
        said = yield t.maker, ["claim", "decline"]
        if said == "claim":
            return Outcome(t.maker % 2, 16, 0, is_claimed=True)
    partner = (t.maker + 2) % 4
    if t.how == "alone" and t.o["call_best"]:
        said = yield t.maker, [f"ask {partner}", "decline"]
        if said != "decline":
            gift = (yield partner, [f"give {card}" for card in t.hands[partner]])[5:]
            t.hands[partner].remove(gift)
            t.hands[t.maker].append(gift)
            yield from _discard(t, t.maker, ())
    against = t.o["defend_alone"]
    if t.how != "jambone" and (against == "always" or (against == "vs_alone" and t.how)):
        for seat in ((t.maker + 1) % 4, (t.maker + 3) % 4):
            if (yield seat, ["defend", "decline"]) == "defend":
                t.lone_defender = seat
                break
    return _points(t, (yield from _tricks(t)))


def _discard(t: Table, seat: int, but: Sequence[str]) -> Generator[Asked, str, None]:
    said = yield seat, [f"discard {card}" for card in t.hands[seat] if card not in but]
    t.hands[seat].remove(said[8:])


def _benny(t: Table) -> Generator[Asked, str, None]:
    t.trump = (yield t.dealer, [f"call {suit}" for suit in SUITS])[5:]
    t.maker = t.dealer
    t.hands[t.dealer].append("X1")
    yield from _discard(t, t.dealer, ("X1",))
    if (yield t.dealer, ["alone", "decline"]) == "alone":
        t.how = "alone"


def _misdeal(t: Table) -> Generator[Asked, str, bool]:
    most_aces = 0 if t.o["misdeal"] == "nines_tens" else 1
    for seat in t.order:
        ranks = [card[0] for card in t.hands[seat]]
        may = not set(ranks) & set("KQJX") and ranks.count("A") <= most_aces
        if (yield seat, ["claim", "decline"] if may else ["decline"]) == "claim":
            return True
    return False


def _farmer(t: Table) -> Generator[Asked, str, None]:
    for seat in t.order:
        low = {rank: [card for card in t.hands[seat] if card[0] == rank] for rank in "9T"}
        sets = [low["9"] + low["T"]] if t.o["farmers_hand"] == "mixed" else list(low.values())
        sets = [cards for cards in sets if len(cards) >= 3]
        if (yield seat, ["swap", "keep"] if sets else ["keep"]) == "keep":
            continue
        [cards] = sets
        for _ in range(3):
            shown = (yield seat, [f"show {card}" for card in cards])[5:]
            cards.remove(shown)
            t.hands[seat].remove(shown)
        t.hands[seat] += t.talon[:3]
        return


def _bidding(t: Table) -> Generator[Asked, str, None]:
    for seat in t.order:
        assists = t.o["assist_must_go_alone"] and seat == (t.dealer + 2) % 4
        said = yield seat, ["pass", *(f"order{how}" for how in t.hows if how or not assists)]
        if said != "pass":
            t.maker, t.trump, t.how = seat, t.upcard[1], said[6:]
            t.hands[t.dealer].append(t.upcard)
            yield from _discard(t, t.dealer, (t.upcard,))
            return
    named = [suit for suit in SUITS if suit != t.upcard[1]] + (["nt"] if t.option("name_no_trump") else [])
    for seat in t.order:
        calls = [f"call {suit}{how}" for suit in named for how in t.hows]
        said = yield seat, calls if seat == t.dealer and t.o["stick_dealer"] else ["pass", *calls]
        if said != "pass":
            t.maker = seat
            _, t.trump, *how = said.split()
            t.how = "".join(how)
            return


def _tricks(t: Table) -> Generator[Asked, str, int]:
    """Return how many tricks the makers took."""
    out = {(t.maker + 2) % 4} if t.how else set()
    if t.lone_defender >= 0:
        out.add((t.lone_defender + 2) % 4)
    first = t.maker if t.how and t.o["lone_lead"] == "left_of_lone" else t.dealer
    leader = next(seat for seat in ((first + step) % 4 for step in range(1, 5)) if seat not in out)
    taken = 0
    for number in range(5):
        seats = [seat for seat in ((leader + step) % 4 for step in range(4)) if seat not in out]
        trick: list[tuple[int, str]] = []
        for seat in seats:
            own = t.hands[seat]
            following = [card for card in own if trick and suit_of(card, t.trump) == suit_of(trick[0][1], t.trump)]
            asked, word = seat, "play"
            if t.how == "jambone" and seat == t.maker and number == 0:
                if not trick:
                    asked, word = seats[1], "dictate"
                elif following or not any(suit_of(card, t.trump) == t.trump for card in own):
                    asked, word = leader, "dictate"
            card = (yield asked, [f"{word} {card}" for card in following or own]).split()[1]
            own.remove(card)
            trick.append((seat, card))
        leader = winner_of(trick, t.trump)
        taken += leader % 2 == t.maker % 2
    return taken


def _points(t: Table, taken: int) -> Outcome:
    """V1.8, V2.8, V4.8, O6, O7."""
    team = t.maker % 2
    if t.how == "jambone":
        return Outcome(team, *((8, 0) if taken == 5 else (1, 0) if taken >= 3 else (0, 8)))
    needed = 5 if t.how and t.o["alone_needs_five"] else 3
    if taken >= needed:
        march = t.option("alone_march_points", 4) if t.how else 2
        return Outcome(team, int(march) if taken == 5 else 1, 0)
    if t.lone_defender >= 0:
        return Outcome(team, 0, 4)
    return Outcome(team, 0, int(t.option("lone_euchre_points", 2)) if t.how else 2)


@dataclass
class Score:
    """Points and games of both teams (V1.9, B4, O8)."""

    o: Options
    points: list[int] = field(default_factory=lambda: [0, 0])
    games: list[int] = field(default_factory=lambda: [0, 0])
    scored: list[int] = field(default_factory=lambda: [0, 0])
    winner: int = -1

    @property
    def is_match(self) -> bool:
        return bool(self.o["lap"] or self.o["slam"] or int(self.o["games_to_win"]) > 1)

    def add(self, outcome: Outcome | None) -> None:
        """Count a hand."""
        if outcome is None:
            return
        for team, points in ((outcome.team, outcome.own), (1 - outcome.team, outcome.others)):
            self.points[team] += points
            self.scored[team] += points
        target = int(self.o["target"])
        for team in (0, 1):
            if self.points[team] < target:
                continue
            if not self.is_match:
                self.winner = team
                return
            idle = (self.scored if self.o["slam_after_lap"] else self.points)[1 - team] == 0
            credit = 2 if self.o["slam"] and idle and not outcome.is_claimed else 1
            surplus = self.points[team] - target if self.o["lap"] else 0
            while surplus >= target:
                credit, surplus = credit + 1, surplus - target
            self.games[team] += credit
            self.points, self.scored = [0, 0], [0, 0]
            if self.games[team] >= int(self.o["games_to_win"]):
                self.winner = team
            else:
                self.points[team] = surplus
            return
