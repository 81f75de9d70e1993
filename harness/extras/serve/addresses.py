"""The addresses of the pages. They stay the same: people keep them as bookmarks and programs ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.report.links import scope_part


def _part(text: str) -> str:
    return quote(text, safe="+,=@~")


def _query(*, variant: str = "", bot: str = "", page: int = 1) -> str:
    """Return the end of an address, "?variant=buck&page=2"; "" for the first page of everything."""
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
        """Return the address of a season of a league, by default of the present one.

        variant: the id of what its tables show; "" for all variants. page: of its epochs.
        """
        address = f"{self.prefix}/leagues/{_part(league)}{'' if season is None else f'/seasons/{season}'}"
        return address + _query(variant=variant, page=page)

    def league_bot(self, league: str, season: int | None, bot: str) -> str:
        """Return the address of a bot of a league, with all its versions of a season."""
        return f"{self.league(league, season)}/bots/{_part(bot)}"

    def schedule(self, league: str, season: int | None = None, epoch: int | None = None, page: int = 1) -> str:
        """Return the address of the deal sets of an epoch, by default of the latest one."""
        part = "schedule" if epoch is None else f"schedule/{epoch}"
        return f"{self.league(league, season)}/{part}{_query(page=page)}"

    def run(self, run: str) -> str:
        """Return the address of a run."""
        return f"{self.prefix}/runs/{_part(run)}"

    def tables(self, run: str) -> str:
        """Return the address of the tables in play."""
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
        """Return the address of two bots against each other."""
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
        """Return the place of a variant on the page of the run."""
        return scope_part(scope)

    def pair(self, one: int, other: int, part: str) -> str:
        """Return the address of the page of two bots, at a part of it."""
        address = self.addresses.pair(self.run, self.bots[one], self.bots[other])
        return f"{address}#{quote(part)}" if part else address

    def game(self, game: str, hand: int) -> str:
        """Return the address of a hand of a game."""
        return f"{self.addresses.game(game)}#hand={hand}"


@dataclass(frozen=True, slots=True)
class SeasonLinks:
    """The links in the tables of a season (`bowerbird.harness.report.links.Links`).

    season: None for the present one.
    pages: for each bot of the tables, the bot whose page has it, and its own name there.
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
        """Return "": the games of a season are on the pages of its runs."""
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
    """Return the place of a version on the page of its bot."""
    return f"version-{quote(version)}"


def opponents_part(version: str) -> str:
    """Return the place of a version's opponents on the page of its bot."""
    return f"against-{quote(version)}"
