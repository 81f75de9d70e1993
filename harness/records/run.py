"""What identifies a run, a deal set and a game, and what is stored beside the games (CLI.md, Store). Pure values.

The tournament makes them, the store keeps them; neither needs the other's modules to do so.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass

from harness.records.quoting import shown
from harness.records.record import GameRecord
from harness.records.story import FaultStory

FINGERPRINT_DIGITS = 10

BLOCK_SETS = 64
"""How many deal sets of one line-up are played before the next one's turn."""

REMOTE = "remote"
"""Instead of the fingerprint of a bot's files, and of the protection of its instances, where it runs elsewhere."""

PACKS = ("common", "own")
"""Whether every line-up plays the same packs, or each its own (PROTOCOL.md, Instances)."""


def commitment_of(seed: bytes) -> str:
    """The public commitment to a run's 32-byte seed: "sha256:" and 64 hex digits."""
    return f"sha256:{hashlib.sha256(seed).hexdigest()}"


def deal_seed(secret: bytes, beacon: str | None) -> bytes:
    """The seed of a run's deals: its secret, or with a beacon SHA-256 over the secret and the beacon in UTF-8.

    The run commits to the secret. A beacon is a value that nobody could know at that moment, so that no deal can have
    been chosen before it (RATINGS.md, Deal sets).
    """
    return secret if beacon is None else hashlib.sha256(secret + beacon.encode()).digest()


def run_fingerprint(name: str, commitment: str) -> str:
    """The short name of a run, first part of its games' ids: hex digits of SHA-256(name, NUL, commitment)."""
    return hashlib.sha256(f"{name}\0{commitment}".encode()).hexdigest()[:FINGERPRINT_DIGITS]


def pack_entry(entry: str, lineup: str, packs: str) -> str:
    """The field "variant entry" of the pack and dealer streams (NOTATION.md, Shuffling; PROTOCOL.md, Instances).

    With `packs` "common" it is the entry alone, so that all line-ups meet the same deals; with "own" the line-up
    is part of it.
    """
    return f"{entry}/{lineup}" if packs == "own" else entry


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot of a run: its identity (name, version, fingerprint of its files) and who wrote it."""

    name: str
    version: str
    fingerprint: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class RunHeader:
    """A run before its first card.

    Identity is (`name`, `commitment`). `practice` marks a seed that was typed. `config` is the resolved tournament
    file as text, equal on every machine. `bots` are the entrants in file order. `packs` is "common" or "own".
    `beacon` is None in a run without one, and "" until it is known.
    """

    name: str
    commitment: str
    practice: bool
    config: str
    bots: tuple[Entrant, ...]
    packs: str = "common"
    beacon: str | None = None

    @property
    def fingerprint(self) -> str:
        """The run's short name."""
        return run_fingerprint(self.name, self.commitment)


@dataclass(frozen=True, slots=True, order=True)
class SetKey:
    """A deal set of one line-up within a run: complete in every rotation, or not counted (RATINGS.md, Deal sets).

    `entry` is "buck-0", `lineup` "greedy+pimc", `number` counts from 0.
    """

    entry: str
    lineup: str
    number: int

    def __str__(self) -> str:
        """What the ids of its games have between their run and their rotation."""
        return f"{self.entry}/{self.lineup}/{self.number}"


def schedule_order(key: SetKey) -> tuple[int, str, str, int]:
    """What deal sets are sorted by, to be played and to be rated: block, variant entry, line-up, number.

    It depends on nothing but the set itself, so that the order can be had again from a store alone.
    """
    return key.number // BLOCK_SETS, key.entry, key.lineup, key.number


@dataclass(frozen=True, slots=True)
class SetResult:
    """A deal set that is complete: its games by rotation, from 0, and stories of their faults (some may have none)."""

    key: SetKey
    games: tuple[GameRecord, ...]
    stories: tuple[FaultStory, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class GameId:
    """The id of a game: run, variant entry, line-up, set and rotation (NOTATION.md, Record of a game).

    It is made of what the game is, never of a counter, so that databases merge and a repeated job is harmless.
    """

    run: str
    entry: str
    lineup: str
    set_number: int
    rotation: int

    def __str__(self) -> str:
        """The id as it stands in records and on screens."""
        return f"{self.run}/{self.entry}/{self.lineup}/{self.set_number}/{self.rotation}"

    @property
    def set_key(self) -> SetKey:
        """The deal set that the game belongs to."""
        return SetKey(self.entry, self.lineup, self.set_number)

    @property
    def place(self) -> tuple[tuple[int, str, str, int], int]:
        """What games are sorted by, to be in the order of their schedule: the deal set's `schedule_order`, rotation."""
        return schedule_order(self.set_key), self.rotation

    @classmethod
    def parse(cls, text: str) -> GameId:
        """Read an id as `str` writes it. Raises ValueError with a sentence for people."""
        parts = text.split("/")
        numbers = parts[3:]
        if (
            len(parts) != 5
            or not all(parts)
            or shown(text) != text
            or not all(number.isascii() and number.isdecimal() and str(int(number)) == number for number in numbers)
        ):
            raise ValueError(
                f"{shown(text)!r} is not the id of a game; an id is run/variant entry/line-up/set/rotation, "
                "such as 4f1c9a/buck-0/greedy+pimc/12/3"
            )
        run, entry, lineup = map(sys.intern, parts[:3])  # standings hold millions of ids with few of these
        return cls(run, entry, lineup, int(parts[3]), int(parts[4]))


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A bot's incremental Elo. `scope` is a variant's name, or "" for all variants together."""

    scope: str
    bot: str
    rating: float
    games: int


@dataclass(frozen=True, slots=True)
class RatingTable:
    """Incremental Elo after the first `sets` deal sets of the schedule; a cache, keyed by a hash of those results."""

    digest: str
    sets: int
    rows: tuple[RatingRow, ...]
