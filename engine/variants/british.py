"""V2 British Euchre with Benny."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine.cards.pack import SINGLE_JOKER, pack_of
from bowerbird.engine.options import Options, OptionValue, number, switch
from bowerbird.engine.phases.base import when
from bowerbird.engine.phases.joker_turned import AloneWithBenny, BennyTurned
from bowerbird.engine.phases.lone import Jamboree, LoneMaker
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant
from bowerbird.engine.scoring import HandPoints, MakersTable
from bowerbird.engine.variants._teams import (
    ALONE_NEEDS_FIVE,
    ASSIST,
    CALL_BEST,
    LONE_LEAD,
    POOR_HANDS,
    RECALL_LAPPED,
    SINGLE_GAME_OPTIONS,
    SLAM_AFTER_LAP,
    assist,
    best_of_partner,
    dealt_with_talon,
    defend_alone,
    defending,
    first_lead,
    game_or_match,
    hows,
    jambone_tricks,
    lapped,
    lone_needs,
    needs_lap_and_slam,
    poor_hands,
    two_games_with_laps,
)


def _british(o: Options) -> Rules:
    deal, piles = dealt_with_talon(o)
    return Rules(
        "british",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,  # V2.1
        pack=pack_of(6, SINGLE_JOKER),  # 2
        deal=deal,  # 4
        piles=piles,
        phases=(
            *lapped(o),  # O8
            BennyTurned(),  # 5.1
            *poor_hands(o),  # B6, B7
            OrderUp(hows(o), assist(o, hows(o))),  # 5.2
            PickUp(),  # 5.4
            AloneWithBenny(),  # 5.1
            NameSuit(hows(o), stick_dealer=o.on("stick_dealer")),  # 5.3
            LoneMaker(),  # L2
            *when(o.on("jamboree"), Jamboree()),  # V4.5.3
            *best_of_partner(o),  # O5
            *defending(o),  # 5.5
            *jambone_tricks(o),  # V4.5.4, V4.5.5
            Tricks(5, first_lead(o)),  # 5.6
        ),
        score=MakersTable(  # 8
            {
                "": HandPoints(march=2, point=1, euchre=2),
                "alone": HandPoints(march=4, point=1, euchre=2, needs=lone_needs(o)),  # O6
                "jambone": HandPoints(march=8, point=1, euchre=8),  # V4.8
            },
            lone_defender=4,
        ),
        end=game_or_match(o),  # 9, B4
        recall=RECALL_LAPPED,  # O8
    )


def _check(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Complete the options of B4, and reject combinations that E23 excludes."""
    two_games_with_laps(variant, values, given)
    needs_lap_and_slam(variant, values)


BRITISH = Variant(
    name="british",
    section="V2",
    title="British Euchre with Benny",
    also=("British Euchre", "Euchre with Benny"),
    page="""
Seats   4 players in two teams: seats 0 and 2 against seats 1 and 3.
Pack    25 cards: A K Q J T 9 in four suits, and the joker X1, called Benny. Each player gets 5 cards. The
        next card is turned up (the upcard). The other 4 are the talon and stay unused.
Order   Trumps, highest first: X1, jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The joker and the left bower are trumps in every respect. Plain suits: A K Q J T 9.

The hand
  1  If Benny is turned up, the dealer names a suit before he looks at his cards ("call h"). His team are
     the makers; there is no bidding. He then looks at his cards, takes the joker, discards another card, and
     says "alone" or "decline". This is his only chance to play alone.
  2  Otherwise, starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or
     passes. The first to accept is the maker. With "order alone" his partner sits out. The dealer's
     partner may accept only with "order alone".
  3  If a player accepted, the dealer takes the upcard and discards another card.
  4  If all pass, the upcard is turned down. Each in turn names another suit ("call h", "call h alone") or
     passes; the first to name one is the maker. If all pass again, the hand is thrown in: nobody scores.
  5  Starting at the maker's left, each defender says whether he plays alone ("defend" or "decline"), even if
     the maker does not play alone. The partner of a lone defender sits out.
  6  Play of five tricks. The player at the dealer's left leads, or the next one who plays. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to the team)
  makers take 5 tricks                  2; a lone maker 4
  makers take 3 or 4 tricks             1
  makers take fewer than 3              to two defenders 2, to a lone defender 4
End     The first team with {target} points or more after a hand wins. With lap, slam or more than one game to
        win, this is one game of a match. The options jambone and jamboree add what bowerbird variants
        lap-slam describes, and misdeal, farmers_hand and call_best what bowerbird variants euchre does.
""",
    declare=_british,
    own_options={
        "target": number(11, "points that win a game"),
        "assist_must_go_alone": switch(ASSIST, default=True),
        "defend_alone": defend_alone("always", "never", "vs_alone"),
        "lone_lead": LONE_LEAD,
        "stick_dealer": switch("the dealer must name a suit if all others have passed twice"),
        **SINGLE_GAME_OPTIONS,
        **POOR_HANDS,
        "call_best": CALL_BEST,
        "alone_needs_five": ALONE_NEEDS_FIVE,
        "slam_after_lap": SLAM_AFTER_LAP,
    },
    check=_check,
)

VARIANTS = (BRITISH,)
