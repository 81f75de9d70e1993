"""Answers of the store as plain, frozen values: one class for each of its views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bowerbird.harness.records.values.faults import WITHDRAWN_DETAIL
from bowerbird.harness.records.values.run import NOT_RATED


@dataclass(frozen=True, slots=True)
class RunRow:
    """A stored run. `seed` is None until it is published, `ended` is None until the run is complete.

    `engine` and `rules` are the versions that began it. Times are UTC, ISO 8601. `config` is the resolved tournament
    file. `beacon` is as in RunHeader. `sets_after_seed` counts the deal sets added after the seed was published, when a
    bot could have known their cards. `name` is the current name of the run. `original_name` is its first name, which
    determines the fingerprint together with `commitment`. `voids` is the number of void attempts at deal sets,
    `left_out` the number of deal sets without another attempt (`values.voids`). `stopped` is the reason why the run
    stopped, if that depended on results or time; else "".
    """

    fingerprint: str
    name: str
    commitment: str
    seed: bytes | None
    practice: bool
    packs: str
    config: str
    engine: str
    rules: str
    started: str
    ended: str | None
    games: int
    sets: int
    bots: int
    beacon: str | None = None
    sets_after_seed: int = 0
    original_name: str = ""
    voids: int = 0
    left_out: int = 0
    corrections: int = 0
    digest: str = ""
    stopped: str = ""

    @property
    def is_rated(self) -> bool:
        """True if the run has ratings. A game with a person in a seat has none."""
        return NOT_RATED not in self.config.splitlines()


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in a list. `bots`, `scores` and `ranks` are by seat; `faults` is the number of faults."""

    id: str
    run: str
    entry: str
    variant: str
    lineup: str
    set_number: int
    rotation: int
    ended: str
    hands: int
    decisions: int
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: int


class SeatResult(NamedTuple):
    """A seat in a game: a row for a table of numbers such as pandas.DataFrame.

    Attributes:
        game, run, entry, variant, lineup, set_number, rotation: the game's id, its parts, and the variant.
        ended: how the game ended (notation.md, Record of a game).
        hands: number of finished hands in the game.
        seat, bot, side: the seat from 0, the bot in it, the number of its side (the seat itself without sides).
        rank: from 1; ties share the better rank.
        score: the score at the end.
        points: points won over the game, where more is better; None in matches of games, in which points restart.
        penalised: True if its side is at fault and therefore loses to every side that is not.
        decisions: number of decisions that the bot itself answered.
        time_ms: time charged over the game, in ms.
    """

    game: str
    run: str
    entry: str
    variant: str
    lineup: str
    set_number: int
    rotation: int
    ended: str
    hands: int
    seat: int
    bot: str
    side: int
    rank: int
    score: int
    points: int | None
    penalised: bool
    decisions: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's results in a run, in one variant or in all.

    wins, draws, losses: counts of pairs. At each table every bot on another side is an opponent, except a copy of the
        same bot.
    score: the share of these pairs that it won, a draw counting half.
    points_per_deal: the mean points that one of its seats won in a hand, in the variant's better direction. It differs
        from the column points/deal, which is the difference from the table's mean. None for matches of games, in which
        points restart.
    games: the games that were played; all other counts refer to them, too.
    faults: the number of faults of each kind.
    p50_ms, p99_ms: percentiles over `decisions`, which the bot itself answered, in whole milliseconds as charged.
    rank, elo, elo_low, elo_high: the stored rating of record with the ends of its 95% interval (`RecordRating`). None
        if it is not stored for exactly these games, or the bot is not rated; an infinite end is None, too.
    unplayed: games of the bot that were not played because a bot at the table had been withdrawn.
    """

    bot: str
    version: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    points_per_deal: float | None
    faults: Mapping[str, int]
    decisions: int
    p50_ms: int | None
    p99_ms: int | None
    rank: int | None = None
    elo: float | None = None
    elo_low: float | None = None
    elo_high: float | None = None
    unplayed: int = 0


@dataclass(frozen=True, slots=True)
class Pairing:
    """A cell of the crosstable: `bot` against `opponent`, counted as in Standing."""

    bot: str
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault with its game, the bot that committed it, and its story (`FaultStory`).

    `legal`, `how_ended`, `stderr` and `log` are empty if no story is stored. `log` is the path of an existing file,
    relative to the database's folder or absolute; if the file does not exist, `log` is "" and `no_log` is the reason.
    `saved` is the time when this database stored the game's deal set (UTC, ISO 8601).
    """

    game: str
    hand: int
    action: int
    seat: int
    bot: str
    kind: str
    limit_ms: int
    elapsed_ms: int
    detail: str
    saved: str = ""
    legal: tuple[str, ...] = ()
    how_ended: str = ""
    stderr: str = ""
    log: str = ""
    no_log: str = ""

    @property
    def was_played(self) -> bool:
        """True if its game was played. In a game that a withdrawn bot missed, the absence is recorded as a fault."""
        return not self.detail.startswith(WITHDRAWN_DETAIL)


@dataclass(frozen=True, slots=True)
class CpuTime:
    """The processor time of a local bot in a run.

    cpu_ms: the processor time of all its processes with their descendants, in ms, including games that were not stored.
        processes: the number of its processes.
    charged_ms: the wall time that the clock charged in its stored games.
    share: the share of the processor time of all local bots of the run, 0 to 1; None if it is 0.
    """

    run: str
    bot: str
    cpu_ms: int
    processes: int
    charged_ms: int
    share: float | None
