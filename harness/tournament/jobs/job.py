"""A job, the unit of work for an executor: a line-up, a variant entry, a block of deal sets, every rotation.

A job is a picklable value. It can be played in any process, and again after a crash without counting anything twice
(architecture.md, harness). `SetCollector` gathers its games into deal sets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bowerbird.harness.records.values.annotations import NO_ANNOTATIONS, Annotations
from bowerbird.harness.records.values.corrections import THE_RUN, Correction, last_corrections
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue
from bowerbird.harness.records.values.run import CompletedSet, GameId, SetKey, deal_seed, pack_entry
from bowerbird.harness.records.values.voids import VoidedSet
from bowerbird.harness.referee.spec import InstanceKey, SeatSpec, TableSpec, VoidedGame
from bowerbird.harness.tournament.lineups import Lineup


@dataclass(frozen=True, slots=True)
class DealSeed:
    """The seed that packs are dealt from: a correction's seed (`values.corrections`), or the run's own.

    correction: the number of the correction; THE_RUN for the run itself.
    commitment: to its secret seed.
    seed: the seed of the deals, 32 bytes; secret.
    """

    correction: int
    commitment: str
    seed: bytes = field(repr=False)


class DealSeeds:
    """The seeds of the deal sets still to be played.

    A deal set uses the seed of the last correction that includes it, or else the run's seed. If that seed is already
    published, it uses the seed of the newest correction whose seed is still secret, since nobody may know cards before
    they are played. So a round paired again after a correction is also dealt from the correction's seed.
    """

    def __init__(
        self, corrections: Sequence[Correction], secrets: Mapping[int, bytes], beacon: str | None, *, is_published: bool
    ) -> None:
        """Take a run's corrections, their seeds by number (including published ones), and the run's beacon.

        is_published: whether the seed of the run itself is published.
        """
        self._named = last_corrections(corrections)
        self._seeds = {
            one.number: DealSeed(one.number, one.commitment, deal_seed(secrets[one.number], beacon))
            for one in corrections
            if one.number in secrets
        }
        self._open = {one.number for one in corrections if one.seed is not None}
        if is_published:
            self._open.add(THE_RUN)
        self._newest_secret = max((number for number in self._seeds if number not in self._open), default=THE_RUN)

    def number(self, key: SetKey) -> int:
        """Return the number of the correction that provides a deal set's seed; THE_RUN for the run's own seed."""
        named = self._named.get(key, THE_RUN)
        return max(named, self._newest_secret) if named in self._open else named

    def of(self, key: SetKey) -> DealSeed | None:
        """Return the seed of a deal set; None for the run's own."""
        return self._seeds.get(self.number(key))


@dataclass(frozen=True, slots=True)
class Job:
    """Everything that is needed to play a block of deal sets of one line-up.

    run: the fingerprint of the run.
    entry: the id of the variant entry.
    options: the options of the variant, resolved.
    sets: the numbers of the deal sets.
    instances: `[r][p]`, the number of the process at position p in rotation r (protocol.md, Instances).
    packs: "common" or "own".
    on_fault: forfeit or substitute.
    commitment, seed: the deals' seed and the commitment to it; `seed` is secret.
    attempt: how many attempts at its sets from this seed were void (`values.voids`).
    correction: the correction that the seed belongs to; THE_RUN for the run's own.
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
    attempt: int = 0
    correction: int = THE_RUN

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.sets) * len(self.lineup.rotations)

    @property
    def processes(self) -> tuple[InstanceKey, ...]:
        """The distinct processes that play the job, in the order they are needed."""
        seated = (
            (bot, number) for row in self.instances for bot, number in zip(self.lineup.positions, row, strict=True)
        )
        return tuple(dict.fromkeys(InstanceKey(bot, number) for bot, number in seated))

    @property
    def keys(self) -> tuple[SetKey, ...]:
        """The deal sets, in order."""
        return tuple(SetKey(self.entry, self.lineup.text, number) for number in self.sets)

    def without(self, done: Container[SetKey]) -> Job:
        """Return the job without the deal sets in `done`."""
        left = tuple(key.number for key in self.keys if key not in done)
        return replace(self, sets=left)

    def by_attempt(self, attempts: Mapping[SetKey, int]) -> tuple[Job, ...]:
        """Split the job into one job for each attempt, lowest first.

        Sets that are not in `attempts` are at attempt 0.
        """
        if not attempts:
            return (self,)
        numbers: dict[int, list[int]] = {}
        for key in self.keys:
            numbers.setdefault(attempts.get(key, 0), []).append(key.number)
        return tuple(replace(self, sets=tuple(sets), attempt=attempt) for attempt, sets in sorted(numbers.items()))

    def by_seed(self, seed_of: Callable[[SetKey], DealSeed | None]) -> tuple[Job, ...]:
        """Split the job into one job for each seed, the run's first. `seed_of` returns None for the job's own seed."""
        own = DealSeed(self.correction, self.commitment, self.seed)
        numbers: dict[DealSeed, list[int]] = {}
        for key in self.keys:
            numbers.setdefault(seed_of(key) or own, []).append(key.number)
        in_order = sorted(numbers.items(), key=lambda one: one[0].correction)
        return tuple(
            replace(self, sets=tuple(sets), correction=deals.correction, commitment=deals.commitment, seed=deals.seed)
            for deals, sets in in_order
        )

    def again(self, keys: Collection[SetKey]) -> Job:
        """Return a job for the next attempt at those of its deal sets that are in `keys`."""
        return replace(self, sets=tuple(key.number for key in self.keys if key in keys), attempt=self.attempt + 1)

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
            entry=pack_entry(self.entry, self.lineup.text, self.packs, self.attempt),
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


LineupWanted = Callable[[str], bool]
"""Returns whether a line-up, given as text, is wanted."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs that are made on demand; iterable once.

    sets: the total number of their deal sets.
    sets_where: returns the number of deal sets of some line-ups without making jobs.
    """

    jobs: Iterable[Job] = field(repr=False)
    sets: int
    sets_where: Callable[[LineupWanted], int] = field(repr=False)

    def __iter__(self) -> Iterator[Job]:
        """Yield the jobs."""
        return iter(self.jobs)

    @classmethod
    def listed(cls, jobs: Sequence[Job]) -> Jobs:
        """Return jobs that are already made."""

        def sets_where(wanted: LineupWanted) -> int:
            return sum(len(job.sets) for job in jobs if wanted(job.lineup.text))

        return cls(jobs, sum(len(job.sets) for job in jobs), sets_where)

    def parted(self, wanted: LineupWanted) -> tuple[Jobs, Jobs]:
        """Return the jobs of the wanted line-ups, and all others.

        The two can be taken at the same time. Each part makes jobs as it needs them; jobs of the other part that come
        up meanwhile wait there.
        """
        source = iter(self.jobs)
        waiting: dict[bool, deque[Job]] = {True: deque(), False: deque()}

        def part(is_wanted: bool, sets: int) -> Iterator[Job]:
            while sets > 0:
                while not waiting[is_wanted]:
                    job = next(source)
                    waiting[wanted(job.lineup.text)].append(job)
                job = waiting[is_wanted].popleft()
                sets -= len(job.sets)
                yield job

        def jobs_of(is_wanted: bool) -> Jobs:
            def sets_where(also: LineupWanted) -> int:
                return self.sets_where(lambda lineup: wanted(lineup) is is_wanted and also(lineup))

            sets = sets_where(lambda _: True)
            return Jobs(part(is_wanted, sets), sets, sets_where)

        return jobs_of(True), jobs_of(False)


def set_count(jobs: Iterable[Job]) -> int:
    """Return the number of deal sets of some jobs without making them."""
    return jobs.sets if isinstance(jobs, Jobs) else sum(len(job.sets) for job in jobs)


class SetCollector:
    """A collector of games, in any order, into complete deal sets. A voided game voids its set.

    It keeps only what is in play, so its memory does not grow with the number of jobs.
    """

    def __init__(self, jobs: Iterable[Job] = ()) -> None:
        """Expect every game of these jobs, no two of which may share a deal set."""
        self._due: dict[SetKey, Job] = {}
        """The job of each deal set that is not complete, including void sets."""
        self._ended: dict[SetKey, dict[int, tuple[GameRecord, Annotations]]] = {}
        self._voids: dict[SetKey, VoidedSet] = {}
        for job in jobs:
            self.expect(job)

    def expect(self, job: Job) -> None:
        """Expect the games of another job."""
        for key in job.keys:
            self._due[key] = job

    def expected(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Yield these jobs. From when a job is taken, expect its games."""
        for job in jobs:
            self.expect(job)
            yield job

    @property
    def voided(self) -> Collection[SetKey]:
        """The deal sets that are void."""
        return self._voids.keys()

    def again(self, keys: Container[SetKey]) -> list[Job]:
        """Return jobs for the next attempt at those void deal sets that are in `keys`."""
        wanted = [key for key in self._voids if key in keys]
        jobs = {id(self._due[key]): self._due[key] for key in wanted}
        return [job.again(wanted) for job in jobs.values()]

    def void_of(self, table: TableSpec) -> VoidedSet | None:
        """Return the void of a table's deal set; None if it is not void."""
        return self._voids.get(GameId.parse(table.game_id).set_key) if self._voids else None

    def add(self, table: TableSpec, game: GameRecord, annotations: Annotations = NO_ANNOTATIONS) -> CompletedSet | None:
        """Add a game and what is stored beside it. Return the deal set that it completes, or None.

        A game of a void set is dropped. Raises ValueError for a game that is not expected, is of an earlier attempt, or
        was added before.
        """
        key, job = self._job_of(table)
        if key in self._voids:
            return None
        ended = self._ended.setdefault(key, {})
        if job is None or table.rotation in ended or game.id != table.game_id:
            raise ValueError(f"game {game.id} is not due at table {table.game_id}")
        ended[table.rotation] = game, annotations
        if len(ended) < len(job.lineup.rotations):
            return None
        del self._due[key]
        del self._ended[key]
        in_order = [ended[rotation] for rotation in sorted(ended)]
        return CompletedSet(
            key,
            tuple(one for one, _ in in_order),
            stories=tuple(story for _, beside in in_order for story in beside.stories),
            notes=tuple(note for _, beside in in_order for note in beside.notes),
        )

    def void(self, table: TableSpec, voided: VoidedGame) -> tuple[VoidedSet, int]:
        """Void the deal set of a voided game. Return the void and the number of finished games dropped.

        If several games of a set are voided, the void has the bots of all and the reason of the first. Raises
        ValueError for a game that is not expected, is of an earlier attempt, or has ended.
        """
        key, job = self._job_of(table)
        ended = self._ended.pop(key, {})
        if job is None or table.rotation in ended:
            raise ValueError(f"game {table.game_id} is not due and cannot be void")
        before = self._voids.get(key)
        known = before or VoidedSet(key, job.attempt, (), voided.why, correction=job.correction)
        self._voids[key] = replace(known, bots=tuple(sorted({*known.bots, *voided.bots})))
        return self._voids[key], len(ended)

    def _job_of(self, table: TableSpec) -> tuple[SetKey, Job | None]:
        """Return the deal set of a table and its job; None if the set is not due.

        Raises ValueError if the table belongs to a different attempt from the job.
        """
        key = GameId.parse(table.game_id).set_key
        job = self._due.get(key)
        if job is not None:
            due = pack_entry(key.entry, key.lineup, job.packs, job.attempt)
            if table.entry != due:
                raise ValueError(f"table {table.game_id} has the packs of {table.entry!r}; must be those of {due!r}")
        return key, job
