"""Euchre for three, one against two in each hand: V9 Three-handed, V10 Cut-throat."""

from __future__ import annotations

from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.ends import SIMULTANEOUS_WIN
from bowerbird.engine.options import Option, Options, choice, number
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import Rules, Variant
from bowerbird.engine.scoring import HandPoints, MakersTable
from bowerbird.engine.state import State


class MakerAgainstTheRest(Phase):
    """The phase that puts all others on one side against the maker, for this hand only (V9.1, V10.1).

    Applies when there is a maker. The number of each side is its lowest seat.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Set the sides; no seat is asked."""
        maker = h.maker
        if maker is not None:
            allies = 1 if maker == 0 else 0
            h.sides = tuple(maker if seat == maker else allies for seat in h.rules.seats)


def _one_against_two(variant: str, o: Options) -> Rules:
    return Rules(
        variant,
        o,
        players=3,  # V9.1, V10.1
        pack=pack_of({32: 8, 28: 7, 24: 6}[o.int("deck")]),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            OrderUp(),
            PickUp(),
            NameSuit(),  # 5
            MakerAgainstTheRest(),  # 1
            Tricks(5),  # 5, 7
        ),
        score=MakersTable({"": HandPoints(march=o.int("march"), point=1, euchre=2)}, lone_defender=2),  # 8
        end=SIMULTANEOUS_WIN[o.word("simultaneous_win")](o.int("target")),  # 9
    )


def _three_handed(o: Options) -> Rules:
    return _one_against_two("three-handed", o)


def _cut_throat(o: Options) -> Rules:
    return _one_against_two("cut-throat", o)


def _options(march: int, other_march: tuple[int, ...]) -> dict[str, Option]:
    return {
        "target": number(5, "points that win the game"),
        "march": choice("points to a maker who takes all five tricks", march, *other_march),
        "simultaneous_win": choice(
            "winner if several reach the target together: all of them, or the highest", "joint", "highest"
        ),
        "deck": choice("number of cards: 32 (lowest card 7), 28 (8) or 24 (9)", 32, 28, 24),
    }


_PAGE = """
Seats   3 players, each for himself. In each hand the other two play together against the maker.
Pack    {deck} cards: A K Q J T 9 8 7 in four suits. Each player gets 5 cards. The next card is turned up (the
        upcard). The other 16 are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 7. The left bower is a trump in every respect. Plain suits: A K Q J T 9 8 7.

The hand
  1  Starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or passes. The
     first to accept is the maker. The dealer takes the upcard, even if another player accepted it, and
     discards another card.
  2  If all pass, the upcard is turned down. Each in turn names another suit ("call h") or passes; the first
     to name one is the maker. If all pass again, the hand is thrown in: nobody scores.
  3  Play of five tricks. The player at the dealer's left leads. Follow suit if you can; otherwise play any
     card. The winner of a trick leads the next.

Points
  maker takes 5 tricks                  {march} to the maker
  maker takes 3 or 4 tricks             1 to the maker
  maker takes fewer than 3              2 to each of the other two
End     The first player with {target} points or more after a hand wins. If several reach {target} in the same
        hand, they share the win.
"""


THREE_HANDED = Variant(
    name="three-handed",
    section="V9",
    title="Three-handed Euchre",
    page=_PAGE,
    declare=_three_handed,
    own_options=_options(2, (3,)),
)

CUT_THROAT = Variant(
    name="cut-throat",
    section="V10",
    title="Cut-throat Euchre",
    page=_PAGE,
    declare=_cut_throat,
    own_options=_options(3, (2,)),
)

VARIANTS = (THREE_HANDED, CUT_THROAT)
