"""What identifies a run and a deal set, and what is stored beside the games (CLI.md, Store). Pure values.

The tournament makes them, the store keeps them; neither needs the other's modules to do so.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from harness.records.record import SeatRecord

FINGERPRINT_DIGITS = 10


def commitment_of(seed: bytes) -> str:
    """The public commitment to a run's 32-byte seed: "sha256:" and 64 hex digits."""
    return f"sha256:{hashlib.sha256(seed).hexdigest()}"


def run_fingerprint(name: str, commitment: str) -> str:
    """The short name of a run, first part of its games' ids: hex digits of SHA-256(name, NUL, commitment)."""
    return hashlib.sha256(f"{name}\0{commitment}".encode()).hexdigest()[:FINGERPRINT_DIGITS]


@dataclass(frozen=True, slots=True)
class RunHeader:
    """A run before its first card.

    Identity is (`name`, `commitment`). `practice` marks a seed that was typed. `config` is the resolved tournament
    file as text, equal on every machine. `bots` are the entrants in file order.
    """

    name: str
    commitment: str
    practice: bool
    config: str
    bots: tuple[SeatRecord, ...]

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
