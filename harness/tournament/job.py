"""A job: one line-up, one variant entry, a block of deal sets, every rotation. And what comes of it.

Both are pure values that can be pickled: a job can be played in this process, in another or elsewhere, and again
after a crash, with nothing counted twice (ARCHITECTURE.md, harness).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.records.record import GameRecord, OptionValue
from harness.records.run import GameId, SetKey, SetResult, pack_entry
from harness.records.set_keys import SetKeys
from harness.records.story import FaultStory
from harness.referee.spec import InstanceKey, SeatSpec, TableSpec
from harness.tournament.seating import Lineup


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be played, with nothing left to ask.

    `run` is the run's fingerprint. `sets` are the numbers of the deal sets. `instances[r][p]` is the number of the
    process that plays position p in rotation r (PROTOCOL.md, Instances). `seed` is the run's secret.
    """

    run: str
    entry: str
    variant: str
    options: Mapping[str, OptionValue]
    lineup: Lineup
    sets: tuple[int, ...]
    instances: tuple[tuple[int, ...], ...]
    packs: str
    on_fault: str
    commitment: str
    seed: bytes = field(repr=False)

    @property
    def games(self) -> int:
        """How many games the job has."""
        return len(self.sets) * len(self.lineup.rotations)

    @property
    def processes(self) -> tuple[InstanceKey, ...]:
        """The processes that play it, each once."""
        seated = (
            (bot, number) for row in self.instances for bot, number in zip(self.lineup.positions, row, strict=True)
        )
        return tuple(dict.fromkeys(InstanceKey(bot, number) for bot, number in seated))

    @property
    def keys(self) -> tuple[SetKey, ...]:
        """The deal sets of the job, in order."""
        return tuple(SetKey(self.entry, self.lineup.text, number) for number in self.sets)

    def without(self, stored: Container[SetKey]) -> Job:
        """The job with the deal sets left out that are stored already."""
        left = tuple(key.number for key in self.keys if key not in stored)
        return replace(self, sets=left)

    def tables(self) -> tuple[TableSpec, ...]:
        """The tables to be played, set by set and in each by rotation."""
        return tuple(
            self._table(number, rotation) for number in self.sets for rotation in range(len(self.lineup.rotations))
        )

    def _table(self, number: int, rotation: int) -> TableSpec:
        return TableSpec(
            game_id=str(GameId(self.run, self.entry, self.lineup.text, number, rotation)),
            variant=self.variant,
            options=self.options,
            entry=pack_entry(self.entry, self.lineup.text, self.packs),
            set_number=number,
            rotation=rotation,
            seed=self.seed,
            commitment=self.commitment,
            seats=self._seats(number, rotation),
            on_fault=self.on_fault,
        )

    def _seats(self, number: int, rotation: int) -> tuple[SeatSpec, ...]:
        """By seat, who sits there in this rotation of deal set `number`."""
        positions = self.lineup.positions
        seats: dict[int, SeatSpec] = {}
        for position, seat in enumerate(self.lineup.seats(number, rotation)):
            bot = positions[position]
            seats[seat] = SeatSpec(bot, InstanceKey(bot, self.instances[rotation][position]))
        return tuple(seats[seat] for seat in range(len(positions)))


class SetCollector:
    """Gathers the games of jobs, which end in any order, into complete deal sets."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        """A collector of every game of these jobs."""
        self._due = SetKeys(key for job in jobs for key in job.keys)
        self._rotations = {(job.entry, job.lineup.text): len(job.lineup.rotations) for job in jobs}
        self._ended: dict[SetKey, dict[int, tuple[GameRecord, tuple[FaultStory, ...]]]] = {}

    def add(self, table: TableSpec, game: GameRecord, stories: tuple[FaultStory, ...] = ()) -> SetResult | None:
        """Take in a game and the stories of its faults; the set that it completes, if it does.

        Raises ValueError for a game that is not due.
        """
        key = GameId.parse(table.game_id).set_key
        ended = self._ended.setdefault(key, {})
        if key not in self._due or table.rotation in ended or game.id != table.game_id:
            raise ValueError(f"game {game.id} is not due at table {table.game_id}")
        ended[table.rotation] = game, stories
        if len(ended) < self._rotations[key.entry, key.lineup]:
            return None
        self._due.remove(key)
        del self._ended[key]
        in_order = [ended[rotation] for rotation in sorted(ended)]
        return SetResult(
            key,
            tuple(one for one, _ in in_order),
            tuple(story for _, told in in_order for story in told),
        )
