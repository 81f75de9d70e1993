"""The schedule: turns line-ups and deal sets into jobs, in an order that depends on the file alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bowerbird.harness.records.values.game_record import SHARED
from bowerbird.harness.records.values.run import BLOCK_SETS, OWN, schedule_order
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.config.variant_entries import VariantEntry
from bowerbird.harness.tournament.job import Job
from bowerbird.harness.tournament.lineups import Lineup

LineupFilter = Callable[[Lineup], bool]
"""Returns whether a line-up is played."""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The identity of a run in its jobs. `seed` is the seed of the deals (ratings.md, Deal sets)."""

    fingerprint: str
    commitment: str
    seed: bytes = field(repr=False)


def every_lineup(_: Lineup) -> bool:
    """Return True: play every line-up."""
    return True


def schedule(
    file: TournamentFile, run: RunIdentity, sets: range, is_wanted: LineupFilter = every_lineup
) -> tuple[Job, ...]:
    """Return the jobs of these deal sets for each wanted line-up of each entry, in the order of playing and rating.

    A job holds a block of up to BLOCK_SETS deal sets. Block follows block, each with every entry and line-up, so that
    in a tournament that stops early all bots have played about equally often.
    """
    jobs = [job for entry in file.variants for job in _entry_jobs(file, entry, run, sets, is_wanted)]
    return tuple(sorted(jobs, key=lambda job: schedule_order(job.keys[0])))


def _entry_jobs(
    file: TournamentFile, entry: VariantEntry, run: RunIdentity, sets: range, is_wanted: LineupFilter
) -> Iterator[Job]:
    lineups = [lineup for lineup in entry.lineups if is_wanted(lineup)]
    numbers = instance_numbers(lineups, instances=file.instances, packs=file.packs)
    for lineup in lineups:
        for block in _blocks(sets):
            yield replace(_job(file, entry, run, lineup), sets=block, instances=numbers[lineup.text])


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


def _blocks(sets: range) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of the deal sets, cut at the multiples of BLOCK_SETS."""
    first = sets.start
    while first < sets.stop:
        end = min((first // BLOCK_SETS + 1) * BLOCK_SETS, sets.stop)
        yield tuple(range(first, end))
        first = end


def instance_numbers(
    lineups: Sequence[Lineup], *, instances: str, packs: str
) -> Mapping[str, tuple[tuple[int, ...], ...]]:
    """Return for each line-up `[r][p]`: the number of the process at position p in rotation r (protocol.md, Instances).

    No process may sit at two seats of a table or see a pack twice. A deal set plays its packs once in each rotation, so
    each (line-up, position, rotation) of a bot gets its own process. Other deal sets and entries have other packs, so
    the processes are kept for them, and for later rounds, which play other sets. With packs "own" line-ups have
    different packs too, so the numbers of each begin at 0. Instances "shared" is one process for each bot.
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
