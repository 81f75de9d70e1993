"""V3 Railroad Euchre."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine.cards.pack import SINGLE_JOKER, pack_of
from bowerbird.engine.options import Options, OptionValue, added, choice, number, switch
from bowerbird.engine.phases.base import when
from bowerbird.engine.phases.joker_turned import JokerProposed
from bowerbird.engine.phases.lone import Jamboree, LoneMaker
from bowerbird.engine.phases.partner_card import DiscardAnother, card_from_partner, lone_defender, lone_maker
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant
from bowerbird.engine.scoring import HandPoints, MakersTable
from bowerbird.engine.variants._teams import (
    HOLDER,
    LONE_EUCHRE_POINTS,
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


def _railroad(o: Options) -> Rules:
    return Rules(
        "railroad",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,  # V3.1
        pack=pack_of(8, SINGLE_JOKER),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            *lapped(o),  # O8
            JokerProposed(),  # 5.1
            OrderUp(hows(o)),  # 5.2
            PickUp(),  # 5.3
            NameSuit(hows(o)),  # 5.2
            LoneMaker(),  # L2
            *when(
                o.on("jamboree"),
                Jamboree(o.word("jamboree_holder") == "anyone", listed=o.word("jamboree_cards") == "listed"),
            ),  # 5.4, O9
            *when(o.on("call_best"), *card_from_partner(lone_maker, DiscardAnother)),  # 5.5
            *defending(o),  # 5.6
            *when(o.on("call_best"), *card_from_partner(lone_defender, DiscardAnother)),  # 5.7
            *jambone_tricks(o),  # 10, V4.5.4, V4.5.5
            Tricks(5, first_lead(o)),  # 5.8
        ),
        score=MakersTable(  # 8
            {
                "": HandPoints(march=2, point=1, euchre=2),
                "alone": HandPoints(march=4, point=1, euchre=o.int("lone_euchre_points")),
                "jambone": HandPoints(march=8, point=1, euchre=8),  # V4.8
            },
            lone_defender=4,
        ),
        end=match(o),  # 9
        recall=RECALL_LAPPED,  # O8
    )


def _check(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Reject combinations that E23 excludes."""
    needs_lap_and_slam(variant, values)


RAILROAD = Variant(
    name="railroad",
    section="V3",
    title="Railroad Euchre",
    page="""
Seats   4 players in two teams: seats 0 and 2 against seats 1 and 3.
Pack    33 cards: A K Q J T 9 8 7 in four suits, and the joker X1. Each player gets 5 cards. The next card is
        turned up (the upcard). The other 12 are the talon and stay unused.
Order   Trumps, highest first: X1, jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 7. The joker and the left bower are trumps in every respect. Plain suits:
        A K Q J T 9 8 7.

The hand
  1  If the joker is turned up, the dealer names a suit before he looks at his cards ("call h"). From then on
     this is the suit of the upcard. It is only proposed: any player may accept it, and the dealer may
     turn it down.
  2  Starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or passes. The
     first to accept is the maker. With "order alone" his partner sits out. The dealer takes the upcard, even
     if another player accepted it, and discards another card.
  3  If all pass, the upcard is turned down. Each in turn names another suit ("call h", "call h alone") or
     passes; the first to name one is the maker. If all pass again, the hand is thrown in: nobody scores.
  4  Jamboree: a maker who holds the five highest trumps (joker, both bowers, A, K) is asked in private. If
     he says "claim", he shows them, his team scores {JAMBOREE} points and the hand is over.
  5  A lone maker may ask his partner for a card ("ask 2" or "decline"). The partner gives any card of his
     hand ("give Kd"). The maker then discards one of his own cards, not the gift.
  6  If the maker plays alone, each defender, starting at the maker's left, says whether he plays alone, too
     ("defend" or "decline"). The partner of a lone defender sits out. The lone defender may ask him for a
     card, as in 5.
  7  Play of five tricks. The player at the dealer's left leads, or the next one who plays. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to the team)                 plain   alone
  makers take 5 tricks                    2       4
  makers take 3 or 4 tricks               1       1
  makers take fewer: to two defenders     2       {lone_euchre_points}
  makers take fewer: to a lone defender   4       4
  Jamboree                               {JAMBOREE}      {JAMBOREE}
  With the option jambone, see bowerbird variants lap-slam.
End     A team wins a game with {target} points. Points above {target} count for the next game, and each
        {target} of them win another game (lap). A game won while the other team has no point counts double,
        but not if a Jamboree wins it (slam). The first team with {games_to_win} games wins the match.
""",
    declare=_railroad,
    own_options={
        "target": number(10, "points that win a game"),
        **match_options(games_to_win=2, lap=True, slam=True, jambone=False, jamboree=True),
        "defend_alone": defend_alone("vs_alone", "never", "always"),
        "call_best": switch("a lone player may ask his partner for a card (B3)", default=True),
        "lone_euchre_points": LONE_EUCHRE_POINTS,
        "jamboree_holder": HOLDER,
        "lone_lead": LONE_LEAD,
        "slam_after_lap": SLAM_AFTER_LAP,
        "jamboree_cards": added(
            choice(
                "the cards of Jamboree: the five highest trumps, or both bowers, A, K, Q without the joker (O9)",
                "highest",
                "listed",
            )
        ),
    },
    check=_check,
)

VARIANTS = (RAILROAD,)
