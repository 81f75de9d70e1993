"""Options that the team games share, and the parameters that follow from them (B2 to B4, E3 to E6)."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine.ends import FirstTo, Match
from bowerbird.engine.options import Option, Options, OptionValue, added, choice, number, switch
from bowerbird.engine.phases.base import Phase, when
from bowerbird.engine.phases.lone import JamboneTricks, LoneDefender
from bowerbird.engine.phases.partner_card import DiscardForGift, card_from_partner, lone_maker
from bowerbird.engine.phases.poor_hands import TALON, Misdeal, farmers_hand
from bowerbird.engine.phases.tricks import FirstLead, eldest_leads, left_of_lone_leads
from bowerbird.engine.rules import End, Recall, refuse
from bowerbird.engine.state import State
from bowerbird.engine.views import SeatView

LAPPED = "points of a lap"
"""The name of the public fact (`h.extra`) with the points that a lap brought into this game, by seat."""


class ShowLapped(Phase):
    """The announcement of points that a lap brought into this game. Applies if there are any such points."""

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Make the points a public fact of the hand; no seat is asked."""
        if any(h.lapped):
            h.extra = (*h.extra, (LAPPED, " ".join(map(str, h.lapped))))


LONE_LEAD = choice(
    "first leader against a lone maker: left of the dealer (eldest), or left of the maker (L5)",
    "eldest",
    "left_of_lone",
)
LONE_EUCHRE_POINTS = choice("points to two defenders if a lone maker takes fewer than 3 tricks", 2, 4)
ASSIST = "the dealer's partner may accept the upcard only to play alone"
ASSIST_OF_SIX = "both partners of the dealer may accept the upcard only to play alone"
HOLDER = choice("who may claim Jamboree: only the maker, or any player in the hand (E19)", "maker", "anyone")


POOR_HANDS = {
    "misdeal": added(
        choice(
            "a hand that may be thrown in: none, one of nines and tens, or one with an ace at most and no face card "
            "(B6)",
            "none",
            "nines_tens",
            "ace_no_face",
        )
    ),
    "farmers_hand": added(
        choice(
            "three low cards that may be exchanged with the talon: none, of one rank (clean), or any nines and tens "
            "(B7)",
            "none",
            "clean",
            "mixed",
        )
    ),
}
"""The options of B6 and B7."""

SLAM_AFTER_LAP = added(switch("points that a lap brought into a game do not save from a slam (O8); needs lap and slam"))
CALL_BEST = added(switch("a lone maker may ask his partner for a card, and puts one of his six away (O5)"))
ALONE_NEEDS_FIVE = added(switch("a lone maker who takes fewer than five tricks is euchred (O6)"))


def lone_needs(o: Options) -> int:
    """Return the tricks that a lone maker needs (O6)."""
    return 5 if o.on("alone_needs_five") else 3


def best_of_partner(o: Options) -> tuple[Phase, ...]:
    """Return the phases of B3 for a lone maker who may put away any of his six cards (O5)."""
    return when(o.on("call_best"), *card_from_partner(lone_maker, DiscardForGift))


def poor_hands(o: Options) -> tuple[Phase, ...]:
    """Return the phases of B6 and B7."""
    claimed = {"none": (), "nines_tens": (Misdeal(0),), "ace_no_face": (Misdeal(1),)}[o.word("misdeal")]
    exchanged = {"none": (), "clean": farmers_hand("9", "T"), "mixed": farmers_hand("9T")}[o.word("farmers_hand")]
    return (*claimed, *exchanged)


def dealt_with_talon(o: Options) -> tuple[str, tuple[str, ...]]:
    """Return the deal of five cards and an upcard, and its piles.

    The talon is a pile if a farmer's hand can take it.
    """
    deal = "hands 2, hands 3, upcard"
    return (deal, ()) if o.word("farmers_hand") == "none" else (f"{deal}, {TALON} 3", (TALON,))


def defend_alone(default: str, *others: str) -> Option:
    """Return the option `defend_alone` with its default and the other allowed values (L3, E4)."""
    return choice(
        "when a defender may play alone: never, only against a lone maker (vs_alone), or always", default, *others
    )


def match_options(*, games_to_win: int, lap: bool, slam: bool, jambone: bool, jamboree: bool) -> dict[str, Option]:
    """Return the options of B4, Jambone and Jamboree with the given defaults."""
    return {
        "games_to_win": number(games_to_win, "games that win the match (B4)"),
        "lap": switch("points above the target count for the next game (B4)", default=lap),
        "slam": switch("a game counts double if the other team has no point (B4)", default=slam),
        "jambone": switch("a maker may call jambone: he plays alone with his cards face up (V4.5)", default=jambone),
        "jamboree": switch(
            "a holder of the five highest trumps may show them for 16 points (V4.5.3)", default=jamboree
        ),
    }


SINGLE_GAME_OPTIONS = {
    **match_options(games_to_win=1, lap=False, slam=False, jambone=False, jamboree=False),
    "games_to_win": number(1, "games that win the match (B4); with lap or slam on, the default is 2"),
}
"""The options of B4, Jambone and Jamboree in a variant that is a single game by default (E3)."""


def two_games_with_laps(variant: str, values: dict[str, OptionValue], given: Mapping[str, object]) -> None:
    """Set `games_to_win` to 2 if it is not given and `lap` or `slam` is on (E3)."""
    if (values["lap"] or values["slam"]) and "games_to_win" not in given:
        values["games_to_win"] = 2


def needs_lap_and_slam(variant: str, values: Mapping[str, OptionValue]) -> None:
    """Reject `slam_after_lap` without `slam` and `lap` (E23)."""
    for name in ("slam", "lap"):
        if values["slam_after_lap"] and not values[name]:
            raise refuse(variant, f"slam_after_lap = true needs {name} = true")


def hows(o: Options) -> tuple[str, ...]:
    """Return the ways in which a maker can play."""
    return ("", "alone", "jambone") if o.on("jambone") else ("", "alone")


def assist(o: Options, ways: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the `ways` to play that the dealer's partners have in the first round, or None for all of them (E6)."""
    return ways[1:] if o.on("assist_must_go_alone") else None


def defending(o: Options) -> tuple[Phase, ...]:
    """Return the phase of L3 under the option `defend_alone`; no phase if defenders may not play alone."""
    against = o.word("defend_alone")
    return () if against == "never" else (LoneDefender(against),)  # type: ignore[arg-type]  # the option allows these


def jambone_tricks(o: Options) -> tuple[Phase, ...]:
    """Return the phase of V4.5.4 and V4.5.5 with five tricks if the option `jambone` is on, otherwise no phase."""
    return when(o.on("jambone"), JamboneTricks(5, first_lead(o)))


def first_lead(o: Options) -> FirstLead:
    """Return the rule of the first lead under the option `lone_lead` (A6, L5)."""
    return {"eldest": eldest_leads, "left_of_lone": left_of_lone_leads}[o.word("lone_lead")]


class _RecallLapped(Recall):
    """The recall of a lap's points, which a view shows as a public fact (O8)."""

    def lapped(self, view: SeatView) -> tuple[int, ...]:
        """Return the points that a lap brought into the game, by seat."""
        return tuple(map(int, dict(view.extra).get(LAPPED, "").split()))


RECALL_LAPPED = _RecallLapped()


def lapped(o: Options) -> tuple[Phase, ...]:
    """Return the phase that announces the points of a lap, if they do not protect against a slam (O8)."""
    return when(o.on("slam_after_lap"), ShowLapped())


def match(o: Options) -> End:
    """Return the end of a match of games (B4)."""
    return Match(o.int("target"), o.int("games_to_win"), o.on("lap"), o.on("slam"), o.on("slam_after_lap"))


def game_or_match(o: Options) -> End:
    """Return the end of a single game, or of a match if the options require one (E3)."""
    return match(o) if o.on("lap") or o.on("slam") or o.int("games_to_win") > 1 else FirstTo(o.int("target"))
