"""The addresses of the pages. They stay the same: people keep them as bookmarks and programs ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from harness.records.values.run import GameId


def _part(text: str) -> str:
    return quote(text, safe="+,=@~")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a server whose pages begin at `prefix`, "" or "/euchre"."""

    prefix: str = ""

    @property
    def home(self) -> str:
        """All runs."""
        return f"{self.prefix}/"

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
        wishes = [("variant", variant), ("bot", bot), ("page", str(page) if page > 1 else "")]
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in wishes if value)
        return f"{self.run(run)}/games{f'?{query}' if query else ''}"

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
    """The links in the tables of a run (`harness.report.links.Links`)."""

    addresses: Addresses
    run: str
    bots: Sequence[str]

    def bot(self, bot: int) -> str:
        """Return the address of a bot's page."""
        return self.addresses.bot(self.run, self.bots[bot])

    def games(self, bot: int, variant: str) -> str:
        """Return the address of a bot's games in a variant."""
        return self.addresses.games(self.run, variant, self.bots[bot])

    def pair(self, one: int, other: int, part: str) -> str:
        """Return the address of the page of two bots, at a part of it."""
        address = self.addresses.pair(self.run, self.bots[one], self.bots[other])
        return f"{address}#{quote(part)}" if part else address

    def game(self, game: str, hand: int) -> str:
        """Return the address of a hand of a game."""
        return f"{self.addresses.game(game)}#hand={hand}"
