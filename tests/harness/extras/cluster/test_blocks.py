"""The tables of a call in blocks for workers of a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
import trio
import trio.testing

from bowerbird.harness.extras.cluster.blocks import GROWTH, MOST_FILLS, TARGET_S, Block, BlockQueue, Pace
from bowerbird.harness.referee.job_queue import TimeShares
from bowerbird.harness.referee.spec import TableSpec
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.plan import make_plan
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import jobs_of

VARIANTS = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n'


@pytest.fixture
def jobs(yard: Yard) -> tuple[Job, ...]:
    """Return jobs of two bots and 40 sets of two variants."""
    return jobs_of(make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 40", variants=VARIANTS))))


def queue(jobs: Sequence[Job], *, tables: int = 4, processes: int = 64) -> BlockQueue:
    return BlockQueue(jobs, TimeShares(1.0), tables=tables, processes=processes)


def set_of(table: TableSpec) -> str:
    return table.game_id.rpartition("/")[0]


@pytest.mark.parametrize("workers", [1, 3, 50])
async def test_blocks_hold_whole_sets_and_every_table_once(jobs: tuple[Job, ...], workers: int) -> None:
    """ratings.md, Deal sets: an incomplete set does not count."""
    blocks, pace = queue(jobs), Pace()
    rotations = {job.variant: len(job.lineup.rotations) for job in jobs}
    found: list[TableSpec] = []
    while (block := await blocks.take(pace, workers)) is not None:
        whole = {set_of(table): rotations[table.variant] for table in block.tables}
        assert Counter(map(set_of, block.tables)) == whole, "a block splits a deal set"
        assert len(whole) == block.sets
        found += block.tables
        blocks.finish()
    assert sorted(table.game_id for table in found) == sorted(table.game_id for job in jobs for table in job.tables())


async def test_a_block_takes_sets_of_several_jobs_if_their_processes_may_live_together(jobs: tuple[Job, ...]) -> None:
    """Many line-ups with few sets each would otherwise be as many calls."""
    many = [job.again(job.keys[number : number + 1]) for number in range(8) for job in jobs]
    together = await queue(many, tables=16).take(Pace(), 1)
    assert together is not None
    assert len({table.variant for table in together.tables}) == 2
    apart = await queue(many, tables=2, processes=1).take(Pace(), 1)
    assert apart is not None
    assert apart.sets == 1


async def test_a_block_that_was_given_back_is_played_by_another_worker(jobs: tuple[Job, ...]) -> None:
    blocks = queue(jobs[:1])
    first = await blocks.take(Pace(), 1)
    assert first is not None
    blocks.give_back(first)
    assert await blocks.take(Pace(), 1) is first


async def test_a_worker_waits_while_a_block_may_come_back(jobs: tuple[Job, ...]) -> None:
    """Else a block whose worker is lost at the end of a round would have nobody to play it."""
    blocks = queue([jobs[0].again(jobs[0].keys[:1])])
    last = await blocks.take(Pace(), 2)
    assert last is not None
    taken: list[Block | None] = []

    async def wait() -> None:
        taken.append(await blocks.take(Pace(), 2))
        blocks.finish()
        taken.append(await blocks.take(Pace(), 2))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        assert taken == []
        blocks.give_back(last)
        await blocks.all_played()
    assert taken == [last, None]


def test_the_pace_grows_to_the_target_and_shrinks_at_once() -> None:
    pace = Pace()
    pace.took(Block((), 2), 0.01)
    assert pace.sets() == 2 * GROWTH
    pace.took(Block((), 100), 10 * TARGET_S)
    assert pace.sets() == 10
    pace.took(Block((), 1), 100 * TARGET_S)
    assert pace.sets() == 1, "a block has a deal set, however long it takes"


async def test_a_block_is_bounded_however_fast_the_bots_are(yard: Yard) -> None:
    """A lost worker costs its block, and all games of a block come in one answer."""
    jobs = jobs_of(make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 3000"))))
    pace = Pace()
    pace.took(Block((), 10**6), 0.001)
    block = await queue(jobs, tables=4).take(pace, 1)
    assert block is not None
    assert block.sets == MOST_FILLS * -(-4 // len(jobs[0].lineup.rotations))
