"""V3 Railroad Euchre."""

from __future__ import annotations

from engine.cards.pack import SINGLE_JOKER, pack_of
from engine.options import Options, number, switch
from engine.phases.base import when
from engine.phases.joker_turned import JokerProposed
from engine.phases.lone import Jamboree, LoneMaker
from engine.phases.partner_card import DiscardAnother, card_from_partner, lone_defender, lone_maker
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant
from engine.scoring import HandPoints, MakersTable
from engine.variants._teams import (
    HOLDER,
    LONE_EUCHRE_POINTS,
    LONE_LEAD,
    defend_alone,
    defending,
    first_lead,
    hows,
    jambone_tricks,
    match,
    match_options,
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
            JokerProposed(),  # 5.1
            OrderUp(hows(o)),  # 5.2
            PickUp(),  # 5.3
            NameSuit(hows(o)),  # 5.2
            LoneMaker(),  # L2
            *when(o.on("jamboree"), Jamboree(o.word("jamboree_holder") == "anyone")),  # 5.4
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
    )


RAILROAD = Variant(
    name="railroad",
    section="V3",
    title="Railroad Euchre",
    page="""
Seats   4, partners opposite: 0 and 2 against 1 and 3.
Pack    33: A K Q J T 9 8 7 in four suits, and the joker X1. Each is dealt 5; the next card is the upcard, 12 stay in
        the talon.
Order   Trumps from the top: X1, the jack of trumps (right bower), the other jack of that colour (left bower),
        A K Q T 9 8 7. The joker and the left bower are trumps in every respect. Plain suits: A K Q J T 9 8 7.

The hand
  1  Joker turned: the dealer names a suit before he looks at his cards ("call h"). It is only proposed: from now on it
     is the upcard's suit, which anybody may accept, and the dealer may turn down.
  2  From the dealer's left, each may "order" the upcard's suit (or "order alone": his partner sits out), or pass; who
     accepts is the maker. The dealer takes the upcard and discards another card.
  3  All passed: the upcard is turned down. Each in turn may name another suit ("call h", "call h alone"). All pass
     again: thrown in, nobody scores.
  4  Jamboree: a maker with the five highest trumps (joker, both bowers, A, K) is asked in private. "claim": he shows
     them, his side has {JAMBOREE} points and the hand is over.
  5  A lone maker may call for a card ("ask 2" or "decline"): his partner gives any card of his hand ("give Kd"), and
     he discards another one than that.
  6  Against a lone maker the defenders are asked from his left whether one of them defends alone ("defend" or
     "decline"); his partner then sits out, and he, too, may ask him for a card.
  7  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

Points  (to the side)
  makers take 5 tricks                  2; a lone maker 4
  makers take 3 or 4 tricks             1
  makers take fewer than 3              defenders 2; a lone defender 4
  Jamboree                              {JAMBOREE}
  with jambone on (see lap-slam)        5 tricks 8, 3 or 4 tricks 1, fewer than 3: defenders 8
End     A game is {target} points, the match is won by {games_to_win} games. Points over {target} count towards \
the next game (lap), a game
        against a side without a point counts double (slam).
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
    },
)

VARIANTS = (RAILROAD,)
