"""V8 Two-handed Euchre with straw men."""

from __future__ import annotations

from collections.abc import Iterator

from bowerbird.engine.cards.deal import DealPlan
from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.ends import HighestTo
from bowerbird.engine.options import OneOf, Option, Options, choice, number, switch
from bowerbird.engine.phases.auction import NameTrump
from bowerbird.engine.phases.straw_men import COLUMNS, LayOut, PatientTableTricks, TableTricks, ToAndFro, bottom, top
from bowerbird.engine.rules import Recall, Rules, Variant
from bowerbird.engine.state import State
from bowerbird.engine.views import SeatView


class OpenColumns(Recall):
    """The recall of cards that are or were face up in the columns, where both players see them."""

    def places(self, view: SeatView, plan: DealPlan) -> Iterator[tuple[int, str]]:
        """Yield the top cards, and the lower cards that have been turned up."""
        piles, facts = dict(plan.piles), dict(view.extra)
        for seat in range(view.players):
            for column, text in enumerate(facts[f"{COLUMNS} {seat}"].split()):
                upper, _, lower = text.partition("/")
                yield piles[top(seat)][column], upper
                if lower:
                    yield piles[bottom(seat)][column], lower


def tricks_or_bid(h: State) -> tuple[int, ...]:
    """Return a point for each trick, but minus his bid for a maker who fails (V8.8)."""
    return tuple(
        -h.contract if seat == h.maker and tricks < h.contract else tricks for seat, tricks in enumerate(h.tricks_won)
    )


def _straw_men(o: Options) -> Rules:
    play = {"at_once": TableTricks, "after_trick": PatientTableTricks}[o.word("flip_when")]
    return Rules(
        "two-handed-straw-men",
        o,
        players=2,  # V8.1
        pack=pack_of(6),  # 2
        deal="covered 1 x 4, laid 1 x 4, hands 1 x 4",  # 4
        each=("covered", "laid"),
        phases=(
            LayOut(),  # 4, 6
            ToAndFro(o.int("min_bid"), 12, thrown_in=True, forced=o.on("forced_opening")),  # 5.1
            NameTrump(no_trump=True),  # 5.2
            play(12),  # 5.3, 7
        ),
        score=tricks_or_bid,  # 8
        end=HighestTo(o.int("target")),  # 9
        recall=OpenColumns(),
    )


STRAW_MEN = Variant(
    name="two-handed-straw-men",
    section="V8",
    title="Two-handed Euchre with straw men",
    page="""
Seats   2 players, each for himself: the dealer and the non-dealer.
Pack    24 cards: A K Q J T 9 in four suits, 12 to each player. Four lie face down in a row, unknown to both
        players. Four lie face up on top of them. Four are the player's hand.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits, and every suit at no trump:
        A K Q J T 9.

The hand
  1  Starting with the non-dealer, the players in turn bid a number of tricks ("bid 8") or pass. A bid is at
     least {min_bid}, at most 12, and higher than the last bid. The first pass after a bid ends the auction; so
     does a bid of 12. If both pass without a bid, the hand is thrown in: nobody scores.
  2  The highest bidder is the maker. He names trump ("call h") or no trump ("call nt").
  3  Play of twelve tricks. The non-dealer leads. Play a card from your hand or one of your face-up cards.
     Follow suit if one of these cards can; otherwise play any of them. When a face-up card is played, the
     card under it is turned up at once, and may be played from the next trick on. The winner of a trick leads
     the next.

Points
  maker, with at least the tricks he bid  1 for each trick
  maker, with fewer                       minus his bid; a score may be negative
  opponent, in each case                  1 for each trick
End     When a player has {target} points or more after a hand, the higher score wins. Equal scores share the
        win.
Facts   The field extra of a view lists the columns of each seat: ("columns 0", "As/Jc Kd Th 9c"). Each
        column shows its first upper card and, after a slash, the lower card once it is turned up.
""",
    declare=_straw_men,
    own_options={
        "target": number(50, "points that win the game"),
        "min_bid": Option(7, OneOf(tuple(range(1, 13))), "the lowest bid"),
        "forced_opening": switch("the non-dealer must bid at his first turn"),
        "flip_when": choice(
            "when a covered card is turned up: when the card on it is played, or after the trick",
            "at_once",
            "after_trick",
        ),
    },
)

VARIANTS = (STRAW_MEN,)
