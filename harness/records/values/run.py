"""Runs, deal sets and ids of games, and the ratings stored beside the games (database.md). Pure values.

The tournament creates these values and the store keeps them, so neither imports the other.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from bowerbird.harness.records.quoting import shown, utf8
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.faults import FaultStory
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.machines import Machine

FINGERPRINT_DIGITS = 10
_NUMBER = re.compile("0|[1-9][0-9]{0,17}")
"""A number in the id of a game."""

_RUN_ID = re.compile(f"[0-9a-f]{{{FINGERPRINT_DIGITS}}}")

BLOCK_SETS = 64
"""The number of deal sets that a line-up plays before the next line-up has its turn."""

COMMON, OWN = "common", "own"
PACKS = (COMMON, OWN)
"""The values of `packs`: all line-ups play the same packs, or each has its own (protocol.md, Instances)."""

LONGEST_NAME = 40
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}")

MATCH = "match"
"""The beginning of the name of a run of `bowerbird match`, which has no tournament file."""


def wrong_name(name: str) -> str:
    """Return the reason why a run or bot cannot have this `name`, which becomes part of ids; "" if it can."""
    if _NAME.fullmatch(name):
        return ""
    return (
        f"{name!r} is not allowed; a name has 1 to {LONGEST_NAME} letters, digits, dots, dashes and underscores "
        "and begins with a letter or digit"
    )


def commitment_of(seed: bytes) -> str:
    """Return the public commitment to a run's 32-byte seed: "sha256:" and 64 hex digits."""
    return f"sha256:{hashlib.sha256(seed).hexdigest()}"


def deal_seed(secret: bytes, beacon: str | None) -> bytes:
    """Return the seed of a run's deals: its secret; with a beacon, SHA-256 over the secret and the beacon in UTF-8.

    The run commits to the secret while the beacon is unknown, so the organiser cannot choose the deals (ratings.md,
    Deal sets).
    """
    return secret if beacon is None else hashlib.sha256(secret + utf8(beacon)).digest()


def run_fingerprint(name: str, commitment: str) -> str:
    """Return a run's short name, the first part of its games' ids: hex digits of SHA-256(name, NUL, commitment)."""
    return hashlib.sha256(utf8(f"{name}\0{commitment}")).hexdigest()[:FINGERPRINT_DIGITS]


def is_run_id(text: str) -> bool:
    """Return True if a string has the form of a run's fingerprint."""
    return _RUN_ID.fullmatch(text) is not None


def pack_entry(entry: str, lineup: str, packs: str, attempt: int = 0) -> str:
    """Return the field "variant entry" of the pack and dealer streams (notation.md, Shuffling; protocol.md, Instances).

    With `packs` "common" it is the entry alone, so that all line-ups get the same deals; with "own" it includes the
    line-up. A deal set that replaces a void one (`attempt` > 0) has a suffix that cannot occur otherwise, because an
    entry or line-up is never empty and never contains a slash.
    """
    field = f"{entry}/{lineup}" if packs == OWN else entry
    return f"{field}//{attempt}" if attempt else field


def pack_attempt(entry: str) -> int:
    """Return the attempt in a field that `pack_entry` made."""
    return int(entry.partition("//")[2] or 0)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot as entered in a run: its identity (name, version, fingerprint of its files) and its author."""

    name: str
    version: str
    fingerprint: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class CpuTotal:
    """The processor time of a local bot in a run: of `processes` processes with their descendants, in ms."""

    bot: str
    cpu_ms: int
    processes: int


@dataclass(frozen=True, slots=True)
class RunHeader:
    """A run at its beginning.

    (`name`, `commitment`) identify it. `practice` marks a seed chosen by the user. `config` is the resolved tournament
    file as text, equal on every machine. `bots` are the entrants in file order. `packs` is "common" or "own".
    `beacon` is None in a run without one, and "" until it is known.
    """

    name: str
    commitment: str
    practice: bool
    config: str
    bots: tuple[Entrant, ...]
    packs: str = COMMON
    beacon: str | None = None

    @property
    def fingerprint(self) -> str:
        """The run's short name (see `run_fingerprint`)."""
        return run_fingerprint(self.name, self.commitment)


@dataclass(frozen=True, slots=True, order=True)
class SetKey:
    """The key of a deal set within a run. The set counts once every rotation is complete (ratings.md, Deal sets).

    `entry` is "buck-0", `lineup` "greedy+pimc", `number` counts from 0.
    """

    entry: str
    lineup: str
    number: int

    def __str__(self) -> str:
        """Return the middle part of its games' ids, between run and rotation."""
        return f"{self.entry}/{self.lineup}/{self.number}"


SchedulePosition = tuple[int, str, str, int]
"""The position of a deal set in the schedule: block, variant entry, line-up, number."""


def schedule_order(key: SetKey) -> SchedulePosition:
    """Return the sort key for the order in which deal sets are played and rated.

    It depends only on the set, so the order can be restored from a store.
    """
    return key.number // BLOCK_SETS, key.entry, key.lineup, key.number


@dataclass(frozen=True, slots=True)
class CompletedSet:
    """A complete deal set: its games by rotation, from 0, and the stories of their faults (some faults have no story).

    machine: the machine that played it; None if unknown.
    notes: the bots' notes in its games.
    """

    key: SetKey
    games: tuple[GameRecord, ...]
    stories: tuple[FaultStory, ...] = ()
    machine: Machine | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class GameId:
    """The id of a game: run, variant entry, line-up, set and rotation (notation.md, Seed and commitment).

    It contains no counter, so databases can be merged, and a repeated job has the same ids.
    """

    run: str
    entry: str
    lineup: str
    set_number: int
    rotation: int

    def __str__(self) -> str:
        """Return the id as in records and on screens: "4f1c9a/buck-0/greedy+pimc/12/3"."""
        return f"{self.run}/{self.entry}/{self.lineup}/{self.set_number}/{self.rotation}"

    @property
    def set_key(self) -> SetKey:
        """The key of the game's deal set."""
        return SetKey(self.entry, self.lineup, self.set_number)

    @property
    def position(self) -> tuple[SchedulePosition, int]:
        """The sort key of schedule order: the deal set's `schedule_order`, then the rotation."""
        return schedule_order(self.set_key), self.rotation

    @classmethod
    def parse(cls, text: str) -> GameId:
        """Read an id as `str` writes it. Raises ValueError with a sentence for users."""
        parts = text.split("/")
        numbers = parts[3:]
        if (
            len(parts) != 5
            or not all(parts)
            or shown(text) != text
            or not all(_NUMBER.fullmatch(number) for number in numbers)
        ):
            raise ValueError(
                f"{shown(text)!r} is not the id of a game; an id is run/variant entry/line-up/set/rotation, "
                "such as 4f1c9a/buck-0/greedy+pimc/12/3"
            )
        run, entry, lineup = map(sys.intern, parts[:3])  # standings contain millions of ids, but few of these
        return cls(run, entry, lineup, int(parts[3]), int(parts[4]))


FIXED_SEATS = 'lineup = "fixed"'
"""The line of a resolved tournament file for a run that is a single game, with each bot at the seat of its place in the
file.
"""


def is_whole_set(games: int, sides: int, config: str) -> bool:
    """Return True if a deal set with this number of games is whole, so that each side plays each place equally often.

    config: the resolved tournament file of its run. With fixed seats, a set is one game.
    """
    return games % sides == 0 or (games == 1 and FIXED_SEATS in config.splitlines())


NOT_RATED = "rated = false"
"""The line of a resolved tournament file for a run without ratings, such as a game with a person at a seat."""


@dataclass(frozen=True, slots=True)
class ResultsDigest:
    """The SHA-256 over the results of `sets` deal sets, as "sha256:" and 64 hex digits."""

    digest: str
    sets: int


UNKNOWN_DIGEST = ResultsDigest("", 0)
"""The digest of a run that is being played, to which no stored ratings can belong."""


@dataclass(frozen=True, slots=True)
class RecordRating:
    """A bot's rating of record in a complete run, as `bowerbird standings` shows it.

    scope: a variant, or "" for all variants together. If a run plays a variant under several sets of options, the name
        alone is the one with the most deal sets; the others add the options that differ.
    rank: from 1; bots with equal ranks are not told apart.
    elo, se: the rating and its standard error; `se` is None if it is infinite.
    low, high: the ends of the 95% interval of `elo`; None if infinite.
    points, points_low, points_high: the points per deal above the table's mean, with the ends of the 95% interval; None
        if points have no unit or an end is infinite.
    basis: which rating is 0, as a sentence.
    """

    scope: str
    bot: str
    rank: int
    elo: float
    se: float | None
    low: float | None
    high: float | None
    points: float | None
    points_low: float | None
    points_high: float | None
    basis: str


def mismatch(record: GameRecord, commitment: str, entered: Mapping[str, Entrant]) -> str:
    """Return why a record cannot belong to the run with this commitment and these bots (by name); "" if it can."""
    if record.commitment != commitment:
        return "its commitment is not that of its run"
    for number, seat in enumerate(record.seats):
        bot = entered.get(seat.bot)
        if bot is None or (bot.version, bot.fingerprint) != (seat.version, seat.fingerprint):
            return f"seat {number}: bot {seat.bot!r} is not as it was entered in the run"
    return ""


@dataclass(frozen=True, slots=True)
class Origin:
    """An archive from which a run, or part of it, was imported.

    key: the public key that signed it, 64 hex digits; "" if it was unsigned.
    signature: the text of its `signature.toml`; "" if it was unsigned.
    imported: when, UTC, ISO 8601.
    """

    key: str
    signature: str
    imported: str
