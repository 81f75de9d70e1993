"""How the tables of a call are cut into blocks for the workers of a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
import trio
import trio.testing

from bowerbird.harness.extras.cluster.blocks import (
    GROWTH,
    LATE,
    LEAST_LATE_S,
    MOST_FILLS,
    TARGET_S,
    Block,
    BlockQueue,
    Pace,
)
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
        assert blocks.finish(block)
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
    blocks, pace = queue(jobs[:1]), Pace()
    first = await blocks.take(pace, 1)
    assert first is not None
    blocks.give_back(first, pace)
    assert await blocks.take(Pace(), 1) is first


async def test_a_worker_waits_while_a_block_may_come_back(jobs: tuple[Job, ...]) -> None:
    """Else a block whose worker is lost at the end of a round would have nobody to play it."""
    blocks = queue([jobs[0].again(jobs[0].keys[:1])])
    pace = Pace()
    last = await blocks.take(pace, 2)
    assert last is not None
    taken: list[Block | None] = []

    async def wait() -> None:
        taken.append(await blocks.take(Pace(), 2))
        blocks.finish(last)
        taken.append(await blocks.take(Pace(), 2))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        assert taken == []
        blocks.give_back(last, pace)
        await blocks.all_played()
    assert taken == [last, None]


@pytest.mark.mock_clock
async def test_a_block_that_is_late_goes_to_a_worker_that_has_nothing_to_do_as_well(jobs: tuple[Job, ...]) -> None:
    """A worker may fall silent and keep its connection. Whoever is first delivers it, and nobody else does."""
    blocks, silent, other = queue([job.again(job.keys[:1]) for job in jobs[:2]], tables=2), Pace(), Pace()
    late = await blocks.take(silent, 2)
    quick = await blocks.take(other, 2)
    assert late is not None
    assert quick is not None
    await trio.sleep(2)
    assert blocks.finish(quick)
    begun = trio.current_time()
    assert await blocks.take(other, 2) is late
    assert trio.current_time() - begun == pytest.approx(LEAST_LATE_S - 2)
    blocks.give_back(late, silent)
    assert blocks.in_play == 1, "another one plays it"
    assert blocks.finish(late)
    assert not blocks.finish(late)
    assert await blocks.take(silent, 2) is None


@pytest.mark.mock_clock
async def test_slow_bots_make_no_block_late(jobs: tuple[Job, ...]) -> None:
    """Blocks are compared with earlier ones. Nothing is known of a run's first ones."""
    blocks, slow = queue([job.again(job.keys[:1]) for job in jobs[:2]], tables=2), Pace()
    first, second = await blocks.take(slow, 2), await blocks.take(slow, 2)
    assert first is not None
    assert second is not None
    with trio.move_on_after(3600):
        await blocks.take(Pace(), 2)
        pytest.fail("nothing is known of how long a block takes")
    assert blocks.finish(first)
    with trio.move_on_after((LATE - 1) * 3600 - 1):
        await blocks.take(Pace(), 2)
        pytest.fail("others took an hour, too")


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
