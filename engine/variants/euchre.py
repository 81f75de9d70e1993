"""V1 North American Euchre."""

from __future__ import annotations

from engine.cards.pack import pack_of
from engine.options import Options, choice, number, switch
from engine.phases.base import when
from engine.phases.lone import Jamboree, LoneMaker
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant
from engine.scoring import HandPoints, MakersTable
from engine.variants._teams import (
    ASSIST,
    LONE_EUCHRE_POINTS,
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


def _euchre(o: Options) -> Rules:
    return Rules(
        "euchre",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,
        pack=pack_of({24: 6, 28: 7, 32: 8}[o.int("deck")]),  # V1.2
        deal="hands 2, hands 3, upcard",  # V1.4
        phases=(
            OrderUp(hows(o), assist(o, hows(o))),  # V1.5.1, E6
            PickUp(),  # 5.4
            NameSuit(hows(o), stick_dealer=o.on("stick_dealer")),  # 5.2, 5.3
            *when(o.on("jamboree"), Jamboree()),  # V4.5.3
            LoneMaker(),  # L2
            *defending(o),  # 5.5
            *jambone_tricks(o),  # V4.5.4, V4.5.5
            Tricks(5, first_lead(o)),  # 5.6
        ),
        score=MakersTable(  # 8
            {
                "": HandPoints(march=2, point=1, euchre=2),
                "alone": HandPoints(march=4, point=1, euchre=o.int("lone_euchre_points")),
                "jambone": HandPoints(march=8, point=1, euchre=8),  # V4.8
            },
            lone_defender=4,
        ),
        end=game_or_match(o),  # 9, B4
    )


EUCHRE = Variant(
    name="euchre",
    section="V1",
    title="North American Euchre",
    page="""Seats   4, partners opposite: 0 and 2 against 1 and 3.
Pack    {deck}: A K Q J T 9 in four suits. Each is dealt 5; the next card is the upcard, 3 stay in the talon.
Order   Trumps from the top: the jack of trumps (right bower), the other jack of that colour (left bower), A K Q T 9.
        The left bower is a trump in every respect. Plain suits: A K Q J T 9.

The hand
  1  From the dealer's left, each may "order" the upcard's suit, or pass; who accepts is the maker. He may say
     "order alone": his partner sits out. The dealer, whoever accepted, takes the upcard and discards another card.
  2  All passed: the upcard is turned down. Each in turn may name another suit ("call h", "call h alone"). All pass
     again: thrown in, nobody scores.
  3  Only by options: a maker with the five highest trumps may "claim" {JAMBOREE} points instead of the play \
(jamboree); the
     defenders are asked from the maker's left whether one of them defends alone, "defend" or "decline"
     (defend_alone); "order jambone" is to play alone with one's cards face up, the leader choosing the card that one
     plays to the first trick, "dictate Qh" (jambone).
  4  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

Points  (to the side)                   plain   alone   jambone
  makers take 5 tricks                      2       4         8
  makers take 3 or 4 tricks                 1       1         1
  fewer than 3: to the defenders            2       {lone_euchre_points}         8
  the same, to a lone defender              4       4         -
End     The first side with {target} points after a hand wins.
""",
    declare=_euchre,
    own_options={
        "target": number(10, "points that win a game"),
        "deck": choice("number of cards: down to the nine, eight or seven", 24, 28, 32),
        "stick_dealer": switch("the dealer must name a suit when all others have passed twice"),
        "assist_must_go_alone": switch(ASSIST),
        "defend_alone": defend_alone("never", "vs_alone", "always"),
        "lone_lead": LONE_LEAD,
        "lone_euchre_points": LONE_EUCHRE_POINTS,
        **SINGLE_GAME_OPTIONS,
    },
    check=two_games_with_laps,
)

VARIANTS = (EUCHRE,)
