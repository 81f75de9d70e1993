"""Euchre for two: V5 the plain game, V6 with extra hands, V7 with dummies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.cards.pack import pack_of
from engine.ends import FirstTo
from engine.options import Options, choice, number, switch
from engine.phases.discards import DiscardDown
from engine.phases.extra_hands import SwapHands, TakeDummy
from engine.phases.lone import LoneDefender
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import Rules, Variant
from engine.state import State

Points = tuple[int, int]
"""Points of a hand to the maker and to his opponent."""


def maker(points: int) -> Points:
    """Return `points` for the maker ("M")."""
    return points, 0


def opponent(points: int) -> Points:
    """Return `points` for his opponent ("O")."""
    return 0, points


@dataclass(frozen=True)
class MakerOrOpponent:
    """A table of points for two: a column for each way to play, rows for 5, 3-4 and 0-2 tricks (V5.8, V6.8, V7.8).

    Columns are "", "alone", and "defended" for a lone maker whose opponent defends alone.
    """

    columns: Mapping[str, tuple[Points, Points, Points]]

    def __call__(self, h: State) -> tuple[int, ...]:
        """Return each seat's change of score."""
        assert h.maker is not None
        march, point, euchre = self.columns["defended" if h.lone_defender is not None else h.how]
        tricks = h.tricks_won[h.maker]
        points = march if tricks == 5 else point if tricks >= 3 else euchre
        return points if h.maker == 0 else points[::-1]


def _two_handed(o: Options) -> Rules:
    return Rules(
        "two-handed",
        o,
        players=2,  # V5.1
        pack=pack_of({32: 8, 24: 6}[o.int("deck")]),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            OrderUp(),
            PickUp(),
            NameSuit(stick_dealer=o.on("stick_dealer")),
            Tricks(5),  # 5, 7
        ),
        score=MakerOrOpponent({"": (maker(2), maker(1), opponent(2))}),  # 8
        end=FirstTo(o.int("target")),  # 9
    )


def _extra_hands(o: Options) -> Rules:
    return Rules(
        "two-handed-extra-hands",
        o,
        players=2,  # V6.1
        pack=pack_of(6),  # 2
        deal="hands seconds 2, hands seconds 3, upcard",  # 4
        each=("seconds",),
        phases=(
            SwapHands(),  # 5.1
            OrderUp(("", "alone")),  # 5.2
            PickUp(),  # 5.3
            NameSuit(("", "alone")),  # 5.2
            LoneDefender("vs_alone"),  # 5.4
            Tricks(5),  # 5.5, 7
        ),
        score=MakerOrOpponent(  # 8
            {
                "": (maker(2), maker(1), opponent(2)),
                "alone": (maker(o.int("alone_march_points")), opponent(2), opponent(2)),
                "defended": (maker(o.int("defended_march_points")), maker(2), opponent(4)),
            }
        ),
        end=FirstTo(o.int("target")),  # 9
    )


def _dummy(o: Options) -> Rules:
    return Rules(
        "two-handed-dummy",
        o,
        players=2,  # V7.1
        pack=pack_of({24: 6}[o.int("deck")]),  # 2
        deal="hands 2, hands 3, dummies 3, upcard",  # 4
        each=("dummies",),
        phases=(
            OrderUp(),  # 5.1
            PickUp(),  # 5.2
            NameSuit(),  # 5.1
            TakeDummy(),  # 5.3
            DiscardDown(keep=5),  # 5.4
            Tricks(5),  # 5.5, 7
        ),
        score=MakerOrOpponent(  # 8
            {
                "": (maker(2), maker(1), opponent(2)),
                "alone": (maker(4), opponent(2) if o.on("alone_needs_five") else maker(1), opponent(2)),
            }
        ),
        end=FirstTo(o.int("target")),  # 9
    )


TWO_HANDED = Variant(
    name="two-handed",
    section="V5",
    title="Two-handed Euchre",
    page="""
Seats   2, each for himself: the dealer and the other one.
Pack    {deck}: A K Q J T 9 8 7 in four suits. Each is dealt 5; the next card is the upcard, 21 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower),
        A K Q T 9 8 7. The left bower is a trump in every respect. Plain suits: A K Q J T 9 8 7.

The hand
  1  The other one, then the dealer, may "order" the upcard's suit, or pass; who accepts is the maker. The dealer,
     whoever accepted, takes the upcard and discards another card.
  2  Both passed: the upcard is turned down. The other one, then the dealer, may name another suit ("call h"). Both pass
     again: thrown in, nobody scores.
  3  Five tricks; the dealer's opponent leads. Follow suit if you can; else play anything.

Points
  maker takes 5 tricks                  2 to him
  maker takes 3 or 4 tricks             1 to him
  maker takes fewer than 3              2 to his opponent
End     The first with {target} points after a hand wins.
""",
    declare=_two_handed,
    own_options={
        "target": number(5, "points that win the game"),
        "deck": choice("number of cards: down to the seven or the nine", 32, 24),
        "stick_dealer": switch("the dealer must name a suit when the other one has passed twice"),
    },
)

EXTRA_HANDS = Variant(
    name="two-handed-extra-hands",
    section="V6",
    title="Two-handed Euchre with extra hands",
    page="""
Seats   2, each for himself: the dealer and the other one.
Pack    24: A K Q J T 9 in four suits. Each is dealt two hands of 5, of which he takes up the first; the second lies
        face down, unseen. The next card is the upcard, 3 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower), A K Q T 9.
        The left bower is a trump in every respect. Plain suits: A K Q J T 9.

The hand
  1  The other one, then the dealer, may take his second hand for the first ("swap"), or "keep" this. If just one of
     them has swapped, he is asked once more: he may swap again, for the other's second hand. Hands given up are dead.
  2  The other one, then the dealer, may "order" the upcard's suit, or "order alone", or pass; who accepts is the maker.
     The dealer, whoever accepted, takes the upcard and discards another card.
  3  Both passed: the upcard is turned down. The other one, then the dealer, may name another suit ("call h",
     "call h alone"). Both pass again: thrown in, nobody scores.
  4  Against a lone maker the opponent says whether he defends alone: "defend" or "decline".
  5  Five tricks; the dealer's opponent leads. Follow suit if you can; else play anything.

Points                       not alone      alone, declined   alone, defended
  maker takes 5 tricks       2 to him       {alone_march_points} to him          {defended_march_points} to him
  maker takes 3 or 4         1 to him       2 to opponent     2 to him
  maker takes fewer than 3   2 to opponent  2 to opponent     4 to opponent
End     The first with {target} points after a hand wins.
""",
    declare=_extra_hands,
    own_options={
        "target": number(5, "points that win the game"),
        "alone_march_points": number(4, "points for five tricks alone when the opponent does not defend alone"),
        "defended_march_points": choice("points for five tricks alone when the opponent defends alone", 2, 4),
    },
)

DUMMY = Variant(
    name="two-handed-dummy",
    section="V7",
    title="Two-handed Euchre with dummy",
    page="""
Seats   2, each for himself: the dealer and the other one.
Pack    {deck}: A K Q J T 9 in four suits. Each is dealt 5, and a dummy of 3 that lies face down, unseen. The \
next card is
        the upcard, 7 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower), A K Q T 9.
        The left bower is a trump in every respect. Plain suits: A K Q J T 9.

The hand
  1  The other one, then the dealer, may "order" the upcard's suit, or pass; who accepts is the maker. The dealer,
     whoever accepted, takes the upcard and discards another card.
  2  Both passed: the upcard is turned down. The other one, then the dealer, may name another suit ("call h"). Both pass
     again: thrown in, nobody scores.
  3  The maker takes up his dummy ("take"), or goes "alone" without it. His opponent takes his own in any case.
  4  Who has taken his dummy discards any 3 of his 8 cards, one by one, the other one before the dealer; nobody sees
     them, and the upcard may be among them.
  5  Five tricks; the dealer's opponent leads. Follow suit if you can; else play anything.

Points                       with dummy     alone
  maker takes 5 tricks       2 to him       4 to him
  maker takes 3 or 4         1 to him       1 to him
  maker takes fewer than 3   2 to opponent  2 to opponent
End     The first with {target} points after a hand wins.
""",
    declare=_dummy,
    own_options={
        "target": number(5, "points that win the game"),
        "deck": choice("number of cards", 24),
        "alone_needs_five": switch("a lone maker with 3 or 4 tricks has failed: 2 to his opponent"),
    },
)

VARIANTS = (TWO_HANDED, EXTRA_HANDS, DUMMY)
