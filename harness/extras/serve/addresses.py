"""The addresses of the pages. They never change: people bookmark them and programs request them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.report.links import scope_part


def _part(text: str) -> str:
    return quote(text, safe="+,=@~")


def _query(*, variant: str = "", bot: str = "", page: int = 1) -> str:
    """Return the query of an address, such as "?variant=buck&page=2", or "" for the first page of everything."""
    wishes = [("variant", variant), ("bot", bot), ("page", str(page) if page > 1 else "")]
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in wishes if value)
    return f"?{query}" if query else ""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a server whose pages begin at `prefix`, "" or "/euchre"."""

    prefix: str = ""

    @property
    def home(self) -> str:
        """All runs."""
        return f"{self.prefix}/"

    def league(self, league: str, season: int | None = None, variant: str = "", page: int = 1) -> str:
        """Return the address of a season of a league, by default the present one.

        variant: the id of what its tables show; "" for all variants. page: the page of its list of epochs.
        """
        address = f"{self.prefix}/leagues/{_part(league)}{'' if season is None else f'/seasons/{season}'}"
        return address + _query(variant=variant, page=page)

    def league_bot(self, league: str, season: int | None, bot: str) -> str:
        """Return the address of a league bot's page, which has all its versions of a season."""
        return f"{self.league(league, season)}/bots/{_part(bot)}"

    def schedule(self, league: str, season: int | None = None, epoch: int | None = None, page: int = 1) -> str:
        """Return the address of the deal sets of an epoch, by default the latest one."""
        part = "schedule" if epoch is None else f"schedule/{epoch}"
        return f"{self.league(league, season)}/{part}{_query(page=page)}"

    def run(self, run: str) -> str:
        """Return the address of a run."""
        return f"{self.prefix}/runs/{_part(run)}"

    def tables(self, run: str) -> str:
        """Return the address of the list of tables in play."""
        return f"{self.run(run)}/tables"

    def faults(self, run: str) -> str:
        """Return the address of the faults of a run."""
        return f"{self.run(run)}/faults"

    def games(self, run: str, variant: str = "", bot: str = "", page: int = 1) -> str:
        """Return the address of a list of games."""
        return f"{self.run(run)}/games{_query(variant=variant, bot=bot, page=page)}"

    def bot(self, run: str, bot: str) -> str:
        """Return the address of a bot."""
        return f"{self.run(run)}/bots/{_part(bot)}"

    def pair(self, run: str, one: str, other: str) -> str:
        """Return the address of the page that compares two bots."""
        return f"{self.run(run)}/pairs/{_part(one)}/{_part(other)}"

    def game(self, game: str) -> str:
        """Return the address of a game, by its id."""
        return self._of_game(game, "games")

    def table(self, game: str) -> str:
        """Return the address of a table in play, by the id of its game."""
        return self._of_game(game, "tables")

    def _of_game(self, game: str, kind: str) -> str:
        found = GameId.parse(game)
        parts = (found.entry, found.lineup, str(found.set_number), str(found.rotation))
        return f"{self.run(found.run)}/{kind}/{'/'.join(map(_part, parts))}"


@dataclass(frozen=True, slots=True)
class RunLinks:
    """The links in the tables of a run (`bowerbird.harness.report.links.Links`)."""

    addresses: Addresses
    run: str
    bots: Sequence[str]

    def bot(self, bot: int) -> str:
        """Return the address of a bot's page."""
        return self.addresses.bot(self.run, self.bots[bot])

    def games(self, bot: int, variant: str) -> str:
        """Return the address of a bot's games in a variant."""
        return self.addresses.games(self.run, variant, self.bots[bot])

    def scope(self, scope: str) -> str:
        """Return the address of a variant's section on the run's page."""
        return scope_part(scope)

    def pair(self, one: int, other: int, part: str) -> str:
        """Return the address of a section of the page that compares two bots."""
        address = self.addresses.pair(self.run, self.bots[one], self.bots[other])
        return f"{address}#{quote(part)}" if part else address

    def game(self, game: str, hand: int) -> str:
        """Return the address of a hand of a game."""
        return f"{self.addresses.game(game)}#hand={hand}"


@dataclass(frozen=True, slots=True)
class SeasonLinks:
    """The links in the tables of a season (`bowerbird.harness.report.links.Links`).

    season: None for the present one.
    pages: for each bot of the tables, the bot on whose page it is, and its name there.
    """

    addresses: Addresses
    league: str
    season: int | None
    pages: Sequence[tuple[str, str]]

    def bot(self, bot: int) -> str:
        """Return the address of a version on the page of its bot."""
        page, version = self.pages[bot]
        return f"{self.addresses.league_bot(self.league, self.season, page)}#{version_part(version)}"

    def games(self, bot: int, variant: str) -> str:
        """Return "", since the games of a season are on the pages of its runs."""
        return ""

    def scope(self, scope: str) -> str:
        """Return the address of the tables of a variant."""
        return self.addresses.league(self.league, self.season, scope)

    def pair(self, one: int, other: int, part: str) -> str:
        """Return the address of the opponents of a bot."""
        page, version = self.pages[one]
        return f"{self.addresses.league_bot(self.league, self.season, page)}#{opponents_part(version)}"

    def game(self, game: str, hand: int) -> str:
        """Return the address of a hand of a game."""
        return f"{self.addresses.game(game)}#hand={hand}"


def version_part(version: str) -> str:
    """Return the address of a version's section on its bot's page."""
    return f"version-{quote(version)}"


def opponents_part(version: str) -> str:
    """Return the address of a version's opponents on its bot's page."""
    return f"against-{quote(version)}"
