"""The files of an archive: their names and order, and the digests over them (notation.md, Archive of a run)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from bowerbird.harness.records.values.run import GameId

RUN_FILE = "run.toml"
CONFIG_FILE = "config.toml"
RECORD = ".toml"
STORIES = ".stories.toml"
NOTES = ".notes.toml"
"""The endings of the file names of a record, of its faults' stories and of its bots' notes."""

BESIDE = (STORIES, NOTES)
"""The endings of the file names beside a record, in order. Each of these files may be missing."""

GAMES, VOIDED = "games", "voided"
"""The folders for games that count, and for games that corrections took out of the results."""

MEMBERS_DOMAIN = b"bowerbird-archive-members/1\n"
"""The first line under the digest over all members, so that it cannot be the digest of any other kind of text."""

MOST_BLOCKS = 256
"""The most blocks of digests: enough to name the differing member in most archives, and at most 17 KiB."""

_NUMBER = re.compile("[1-9][0-9]{0,8}")
"""The number of a correction in a file name."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The place of a game in an archive, in the order of places.

    correction: the number of the correction that took it out of the results; 0 if it counts.
    """

    correction: int
    game: GameId

    def name(self, kind: str) -> str:
        """Return the file name of its record, or of a file beside it (`kind`)."""
        game = self.game
        folder = f"{VOIDED}/{self.correction}" if self.correction else GAMES
        return f"{folder}/{game.entry}/{game.lineup}/{game.set_number}-{game.rotation}{kind}"


def place_of(name: str, fingerprint: str) -> Place | None:
    """Return the place of the game whose record, stories or notes have this file name; None for any other name.

    fingerprint: the fingerprint of the run.
    """
    folder, _, file = name.partition("/")
    number = ""
    if folder == VOIDED:
        number, _, file = file.partition("/")
    kind = next((kind for kind in BESIDE if file.endswith(kind)), RECORD)
    parts = file.removesuffix(kind).replace("/", " ").split(" ")
    if folder not in (GAMES, VOIDED) or len(parts) != 3 or (folder == VOIDED and not _NUMBER.fullmatch(number)):
        return None
    set_number, _, rotation = parts[2].rpartition("-")
    try:
        game = GameId.parse(f"{fingerprint}/{parts[0]}/{parts[1]}/{set_number}/{rotation}")
    except ValueError:
        return None
    place = Place(int(number or 0), game)
    return place if place.name(kind) == name else None


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests of an archive's members except the signature, in the order of the archive.

    members: the number of members.
    whole: SHA-256, in hex, over MEMBERS_DOMAIN and a line `SHA256  NAME` for each member.
    block_size: the number of members in a block after the first two.
    blocks: the SHA-256 over the lines of each block; each of the first two members is its own block.
    """

    members: int
    whole: str
    block_size: int
    blocks: tuple[str, ...]


class MemberDigests:
    """Computes `Digests` member by member. Memory does not grow with the archive."""

    def __init__(self) -> None:
        """Begin an archive."""
        self._whole = hashlib.sha256(MEMBERS_DOMAIN)
        self._members = 0
        self._size = 1
        self._blocks: list[Any] = []  # hashlib names no type for its objects
        self._names: list[tuple[str, str]] = []

    def expect(self, games: int, *, with_notes: bool = False) -> None:
        """Set the size of blocks, before the first game: the smallest power of two that needs at most MOST_BLOCKS.

        games: the number of games in the archive; each has one or two members.
        with_notes: whether any game has notes; then each has up to three members.
        """
        most = (3 if with_notes else 2) * games
        while most > self._size * MOST_BLOCKS:
            self._size *= 2

    def add(self, name: str, data: bytes) -> None:
        """Add the next member."""
        line = f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode()
        self._whole.update(line)
        if (self._members < 2 or (self._members - 2) % self._size == 0) and len(self._blocks) < MOST_BLOCKS + 2:
            self._blocks.append(hashlib.sha256())
            self._names.append((name, name))
        self._blocks[-1].update(line)
        self._names[-1] = (self._names[-1][0], name)
        self._members += 1

    def digests(self) -> Digests:
        """Return the digests of all members added."""
        blocks = tuple(block.hexdigest() for block in self._blocks)
        return Digests(self._members, self._whole.hexdigest(), self._size, blocks)

    def differing(self, other: Digests) -> tuple[int, str]:
        """Return the first block that differs from another archive's: its number and the names of its members."""
        blocks = zip_longest(self.digests().blocks, other.blocks)
        place = next((place for place, (mine, theirs) in enumerate(blocks) if mine != theirs), 0)
        first, last = self._names[min(place, len(self._names) - 1)]
        return place, first if first == last else f"{first} to {last}"
