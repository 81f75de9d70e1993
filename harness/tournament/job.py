"""A job, the unit of work for an executor: a line-up, a variant entry, a block of deal sets, every rotation.

A job is a picklable value. It can be played in any process, and again after a crash with nothing counted twice
(architecture.md, harness). `SetCollector` gathers its games into deal sets.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.records.values.faults import FaultStory
from harness.records.values.game_record import GameRecord, OptionValue
from harness.records.values.run import CompletedSet, GameId, SetKey, pack_entry
from harness.records.values.set_keys import SetKeys
from harness.referee.spec import InstanceKey, SeatSpec, TableSpec
from harness.tournament.lineups import Lineup


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that is needed to play a block of deal sets of one line-up.

    run: the fingerprint of the run.
    entry: the id of the variant entry.
    options: of the variant, resolved.
    sets: the numbers of the deal sets.
    instances: `[r][p]`, the number of the process at position p in rotation r (protocol.md, Instances).
    packs: "common" or "own".
    on_fault: forfeit or substitute.
    commitment, seed: of the deals; `seed` is secret.
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
        """The number of games."""
        return len(self.sets) * len(self.lineup.rotations)

    @property
    def processes(self) -> tuple[InstanceKey, ...]:
        """The processes that play it, each once, in the order in which they are needed."""
        seated = (
            (bot, number) for row in self.instances for bot, number in zip(self.lineup.positions, row, strict=True)
        )
        return tuple(dict.fromkeys(InstanceKey(bot, number) for bot, number in seated))

    @property
    def keys(self) -> tuple[SetKey, ...]:
        """The deal sets, in order."""
        return tuple(SetKey(self.entry, self.lineup.text, number) for number in self.sets)

    def without(self, stored: Container[SetKey]) -> Job:
        """Return the job without the deal sets in `stored`."""
        left = tuple(key.number for key in self.keys if key not in stored)
        return replace(self, sets=left)

    def tables(self) -> tuple[TableSpec, ...]:
        """Return the tables to be played, by deal set and then by rotation."""
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
        """Return the seats of a table in this rotation of deal set `number`."""
        positions = self.lineup.positions
        seats: dict[int, SeatSpec] = {}
        for position, seat in enumerate(self.lineup.seats(number, rotation)):
            bot = positions[position]
            seats[seat] = SeatSpec(bot, InstanceKey(bot, self.instances[rotation][position]))
        return tuple(seats[seat] for seat in range(len(positions)))


class SetCollector:
    """Collects the games of jobs, in any order, into complete deal sets."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        """Expect every game of these jobs."""
        self._due = SetKeys(key for job in jobs for key in job.keys)
        self._rotations = {(job.entry, job.lineup.text): len(job.lineup.rotations) for job in jobs}
        self._ended: dict[SetKey, dict[int, tuple[GameRecord, tuple[FaultStory, ...]]]] = {}

    def add(self, table: TableSpec, game: GameRecord, stories: tuple[FaultStory, ...] = ()) -> CompletedSet | None:
        """Add a game and the stories of its faults. Return the deal set that it completes, or None.

        Raises ValueError for a game that is not expected, or was added before.
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
        return CompletedSet(
            key,
            tuple(one for one, _ in in_order),
            tuple(story for _, stories_of_game in in_order for story in stories_of_game),
        )
