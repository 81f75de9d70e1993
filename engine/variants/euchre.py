"""V1 North American Euchre."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine.cards.pack import SINGLE_JOKER, pack_of
from bowerbird.engine.options import Options, OptionValue, added, choice, number, switch
from bowerbird.engine.phases.base import when
from bowerbird.engine.phases.joker_turned import AloneWithBenny, BennyTurned
from bowerbird.engine.phases.lone import Jamboree, LoneMaker
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import TWO_TEAMS_OF_TWO, Rules, Variant, refuse
from bowerbird.engine.scoring import HandPoints, MakersTable
from bowerbird.engine.variants._teams import (
    ALONE_NEEDS_FIVE,
    ASSIST,
    CALL_BEST,
    LONE_EUCHRE_POINTS,
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


def _euchre(o: Options) -> Rules:
    joker = o.on("joker")
    deal, piles = dealt_with_talon(o)
    return Rules(
        "euchre",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,
        pack=pack_of({24: 6, 28: 7, 32: 8}[o.int("deck")], SINGLE_JOKER if joker else ()),  # V1.2, O4
        deal=deal,  # V1.4
        piles=piles,
        phases=(
            *lapped(o),  # O8
            *when(joker, BennyTurned()),  # O4
            *poor_hands(o),  # B6, B7
            OrderUp(hows(o), assist(o, hows(o))),  # V1.5.1, E6
            PickUp(),  # 5.4
            *when(joker, AloneWithBenny()),  # O4
            NameSuit(hows(o), no_trump=o.on("name_no_trump"), stick_dealer=o.on("stick_dealer")),  # 5.2, 5.3, O3
            *when(o.on("jamboree"), Jamboree()),  # V4.5.3
            LoneMaker(),  # L2
            *best_of_partner(o),  # O5
            *defending(o),  # 5.5
            *jambone_tricks(o),  # V4.5.4, V4.5.5
            Tricks(5, first_lead(o)),  # 5.6
        ),
        score=MakersTable(  # 8
            {
                "": HandPoints(march=2, point=1, euchre=2),
                "alone": HandPoints(
                    march=o.int("alone_march_points"),  # O7
                    point=1,
                    euchre=o.int("lone_euchre_points"),
                    needs=lone_needs(o),  # O6
                ),
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
    if values["farmers_hand"] != "none" and values["deck"] != 24:
        raise refuse(variant, f'farmers_hand = "{values["farmers_hand"]}" needs deck = 24, not {values["deck"]}')
    if values["joker"] and values["name_no_trump"]:
        raise refuse(variant, "joker = true needs name_no_trump = false: no trump has no place for a joker")


EUCHRE = Variant(
    name="euchre",
    section="V1",
    title="North American Euchre",
    page="""
Seats   4 players in two teams: seats 0 and 2 against seats 1 and 3.
Pack    {deck} cards: A K Q J T 9 in four suits. Each player gets 5 cards. The next card is turned up
        (the upcard). The other 3 are the talon and stay unused.
Order   Trumps, highest first: jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9. The left bower is a trump in every respect. Plain suits: A K Q J T 9.

The hand
  1  Starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or passes.
     The first to accept is the maker. With "order alone" his partner sits out. The dealer takes the
     upcard, even if another player accepted it, and discards another card.
  2  If all pass, the upcard is turned down. Each in turn names another suit ("call h", "call h alone") or
     passes; the first to name one is the maker. If all pass again, the hand is thrown in: nobody scores.
  3  Some options add a step before the play. jamboree: a maker who holds the five highest trumps may
     "claim" {JAMBOREE} points instead of playing the hand. defend_alone: starting at the maker's left, each
     defender says whether he plays alone ("defend" or "decline"); then his partner sits out. jambone: with
     "order jambone" the maker plays alone with his cards face up, and the leader may choose his card for the
     first trick ("dictate Qh"; bowerbird variants lap-slam has the details). call_best: a lone maker may ask
     his partner for a card ("ask 2"), and puts one of his six away. misdeal and farmers_hand come before 1:
     starting at the dealer's left, a player may "claim" that his poor hand is thrown in, or "swap" three low
     cards, which he shows ("show 9c"), for three of the talon.
  4  Play of five tricks. The player at the dealer's left leads, or the next one who plays. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to the team)                 plain   alone   jambone
  makers take 5 tricks                    2       {alone_march_points}         8
  makers take 3 or 4 tricks               1       1         1
  makers take fewer: to two defenders     2       {lone_euchre_points}         8
  makers take fewer: to a lone defender   4       4         -
End     The first team with {target} points or more after a hand wins. With lap, slam or more than one game to
        win, this is one game of a match (options below).
""",
    declare=_euchre,
    own_options={
        "target": number(10, "points that win a game"),
        "deck": choice("number of cards: 24 (lowest card 9), 28 (8) or 32 (7)", 24, 28, 32),
        "stick_dealer": switch("the dealer must name a suit if all others have passed twice"),
        "assist_must_go_alone": switch(ASSIST),
        "defend_alone": defend_alone("never", "vs_alone", "always"),
        "lone_lead": LONE_LEAD,
        "lone_euchre_points": LONE_EUCHRE_POINTS,
        **SINGLE_GAME_OPTIONS,
        **POOR_HANDS,
        "name_no_trump": added(switch("players may name no trump in the second round (O3)")),
        "joker": added(switch("the pack has a joker, the highest trump; a turned one makes the dealer the maker (O4)")),
        "call_best": CALL_BEST,
        "alone_needs_five": ALONE_NEEDS_FIVE,
        "alone_march_points": added(number(4, "points to the makers for five tricks of a lone maker (O7)")),
        "slam_after_lap": SLAM_AFTER_LAP,
    },
    check=_check,
)

VARIANTS = (EUCHRE,)
