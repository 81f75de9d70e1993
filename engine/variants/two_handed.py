"""Euchre for two: V5 the plain game, V6 with extra hands, V7 with dummies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.ends import FirstTo
from bowerbird.engine.options import Options, choice, number, switch
from bowerbird.engine.phases.discards import DiscardDown
from bowerbird.engine.phases.extra_hands import SwapHands, TakeDummy
from bowerbird.engine.phases.lone import LoneDefender
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import Rules, Variant
from bowerbird.engine.state import State

Points = tuple[int, int]
"""The points of a hand for the maker and for his opponent."""


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
        pack=pack_of({32: 8, 28: 7, 24: 6}[o.int("deck")]),  # 2
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
        pack=pack_of({24: 6, 28: 7, 32: 8}[o.int("deck")]),  # 2
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
Seats   2 players, each for himself: the dealer and the non-dealer.
Pack    {deck} cards: A K Q J T 9 8 7 in four suits. Each player gets 5 cards. The next card is turned up (the
        upcard). The other 21 are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 7. The left bower is a trump in every respect. Plain suits: A K Q J T 9 8 7.

The hand
  1  The non-dealer, then the dealer, accepts the upcard's suit as trump ("order") or passes. The first to
     accept is the maker. The dealer takes the upcard, even if the non-dealer accepted it, and discards
     another card.
  2  If both pass, the upcard is turned down. The non-dealer, then the dealer, names another suit ("call h")
     or passes; the first to name one is the maker. If both pass again, the hand is thrown in: nobody scores.
  3  Play of five tricks. The non-dealer leads. Follow suit if you can; otherwise play any card. The winner
     of a trick leads the next.

Points
  maker takes 5 tricks                  2 to the maker
  maker takes 3 or 4 tricks             1 to the maker
  maker takes fewer than 3              2 to the opponent
End     The first player with {target} points or more after a hand wins.
""",
    declare=_two_handed,
    own_options={
        "target": number(5, "points that win the game"),
        "deck": choice("number of cards: 32 (lowest card 7), 28 (8) or 24 (9)", 32, 28, 24),
        "stick_dealer": switch("the dealer must name a suit if the non-dealer has passed twice"),
    },
)

EXTRA_HANDS = Variant(
    name="two-handed-extra-hands",
    section="V6",
    title="Two-handed Euchre with extra hands",
    page="""
Seats   2 players, each for himself: the dealer and the non-dealer.
Pack    24 cards: A K Q J T 9 in four suits. Each player gets two hands of 5 cards. He looks at the first; the
        second lies face down. The next card is turned up (the upcard). The other 3 are the talon and stay
        unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits: A K Q J T 9.

The hand
  1  The non-dealer, then the dealer, exchanges his hand for his second hand ("swap") or keeps it ("keep").
     If only one of them has swapped, he may swap again, for the other player's second hand. A hand that a
     player gave up is out of play.
  2  The non-dealer, then the dealer, accepts the upcard's suit as trump ("order" or "order alone") or passes.
     The first to accept is the maker. The dealer takes the upcard, even if the non-dealer accepted it, and
     discards another card.
  3  If both pass, the upcard is turned down. The non-dealer, then the dealer, names another suit ("call h",
     "call h alone") or passes; the first to name one is the maker. If both pass again, the hand is thrown in:
     nobody scores.
  4  The opponent of a lone maker says whether he defends alone ("defend" or "decline").
  5  Play of five tricks. The non-dealer leads. Follow suit if you can; otherwise play any card. The winner
     of a trick leads the next.

Points                       not alone       alone           alone
                                             ("decline")     ("defend")
  maker takes 5 tricks       2 maker         {alone_march_points} maker         {defended_march_points} maker
  maker takes 3 or 4         1 maker         2 opponent      2 maker
  maker takes fewer than 3   2 opponent      2 opponent      4 opponent
End     The first player with {target} points or more after a hand wins.
""",
    declare=_extra_hands,
    own_options={
        "target": number(5, "points that win the game"),
        "alone_march_points": number(4, "points for five tricks alone if the opponent does not defend alone"),
        "defended_march_points": choice("points for five tricks alone if the opponent defends alone", 2, 4),
    },
)

DUMMY = Variant(
    name="two-handed-dummy",
    section="V7",
    title="Two-handed Euchre with dummy",
    page="""
Seats   2 players, each for himself: the dealer and the non-dealer.
Pack    {deck} cards: A K Q J T 9 in four suits. Each player gets 5 cards, and a dummy of 3 cards that lies face
        down. The next card is turned up (the upcard). The other 7 are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits: A K Q J T 9.

The hand
  1  The non-dealer, then the dealer, accepts the upcard's suit as trump ("order") or passes. The first to
     accept is the maker. The dealer takes the upcard, even if the non-dealer accepted it, and discards
     another card.
  2  If both pass, the upcard is turned down. The non-dealer, then the dealer, names another suit ("call h")
     or passes; the first to name one is the maker. If both pass again, the hand is thrown in: nobody scores.
  3  The maker takes his dummy into his hand ("take") or plays without it ("alone"). The opponent always takes
     his own dummy.
  4  A player who took his dummy discards any 3 of his 8 cards, one at a time and face down. The non-dealer
     discards first. The upcard may be among the discards.
  5  Play of five tricks. The non-dealer leads. Follow suit if you can; otherwise play any card. The winner
     of a trick leads the next.

Points                       with dummy      alone
  maker takes 5 tricks       2 maker         4 maker
  maker takes 3 or 4         1 maker         1 maker (option alone_needs_five)
  maker takes fewer than 3   2 opponent      2 opponent
End     The first player with {target} points or more after a hand wins.
""",
    declare=_dummy,
    own_options={
        "target": number(5, "points that win the game"),
        "deck": choice("number of cards: 24 (lowest card 9), 28 (8) or 32 (7)", 24, 28, 32),
        "alone_needs_five": switch("a lone maker needs five tricks; with 3 or 4 his opponent scores 2"),
    },
)

VARIANTS = (TWO_HANDED, EXTRA_HANDS, DUMMY)
