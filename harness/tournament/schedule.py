"""The schedule: jobs from line-ups and deal sets, in one order that depends on the file alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.records.run import BLOCK_SETS, schedule_order
from harness.tournament.config import TournamentFile
from harness.tournament.entries import VariantEntry
from harness.tournament.job import Job
from harness.tournament.seating import Lineup

SHARED = "shared"
OWN = "own"

Chosen = Callable[[Lineup], bool]
"""Which line-ups of every entry are played."""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What a job must carry of its run. `seed` is the seed of the deals (RATINGS.md, Deal sets)."""

    fingerprint: str
    commitment: str
    seed: bytes = field(repr=False)


def everybody(_: Lineup) -> bool:
    """Every line-up."""
    return True


def schedule(file: TournamentFile, run: RunIdentity, sets: range, chosen: Chosen = everybody) -> tuple[Job, ...]:
    """The jobs of these deal sets, in every entry with the chosen line-ups, in the order of playing and rating.

    A job holds up to BLOCK_SETS deal sets. Blocks come one after the other, in each every entry and line-up, so that
    a tournament that is stopped has played everybody about equally often.
    """
    jobs = [job for entry in file.variants for job in _entry_jobs(file, entry, run, sets, chosen)]
    return tuple(sorted(jobs, key=lambda job: schedule_order(job.keys[0])))


def _entry_jobs(
    file: TournamentFile, entry: VariantEntry, run: RunIdentity, sets: range, chosen: Chosen
) -> Iterator[Job]:
    lineups = [lineup for lineup in entry.lineups if chosen(lineup)]
    numbers = instance_numbers(lineups, instances=file.instances, packs=file.packs)
    for lineup in lineups:
        for block in _blocks(sets):
            yield Job(
                run=run.fingerprint,
                entry=entry.id,
                variant=entry.variant,
                options=entry.options,
                lineup=lineup,
                sets=block,
                instances=numbers[lineup.text],
                packs=file.packs,
                on_fault=entry.on_fault,
                commitment=run.commitment,
                seed=run.seed,
            )


def _blocks(sets: range) -> Iterator[tuple[int, ...]]:
    """The numbers of deal sets, cut at the multiples of BLOCK_SETS."""
    first = sets.start
    while first < sets.stop:
        end = min((first // BLOCK_SETS + 1) * BLOCK_SETS, sets.stop)
        yield tuple(range(first, end))
        first = end


def instance_numbers(
    lineups: Sequence[Lineup], *, instances: str, packs: str
) -> Mapping[str, tuple[tuple[int, ...], ...]]:
    """By line-up, `[r][p]`: the number of the process that plays position p in rotation r (PROTOCOL.md, Instances).

    No process may sit at two seats of one table or meet a pack twice. A set plays its packs once in each rotation, so
    each (line-up, position, rotation) of a bot has a process of its own: within a rotation because of the table, over
    rotations because of the pack. Different sets and entries have different packs: there the process is kept, from
    round to round of a tournament too, since no round plays the sets of another. With packs "own" line-ups differ in
    their packs, too, and the numbers begin again. "shared" is one process for a bot.
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
