"""A league: one run after another, for a season, between bots that come, change and go. Pure values.

Each run is an epoch. Between two epochs, the league decides which bots play in the next one, and stores the reasons.
"""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.harness.records.values.game_record import REMOTE

PLAYING, SUSPENDED, RETIRED, WITHDRAWN, AWAY = "playing", "suspended", "retired", "withdrawn", "away"
STATUSES = (PLAYING, SUSPENDED, RETIRED, WITHDRAWN, AWAY)
"""The status of a bot in a league.

It plays in the next epoch; it faulted too often and waits for a new version; a better version took its place; its
author or the organiser withdrew it; or it is remote and was absent when the last epoch began.
"""


@dataclass(frozen=True, slots=True)
class League:
    """The current state of a league.

    file: the path of its file, as seen from the folder of the database.
    config: the text of its file when it was last valid.
    season: from 1.
    is_paused: True if no more epochs begin.
    is_ending: True if the season ends after the current epoch.
    started: when the season began, UTC, ISO 8601.
    """

    name: str
    file: str
    config: str
    season: int
    is_paused: bool
    is_ending: bool
    started: str


@dataclass(frozen=True, slots=True)
class LeagueBot:
    """A version of a bot in a season: an entrant of the epochs.

    name: the name under which it is entered: that of the bot, with "-2", "-3" … for later versions.
    bot: the name of the bot, which all its versions share.
    number: the number of the version in the season, from 1.
    version, author: as its bot.toml states.
    fingerprint: the fingerprint of its files. status: one of STATUSES.
    why: a sentence that explains why it does not play; "" if it does.
    since: the epoch from which it plays.
    entry: its `[[bot]]` table as canonical TOML, one line for each key; paths are relative to the database's folder.
    """

    name: str
    bot: str
    number: int
    version: str
    author: str
    fingerprint: str
    status: str
    why: str
    since: int
    entry: str

    @property
    def is_remote(self) -> bool:
        """True if it connects from elsewhere."""
        return self.fingerprint == REMOTE


@dataclass(frozen=True, slots=True)
class Epoch:
    """An epoch of a season.

    number: from 1.
    run: the fingerprint of its run.
    started, ended: UTC, ISO 8601; `ended` is None while it is being played.
    archive: the path of its archive, relative to the database's folder; "" if there is none.
    remark: a sentence about any problem at its end, such as an unsigned archive; "" if all is well.
    """

    number: int
    run: str
    started: str
    ended: str | None
    archive: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class LeagueEvent:
    """An event in a league.

    number: from 1, over all seasons.
    season, epoch: when it happened; the epoch is 0 before the first epoch.
    at: UTC, ISO 8601.
    bot: the entrant concerned; "" for none.
    what: a sentence.
    """

    number: int
    season: int
    epoch: int
    at: str
    bot: str
    what: str


@dataclass(frozen=True, slots=True)
class Season:
    """All stored data of a season of a league: its bots in the order of their entry, and its epochs."""

    league: League
    bots: tuple[LeagueBot, ...]
    epochs: tuple[Epoch, ...]

    @property
    def open_epoch(self) -> Epoch | None:
        """The epoch that is in progress or was interrupted; None between two epochs."""
        return next((epoch for epoch in self.epochs if epoch.ended is None), None)

    @property
    def last_number(self) -> int:
        """The number of the latest epoch; 0 before the first."""
        return max((epoch.number for epoch in self.epochs), default=0)

    def newest(self, bot: str) -> LeagueBot | None:
        """Return the newest version of a bot; None if it never entered in this season."""
        return max((one for one in self.bots if one.bot == bot), key=lambda one: one.number, default=None)
