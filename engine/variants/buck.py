"""V12 Buck Euchre (four players, Ohio) and V13, the same game from another text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from engine.cards.pack import pack_of
from engine.ends import CountDown
from engine.options import Option, Options, OptionValue, choice, number, switch
from engine.phases.base import when
from engine.phases.staying import Staying
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, NoTrumpHand, OrderUp, PickUp, TurnedSuit
from engine.rules import Rules, Variant, refuse
from engine.scoring import CountDownTable

COUNT_DOWN_OPTIONS: dict[str, Option] = {
    "sweep_wins": switch("all five tricks in a contested hand win the game at once", default=True),
    "uncontested_sweep_wins": switch("so do five tricks credited because all others dropped; needs sweep_wins"),
    "maker_zero_penalty": choice("points added to a maker without a trick", 5, 10),
    "failed_maker_keeps_tricks": switch("a maker who fails subtracts the tricks he took, too"),
    "max_consecutive_drops": number(0, "hands in a row that one may drop, then he is in unasked; 0: no limit", low=0),
}

BUCK_OPTIONS: dict[str, Option] = {
    "start": number(25, "points at the beginning"),
    **COUNT_DOWN_OPTIONS,
    "drop_in_no_trump": switch("dropping is allowed in a no-trump hand without a maker, too"),
    "drop_order": choice("who is asked first to stay or drop", "from_left_of_maker", "from_eldest"),
    "name_no_trump": switch("in the second round no trump may be named"),
    "club_pickup": choice("a turned club: nobody takes it, or the dealer does and discards", "none", "dealer"),
}


def needs_sweep(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Refuse `uncontested_sweep_wins` without `sweep_wins` (E12)."""
    if values["uncontested_sweep_wins"] and not values["sweep_wins"]:
        raise refuse(variant, "uncontested_sweep_wins = true needs sweep_wins = true")


def _buck(variant: str, o: Options) -> Rules:
    return Rules(
        variant,
        o,
        players=4,
        start=o.int("start"),
        better="low",  # V12.1
        pack=pack_of(6),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            TurnedSuit("c"),  # 5.1
            *when(o.word("club_pickup") == "dealer", PickUp(without_maker=True)),  # 10
            OrderUp(),
            PickUp(),  # 5.2
            NameSuit(no_trump=o.on("name_no_trump"), thrown_in=False),  # 5.3
            NoTrumpHand(),  # 5.4
            Staying(  # 5.5
                tricks=5,
                from_left_of_maker=o.word("drop_order") == "from_left_of_maker",
                in_no_trump=o.on("drop_in_no_trump"),
                max_consecutive=o.int("max_consecutive_drops"),
            ),
            Tricks(5),  # 5.6, 7
        ),
        score=CountDownTable(3, o.int("maker_zero_penalty"), o.on("failed_maker_keeps_tricks")),  # 8
        end=CountDown(5, o.on("sweep_wins"), o.on("uncontested_sweep_wins")),  # 9
    )


_PACK = """\
Pack    24: A K Q J T 9 in four suits. Each is dealt 5; the next card is the upcard, 3 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower), A K Q T 9.
        The left bower is a trump in every respect. Plain suits, and all suits at no trump: A K Q J T 9.
"""

_POINTS_AND_END = """\
Points  (to each player; fewer are better)
  each trick                               1 off
  in the hand without a trick              5 on
  a maker with fewer than 3 tricks         5 on, and no trick is taken off
  dropped out                              nothing
End     Five tricks in a hand in which somebody else played win the game at once. Else, when somebody has 0 or less
        after a hand, the lowest score wins; equal ones share.
"""

BUCK = Variant(
    name="buck",
    section="V12",
    title="Buck Euchre",
    page=f"""Seats   4, each for himself. Everybody begins with {{start}} points and counts down.
{_PACK}
The hand
  1  The upcard is a club: clubs are trump, there is no maker, nobody takes the upcard and nobody may drop out. Go to 5.
  2  Else, from the dealer's left, each may "order" the upcard's suit, or pass; who accepts is the maker. The dealer,
     whoever accepted, takes the upcard and discards another card.
  3  All passed: the upcard is turned down. Each in turn may name another suit ("call c"); who does is the maker. All
     pass again: the hand is played at no trump, without a maker, and nobody may drop out.
  4  If there is a maker, the others say from his left whether they "stay" or "drop". Who drops lays his cards aside and
     neither gains nor loses. If all others drop, the one left is credited with five tricks and no card is played.
  5  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

{_POINTS_AND_END}""",
    declare=partial(_buck, "buck"),
    own_options=BUCK_OPTIONS,
    check=needs_sweep,
)

BUCK_TURN_UP = Variant(
    name="buck-turn-up",
    section="V13",
    title="Buck Euchre (turn-up text)",
    page=f"""Seats   4, each for himself. Everybody begins with {{start}} points and counts down.
{_PACK}
The hand
  1  The upcard is a club: clubs are trump, there is no maker, nobody takes the upcard and nobody may drop out. Go to 5.
  2  Else, from the dealer's left, each may "order" the upcard's suit, or pass; who accepts is the maker. The dealer,
     whoever accepted, takes the upcard and discards another card.
  3  All passed: the upcard is turned down. Each in turn may name another suit ("call c"); who does is the maker. All
     pass again: the hand is played at no trump, without a maker.
  4  Everybody but the maker says, from the dealer's left, whether he "stays" or "drops" ("stay", "drop"), also at no
     trump. Who drops lays his cards aside and neither gains nor loses. If all but one drop, the one left is credited
     with five tricks and no card is played.
  5  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

{_POINTS_AND_END}""",
    declare=partial(_buck, "buck-turn-up"),  # V13 is V12 with two other defaults
    own_options={
        **BUCK_OPTIONS,
        "drop_in_no_trump": switch("dropping is allowed in a no-trump hand without a maker, too", default=True),
        "drop_order": choice("who is asked first to stay or drop", "from_eldest", "from_left_of_maker"),
    },
    check=needs_sweep,
)

VARIANTS = (BUCK, BUCK_TURN_UP)
