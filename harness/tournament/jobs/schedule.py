"""The schedule: turns line-ups and deal sets into jobs, in an order that depends only on the file.

Adaptive runs use `pairing.scheduler` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import overload

from bowerbird.harness.records.values.game_record import SHARED
from bowerbird.harness.records.values.run import BLOCK_SETS, OWN, SetKey
from bowerbird.harness.referee.spec import InstanceKey
from bowerbird.harness.tournament.config.schema import INTERLEAVED
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.config.variant_entries import VariantEntry
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.lineups import Lineup

TURN_SETS = 8
"""The most deal sets of a line-up in a turn if the processes of all line-ups cannot be alive together.

Fewer would be fairer but slower, since a line-up's processes are restarted for its next turn.
"""

LineupFilter = Callable[[Lineup], bool]
"""Returns whether a line-up is played."""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The identity of a run, as its jobs carry it. `seed` is the seed of the deals (ratings.md, Deal sets)."""

    fingerprint: str
    commitment: str
    seed: bytes = field(repr=False)


def every_lineup(_: Lineup) -> bool:
    """Return True: play every line-up."""
    return True


@dataclass(frozen=True, slots=True)
class Turns(Sequence[range]):
    """The numbers of some deal sets, cut into turns at multiples of `size`. Each turn is made when it is needed.

    first_alone: whether deal set 0 is a turn of its own.
    """

    sets: range
    size: int
    first_alone: bool = False

    def __len__(self) -> int:
        """Return the number of turns."""
        return len(self._head) + len(self._starts)

    @overload
    def __getitem__(self, index: int) -> range: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[range, ...]: ...
    def __getitem__(self, index: int | slice) -> range | tuple[range, ...]:
        """Return a turn."""
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = range(len(self))[index]
        if at < len(self._head):
            return self._head[at]
        start = self._starts[at - len(self._head)]
        return range(start, min(start + self.size, self.sets.stop))

    @property
    def _head(self) -> tuple[range, ...]:
        """The turns before the first multiple of `size`, or before the second one if deal set 0 is alone."""
        cuts = [self.sets.start]
        if self.first_alone and self.sets.start == 0:
            cuts.append(1)
        if cuts[-1] % self.size:
            cuts.append(-(-cuts[-1] // self.size) * self.size)
        ends = [min(cut, self.sets.stop) for cut in cuts]
        return tuple(range(start, end) for start, end in pairwise(ends) if start < end)

    @property
    def _starts(self) -> range:
        """The first deal sets of the other turns."""
        head = self._head
        return range(head[-1].stop if head else self.sets.start, self.sets.stop, self.size)


@dataclass(frozen=True)
class Schedule(Sequence[Job]):
    """The jobs of some deal sets in the order of play. Each job is made only when it is needed.

    In each turn, every line-up plays the deal sets of the turn as one job.

    lineups: a job without deal sets for each line-up of each entry, in the order of a turn.
    to_and_fro: whether every second turn runs in the opposite order, so that the line-ups at the end of one turn begin
        the next one and keep their processes.
    """

    lineups: tuple[Job, ...]
    turns: Turns
    to_and_fro: bool = False

    @cached_property
    def _known(self) -> frozenset[tuple[str, str]]:
        """The entry and line-up of each of `lineups`."""
        return frozenset((job.entry, job.lineup.text) for job in self.lineups)

    def __len__(self) -> int:
        """Return the number of jobs."""
        return len(self.lineups) * len(self.turns)

    @overload
    def __getitem__(self, index: int) -> Job: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Job, ...]: ...
    def __getitem__(self, index: int | slice) -> Job | tuple[Job, ...]:
        """Return a job."""
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        turn, place = divmod(range(len(self))[index], len(self.lineups))
        if self.to_and_fro and turn % 2:
            place = len(self.lineups) - 1 - place
        return replace(self.lineups[place], sets=tuple(self.turns[turn]))

    def __iter__(self) -> Iterator[Job]:
        """Yield the jobs."""
        return (self[at] for at in range(len(self)))

    def has(self, key: SetKey) -> bool:
        """Return whether a deal set is among them."""
        return key.number in self.turns.sets and (key.entry, key.lineup) in self._known

    @property
    def sets(self) -> int:
        """The number of deal sets."""
        return len(self.lineups) * len(self.turns.sets)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.turns.sets) * sum(len(job.lineup.rotations) for job in self.lineups)


def schedule(file: TournamentFile, run: RunIdentity, sets: range, is_wanted: LineupFilter = every_lineup) -> Schedule:
    """Return the jobs of these deal sets for each wanted line-up of each entry, in the order of play.

    At any point, every variant and every line-up has had its share (tournament-file.md, Order of play). A run that
    began under an earlier version of the schedule keeps that order, in which each line-up plays BLOCK_SETS deal sets
    before the next.
    """
    by_entry = [_lineup_jobs(file, entry, run, is_wanted) for entry in file.variants]
    if file.terms.schedule < INTERLEAVED:
        jobs = sorted((job for found in by_entry for job in found), key=lambda job: (job.entry, job.lineup.text))
        return Schedule(tuple(jobs), Turns(sets, BLOCK_SETS))
    names = [bot.name for bot in file.bots]
    lineups = [iter(_mixed(found, names)) for found in by_entry]
    jobs = [next(lineups[at]) for at in interleaved([len(found) for found in by_entry])]
    if _fit(jobs, file.processes):
        return Schedule(tuple(jobs), Turns(sets, 1), to_and_fro=True)
    return Schedule(tuple(jobs), Turns(sets, TURN_SETS, first_alone=True), to_and_fro=True)


def interleaved(numbers: Sequence[int]) -> Iterator[int]:
    """Yield each index as often as `numbers` says, evenly mixed.

    At any point, each index has appeared within one of its share. Of the indices that can come next without exceeding
    their share, the one that would fall behind first does (earliest deadline).
    """
    total = sum(numbers)
    come = [0] * len(numbers)
    for turn in range(total):
        may_come = (at for at, number in enumerate(numbers) if come[at] * total < number * (turn + 1))
        chosen = min(may_come, key=lambda at: -(-(come[at] + 1) * total // numbers[at]))
        come[chosen] += 1
        yield chosen


def _mixed(jobs: Sequence[Job], bots: Sequence[str]) -> list[Job]:
    """Return the jobs of an entry in an order in which the bots take turns.

    Tables whose bots' places in the file have the same sum, modulo the number of bots, come together. With tables of
    two, no two of these share a bot.
    """
    places = {bot: place for place, bot in enumerate(bots)}
    return sorted(jobs, key=lambda job: sum(places[bot] for bot in {*job.lineup.positions}) % len(bots))


def _fit(jobs: Sequence[Job], processes: int) -> bool:
    """Return whether the processes of all these jobs can be alive together."""
    needed: set[InstanceKey] = set()
    for job in jobs:
        needed.update(job.processes)
        if len(needed) > processes:
            return False
    return True


def _lineup_jobs(file: TournamentFile, entry: VariantEntry, run: RunIdentity, is_wanted: LineupFilter) -> list[Job]:
    """Return a job without deal sets for each wanted line-up of an entry, in the order of the bots."""
    lineups = [lineup for lineup in entry.lineups if is_wanted(lineup)]
    numbers = instance_numbers(lineups, instances=file.instances, packs=file.packs)
    return [replace(_job(file, entry, run, lineup), instances=numbers[lineup.text]) for lineup in lineups]


def job_of(file: TournamentFile, entry: VariantEntry, run: RunIdentity, lineup: Lineup, sets: tuple[int, ...]) -> Job:
    """Return the job of deal sets of one line-up, all of one block, in a tournament with packs "own"."""
    instances = instance_numbers([lineup], instances=file.instances, packs=OWN)
    return replace(_job(file, entry, run, lineup), sets=sets, instances=instances[lineup.text])


def _job(file: TournamentFile, entry: VariantEntry, run: RunIdentity, lineup: Lineup) -> Job:
    """Return a job of a line-up without deal sets."""
    return Job(
        run=run.fingerprint,
        entry=entry.id,
        variant=entry.variant,
        options=entry.options,
        lineup=lineup,
        sets=(),
        instances=(),
        packs=file.packs,
        on_fault=entry.on_fault,
        commitment=run.commitment,
        seed=run.seed,
    )


def instance_numbers(
    lineups: Sequence[Lineup], *, instances: str, packs: str
) -> Mapping[str, tuple[tuple[int, ...], ...]]:
    """Return for each line-up `[r][p]`: the number of the process at position p in rotation r (protocol.md, Instances).

    No process may sit at two seats of a table or see a pack twice. A deal set plays its packs once in each rotation, so
    each (line-up, position, rotation) of a bot gets its own process. Other deal sets, entries and rounds have other
    packs, so the processes are kept for them. With packs "own", line-ups have different packs too, so each numbers its
    processes from 0. Instances "shared" means one process per bot.
    """
    taken: dict[str, int] = {}
    numbers: dict[str, tuple[tuple[int, ...], ...]] = {}
    for lineup in lineups:
        if packs == OWN:
            taken = {}
        rows: list[tuple[int, ...]] = []
        for _ in lineup.rotations:
            row: list[int] = []
            for bot in lineup.positions:
                number = 0 if instances == SHARED else taken.get(bot, 0)
                taken[bot] = number + 1
                row.append(number)
            rows.append(tuple(row))
        numbers[lineup.text] = tuple(rows)
    return numbers
