"""V4 Euchre with Lap, Slam, Jambone and Jamboree."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine.cards.pack import pack_of
from bowerbird.engine.options import Options, OptionValue, choice, number
from bowerbird.engine.phases.base import when
from bowerbird.engine.phases.lone import Jamboree, LoneMaker
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant
from bowerbird.engine.scoring import HandPoints, MakersTable
from bowerbird.engine.variants._teams import (
    HOLDER,
    LONE_LEAD,
    RECALL_LAPPED,
    SLAM_AFTER_LAP,
    defend_alone,
    defending,
    first_lead,
    hows,
    jambone_tricks,
    lapped,
    match,
    match_options,
    needs_lap_and_slam,
)


def _lap_slam(o: Options) -> Rules:
    return Rules(
        "lap-slam",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,  # V4.1
        pack=pack_of({32: 8, 28: 7, 24: 6}[o.int("deck")]),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            *lapped(o),  # O8
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
        recall=RECALL_LAPPED,  # O8
    )


def _check(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Reject combinations that E23 excludes."""
    needs_lap_and_slam(variant, values)


LAP_SLAM = Variant(
    name="lap-slam",
    section="V4",
    title="Euchre with Lap, Slam, Jambone and Jamboree",
    also=("Lap Slam",),
    page="""
Seats   4 players in two teams: seats 0 and 2 against seats 1 and 3.
Pack    {deck} cards: A K Q J T 9 8 7 in four suits. Each player gets 5 cards. The next card is turned up (the
        upcard). The other 11 are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 7. The left bower is a trump in every respect. Plain suits: A K Q J T 9 8 7.

The hand
  1  Starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or passes. The
     first to accept is the maker. With "order alone" his partner sits out; with "order jambone" the maker
     also lays his cards face up. The dealer takes the upcard, even if another player accepted it, and
     discards another card.
  2  If all pass, the upcard is turned down. Each in turn names another suit ("call h", "call h alone", "call
     h jambone") or passes; the first to name one is the maker. If all pass again, the hand is thrown in:
     nobody scores.
  3  Jamboree: a maker who holds the five highest trumps (both bowers, A, K, Q) is asked in private. If he
     says "claim", he shows them, his team scores {JAMBOREE} points and the hand is over.
  4  Play of five tricks. The player at the dealer's left leads, or the next one who plays. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.
  5  Jambone: another player may choose the maker's card for the first trick ("dictate Qh"). If the maker
     leads, the next active player chooses any of his cards. If another player leads and the maker can follow
     suit, the leader chooses among the cards that follow suit. If the maker cannot follow suit but has a
     trump, he plays any card he likes. If he has no trump either, the leader chooses any card. From the
     second trick on the maker plays as he likes.

Points  (to the team)                 plain   alone   jambone
  makers take 5 tricks                    2       4         8
  makers take 3 or 4 tricks               1       1         1
  makers take fewer: to the defenders     2       2         8
  Jamboree                               {JAMBOREE}      {JAMBOREE}        {JAMBOREE}
End     A team wins a game with {target} points. Points above {target} count for the next game, and each
        {target} of them win another game (lap). A game won while the other team has no point counts double,
        but not if a Jamboree wins it (slam). The first team with {games_to_win} games wins the match.
""",
    declare=_lap_slam,
    own_options={
        "target": number(5, "points that win a game"),
        **match_options(games_to_win=2, lap=True, slam=True, jambone=True, jamboree=True),
        "defend_alone": defend_alone("never", "vs_alone"),
        "deck": choice("number of cards: 32 (lowest card 7), 28 (8) or 24 (9)", 32, 28, 24),
        "jamboree_holder": HOLDER,
        "lone_lead": LONE_LEAD,
        "slam_after_lap": SLAM_AFTER_LAP,
    },
    check=_check,
)

VARIANTS = (LAP_SLAM,)
