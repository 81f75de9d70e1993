"""The schedule: every job of a tournament, in one order that depends on the file alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.ratings.ladder import BLOCK_SETS, rating_order
from harness.tournament.config import TournamentFile
from harness.tournament.entries import VariantEntry
from harness.tournament.job import Job
from harness.tournament.seating import Lineup

SHARED = "shared"
OWN = "own"


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What a job must carry of its run."""

    fingerprint: str
    commitment: str
    seed: bytes


def schedule(file: TournamentFile, run: RunIdentity) -> tuple[Job, ...]:
    """The jobs of a round-robin in the order in which they are played and rated.

    A job holds up to BLOCK_SETS deal sets. Blocks come one after the other, in each every entry and line-up, so that
    a tournament that is stopped has played everybody about equally often.
    """
    jobs = [job for entry in file.variants for job in _entry_jobs(file, entry, run)]
    return tuple(sorted(jobs, key=lambda job: rating_order(job.keys[0])))


def _entry_jobs(file: TournamentFile, entry: VariantEntry, run: RunIdentity) -> Iterator[Job]:
    numbers = instance_numbers(entry.lineups, instances=file.instances, packs=file.packs)
    for lineup in entry.lineups:
        for first in range(0, file.sets, BLOCK_SETS):
            yield Job(
                run=run.fingerprint,
                entry=entry.id,
                variant=entry.variant,
                options=entry.options,
                lineup=lineup,
                sets=tuple(range(first, min(first + BLOCK_SETS, file.sets))),
                instances=numbers[lineup.text],
                packs=file.packs,
                on_fault=entry.on_fault,
                commitment=run.commitment,
                seed=run.seed,
            )


def instance_numbers(
    lineups: Sequence[Lineup], *, instances: str, packs: str
) -> Mapping[str, tuple[tuple[int, ...], ...]]:
    """By line-up, `[r][p]`: the number of the process that plays position p in rotation r (PROTOCOL.md, Instances).

    No process may sit at two seats of one table or meet a pack twice. A set plays its packs once in each rotation, so
    each (line-up, position, rotation) of a bot has a process of its own: within a rotation because of the table, over
    rotations because of the pack. Different sets and entries have different packs: there the process is kept. With
    packs "own" line-ups differ in their packs, too, and the numbers begin again. "shared" is one process for a bot.
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
