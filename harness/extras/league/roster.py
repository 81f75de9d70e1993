"""Decides who plays in the next epoch.

Its functions are pure: they compare the store with the folders and return changes.

- A bot that the file lists for the first time is a newcomer.
- A listed bot whose bot.toml has another `version` is a new version: its own entrant, with a number behind its name. At
  most VERSIONS versions of a bot play, and the oldest retires first. A new version lifts a suspension.
- Files that changed under the same version are ignored. The author raises the version when the bot is ready.
- A bot that the file no longer lists is withdrawn, and comes back when it is listed again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.league import AWAY, PLAYING, RETIRED, SUSPENDED, WITHDRAWN, LeagueBot, Season
from bowerbird.harness.records.values.run import LONGEST_NAME
from bowerbird.harness.referee.spec import BotSpec

VERSIONS = 2
"""How many versions of a bot play at once."""

FEWEST_BOTS = 2

NOT_LISTED = "the league file no longer lists it"


@dataclass(frozen=True, slots=True)
class Entry:
    """A version about to enter: its new name, its number, and the bot as it is in its folder."""

    name: str
    number: int
    spec: BotSpec


@dataclass(frozen=True, slots=True)
class Changed:
    """A bot whose status changes, and a sentence that says why."""

    bot: LeagueBot
    what: str


def entries(season: Season, listed: Sequence[BotSpec]) -> Iterator[Entry]:
    """Yield the new versions: of bots that were never listed in this season, or whose version has changed."""
    taken = {bot.name for bot in season.bots} | {spec.name for spec in listed}
    for spec in listed:
        newest = season.newest(spec.name)
        if newest is None:
            yield Entry(spec.name, 1, spec)
        elif spec.version != newest.version:
            name = _free_name(spec.name, newest.number + 1, taken)
            taken.add(name)
            yield Entry(name, newest.number + 1, spec)


def _free_name(bot: str, number: int, taken: Collection[str]) -> str:
    """Return a name "BOT-NUMBER" that no other entrant has, cut to the allowed length."""
    suffix = f"-{number}"
    name = f"{bot[: LONGEST_NAME - len(suffix)]}{suffix}"
    while name in taken:
        suffix = f".{suffix}"
        name = f"{bot[: LONGEST_NAME - len(suffix)]}{suffix}"
    return name


def entrant(entry: Entry, text: str, since: int) -> LeagueBot:
    """Return the entrant of a new version; `text` is its `[[bot]]` table, `since` its first epoch."""
    spec = entry.spec
    return LeagueBot(
        name=entry.name,
        bot=spec.name,
        number=entry.number,
        version=spec.version,
        author=spec.author,
        fingerprint=spec.fingerprint,
        status=PLAYING,
        why="",
        since=since,
        entry=text,
    )


def entered_sentence(bot: LeagueBot) -> str:
    """Return the sentence about a version that enters."""
    version = f"version {shown(bot.version)}"
    if bot.number == 1:
        return f"{bot.name} enters, {version}"
    return f"{bot.name} enters: {bot.bot} in its {version}, number {bot.number} of the season"


def listing_changes(season: Season, listed: Sequence[BotSpec]) -> Iterator[Changed]:
    """Yield the local bots that leave because the file no longer lists them, and those that come back."""
    names = {spec.name for spec in listed}
    for bot in season.bots:
        if bot.is_remote:
            continue
        if bot.bot not in names and bot.status in (PLAYING, SUSPENDED, AWAY):
            yield Changed(replace(bot, status=WITHDRAWN, why=NOT_LISTED), f"{bot.name} leaves, {NOT_LISTED}")
        elif bot.bot in names and bot.status == WITHDRAWN and bot.why == NOT_LISTED:
            yield Changed(replace(bot, status=PLAYING, why=""), f"{bot.name} is back")


def version_changes(season: Season) -> Iterator[Changed]:
    """Yield the versions that retire, so that at most VERSIONS of a bot play. `season` has the newer versions."""
    for name in dict.fromkeys(bot.bot for bot in season.bots):
        versions = sorted((bot for bot in season.bots if bot.bot == name), key=lambda bot: -bot.number)
        playing = [bot for bot in versions if bot.status in (PLAYING, AWAY)]
        for old in playing[VERSIONS:]:
            why = f"{playing[0].name} and {playing[1].name} are newer"
            yield Changed(replace(old, status=RETIRED, why=why), f"{old.name} retires, {why}")
        for old in versions[1:]:
            if old.status == SUSPENDED:
                why = f"{versions[0].name} is newer"
                yield Changed(replace(old, status=RETIRED, why=why), f"{old.name} retires, {why}")


def unchanged_versions(season: Season, listed: Sequence[BotSpec]) -> Iterator[LeagueBot]:
    """Yield the newest versions of bots whose files changed without a change of version."""
    for spec in listed:
        newest = season.newest(spec.name)
        if newest is not None and newest.version == spec.version and newest.fingerprint != spec.fingerprint:
            yield newest


def players(season: Season) -> list[LeagueBot]:
    """Return the entrants of the next epoch, in the order they came.

    Remote bots that are away are included only if there are too few others. The epoch then waits for them.
    """
    playing = [bot for bot in season.bots if bot.status == PLAYING]
    if len(playing) >= FEWEST_BOTS:
        return playing
    return [bot for bot in season.bots if bot.status in (PLAYING, AWAY)]


@dataclass(frozen=True, slots=True)
class Faults:
    """How a bot behaved lately: games, games with its own faults, and why it was withdrawn ("" if it was not)."""

    games: int
    faulty: int
    withdrawn: str = ""


FEWEST_GAMES = 10
"""The minimum number of games before a bot's share of games with faults can suspend it."""


def suspensions(season: Season, faults: Mapping[str, Faults], share: float) -> Iterator[Changed]:
    """Yield the bots that are suspended after an epoch.

    faults: how each entrant behaved.
    share: the share of its games in which a bot may fault.
    """
    for bot in season.bots:
        found = faults.get(bot.name)
        if found is None or bot.status != PLAYING:
            continue
        if found.withdrawn:
            why = f"it was withdrawn from the epoch: {found.withdrawn}"
        elif found.games >= FEWEST_GAMES and found.faulty > share * found.games:
            why = f"it faulted in {found.faulty} of its {found.games} games"
        else:
            continue
        yield Changed(
            replace(bot, status=SUSPENDED, why=why),
            f"{bot.name} is suspended until it has a new version: {why}",
        )
