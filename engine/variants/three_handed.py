"""Euchre for three, one against two in each hand: V9 Three-handed, V10 Cut-throat."""

from __future__ import annotations

from engine.cards.pack import pack_of
from engine.ends import SIMULTANEOUS_WIN
from engine.options import Option, Options, choice, number
from engine.phases.base import Phase
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import Rules, Variant
from engine.scoring import HandPoints, MakersTable
from engine.state import State


class MakerAgainstTheRest(Phase):
    """The alliance of all others against the maker, for this hand only (V9.1, V10.1).

    Applies when there is a maker. The number of each side is its lowest seat.
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Set the sides; nobody is asked."""
        maker = h.maker
        if maker is not None:
            allies = 1 if maker == 0 else 0
            h.sides = tuple(maker if seat == maker else allies for seat in h.rules.seats)


def _one_against_two(variant: str, o: Options) -> Rules:
    return Rules(
        variant,
        o,
        players=3,  # V9.1, V10.1
        pack=pack_of({32: 8, 24: 6}[o.int("deck")]),  # 2
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
        "march": choice("points for a maker who takes all five tricks", march, *other_march),
        "simultaneous_win": choice("of several who arrive together all win, or the highest score", "joint", "highest"),
        "deck": choice("number of cards: down to the seven or the nine", 32, 24),
    }


def _page(march: int) -> str:
    return f"""
Seats   3, each for himself; in a hand the maker plays against the two others, who are allies for this hand only.
Pack    {{deck}}: A K Q J T 9 8 7 in four suits. Each is dealt 5; the next card is the upcard, 16 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower),
        A K Q T 9 8 7. The left bower is a trump in every respect. Plain suits: A K Q J T 9 8 7.

The hand
  1  From the dealer's left, each may "order" the upcard's suit, or pass; who accepts is the maker. The dealer, whoever
     accepted, takes the upcard and discards another card.
  2  All passed: the upcard is turned down. Each in turn may name another suit ("call h"). All pass again: thrown in,
     nobody scores.
  3  Five tricks. The first seat from the dealer's left leads. Follow suit if you can; else play anything.

Points
  maker takes 5 tricks                  {march} to him
  maker takes 3 or 4 tricks             1 to him
  maker takes fewer than 3              2 to each of the two others
End     Whoever has {{target}} points after a hand wins; several who arrive together share the win.
"""


THREE_HANDED = Variant(
    name="three-handed",
    section="V9",
    title="Three-handed Euchre",
    page=_page(march=2),
    declare=_three_handed,
    own_options=_options(2, (3,)),
)

CUT_THROAT = Variant(
    name="cut-throat",
    section="V10",
    title="Cut-throat Euchre",
    page=_page(march=3),
    declare=_cut_throat,
    own_options=_options(3, (2,)),
)

VARIANTS = (THREE_HANDED, CUT_THROAT)
