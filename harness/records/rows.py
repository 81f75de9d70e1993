"""What the store answers: plain, frozen values, one class for each question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.records.run import GameId, SetKey


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is stored. `seed` is None until it is published; `ended` is None until the run is complete.

    `engine` and `rules` are the versions that began it; times are UTC, ISO 8601; `config` is the resolved file.
    `beacon` is as in RunHeader. `sets_after_seed` are the deal sets that were played when the seed was published, whose
    cards a bot could have known.
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


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in a list of matches; `bots`, `scores` and `ranks` are by seat, `faults` counts them."""

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


@dataclass(frozen=True, slots=True)
class GameResult:
    """What ratings need to know of a game; everything by seat.

    `sides` numbers the sides (the seat itself where each is for himself). `offenders` are the seats at fault.
    `rated` is False for a game that was not played because a bot had been withdrawn. `decisions` are all its actions,
    forced ones too, `hands` those that were finished.
    """

    id: GameId
    variant: str
    bots: tuple[str, ...]
    sides: tuple[int, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    offenders: tuple[int, ...]
    rated: bool
    decisions: int = 0
    hands: int = 0

    def outcome(self, seat: int, other: int) -> float:
        """S of the pair (RATINGS.md): 1 if `seat` is before `other`, 1/2 if they share the place, else 0.

        A side with a seat at fault loses the pair against one without, however the substitute played on (PROTOCOL.md,
        Faults at a table).
        """
        guilty = {self.sides[offender] for offender in self.offenders}
        fault, other_fault = self.sides[seat] in guilty, self.sides[other] in guilty
        if fault != other_fault:
            return 0.0 if fault else 1.0
        mine, theirs = self.ranks[seat], self.ranks[other]
        return 0.5 if mine == theirs else float(mine < theirs)


def by_set(results: Iterable[GameResult]) -> dict[SetKey, list[GameResult]]:
    """The results of each deal set, of one run, in the order given."""
    sets: dict[SetKey, list[GameResult]] = {}
    for result in results:
        sets.setdefault(result.id.set_key, []).append(result)
    return sets


def of_variant(results: Iterable[GameResult], variant: str | None) -> list[GameResult]:
    """The results of a variant, or (None) all."""
    return [result for result in results if variant is None or result.variant == variant]


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings of a run, for a variant or for all.

    `wins`, `draws` and `losses` count pairs: at each table, each bot on another side is an opponent (a copy of the
    same bot is none). `score` is the share of them, a draw half. `points_per_deal` is the mean of points won in a hand,
    in the variant's better direction (None for matches of games, whose points start again). `faults` has every kind.
    `p50_ms` and `p99_ms` are over `decisions`, those that the bot itself answered, in whole milliseconds as charged.
    """

    bot: str
    version: str
    rating: float | None
    rated_games: int
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
    """A fault with the game it happened in, the bot that committed it, and its story (harness.records.story).

    The story's parts (`legal`, `how_ended`, `stderr`, `log`) are empty where none was stored. `log` is the path of a
    file that is there, relative to the database's folder, or absolute; of one that is not, `no_log` says why. `saved`
    is when the game's deal set was stored in this database (UTC, ISO 8601).
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
