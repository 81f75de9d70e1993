"""The events of a tournament, for a progress display. They are frozen values, in the order in which they happen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import RecordRating, RunHeader, SetKey
from bowerbird.harness.records.values.voids import VoidedSet
from bowerbird.harness.tournament.formats.catalogue import Extent
from bowerbird.harness.tournament.formats.rounds import Round


@dataclass(frozen=True, slots=True)
class Building:
    """The start of a bot's build command, which may take `limit_s` seconds."""

    bot: str
    limit_s: float


@dataclass(frozen=True, slots=True)
class BuildSays:
    """The last line that a bot's build has written so far."""

    line: str


@dataclass(frozen=True, slots=True)
class NetworkChosen:
    """What a bot may reach from its sandbox. `line` is a sentence for people."""

    line: str


@dataclass(frozen=True, slots=True)
class AdmissionUpdate:
    """A change among remote bots: one connected, left, returned or was rejected. `line` is a sentence for people."""

    line: str


@dataclass(frozen=True, slots=True)
class IsolationChosen:
    """The isolation tier of the bots.

    remark: a sentence for people, shown even with --quiet; "" for a sandbox.
    shared_files: a sentence about bots whose processes share files in a sandbox; "" if there are none.
    """

    tier: str
    remark: str
    shared_files: str = ""


@dataclass(frozen=True, slots=True)
class ProcessorsUnshared:
    """Nothing shares the processors of this machine fairly between bots. `line` explains the consequences to people."""

    line: str


@dataclass(frozen=True, slots=True)
class HostStoodStill:
    """The end of a long stall of the host, during which the clocks stood still for `lasted_s` seconds (faults.md)."""

    lasted_s: float


@dataclass(frozen=True, slots=True)
class StartsSlow:
    """Bots that are still not ready some seconds after the start of a run, before its first game.

    A start may take `startup_s` seconds.
    """

    bots: tuple[str, ...]
    startup_s: float


@dataclass(frozen=True, slots=True)
class WorkersChosen:
    """The workers of a cluster at the start of a run.

    machines: the processor of each machine and its number of workers, as text.
    left_out: a sentence for each worker that does not play.
    """

    workers: int
    machines: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkerJoined:
    """A worker that joined a cluster and plays from now on, one of `workers`."""

    worker: str
    workers: int


@dataclass(frozen=True, slots=True)
class WorkerLeftOut:
    """A worker that joined a cluster and does not play. `why` is a sentence that names it."""

    why: str


@dataclass(frozen=True, slots=True)
class WorkerSilent:
    """A worker that has been silent for `seconds`, although it has games to play. After `limit_s` it counts as lost."""

    worker: str
    games: int
    seconds: float
    limit_s: float


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """A worker that ended or stopped answering. Others replay its games; `workers` are left."""

    worker: str
    why: str
    workers: int


@dataclass(frozen=True, slots=True)
class BlockPlayed:
    """Games that a worker of a cluster delivered.

    workers: how many play. in_play: how many blocks they have. decisions_per_s: the recent rate of all workers
        together.
    """

    workers: int
    in_play: int
    decisions_per_s: float


@dataclass(frozen=True, slots=True)
class WatchUnavailable:
    """The watch service did not start; the run continues without it. `why` is a sentence for people."""

    why: str


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The start of a run, before its first game. Stored sets and games are not played again."""

    header: RunHeader
    extent: Extent
    sets_stored: int
    games_stored: int


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The start of a round, before its first game, in a tournament of several rounds."""

    round: Round


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """The end of a game; the game counts once its set is saved.

    faults: (bot, kind) of each fault; () if the game was not played, since nothing happened in it.
    missed_by: the withdrawn bots because of which it was not played; () if it was.
    """

    game_id: str
    variant: str
    ended: str
    faults: tuple[tuple[str, str], ...]
    games_done: int
    missed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetSaved:
    """A deal set that is now durable.

    sets_done: how many sets are durable, including those from before the run was resumed.
    results: of its games.
    """

    key: SetKey
    sets_done: int
    results: tuple[GameResult, ...] = ()


@dataclass(frozen=True, slots=True)
class RatingsFitted:
    """The ratings of record from the results so far, as the standings show them now.

    sets: how many deal sets they are based on.
    ratings: by scope and rank; () if no bot can be rated yet.
    games: the number of games played, by scope and bot.
    """

    sets: int
    ratings: tuple[RecordRating, ...]
    games: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the overall order may still change because two bots are not yet told apart."""
        ranks = [row.rank for row in self.ratings if not row.scope]
        return len({*ranks}) < len(ranks)


@dataclass(frozen=True, slots=True)
class SetVoided:
    """A deal set whose void is now durable. Its games do not count.

    void: the attempt, the bots and the reason; if it is the last attempt, the set is left out.
    games_done: how many games of the run have ended and count.
    """

    void: VoidedSet
    games_done: int


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The end of a run: every set is stored or left out, and the seed (given in hex) is published.

    correction_seeds: by number, the seeds of the run's corrections in hex, which are published too.
    """

    header: RunHeader
    seed: str
    outcome: Outcome
    correction_seeds: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """A run of `sets` deal sets that is already complete: nothing is played."""

    header: RunHeader
    sets: int


TournamentEvent = (
    Building
    | BuildSays
    | NetworkChosen
    | AdmissionUpdate
    | IsolationChosen
    | ProcessorsUnshared
    | HostStoodStill
    | StartsSlow
    | WorkersChosen
    | WorkerJoined
    | WorkerLeftOut
    | WorkerSilent
    | WorkerLost
    | BlockPlayed
    | WatchUnavailable
    | RunStarted
    | RoundStarted
    | GamePlayed
    | SetSaved
    | RatingsFitted
    | SetVoided
    | RunEnded
    | NothingLeft
)

Progress = Callable[[TournamentEvent], None]
"""Called with each event."""
