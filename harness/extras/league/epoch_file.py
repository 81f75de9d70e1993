"""Writes the tournament file of an epoch: the terms of the league file, the bots, and their expected ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from bowerbird.harness.extras.league.league_file import EpochLength, LeagueFile
from bowerbird.harness.extras.league.season_ratings import Prior
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.values.league import LeagueBot
from bowerbird.harness.tournament.config.schema import ADAPTIVE, MOST_SETS
from bowerbird.harness.tournament.config.toml.document import TomlDocument
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, tournament_of


def run_name(league: str, season: int, epoch: int) -> str:
    """Return the name of the run of an epoch: "autumn-s1-e12"."""
    return f"{league}-s{season}-e{epoch}"


def epoch_file(
    league: LeagueFile,
    name: str,
    players: Sequence[LeagueBot],
    priors: Mapping[str, Prior],
    folder: Path,
    *,
    beacon_source: str = "",
) -> TournamentFile:
    """Return the tournament of an epoch.

    name: the name of its run.
    players: the bots, in the order they came.
    priors: the prior of each bot, by name.
    folder: the database's folder; the paths of bots are relative to it.
    beacon_source: the source of the beacon that the epoch waits for; "" for no beacon.

    Raises ConfigError if these bots cannot play under these terms, with the line of the league file if that is the
    cause.
    """
    terms = dict(league.terms)
    written = terms.get("tournament")
    main = dict(written) if isinstance(written, Mapping) else {}
    beacon = {"beacon": "", "beacon_source": beacon_source} if beacon_source else {}
    data = {
        **terms,
        "tournament": {**main, "name": name, "format": ADAPTIVE, **_length(league.epoch), **beacon},
        "bot": [_entry(bot, priors[bot.name]) for bot in players],
    }
    lines = {path: line for path, line in league.document.lines.items() if path[:1] != ("bot",)}
    return tournament_of(TomlDocument(league.document.label, data, lines), folder)


def _length(epoch: EpochLength) -> dict[str, object]:
    if epoch.sets:
        return {"total_sets": epoch.sets}
    return {"total_sets": MOST_SETS, "stop": {"time": f"{epoch.time_ms}ms"}}


def _entry(bot: LeagueBot, prior: Prior) -> dict[str, object]:
    return {**load_toml(bot.entry), "rating": prior.rating, "deviation": prior.deviation}
