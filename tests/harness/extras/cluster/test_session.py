"""A referee of a Dask worker, in a real process: two chunks at a time, and how it ends."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest

from bowerbird.harness.extras.cluster.on_worker.session import RefereeEndedError, RefereeSession, Reply
from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.game_record import Conditions, TimeControl
from bowerbird.harness.referee.game.fault_ledger import CpuUsed
from bowerbird.harness.referee.spec import FaultLimits, TableSpec
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.tournament_file import quick_match
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.messages import ChunkPlayed, GameEnded, LedgerUpdate
from bowerbird.harness.tournament.executors.pipe import framed
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.deadline import DEADLINE_S
from tests.support.tournament.plans import jobs_of

pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Return a plan of two bundled bots: 8 sets of long games, and 8 of short ones."""
    bots = [bundled_bots()[name].parent for name in ("greedy", "random")]
    variants: dict[str, dict[str, object]] = {"euchre": {"target": 40}, "two-handed": {"target": 2}}
    return make_plan(quick_match(bots, variants, sets=8, seed="session", name="session"))


@pytest.fixture
def setup(plan: Plan, tmp_path: Path) -> RefereeSetup:
    conditions = Conditions(FORFEIT, "none", "seat", TimeControl())
    return RefereeSetup(plan.file.bots, conditions, tmp_path, hidden=(), slots=2, tables=4, limits=FaultLimits())


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def within_deadline() -> None:
        async with asyncio.timeout(DEADLINE_S):
            await main()

    asyncio.run(within_deadline())


def tables_of(plan: Plan) -> tuple[TableSpec, ...]:
    return tuple(table for job in jobs_of(plan) for table in job.tables())


def test_each_of_two_chunks_has_its_own_games_and_every_update_before_them(plan: Plan, setup: RefereeSetup) -> None:
    """fault_ledger: an entry precedes the games that it affects, whichever answer arrives first."""
    updates: list[Reply] = []
    tables = tables_of(plan)
    chunks = tables[:10], tables[10:]

    async def main() -> None:
        session = await RefereeSession.start(setup, updates.append)
        try:
            assert await session.roll_call() == ()
            answers = await asyncio.gather(*(session.play(chunk) for chunk in chunks))
        finally:
            await session.close()
        for chunk, answer in zip(chunks, answers, strict=True):
            assert isinstance(answer[-1].message, ChunkPlayed)
            ended = [reply.message for reply in answer if isinstance(reply.message, GameEnded)]
            assert Counter(chunk[game.index].game_id for game in ended) == Counter(table.game_id for table in chunk)
            assert all(chunk[game.index].game_id == game.record.id for game in ended)
            told = [reply for reply in answer if reply.number]
            assert [reply.number for reply in told] == sorted({reply.number for reply in told})
        assert {reply.number for answer in answers for reply in answer if reply.number} <= {
            reply.number for reply in updates
        }
        assert [reply.number for reply in updates] == list(range(1, len(updates) + 1))
        assert all(isinstance(reply.message, LedgerUpdate) for reply in updates)

    run(main)


def test_the_second_chunk_begins_before_the_first_has_ended(plan: Plan, setup: RefereeSetup) -> None:
    """Tables stay full: a worker that waited for the last game of each chunk would be a tenth slower."""
    long = next(table for table in tables_of(plan) if table.variant == "euchre")
    short = next(table for table in tables_of(plan) if table.variant == "two-handed")
    ended: list[int] = []

    async def main() -> None:
        session = await RefereeSession.start(setup, lambda reply: None)

        async def play(number: int, table: TableSpec) -> None:
            await session.play((table,))
            ended.append(number)

        try:
            await asyncio.gather(play(1, long), play(2, short))
        finally:
            await session.close()

    run(main)
    assert ended == [2, 1]


def test_a_killed_referee_fails_every_request_that_is_open(plan: Plan, setup: RefereeSetup) -> None:
    tables = tables_of(plan)

    async def main() -> None:
        session = await RefereeSession.start(setup, lambda reply: None)
        requests = [asyncio.create_task(session.play(chunk)) for chunk in (tables[:8], tables[8:])]
        await asyncio.sleep(0)
        session.kill()
        for request in requests:
            with pytest.raises(RefereeEndedError, match=signal.SIGKILL.name):
                await request
        with pytest.raises(RefereeEndedError, match=signal.SIGKILL.name):
            await session.play(tables)
        await session.close()

    run(main)


class SilentProcess:
    """A referee process that takes what it is sent and answers nothing of its own."""

    returncode = None

    def __init__(self) -> None:
        self.stdin = self
        self.stdout = asyncio.StreamReader()

    def write(self, data: bytes) -> None:
        pass

    async def drain(self) -> None:
        pass


def test_what_follows_the_last_reply_of_a_request_belongs_to_the_next_one() -> None:
    """On a loaded machine several messages arrive at once, before the task that waits for the first one runs."""

    async def main() -> None:
        process = SilentProcess()
        session = RefereeSession(cast(asyncio.subprocess.Process, process), lambda reply: None)
        update = LedgerUpdate(CpuUsed("random", 10, 0))
        for number in (1, 2):
            playing = asyncio.create_task(session.play(()))
            await asyncio.sleep(0)
            process.stdout.feed_data(framed(ChunkPlayed(number)) + framed(update))
            answer = await playing
            assert isinstance(answer[-1].message, ChunkPlayed)
            assert [reply.message for reply in answer[:-1]] == [update] * (number - 1)
        process.stdout.feed_eof()
        await session._reading

    run(main)
