"""The cells of the places and matches of a knockout or Swiss tournament, the same in terminal and report."""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.harness.ratings.standings.text.cells import percent_text
from bowerbird.harness.records.values.placements import (
    ANNULLED,
    BETTER_SEED,
    BYE,
    EXTRA_SETS,
    TIE,
    WALKOVER,
    MatchResult,
    Placement,
)

PLACE_COLUMNS = ("place", "bot", "points", "games won", "opponents", "byes", "remark")
"""The titles of `place_cells`."""

MATCH_COLUMNS = ("round", "bot", "opponent", "games", "winner", "how")
"""The titles of `match_cells`."""

HOW = {
    BYE: "bye",
    EXTRA_SETS: "after extra deal sets",
    BETTER_SEED: "the better seed, since it was still tied after extra deal sets",
    TIE: "tied",
    WALKOVER: "walkover: the other bot was withdrawn",
    ANNULLED: "advanced, but its games are annulled",
}
"""The words for a match that was not decided by its games."""


def place_cells(place: Placement) -> tuple[str, ...]:
    """Return the cells of a place. With points the remark only repeats the other cells."""
    return (
        str(place.place),
        place.bot,
        "-" if place.points is None else _points(place.points),
        percent_text(place.share),
        "-" if place.opponents is None else _points(place.opponents),
        str(place.byes),
        place.remark if place.points is None else "",
    )


def filled_places(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the indices of the columns of places that say something; place and bot are always among them."""
    return [at for at in range(len(PLACE_COLUMNS)) if at < 2 or any(row[at] not in ("", "-", "0") for row in rows)]


def _points(points: float) -> str:
    return f"{points:g}"


def tie_breaks(places: Sequence[Placement], matches: Sequence[MatchResult]) -> str:
    """Return a sentence that says what decides the places, and what breaks ties."""
    if any(place.points is not None for place in places):
        bye = "; a bye counts as a match won with half of its games" if any(place.byes for place in places) else ""
        return (
            "points: matches won, a tied one counts half; ties are broken by the share of games won, "
            f"then by the sum of the opponents' points{bye}"
        )
    extra = any(match.decided_by in (EXTRA_SETS, BETTER_SEED) for match in matches)
    tied = "; a tied match got extra deal sets, and if those were tied, too, the better seed advanced" if extra else ""
    return f"places: the round in which a bot lost{tied}"


def match_cells(match: MatchResult) -> tuple[str, ...]:
    """Return the cells of a match."""
    games = "-" if match.is_bye else f"{match.won:g}-{match.lost:g}"
    winner = match.winner or "-"
    return match.title, match.bot, match.opponent or "-", games, winner, HOW.get(match.decided_by, "")
