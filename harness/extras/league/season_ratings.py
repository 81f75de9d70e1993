"""The ratings of a season over all its epochs, and whether a new version is better than the previous one.

The league uses them to pair bots and to retire a version that lost. They are the ratings that people see: both come
from `overview`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bowerbird.harness.extras.league.roster import Changed
from bowerbird.harness.records.values.league import PLAYING, RETIRED, LeagueBot, Season

if TYPE_CHECKING:
    from bowerbird.harness.ratings.bradley_terry.fit import Fit
    from bowerbird.harness.ratings.estimate import Estimate
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.game_result import GameResult

WIDE = 350
"""The deviation of an unknown bot, in Elo."""

OF_PREDECESSOR = 150
"""The deviation of a new version, which is expected to have the previous version's rating."""

LEAST = 10
"""The minimum deviation: no bot's strength is known better than this."""


@dataclass(frozen=True, slots=True)
class Prior:
    """The expected strength of a bot before an epoch: its rating and the standard deviation, in whole Elo."""

    rating: int
    deviation: int


def priors(season: Season, ratings: Mapping[str, Prior]) -> dict[str, Prior]:
    """Return the prior of each playing bot; `ratings` are the season's ratings so far (`drawn_ratings`)."""
    return {bot.name: _prior(season, bot, ratings) for bot in season.bots if bot.status == PLAYING}


def _prior(season: Season, bot: LeagueBot, ratings: Mapping[str, Prior]) -> Prior:
    if bot.name in ratings:
        return ratings[bot.name]
    before = next((one for one in season.bots if one.bot == bot.bot and one.number == bot.number - 1), None)
    if before is not None and before.name in ratings:
        return Prior(ratings[before.name].rating, max(OF_PREDECESSOR, ratings[before.name].deviation))
    return Prior(0, WIDE)


def rated(runs: Sequence[StoredRun]) -> dict[str, Prior]:
    """Return the rating of record of each bot over these runs, rounded. An infinite error counts as WIDE."""
    if not any(run.row.games for run in runs):
        return {}
    from bowerbird.harness.ratings.standings.overview import overview

    return {line.bot: _prior_of(line.rating) for line in overview(runs).overall.rating_list.lines}


def drawn_ratings(runs: Sequence[StoredRun]) -> dict[str, Prior]:
    """Return each bot's rating from the deal sets that were drawn by lot, which alone decide who meets whom.

    If a run of the season is older than that rule, all sets count. {} until these sets link all bots.
    """
    from bowerbird.harness.ratings.standings.chosen_pairs import is_by_lot
    from bowerbird.harness.tournament.pairing.planner import is_drawn

    by_lot = all(is_by_lot(run.row.config) for run in runs)
    return ratings_of(game for run in runs for game in run.results() if not by_lot or is_drawn(game.id.set_key))


def ratings_of(games: Iterable[GameResult]) -> dict[str, Prior]:
    """Return each bot's rating from these games, or {} if they do not link all bots."""
    from bowerbird.harness.ratings.bradley_terry.fit import fit
    from bowerbird.harness.ratings.pairs import RatingError

    try:
        found = fit(games)
    except RatingError:
        return {}
    return {bot: _prior_of(found.rating(bot)) for bot in found.bots}


def _prior_of(rating: Estimate) -> Prior:
    low, high = rating.interval()
    deviation = max(LEAST, min(WIDE, round((high - low) / 4))) if math.isfinite(high - low) else WIDE
    return Prior(round(rating.value), deviation)


def season_fits(runs: Sequence[StoredRun]) -> Mapping[str, Fit]:
    """Return the ratings of these runs by variant, each in the scope with the most deal sets.

    Return {} without games, or if results chose the pairs, since differences then cannot be tested.
    """
    from bowerbird.harness.ratings.standings.chosen_pairs import why_no_ranks

    if not any(run.row.games for run in runs) or why_no_ranks(run.row.config for run in runs):
        return {}
    from bowerbird.harness.ratings.standings.overview import overview
    from bowerbird.harness.ratings.standings.pool import variant_fits

    return variant_fits(game for board in overview(runs).variants for game in board.results)


def beaten_versions(season: Season, fits: Mapping[str, Fit]) -> Iterator[Changed]:
    """Yield the versions that retire because their successor is better, with a sentence for each.

    The test is always-valid (`lead`): it can be repeated after each epoch, and the probability that it ever retires an
    equally strong version is at most 5%. Results must not choose the pairs, so `fits` are those of epochs whose deal
    sets were drawn by lot (ratings.md, Where results choose the pairs). If an epoch of the season is older than that
    rule, no version retires (`season_fits`).
    """
    from bowerbird.harness.ratings.sequential.leads import lead

    for old, new in successions(season):
        found = lead(fits, new.name, old.name)
        if found is not None and found.is_settled and found.estimate.value > 0:
            why = f"{new.name} is better, by about {found.estimate.value:.0f} Elo"
            yield Changed(replace(old, status=RETIRED, why=why), f"{old.name} retires, {why}")


def successions(season: Season) -> list[tuple[LeagueBot, LeagueBot]]:
    """Return each version that plays beside its successor, and the successor."""
    playing = {(bot.bot, bot.number): bot for bot in season.bots if bot.status == PLAYING}
    return [(old, playing[bot, number + 1]) for (bot, number), old in playing.items() if (bot, number + 1) in playing]
