"""A season of a league, with values that several of its pages need: runs, ratings, state, links, events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath

from bowerbird.engine import unknown
from bowerbird.harness.extras.serve.addresses import SeasonLinks
from bowerbird.harness.extras.serve.pages.reports import SeasonReport, Values
from bowerbird.harness.extras.serve.pages.run_pages import Content, Context, Live
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.league import season_number
from bowerbird.harness.records.store.sidecar import LeagueLock
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.league import PLAYING, Epoch, LeagueBot, LeagueEvent, Season

_PATH = re.compile(r"(?<![^\s'\"(:,=])/(?:[^\s/:;,'\"()<>]+/)*([^\s/:;,'\"()<>]+)")
"""An absolute path; the group is its last part."""

PLAYED, WAITING, INTERRUPTED, PAUSED, BETWEEN, FRESH, COMPLETE = (
    "playing",
    "waiting",
    "interrupted",
    "paused",
    "between epochs",
    "not begun",
    "complete",
)
"""The states of a season. It waits for a beacon, and is interrupted if its epoch is not being played now."""


@dataclass(frozen=True)
class SeasonView:
    """A season, as its pages show it.

    number: the number of the season, from 1.
    runs: the stored runs of its epochs, in their order.
    """

    context: Context
    season: Season
    number: int
    runs: Mapping[str, StoredRun] = field(repr=False)

    @property
    def name(self) -> str:
        """The name of the league."""
        return self.season.league.name

    @property
    def wanted(self) -> int | None:
        """The season in addresses: None for the present one."""
        return None if self.is_present else self.number

    @property
    def is_present(self) -> bool:
        """Whether it is the present season."""
        return self.number == self.season.league.season

    @property
    def live(self) -> Live | None:
        """The epoch that is being played now, or None."""
        epoch = self.season.open_epoch
        return None if epoch is None else self.context.live.get(epoch.run)

    @cached_property
    def report(self) -> SeasonReport:
        """The season's ratings and tables."""
        runs, in_play = tuple(self.runs.values()), self.live is not None
        return self.context.reports.of_season(self.season, self.number, runs, in_play=in_play)

    @property
    def state(self) -> str:
        """The state of the season, in a word or two."""
        if not self.is_present:
            return COMPLETE
        epoch = self.season.open_epoch
        if epoch is not None:
            return self._state_of(epoch)
        if self.season.league.is_paused:
            return PAUSED
        return BETWEEN if self.season.epochs else FRESH

    def _state_of(self, epoch: Epoch) -> str:
        run = self.runs.get(epoch.run)
        if run is not None and run.row.ended is None and self.live is not None:
            return PLAYED
        if run is not None and run.row.beacon == "":
            return WAITING
        return BETWEEN if LeagueLock.is_held(self.context.store.path, self.name) else INTERRUPTED

    @property
    def started(self) -> str:
        """When the season began, UTC."""
        if self.is_present or not self.season.epochs:
            return minute(self.season.league.started) if self.is_present else ""
        return minute(self.season.epochs[0].started)

    @property
    def players(self) -> list[LeagueBot]:
        """The entrants that play in the next epoch."""
        return [bot for bot in self.season.bots if bot.status == PLAYING]

    @property
    def links(self) -> SeasonLinks:
        """The links of its tables."""
        bot_of = {bot.name: bot.bot for bot in self.season.bots}
        pages = [(bot_of.get(name, name), name) for name in self.report.names]
        return SeasonLinks(self.context.addresses, self.name, self.wanted, pages)

    def bot_address(self, entrant: str) -> str:
        """Return the address of a version's page, or "" if the version is not of this season."""
        bot = next((one.bot for one in self.season.bots if one.name == entrant), "")
        return self.context.addresses.league_bot(self.name, self.wanted, bot) if bot else ""

    def has_played(self, entrant: str) -> bool:
        """Return whether a version has a complete deal set."""
        return self.report.number(entrant) in self.report.games

    def figures(self, entrant: str) -> Values:
        """Return a version's rating, interval and games as text, and the `span` to draw; "-" before its first game."""
        number = self.report.number(entrant)
        row = self.report.rows.get(number) if number is not None else None
        if row is None:
            return {"rank": "-", "elo": "-", "interval": "-", "games": "-", "faults": "-", "span": None}
        rated = dict(zip(self.report.tables["scopes"][0]["titles"], row["rating"], strict=True))
        played = dict(zip(self.report.tables["titles"]["playing"], row["playing"], strict=True))
        return {
            "rank": rated["#"],
            "elo": rated["Elo"],
            "interval": rated["95%"],
            "games": played["games"],
            "faults": played["faults"],
            "span": row["span"],
        }

    def events(self, events: Iterable[LeagueEvent]) -> list[Values]:
        """Return events for a page."""
        return [
            {
                "number": event.number,
                "at": minute(event.at),
                "epoch": event.epoch,
                "bot": event.bot,
                "what": without_paths(event.what),
                "address": self.bot_address(event.bot),
            }
            for event in events
        ]

    def epoch_values(self, epoch: Epoch) -> Values:
        """Return an epoch for a page; `games` and `sets` are None if its run has left the database."""
        run = self.runs.get(epoch.run)
        return {
            "number": epoch.number,
            "run": epoch.run,
            "name": None if run is None else run.row.name,
            "address": "" if run is None else self.context.addresses.run(epoch.run),
            "schedule": "" if run is None else self.context.addresses.schedule(self.name, self.wanted, epoch.number),
            "started": minute(epoch.started),
            "ended": None if epoch.ended is None else minute(epoch.ended),
            "games": None if run is None else run.row.games,
            "sets": None if run is None else run.row.sets,
            "archive": PurePath(epoch.archive).name,
            "remark": without_paths(epoch.remark),
        }

    def page(self, template: str, title: str, data: Values, **values: object) -> Content:
        """Return a page of this season."""
        league = self.season.league
        epoch = self.season.open_epoch
        data = {
            "league": self.name,
            "season": self.number,
            "present_season": league.season,
            "state": self.state,
            "pauses": self.is_present and league.is_paused,
            "ends": self.is_present and league.is_ending,
            "epoch": None if epoch is None else self.epoch_values(epoch),
            **data,
        }
        shared = {
            "league": self.name,
            "season": self.number,
            "is_present": self.is_present,
            "wanted": self.wanted,
            "state": self.state,
        }
        return Content(template, title, data, {**shared, **values}, moves="*" if self.is_present else "")


def season_view(context: Context, league: str, number: int | None = None) -> SeasonView:
    """Return a season of a league, by default the present one.

    Raises StoreError, with the nearest name, if there is none.
    """
    store = context.store
    season = store.season(league, number)
    if season is None:
        raise StoreError(unknown("league", league, [one.name for one in store.leagues()]))
    shown = season_number(season.league, number)
    rows = {run.fingerprint: run for run in store.runs()}
    runs = {epoch.run: rows[epoch.run] for epoch in season.epochs if epoch.run in rows}
    return SeasonView(context, season, shown, runs)


def minute(time: str) -> str:
    """Return an ISO 8601 time in UTC as people write it, to the minute."""
    return time[:16].replace("T", " ")


def without_paths(sentence: str) -> str:
    """Return a sentence with every absolute path cut to its last part, since readers must not learn where files are."""
    return _PATH.sub(r"\1", sentence)
