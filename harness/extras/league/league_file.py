"""Reads a league file strictly: `[league]`, the terms of its epochs, and its bots."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.extras.league import schema
from bowerbird.harness.extras.league.epoch_beacon import DrandTerms, read_drand
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.text.bounded_file import read_bounded
from bowerbird.harness.records.text.bounded_toml import MAX_CHARACTERS
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.slow_reading import within
from bowerbird.harness.tournament.config import schema as tournament_schema
from bowerbird.harness.tournament.config.bot_entries import BotEntry, read_bot
from bowerbird.harness.tournament.config.bot_file import check_name
from bowerbird.harness.tournament.config.toml.document import TomlDocument, parse_toml, shown
from bowerbird.harness.tournament.config.toml.keys import DAY_MS, duration_ms
from bowerbird.harness.tournament.config.toml.misplaced import single_brackets
from bowerbird.harness.tournament.config.toml.table import TomlTable
from bowerbird.harness.tournament.errors import ConfigError

_SETS = re.compile(r"([1-9][0-9]{0,5}) sets?")

SHORTEST_EPOCH_MS = 1000

LONGEST_READ_S = 20.0
"""How long reading the files of one bot may keep the rest of its league waiting."""

TERMS = (tournament_schema.TOURNAMENT.name, tournament_schema.TIME.name, tournament_schema.VARIANT.name)
"""The tables that a league file shares with a tournament file."""


@dataclass(frozen=True, slots=True)
class EpochLength:
    """The length of an epoch: `time_ms` of play or `sets` deal sets. The other is 0."""

    time_ms: int
    sets: int


@dataclass(frozen=True, slots=True)
class ListedBot:
    """A bot of the file: its bot.toml as it is now, and its entry in the file."""

    spec: BotSpec
    entry: BotEntry


@dataclass(frozen=True, slots=True)
class LeagueFile:
    """A league as its file describes it.

    name: the name of the league.
    epoch, pause_ms, suspend, disk_mb, keep_logs: as the keys of `[league]` (`schema`).
    drand: how epochs get their beacons; None if they have none.
    document: the whole file, from which `epoch_file` takes the terms of the epochs.
    text: the text of the file.
    folder: the folder that the bots' paths are relative to.
    """

    name: str
    epoch: EpochLength
    pause_ms: int
    suspend: float
    disk_mb: int
    keep_logs: int
    drand: DrandTerms | None
    document: TomlDocument
    text: str
    folder: Path

    def bots(self) -> tuple[list[ListedBot], list[str]]:
        """Read the bots of the file as they are now.

        Return those that can be read, and a sentence for each of the others.

        A damaged folder does not affect other bots.
        """
        top = TomlTable.root(self.document, schema.LEAGUE_FILE)
        found: list[ListedBot] = []
        wrong: list[str] = []
        for table in top.tables(schema.BOT):
            try:
                with within(LONGEST_READ_S):
                    spec, entry = read_bot(table, self.folder)
                if spec.remote:
                    raise table.error(
                        f"bot {spec.name!r} is remote; invite it with: bowerbird league invite {spec.name}",
                        tournament_schema.ENTRY_REMOTE,
                    )
                if spec.name in (other.spec.name for other in found):
                    raise table.error(f"two bots are named {spec.name!r}; give one of them another name", "name")
            except ConfigError as error:
                wrong.append(str(error))
            else:
                found.append(ListedBot(spec, entry))
        return found, wrong

    @property
    def terms(self) -> Mapping[str, object]:
        """The parsed tables that all epochs share: tournament, time and variant."""
        return {
            name: self.document.data[name] for name in ("tournament", "time", "variant") if name in self.document.data
        }


def load_league(path: Path) -> LeagueFile:
    """Read a league file. Raises ConfigError with the file, the line, the key and the allowed values."""
    try:
        text = read_bounded(path, MAX_CHARACTERS, "TOML file").decode("utf-8")
    except StoreError as error:
        raise ConfigError(str(error)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: must be UTF-8 text (byte {error.start} is not)") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    return parse_league(text, path)


def parse_league(text: str, path: Path) -> LeagueFile:
    """Parse the text of the league file at `path`. Raises ConfigError."""
    document = parse_toml(text, str(path), lambda wrong: single_brackets(wrong, schema.LEAGUE_FILE))
    top = TomlTable.root(document, schema.LEAGUE_FILE)
    league = top.table(schema.LEAGUE)
    league.reject_unknown_keys([schema.LEAGUE_FILE, tournament_schema.TOURNAMENT_TABLE])
    name = league.string(schema.NAME, path.stem)
    check_name(league, schema.NAME, name)
    if len(name) > schema.LONGEST_LEAGUE_NAME:
        raise league.error(
            f"got {name!r}; must be a name of at most {schema.LONGEST_LEAGUE_NAME} characters", schema.NAME
        )
    _refuse_decided(top.table(tournament_schema.TOURNAMENT))
    return LeagueFile(
        name=name,
        epoch=_epoch(league),
        pause_ms=league.duration_ms(schema.PAUSE),
        suspend=league.number(schema.SUSPEND),
        disk_mb=league.integer(schema.DISK),
        keep_logs=league.integer(schema.LOGS),
        drand=read_drand(league),
        document=document,
        text=text,
        folder=path.parent,
    )


def _refuse_decided(main: TomlTable) -> None:
    """Raise ConfigError for a key of `[tournament]` that the league decides."""
    for key, why in schema.DECIDED.items():
        if main.has(key):
            raise main.error(f"{why}; leave out {key.name!r}", key)


def _epoch(league: TomlTable) -> EpochLength:
    written = league.string(schema.EPOCH)
    if match := _SETS.fullmatch(written):
        return EpochLength(0, int(match[1]))
    time_ms = duration_ms(written)
    if time_ms is None or not SHORTEST_EPOCH_MS <= time_ms <= DAY_MS:
        raise league.error(
            f'got {shown(written)}; must be a time from "1s" to "24h", or a number of deal sets such as "200 sets"',
            schema.EPOCH,
        )
    return EpochLength(int(time_ms), 0)
