"""V4 Euchre with Lap, Slam, Jambone and Jamboree."""

from __future__ import annotations

from engine.cards.pack import pack_of
from engine.options import Options, choice, number
from engine.phases.base import when
from engine.phases.lone import Jamboree, LoneMaker
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant
from engine.scoring import HandPoints, MakersTable
from engine.variants._teams import (
    HOLDER,
    LONE_LEAD,
    defend_alone,
    defending,
    first_lead,
    hows,
    jambone_tricks,
    match,
    match_options,
)


def _lap_slam(o: Options) -> Rules:
    return Rules(
        "lap-slam",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,  # V4.1
        pack=pack_of({32: 8, 24: 6}[o.int("deck")]),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            OrderUp(hows(o)),  # 5.1
            PickUp(),  # 5.2
            NameSuit(hows(o)),  # 5.1
            LoneMaker(),  # L2, 5.4
            *when(o.on("jamboree"), Jamboree(o.word("jamboree_holder") == "anyone")),  # 5.3
            *defending(o),  # 10, L3
            *jambone_tricks(o),  # 5.4, 5.5
            Tricks(5, first_lead(o)),  # 5.5
        ),
        score=MakersTable(  # 8
            {
                "": HandPoints(march=2, point=1, euchre=2),
                "alone": HandPoints(march=4, point=1, euchre=2),
                "jambone": HandPoints(march=8, point=1, euchre=8),
            },
            lone_defender=2,  # E4
        ),
        end=match(o),  # 9
    )


LAP_SLAM = Variant(
    name="lap-slam",
    section="V4",
    title="Euchre with Lap, Slam, Jambone and Jamboree",
    page="""
Seats   4, partners opposite: 0 and 2 against 1 and 3.
Pack    {deck}: A K Q J T 9 8 7 in four suits. Each is dealt 5; the next card is the upcard, 11 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower),
        A K Q T 9 8 7. The left bower is a trump in every respect. Plain suits: A K Q J T 9 8 7.

The hand
  1  From the dealer's left, each may "order" the upcard's suit, or pass; who accepts is the maker. He may say
     "order alone" (his partner sits out) or "order jambone" (alone, with his cards face up). The dealer takes the
     upcard and discards another card.
  2  All passed: the upcard is turned down. Each in turn may name another suit ("call h", "call h alone",
     "call h jambone"). All pass again: thrown in, nobody scores.
  3  Jamboree: a maker with the five highest trumps (both bowers, A, K, Q) is asked in private. "claim": he shows them,
     his side has {JAMBOREE} points and the hand is over.
  4  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.
  5  Jambone: the maker's five cards lie face up. In the first trick his card is chosen for him ("dictate Qh"): by the
     leader, among the cards that follow suit; when none does he plays what he likes if he has a trump, and else the
     leader chooses any. If he is to lead, the first player to his left chooses the card. From the second trick on he
     plays as he likes.

Points  (to the side)                   plain   alone   jambone
  makers take 5 tricks                      2       4         8
  makers take 3 or 4 tricks                 1       1         1
  fewer than 3: to the defenders            2       2         8
  Jamboree                                 {JAMBOREE}      {JAMBOREE}        {JAMBOREE}
End     A game is {target} points, the match is won by {games_to_win} games. Points over {target} count towards \
the next game, {target} of them are a
        game (lap); a game against a side without a point counts double (slam), but never by a Jamboree.
""",
    declare=_lap_slam,
    own_options={
        "target": number(5, "points that win a game"),
        **match_options(games_to_win=2, lap=True, slam=True, jambone=True, jamboree=True),
        "defend_alone": defend_alone("never", "vs_alone"),
        "deck": choice("number of cards: down to the seven or the nine", 32, 24),
        "jamboree_holder": HOLDER,
        "lone_lead": LONE_LEAD,
    },
)

VARIANTS = (LAP_SLAM,)
