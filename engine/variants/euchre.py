"""V1 North American Euchre."""

from __future__ import annotations

from collections.abc import Mapping

from engine.cards import pack_of
from engine.ends import FirstTo, Match
from engine.options import Option, Options, OptionValue, choice, number, switch
from engine.phases.lone import JamboneTricks, Jamboree, LoneDefender, LoneMaker
from engine.phases.tricks import Tricks, eldest_leads, left_of_lone_leads
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import TWO_TEAMS_OF_TWO, End, Rules, Variant
from engine.scoring import Line, MakersTable

FIRST_LEAD = {"eldest": eldest_leads, "left_of_lone": left_of_lone_leads}

LONE_LEAD = choice(
    "who leads against a lone maker: the eldest hand, or the first to his left (L5)", "eldest", "left_of_lone"
)
MATCH_OPTIONS: dict[str, Option] = {
    "games_to_win": number(1, "games that win the match (B4); 2 when lap or slam is on and nothing is said"),
    "lap": switch("points over the target count towards the next game (B4)"),
    "slam": switch("a game won against a side without a point counts double (B4)"),
    "jambone": switch("a maker may call jambone: alone with his cards face up (V4.5)"),
    "jamboree": switch("a maker with the five highest trumps may show them for 16 points (V4.5.3)"),
}


def two_games_with_laps(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """E3: with lap or slam on and nothing said, the match is won by two games."""
    if (values["lap"] or values["slam"]) and "games_to_win" not in given:
        values["games_to_win"] = 2


def hows(o: Options) -> tuple[str, ...]:
    """The ways in which a maker may play."""
    return ("", "alone", "jambone") if o.on("jambone") else ("", "alone")


def end(o: Options) -> End:
    """One game, or a match of games when the options ask for it (E3)."""
    if o.on("lap") or o.on("slam") or o.int("games_to_win") > 1:
        return Match(o.int("target"), o.int("games_to_win"), o.on("lap"), o.on("slam"))
    return FirstTo(o.int("target"))


def _euchre(o: Options) -> Rules:
    return Rules(
        "euchre",
        o,
        players=4,
        teams=TWO_TEAMS_OF_TWO,
        pack=pack_of({24: 6, 28: 7, 32: 8}[o.int("deck")]),  # V1.2
        deal="hands 2, hands 3, upcard",  # V1.4
        phases=(
            OrderUp(hows(o), hows(o)[1:] if o.on("assist_must_go_alone") else None),  # V1.5.1, E6
            PickUp(),  # 5.4
            NameSuit(hows(o), stick_dealer=o.on("stick_dealer")),  # 5.2, 5.3
            *((Jamboree(),) if o.on("jamboree") else ()),  # V4.5.3
            LoneMaker(),  # L2
            LoneDefender(o.word("defend_alone")),  # type: ignore[arg-type]  # 5.5; checked with the option
            JamboneTricks(5, FIRST_LEAD[o.word("lone_lead")]),  # V4.5.4, V4.5.5
            Tricks(5, FIRST_LEAD[o.word("lone_lead")]),  # 5.6
        ),
        score=MakersTable(  # 8
            {
                "": Line(march=2, point=1, euchre=2),
                "alone": Line(march=4, point=1, euchre=o.int("lone_euchre_points")),
                "jambone": Line(march=8, point=1, euchre=8),  # V4.8
            },
            lone_defender=4,
        ),
        end=end(o),  # 9, B4
    )


EUCHRE = Variant(
    name="euchre",
    section="V1",
    title="North American Euchre",
    page="""TODO""",
    declare=_euchre,
    own_options={
        "target": number(10, "points that win a game"),
        "deck": choice("number of cards: down to the nine, eight or seven", 24, 28, 32),
        "stick_dealer": switch("the dealer must name a suit when all others have passed twice"),
        "assist_must_go_alone": switch("the dealer's partner may order up only to play alone"),
        "defend_alone": choice(
            "a defender may play alone: never, against a lone maker, or always", "never", "vs_alone", "always"
        ),
        "lone_lead": LONE_LEAD,
        "lone_euchre_points": choice("points for two defenders who euchre a lone maker", 2, 4),
        **MATCH_OPTIONS,
    },
    check=two_games_with_laps,
)

VARIANTS = (EUCHRE,)
