"""The outcome of a run as lines: why it stopped, and the places and matches of a knockout or Swiss tournament."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.output import Column, table
from bowerbird.harness.ratings.standings.text.outcome_cells import (
    MATCH_COLUMNS,
    PLACE_COLUMNS,
    filled_places,
    match_cells,
    place_cells,
    tie_breaks,
)

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.placements import MatchResult, Placement

FEW_PLACES = 4
"""How many places the first screen names."""


def stopped_lines(run: StoredRun) -> list[str]:
    """Return why a run stopped; [] if that was fixed in advance."""
    return [f"stopped: {run.row.stopped}"] if run.row.stopped else []


def brief_outcome(run: StoredRun) -> list[str]:
    """Return the lines of the outcome for the first screen; [] if the run is not complete or its format has none."""
    places = run.placements()
    lines = stopped_lines(run)
    if places:
        named = ", ".join(_brief(place) for place in places[:FEW_PLACES])
        more = f" and {len(places) - FEW_PLACES} more" if len(places) > FEW_PLACES else ""
        lines.append(f"places: {named}{more}")
    return lines


def _brief(place: Placement) -> str:
    if place.points is not None:
        return f"{place.place} {place.bot} {place.points:g}"
    return f"{place.place} {place.bot}" + (f" ({place.remark})" if place.remark else "")


def outcome_lines(run: StoredRun, width: int | None = None) -> list[str]:
    """Return the whole outcome: places, how ties are broken, and every match, round by round."""
    places, matches = run.placements(), run.matches()
    lines = stopped_lines(run)
    if places:
        lines += ["places", *_places(places, width), tie_breaks(places, matches), ""]
    if matches:
        lines += ["matches", *_matches(matches, width), ""]
    return lines


def _places(places: Sequence[Placement], width: int | None) -> list[str]:
    rows = [place_cells(place) for place in places]
    filled = filled_places(rows)
    columns = [
        Column(
            PLACE_COLUMNS[at],
            right=PLACE_COLUMNS[at] not in ("bot", "remark"),
            cut=PLACE_COLUMNS[at] == "bot",
            wrap=PLACE_COLUMNS[at] == "remark",
        )
        for at in filled
    ]
    return table(columns, [[row[at] for at in filled] for row in rows], width)


def _matches(matches: Sequence[MatchResult], width: int | None) -> list[str]:
    rows = list(map(match_cells, matches))
    columns = [
        Column(
            title,
            right=title == "games",
            cut=title in ("bot", "opponent", "winner"),
            wrap=title in ("round", "how"),
        )
        for title in MATCH_COLUMNS
    ]
    return table(columns, rows, width)
