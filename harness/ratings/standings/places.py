"""Places in the competition, decided by scores, not ratings (ratings.md, What the standings say).

Input: each bot's counts, and the outcome of a run whose format has its own places. Output: places by bot, from 1. Equal
scores share a place, unless the tournament file asks for a draw by lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.records.text.run_text import tournament_table
from bowerbird.harness.records.values.placements import LOT, SHARED_PLACE, by_lot
from bowerbird.harness.records.values.query_results import Standing
from bowerbird.harness.records.values.run import deal_seed

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun

OF_OUTCOME = ("swiss", "knockout")
"""The formats whose matches decide the places at the end of the run."""

WITHOUT = ("adaptive",)
"""The formats without places: strengths decide who meets whom, so scores are meaningless."""


def places_by_score(standings: Sequence[Standing]) -> dict[str, int]:
    """Return each bot's place by score. A bot without a score comes last."""
    scores = {line.bot: -1.0 if line.score is None else line.score for line in standings}
    return {bot: 1 + sum(other > own for other in scores.values()) for bot, own in scores.items()}


def places_of_run(run: StoredRun, standings: Sequence[Standing]) -> dict[str, int]:
    """Return each bot's place in a run so far; {} if its format has no places yet."""
    form = tournament_table(run.row.config).get("format")
    if form in OF_OUTCOME:
        return {place.bot: place.place for place in run.placements()}
    return {} if form in WITHOUT else final_places(run, places_by_score(standings))


def final_places(run: StoredRun, places: dict[str, int]) -> dict[str, int]:
    """Return the places of a run. Equal places follow the run's lot if it has one and its seed is published."""
    if run.row.ended is None or run.row.seed is None:
        return places
    if tournament_table(run.row.config).get("equal_places", SHARED_PLACE) != LOT:
        return places
    return by_lot(places, [bot.name for bot in run.bots()], deal_seed(run.row.seed, run.row.beacon))
