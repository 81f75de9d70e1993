"""The computed values of runs and league seasons, cached until their results change."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import Any

from bowerbird.harness.ratings.bradley_terry.fit import Fit
from bowerbird.harness.ratings.standings.overview import Overview, overview
from bowerbird.harness.ratings.standings.pool import variant_fits
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.values.game_result import GameResult, by_set
from bowerbird.harness.records.values.league import Season
from bowerbird.harness.records.values.run import Entrant, SetKey, deal_seed
from bowerbird.harness.records.values.voids import left_out_of
from bowerbird.harness.report.report_data import report_data, tables_data
from bowerbird.harness.tournament.annulled import annulled_results
from bowerbird.harness.tournament.config.schema import ADAPTIVE
from bowerbird.harness.tournament.pairing.replay import replayed, stored_terms
from bowerbird.harness.tournament.pairing.values import sentence
from bowerbird.harness.tournament.played_so_far import played_so_far

MOST_SETS = 5000
"""The maximum number of deal sets of a run whose reasons are computed again, which takes a while for each set."""


def pairing_reasons(run: StoredRun) -> dict[SetKey, str]:
    """Return, for each deal set of a complete run, a sentence that says why the scheduler chose it.

    Return {} for a run that is not complete, has another format, is too large or comes from another program, and if
    this scheduler would choose other sets. Raises StoreError.
    """
    if run.row.ended is None or run.row.seed is None or run.row.sets > MOST_SETS:
        return {}
    try:
        if load_toml(run.row.config)["tournament"].get("format") != ADAPTIVE:
            return {}
        terms = stored_terms(run.row.config, run.bots())
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    stored = {**annulled_results(run), **by_set(run.results(with_times=True))}
    left_out = frozenset(left_out_of(run.voids()))
    rounds = replayed(terms, deal_seed(run.row.seed, run.row.beacon), stored, left_out)
    reasons = {key: sentence(choice.reason) for planned in rounds for key, choice in planned.sets}
    return reasons if stored.keys() <= reasons.keys() else {}


Values = dict[str, Any]

SHARE = 10
"""While an epoch is played, its season is rated again only after this many times as long as the last rating took."""


@dataclass(frozen=True)
class SeasonReport:
    """The values of a season.

    overview: the standings of its runs together.
    tables: as `tables_data` returns them. `bots` has the entrants by label, in the order they came. A label is the
        bot's name, or longer if two bots of the season have the same name.
    names: the names of the entrants, by bot of the tables.
    """

    overview: Overview
    tables: Values
    names: tuple[str, ...]

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """The ratings of each variant, for differences between bots; {} without ranks or if a variant's bots never
        met."""
        if self.overview.overall.rating_list.no_ranks:
            return {}
        return variant_fits(game for board in self.overview.variants for game in board.results)

    @cached_property
    def games(self) -> Mapping[int, Mapping[str, int]]:
        """For each bot of the tables, its number of games in each run."""
        number = {bot["name"]: place for place, bot in enumerate(self.tables["bots"])}
        counts: dict[int, Counter[str]] = {}
        for board in self.overview.every:
            for game in board.results:
                for bot in set(game.bots):
                    counts.setdefault(number[bot], Counter())[game.id.run] += 1
        return counts

    @property
    def rows(self) -> Mapping[int, Values]:
        """Each bot's row in the standings over all variants, by the bot's number; {} before the first complete set."""
        scopes = self.tables["scopes"]
        return {row["bot"]: row for row in scopes[0]["rows"]} if scopes else {}

    def number(self, name: str) -> int | None:
        """Return the number of an entrant in the tables, or None if it came after the tables were made."""
        return max((place for place, one in enumerate(self.names) if one == name), default=None)


@dataclass(frozen=True, slots=True)
class _KeptSeason:
    """The values of a season, the results they come from, and how long they stay valid while its epoch is played."""

    key: object
    until: float
    report: SeasonReport


class Reports:
    """The computed values of runs and seasons. Use it in one thread at a time."""

    KEPT = 8

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], tuple[Overview, Values]] = OrderedDict()
        self._seasons: OrderedDict[tuple[str, int], _KeptSeason] = OrderedDict()
        self._reasons: OrderedDict[tuple[str, str], Mapping[SetKey, str]] = OrderedDict()

    def of(self, run: StoredRun) -> tuple[Overview, Values]:
        """Return the standings of a run and the values of its report."""
        key = (run.fingerprint, run.results_digest(), replace(run.row, config=""))
        if key not in self._kept:
            found = overview([run])
            self._kept[key] = (found, report_data(run, found, played_so_far(run)))
            if len(self._kept) > self.KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def reasons(self, run: StoredRun) -> Mapping[SetKey, str]:
        """Return why each deal set of a run was chosen, once that is public (`pairing_reasons`)."""
        key = (run.fingerprint, f"{run.row.ended} {run.results_digest()}")
        if key not in self._reasons:
            self._reasons[key] = pairing_reasons(run)
            if len(self._reasons) > self.KEPT:
                self._reasons.popitem(last=False)
        return self._reasons[key]

    def of_season(self, season: Season, number: int, runs: Sequence[StoredRun], *, in_play: bool) -> SeasonReport:
        """Return the values of season `number` of a league.

        runs: the runs of its epochs that are stored, in order.
        in_play: whether more results will come. While they do, values that take long to compute are not recomputed for
            each result.
        """
        which = (season.league.name, number)
        names = tuple(bot.name for bot in season.bots)
        key = (names, tuple((run.fingerprint, run.results_digest()) for run in runs))
        kept = self._seasons.pop(which, None)
        if kept is None or (kept.key != key and not (in_play and monotonic() < kept.until)):
            began = monotonic()
            report = _season_report(season, runs)
            ended = monotonic()
            kept = _KeptSeason(key, ended + SHARE * (ended - began), report)
        self._seasons[which] = kept
        if len(self._seasons) > self.KEPT:
            self._seasons.popitem(last=False)
        return kept.report


def _season_report(season: Season, runs: Sequence[StoredRun]) -> SeasonReport:
    found = overview(runs)
    turn = {run.fingerprint: place for place, run in enumerate(runs)}
    results = sorted(
        (game for board in found.every for game in board.results), key=lambda one: (turn[one.id.run], one.id.position)
    )
    bots = _entrants(season, found, results)
    return SeasonReport(found, tables_data(found, bots, results), tuple(_name_of(bot.name) for bot in bots))


def _entrants(season: Season, found: Overview, results: Sequence[GameResult]) -> list[Entrant]:
    """Return the bots of a season by label: first those of the league, then any others that played."""
    versions = {line.bot: line.version for board in found.every for line in board.standings}
    labels = {bot for game in results for bot in game.bots}
    known = {bot.name: bot for bot in season.bots}
    bots = [
        Entrant(label, versions.get(label, bot.version), bot.fingerprint, bot.author)
        for bot in season.bots
        for label in sorted(one for one in labels if _name_of(one) == bot.name) or [bot.name]
    ]
    others = sorted(one for one in labels if _name_of(one) not in known)
    return [*bots, *(Entrant(label, versions.get(label, ""), "") for label in others)]


def _name_of(label: str) -> str:
    """Return the name of a bot, without the ending by which its label differs from another bot of the same name."""
    return label.partition(" ")[0]
