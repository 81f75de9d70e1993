"""The links in a run's tables. A report links to files beside it; other pages have their own addresses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote


class Links(Protocol):
    """The link targets of the tables of a run or a season. Bots are numbered as in `report_data`; "" means no link."""

    def bot(self, bot: int) -> str:
        """Return the address of a bot's page."""

    def games(self, bot: int, variant: str) -> str:
        """Return the address of a bot's games in a variant."""

    def scope(self, scope: str) -> str:
        """Return the address of the tables of a variant or separately rated scope, by its id in `report_data`."""

    def pair(self, one: int, other: int, part: str) -> str:
        """Return the address of a part of the page with the games of two bots."""

    def game(self, game: str, hand: int) -> str:
        """Return the address of a hand of a game, by its id."""


def scope_part(scope: str) -> str:
    """Return the link to a variant on the same page."""
    return f"#v-{scope}"


@dataclass(frozen=True, slots=True)
class FileLinks:
    """The links of a report to the files in the folder beside it.

    pairs: the file of each pair of bots, in either order. games: the file of each bot's games. replays: by game id, the
        file of each game that has a replay.
    """

    folder: str
    pairs: Mapping[tuple[int, int], str]
    bots: Mapping[int, str]
    replays: Mapping[str, str]

    def bot(self, bot: int) -> str:
        """Return "", because a report has no page about a bot."""
        return ""

    def games(self, bot: int, variant: str) -> str:
        """Return the file of a bot's games, at the section of a variant."""
        return f"{self.folder}/{self.bots[bot]}#{quote(variant)}" if bot in self.bots else ""

    def scope(self, scope: str) -> str:
        """Return the anchor of a variant on the page."""
        return scope_part(scope)

    def pair(self, one: int, other: int, part: str) -> str:
        """Return the file of a pair, at one of its sections."""
        file = self.pairs.get((one, other))
        return "" if file is None else f"{self.folder}/{file}{f'#{quote(part)}' if part else ''}"

    def game(self, game: str, hand: int) -> str:
        """Return the replay of a game, at one of its hands."""
        return f"{self.folder}/{self.replays[game]}#hand={hand}" if game in self.replays else ""


def file_links(
    folder: str,
    bots: Sequence[str],
    files: Mapping[tuple[str, ...], str],
    replays: Mapping[str, str],
) -> FileLinks:
    """Return the links of a report. `files` are the files of single bots and of pairs, by bot names."""
    number = {name: place for place, name in enumerate(bots)}
    pairs = {}
    for those, file in files.items():
        if len(those) == 2:
            one, other = (number[bot] for bot in those)
            pairs[one, other] = pairs[other, one] = file
    singles = {number[those[0]]: file for those, file in files.items() if len(those) == 1}
    return FileLinks(quote(os.fsencode(folder)), pairs, singles, replays)
