"""Writes what a league decides: who is in it, which epochs it played, what happened (values.league).

The league and the commands of its organiser are different processes. Each change reads and writes in one transaction,
so that none of them is lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from harness.records.errors import StoreError, sqlite_errors
from harness.records.store import database
from harness.records.store.rows import (
    Row,
    epoch_row,
    league_bot_row,
    league_event_row,
    league_row,
)
from harness.records.store.statements import now, season_in
from harness.records.values.league import Epoch, League, LeagueBot, LeagueEvent, Season


def season_number(league: League, number: int | None) -> int:
    """Return the number of the season that is meant, by default the present one; StoreError if it has not begun."""
    if number is None:
        return league.season
    if not 1 <= number <= league.season:
        raise StoreError(f"season {number} of league {league.name} has not begun; the present one is {league.season}")
    return number


class LeagueChange:
    """A change of a league inside one transaction. Use `changing`."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        """Change the league `name` through a connection whose transaction is open."""
        self._connection = connection
        self._name = name

    @property
    def season(self) -> Season | None:
        """The present season, with the changes so far; None if the league does not exist yet."""
        return season_in(self._connection, self._name)

    @property
    def known(self) -> Season:
        """The present season of a league that exists."""
        season = self.season
        assert season is not None, f"league {self._name!r} is not stored"
        return season

    def put_league(self, league: League) -> None:
        """Store the league; replace it if it is stored."""
        self._upsert("league", ("name",), league_row(league))

    def put_bot(self, bot: LeagueBot) -> None:
        """Store a version of a bot in the present season; replace it if it is stored."""
        self._upsert("league_bot", ("league", "season", "name"), league_bot_row(self._name, self._season, bot))

    def put_epoch(self, epoch: Epoch) -> None:
        """Store an epoch of the present season; replace it if it is stored."""
        self._upsert("epoch", ("league", "season", "number"), epoch_row(self._name, self._season, epoch))

    def drop_epoch(self, number: int) -> None:
        """Forget an epoch of the present season whose run was never stored."""
        sql = "DELETE FROM epoch WHERE league = ? AND season = ? AND number = ?"
        self._connection.execute(sql, [self._name, self._season, number])

    def tell(self, what: str, bot: str = "") -> None:
        """Store that something happened now, as a sentence; `bot` is the entrant that it is about."""
        sql = "SELECT COALESCE(MAX(number), 0) + 1 FROM league_event WHERE league = ?"
        (number,) = self._connection.execute(sql, [self._name]).fetchone()
        sql = "SELECT COALESCE(MAX(number), 0) FROM epoch WHERE league = ? AND season = ?"
        (epoch,) = self._connection.execute(sql, [self._name, self._season]).fetchone()
        event = LeagueEvent(number, self._season, epoch, now(), bot, what)
        self._upsert("league_event", ("league", "number"), league_event_row(self._name, event))

    @property
    def _season(self) -> int:
        (season,) = self._connection.execute("SELECT season FROM league WHERE name = ?", [self._name]).fetchone()
        return int(season)

    def _upsert(self, table: str, key: tuple[str, ...], row: Row) -> None:
        names = ", ".join(row)
        values = ", ".join(f":{name}" for name in row)
        rest = ", ".join(f"{name} = excluded.{name}" for name in row if name not in key)
        self._connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT ({', '.join(key)}) DO UPDATE SET {rest}",
            dict(row),
        )


@contextmanager
def changing(path: Path, league: str) -> Iterator[LeagueChange]:
    """Change a league of the database at `path` in one transaction, which an exception in the block undoes.

    Raises StoreError if writing fails.
    """
    with (
        sqlite_errors(path, f"writing league {league!r}"),
        closing(database.connect(path)) as connection,
        database.transaction(connection),
    ):
        yield LeagueChange(connection, league)
