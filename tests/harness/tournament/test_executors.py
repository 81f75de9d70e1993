"""Jobs in worker processes: what goes through the pipe, and how jobs are split (architecture.md, harness)."""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
import trio

from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.referee.job_queue import JobQueue, TimeShares
from bowerbird.harness.referee.spec import KEPT_PROCESSES, MAX_PROCESSES
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.executors.pipe import Pipe
from bowerbird.harness.tournament.executors.pool import PoolExecutor, _equal_to_now
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import jobs_of, setup_of

VARIANTS = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n'


@pytest.fixture
def plan(yard: Yard) -> Plan:
    """Return a plan of two bots and seven sets of two variants."""
    return make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 7", variants=VARIANTS)))


def test_jobs_and_setups_can_be_pickled(plan: Plan) -> None:
    """architecture.md, harness: a job is a pure, picklable description, so that it can run in another process."""
    for value in (*jobs_of(plan), setup_of(plan), jobs_of(plan)[0].tables()):
        assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize(("processes", "kept"), [(MAX_PROCESSES, KEPT_PROCESSES), (8, 0), (200, 0)])
def test_a_number_of_processes_that_a_file_sets_is_kept_to(plan: Plan, processes: int, kept: int) -> None:
    setup = replace(setup_of(plan), processes=processes)
    referee = setup.referee(setup.ledger())
    assert (referee._max_processes, referee._kept_processes) == (processes, kept)


@pytest.mark.parametrize("workers", [2, 3, 20])
@pytest.mark.parametrize("tables", [16, 1])
def test_chunks_hold_whole_sets_and_every_table_once(plan: Plan, workers: int, tables: int) -> None:
    """ratings.md, Deal sets: an incomplete set does not count. A set is the unit of resuming."""
    pool = PoolExecutor(setup_of(plan, tables), workers, setup_of(plan, tables).ledger(), lambda stall: None)
    jobs = jobs_of(plan)
    left = sum(len(job.sets) for job in jobs)
    chunks = list(pool._chunks(JobQueue(jobs, TimeShares(1.0)), left))
    assert [table for chunk in chunks for table in chunk] == [table for job in jobs for table in job.tables()]
    for chunk in chunks:
        rotations = Counter(GameId.parse(table.game_id).set_key for table in chunk)
        whole = {job.entry: len(job.lineup.rotations) for job in jobs}
        assert all(number == whole[key.entry] for key, number in rotations.items()), "a chunk splits a deal set"
        assert len(rotations) <= min(8 * tables, -(-left // (2 * workers))), "a chunk is more than a worker's share"
        assert len({seat.instance for table in chunk for seat in table.seats}) <= 16
        left -= len(rotations)


async def test_values_come_out_of_a_pipe_as_they_went_in_and_its_end_is_told() -> None:
    ours, theirs = os.pipe()
    pipe = Pipe(trio.lowlevel.FdStream(ours), trio.lowlevel.FdStream(theirs))
    values = [{"a": (1, 2)}, "x" * 300_000, None]

    async def send() -> None:
        for value in values:
            await pipe.send(value)
        await pipe.stop_sending()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        assert [await pipe.receive() for _ in values] == values
        with pytest.raises(EOFError):
            await pipe.receive()
    await pipe.aclose()


async def test_a_value_that_was_cut_short_is_no_value() -> None:
    ours, theirs = os.pipe()
    os.write(theirs, (1000).to_bytes(8, "big") + b"the writer was killed here")
    os.close(theirs)
    inward, outward = trio.lowlevel.FdStream(ours), trio.lowlevel.FdStream(os.open(os.devnull, os.O_WRONLY))
    pipe = Pipe(inward, outward)
    with pytest.raises(EOFError):
        await pipe.receive()
    await pipe.aclose()


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process can change another one")
def test_a_worker_that_starts_later_is_like_those_before() -> None:
    """A referee in this process runs on one core and opens many files. A successor of a worker inherits neither."""
    cores, (soft, hard) = os.sched_getaffinity(0), resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
        make_equal = _equal_to_now()
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
        os.sched_setaffinity(0, {min(cores)})
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as later:
            make_equal(later.pid)
            assert os.sched_getaffinity(later.pid) == cores
            assert resource.prlimit(later.pid, resource.RLIMIT_NOFILE) == (100, hard)
    finally:
        os.sched_setaffinity(0, cores)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
