"""Writes a league's decisions: its bots, its epochs, and its events (values.league).

The league and its organiser's commands are different processes. Each change reads and writes in one transaction, so
that none is lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bowerbird.engine import unknown
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.store.tables.leagues import season_in
from bowerbird.harness.records.store.tables.table import Dataclass, columns_of, insert, now, upsert
from bowerbird.harness.records.values.league import Epoch, League, LeagueBot, LeagueEvent, Season


def the_league(store: Store, name: str | None) -> str:
    """Return `name`, or by default the name of the only league. Raises StoreError."""
    names = [league.name for league in store.leagues()]
    if not names:
        raise StoreError(f"{store.path}: no league is stored; begin one with: bowerbird league FILE")
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        raise StoreError(f"{store.path}: there are {len(names)} leagues ({', '.join(names)}); name one with --league")
    if name not in names:
        raise StoreError(unknown("league", name, names))
    return name


def season_runs(store: Store, season: Season) -> list[StoredRun]:
    """Return the stored runs of a season's epochs. Pruned runs are not included."""
    wanted = {epoch.run for epoch in season.epochs}
    return [run for run in store.runs() if run.fingerprint in wanted]


def season_number(league: League, number: int | None) -> int:
    """Return the number of a season, by default the current one. Raises StoreError if it has not begun."""
    if number is None:
        return league.season
    if not 1 <= number <= league.season:
        raise StoreError(f"season {number} of league {league.name} has not begun; the current one is {league.season}")
    return number


class LeagueChange:
    """A change to a league inside one transaction. Use `changing`."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        """Change the league `name` through a connection whose transaction is open."""
        self._connection = connection
        self._name = name

    @property
    def season(self) -> Season | None:
        """The current season, with the changes so far; None if the league does not exist yet."""
        return season_in(self._connection, self._name)

    @property
    def known(self) -> Season:
        """The current season of an existing league."""
        season = self.season
        assert season is not None, f"league {self._name!r} is not stored"
        return season

    def put_league(self, league: League) -> None:
        """Store the league; replace it if it is stored."""
        upsert(self._connection, "league", ("name",), columns_of(league))

    def put_bot(self, bot: LeagueBot) -> None:
        """Store a version of a bot in the current season; replace it if it is stored."""
        self._put("league_bot", "name", bot)

    def put_epoch(self, epoch: Epoch) -> None:
        """Store an epoch of the current season; replace it if it is stored."""
        self._put("epoch", "number", epoch)

    def drop_epoch(self, number: int) -> None:
        """Remove an epoch of the current season if its run was never stored."""
        sql = "DELETE FROM epoch WHERE league = ? AND season = ? AND number = ?"
        self._connection.execute(sql, [self._name, self._season, number])

    def tell(self, what: str, bot: str = "") -> None:
        """Record an event that happens now, as a sentence. `bot` is the entrant concerned."""
        sql = "SELECT COALESCE(MAX(number), 0) + 1 FROM league_event WHERE league = ?"
        (number,) = self._connection.execute(sql, [self._name]).fetchone()
        sql = "SELECT COALESCE(MAX(number), 0) FROM epoch WHERE league = ? AND season = ?"
        (epoch,) = self._connection.execute(sql, [self._name, self._season]).fetchone()
        event = LeagueEvent(number, self._season, epoch, now(), bot, what)
        insert(self._connection, "league_event", [{"league": self._name, **columns_of(event)}])

    @property
    def _season(self) -> int:
        (season,) = self._connection.execute("SELECT season FROM league WHERE name = ?", [self._name]).fetchone()
        return int(season)

    def _put(self, table: str, key: str, value: Dataclass) -> None:
        row = {"league": self._name, "season": self._season, **columns_of(value)}
        upsert(self._connection, table, ("league", "season", key), row)


@contextmanager
def changing(path: Path, league: str) -> Iterator[LeagueChange]:
    """Change a league in the database at `path` in one transaction, which an exception in the block undoes.

    Raises StoreError if writing fails.
    """
    with database.writing(path, f"writing league {league!r}") as connection:
        yield LeagueChange(connection, league)
