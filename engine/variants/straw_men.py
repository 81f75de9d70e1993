"""V8 Two-handed Euchre with straw men."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards.deal import DealPlan
from engine.cards.pack import pack_of
from engine.ends import HighestTo
from engine.options import OneOf, Option, Options, choice, number, switch
from engine.phases.auction import NameTrump
from engine.phases.straw_men import COLUMNS, LayOut, PatientTableTricks, TableTricks, ToAndFro, bottom, top
from engine.rules import Recall, Rules, Variant
from engine.state import State
from engine.views import SeatView


class OpenColumns(Recall):
    """The recall of cards that lie, or have lain, face up in the columns, where both players see them."""

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
    """Return a point for each trick; a maker who fails loses his bid instead (V8.8)."""
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
Seats   2, each for himself: the dealer and the other one.
Pack    24: A K Q J T 9 in four suits, 12 to each: four face down in a row, which nobody looks at, four face up on them,
        and four for the hand.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower), A K Q T 9.
        The left bower is a trump in every respect. Plain suits, and all suits at no trump: A K Q J T 9.

The hand
  1  The other one begins: to and fro, each may "bid" how many tricks he will take, at least {min_bid} and more \
than the last
     bid, or pass. After a bid, a pass ends it, and so does a bid of 12. Both pass: thrown in, nobody scores.
  2  The highest bidder is the maker. He names trump, "call h", or no trump, "call nt".
  3  Twelve tricks; the dealer's opponent leads. Play from the hand or from the cards that lie face up: follow suit if
     any of these can; else play anything. When a card that covers another one is played, this is turned up at once,
     and may be played from the next trick on.

Points
  maker takes as many tricks as he bid  one for each trick to him
  maker takes fewer                     his bid is taken off; scores may be negative
  his opponent, in any case             one for each trick
End     When somebody has {target} points after a hand the higher score wins; equal ones share.
Facts   A view's extra has the columns of each seat, ("columns 0", "As/Jc Kd Th 9c"): the card that was on top, and the
        one beneath once it is turned.
""",
    declare=_straw_men,
    own_options={
        "target": number(50, "points that win the game"),
        "min_bid": Option(7, OneOf(tuple(range(1, 13))), "the lowest bid"),
        "forced_opening": switch("who speaks first must bid"),
        "flip_when": choice(
            "when covered cards are turned: as soon as the card on them is played, or all when the trick is complete",
            "at_once",
            "after_trick",
        ),
    },
)

VARIANTS = (STRAW_MEN,)
