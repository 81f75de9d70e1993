"""Reads the league file when an epoch begins, even while its organiser is editing it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bowerbird.harness.extras.league.epoch_file import epoch_file, run_name
from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.league_file import LeagueFile, load_league, parse_league
from bowerbird.harness.extras.league.season_ratings import WIDE, Prior
from bowerbird.harness.records.quoting import storable
from bowerbird.harness.records.store.league import changing
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.tables.table import now
from bowerbird.harness.records.values.league import PLAYING, League, LeagueBot
from bowerbird.harness.tournament.errors import ConfigError

Say = Callable[[str], None]
"""Called with a sentence for the organiser."""

MOST_SEATS = 10
"""The seats of the largest table."""


def accepted_file(path: Path, store: Store, say: Say) -> LeagueFile:
    """Return the league as its file describes it, or as the last correct file did if this one has an error.

    Stores a new league. Raises ConfigError if the file was never correct, LeagueError if the database has a league of
    this name from another file.
    """
    where = storable(os.path.relpath(path.resolve(), store.path.parent.resolve()))
    stored = next((one for one in store.leagues() if one.file == where), None)
    try:
        league = load_league(path)
        if stored is not None and league.name != stored.name:
            raise ConfigError(f"{path}: got the name {league.name!r}; must still be {stored.name!r}")
        trial_epoch(league, store.path.parent, ())
    except ConfigError as error:
        if stored is None:
            raise
        tell(store, stored.name, f"the league file is not accepted; the last accepted one applies: {error}", say)
        return parse_league(stored.config, path)
    _store(league, where, store, say)
    return league


def _store(league: LeagueFile, where: str, store: Store, say: Say) -> None:
    """Store the text of the file, if it is new."""
    with changing(store.path, league.name) as change:
        season = change.season
        if season is None:
            change.put_league(_new_league(league, where))
            return
        if season.league.file != where:
            raise LeagueError(
                f"{league.document.label}: the database already has a league {league.name!r}, from the file "
                f"{season.league.file}; give this league another name, or use that file"
            )
        if season.league.config == league.text:
            return
        change.put_league(replace(season.league, config=league.text))
    tell(store, league.name, "the league file has changed; the next epoch follows the new version", say)


def _new_league(league: LeagueFile, where: str) -> League:
    return League(league.name, where, league.text, season=1, is_paused=False, is_ending=False, started=now())


def trial_epoch(league: LeagueFile, folder: Path, bots: Sequence[LeagueBot]) -> None:
    """Raise ConfigError if these bots cannot play in the league.

    For the check, bots that can play everything fill its tables.
    folder: the database's folder; the paths of bots are relative to it.
    """
    others = [
        LeagueBot(name, name, 1, "", "", "", PLAYING, "", 1, f'path = "greedy"\nname = "{name}"')
        for name in (f"trial-{number}" for number in range(MOST_SEATS))
    ]
    every = [*bots, *others]
    epoch_file(league, run_name(league.name, 1, 1), every, {bot.name: Prior(0, WIDE) for bot in every}, folder)


def tell(store: Store, league: str, what: str, say: Say, bot: str = "") -> None:
    """Store and print a sentence, unless it is the latest one about this bot."""
    what = storable(what)  # made safe as in the comparison above: it may contain a file name
    latest = store.league_events(league, 1, bot=bot)
    if latest and latest[0].what == what:
        return
    with changing(store.path, league) as change:
        change.tell(what, bot)
    say(what)
