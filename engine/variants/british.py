"""V2 British Euchre with Benny."""

from __future__ import annotations

from engine.cards.pack import SINGLE_JOKER, pack_of
from engine.options import Options, number, switch
from engine.phases.base import when
from engine.phases.joker_turned import AloneWithBenny, BennyTurned
from engine.phases.lone import Jamboree, LoneMaker
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant
from engine.scoring import HandPoints, MakersTable
from engine.variants._teams import (
    ASSIST,
    LONE_LEAD,
    SINGLE_GAME_OPTIONS,
    assist,
    defend_alone,
    defending,
    first_lead,
    game_or_match,
    hows,
    jambone_tricks,
    two_games_with_laps,
)


def _british(o: Options) -> Rules:
    return Rules(
        "british",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,  # V2.1
        pack=pack_of(6, SINGLE_JOKER),  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            BennyTurned(),  # 5.1
            OrderUp(hows(o), assist(o, hows(o))),  # 5.2
            PickUp(),  # 5.4
            AloneWithBenny(),  # 5.1
            NameSuit(hows(o), stick_dealer=o.on("stick_dealer")),  # 5.3
            LoneMaker(),  # L2
            *when(o.on("jamboree"), Jamboree()),  # V4.5.3
            *defending(o),  # 5.5
            *jambone_tricks(o),  # V4.5.4, V4.5.5
            Tricks(5, first_lead(o)),  # 5.6
        ),
        score=MakersTable(  # 8
            {
                "": HandPoints(march=2, point=1, euchre=2),
                "alone": HandPoints(march=4, point=1, euchre=2),
                "jambone": HandPoints(march=8, point=1, euchre=8),  # V4.8
            },
            lone_defender=4,
        ),
        end=game_or_match(o),  # 9, B4
    )


BRITISH = Variant(
    name="british",
    section="V2",
    title="British Euchre with Benny",
    page="""
Seats   4, partners opposite: 0 and 2 against 1 and 3.
Pack    25: A K Q J T 9 in four suits, and the joker X1, called Benny. Each is dealt 5; the next card is the
        upcard, 4 stay in the talon.
Order   Trumps from the top: X1, the jack of trumps (right bower), the other jack of that colour (left bower),
        A K Q T 9. The joker and the left bower are trumps in every respect. Plain suits: A K Q J T 9.

The hand
  1  Benny turned: the dealer names a suit before he looks at his cards ("call h"). His side are the makers, nobody
     bids. He looks, takes the joker, discards another card, and then says "alone" or "decline": his only chance to
     play alone.
  2  Else, from the dealer's left, each may "order" the upcard's suit, or pass; who accepts is the maker. The dealer's
     partner may only "order alone". The others play with their partner, or "order alone": the partner sits out.
  3  Somebody accepted: the dealer takes the upcard and discards another card.
  4  All passed: the upcard is turned down. Each in turn may name another suit ("call h", "call h alone"). All pass
     again: thrown in, nobody scores.
  5  The defenders are asked from the maker's left whether one of them defends alone ("defend" or "decline"); his
     partner then sits out. This is so whether or not the maker is alone.
  6  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

Points  (to the side)
  makers take 5 tricks                  2; a lone maker 4
  makers take 3 or 4 tricks             1
  makers take fewer than 3              defenders 2; a lone defender 4
End     The first side with {target} points after a hand wins.
""",
    declare=_british,
    own_options={
        "target": number(11, "points that win a game"),
        "assist_must_go_alone": switch(ASSIST, default=True),
        "defend_alone": defend_alone("always", "never", "vs_alone"),
        "lone_lead": LONE_LEAD,
        "stick_dealer": switch("the dealer must name a suit when all others have passed twice"),
        **SINGLE_GAME_OPTIONS,
    },
    check=two_games_with_laps,
)

VARIANTS = (BRITISH,)
