"""Job after job: tables stay full across jobs, and processes are kept for later jobs, up to their limit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.process.headroom import Headroom
from bowerbird.harness.referee.scheduler import LOOKAHEAD_JOBS, soonest
from bowerbird.harness.referee.spec import BotSpec, InstanceKey, ListedTables, TableSpec
from tests.support.referee.tables import bot, conditions, no_void, open_club, running, table

SHARED = conditions(instances="shared")


def job(bots: str, numbers: Sequence[int] = (0,), max_hands: int = 2) -> ListedTables:
    """Return tables at which two bots sit as two pairs, with one process for each bot."""
    pair = (bots[0], bots[1]) * 2
    return ListedTables(tuple(table(pair, number, max_hands=max_hands, shared=True) for number in numbers))


def keys(bots: str) -> set[InstanceKey]:
    return {InstanceKey(name, 0) for name in bots}


async def played(
    jobs: Sequence[ListedTables],
    bots: Sequence[BotSpec],
    workspace: Path,
    *,
    processes: int = 16,
    kept: int = 0,
    tables: int = 4,
) -> tuple[list[GameRecord], int]:
    """Return the records in order of completion, and the most processes that existed when a game ended."""
    ended: list[GameRecord] = []
    most = 0

    def keep(spec: TableSpec, record: GameRecord, annotations: Annotations) -> None:
        nonlocal most
        assert spec.game_id == record.id
        ended.append(record)
        most = max(most, len(running(workspace)))

    named = {spec.name: spec for spec in bots}
    async with open_club(named, workspace, made=SHARED, tables=tables, processes=processes, kept=kept) as club:
        await club.referee.play_jobs(jobs, keep, no_void)
    assert not running(workspace)
    return ended, most


def untimed(records: Sequence[GameRecord]) -> dict[str, object]:
    return {record.id: [(hand.packs, hand.actions, hand.scores) for hand in record.hands] for record in records}


@pytest.mark.usefixtures("processes")
async def test_the_next_job_begins_while_the_last_table_of_one_is_in_play(tmp_path: Path) -> None:
    """The first job is one long game with a slow bot; the second is four short ones."""
    slow = bot("s", "slow", THINK_MS="100")
    jobs = [job("as", max_hands=4), job("ab", range(4), max_hands=1)]
    records, _ = await played(jobs, [bot("a", "last"), bot("b", "last"), slow], tmp_path)
    assert len(records) == 5
    assert records[-1].id == jobs[0].specs[0].game_id, "the second job waited for the first one's last table"


@pytest.mark.usefixtures("processes")
async def test_jobs_of_one_table_fill_the_tables_too(tmp_path: Path) -> None:
    """In a run of two bots a job is one deal set: two jobs at once would leave the bots waiting."""
    bots = {spec.name: spec for spec in (bot("a", "last"), bot("s", "slow", THINK_MS="20"))}
    most = 0

    def keep(spec: TableSpec, record: GameRecord, annotations: Annotations) -> None:
        nonlocal most
        most = max(most, club.referee.open_games)

    async with open_club(bots, tmp_path, made=SHARED, tables=4) as club:
        await club.referee.play_jobs([job("as", [number]) for number in range(12)], keep, no_void)
    assert most == 3, "beside the game that has just ended, three more are in play"


@pytest.mark.usefixtures("processes")
async def test_a_job_begins_after_the_one_before_it_where_the_processes_of_both_are_too_many(tmp_path: Path) -> None:
    slow = bot("s", "slow", THINK_MS="20")
    jobs = [job("as"), job("ab", range(3)), job("bc", range(3))]
    bots = [bot("a", "last"), bot("b", "last"), bot("c", "last"), slow]
    records, most = await played(jobs, bots, tmp_path, processes=2)
    order = [spec.game_id for one in jobs for spec in one.specs]
    assert [record.id.rpartition("/")[0].split("/")[2] for record in records] == [
        game.split("/")[2] for game in order
    ], "the games of two jobs were in play at once"
    assert most == 2


PAIRS = ("ab", "ac", "bc", "ab", "cb")


@pytest.mark.parametrize(("processes", "kept"), [(3, True), (2, False)])
async def test_a_process_is_kept_for_a_later_job_if_there_may_be_so_many(
    tmp_path: Path, processes: int, kept: bool
) -> None:
    """Each bot plays only in its first process: a restarted one fails (NEVER_STARTED)."""
    bots = [bot(name, "once", ONCE=str(tmp_path / f"once-{name}")) for name in "abc"]
    jobs = [job(pair, [number]) for number, pair in enumerate(PAIRS)]
    records, most = await played(jobs, bots, tmp_path, processes=processes)
    assert any(record.faults for record in records) != kept
    assert most <= processes


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("free", [True, False])
async def test_more_are_kept_while_half_of_the_memory_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: bool
) -> None:
    monkeypatch.setattr(Headroom, "is_half_free", lambda _: free)
    bots = [bot(name, "once", ONCE=str(tmp_path / f"once-{name}")) for name in "abc"]
    jobs = [job(pair, [number]) for number, pair in enumerate(PAIRS)]
    records, most = await played(jobs, bots, tmp_path, processes=2, kept=3)
    assert most == (3 if free else 2)
    assert any(record.faults for record in records) != free, "a process was closed and started again"


@pytest.mark.usefixtures("processes")
async def test_as_many_processes_are_kept_as_one_job_needed(tmp_path: Path) -> None:
    """Where all four were alive at once, closing two of them would spare nothing and start them again later."""
    bots = [bot(name, "once", ONCE=str(tmp_path / f"once-{name}")) for name in "abcd"]
    four = ListedTables((table(("a", "b", "c", "d"), 0, max_hands=2, shared=True),))
    jobs = [four, *(job(pair, [number]) for number, pair in enumerate(("ab", "cd", "ab", "cd"), 1))]
    records, most = await played(jobs, bots, tmp_path, processes=2)
    assert [record.faults for record in records if record.faults] == [], "a process was closed and started again"
    assert most == 4


@pytest.mark.usefixtures("processes")
async def test_jobs_that_overlap_have_the_records_of_jobs_one_after_the_other(tmp_path: Path) -> None:
    """Records follow from the schedule, whatever is played at the same time."""
    jobs = [job(pair, range(10 * number, 10 * number + 6)) for number, pair in enumerate(PAIRS)]
    bots = [bot("a", "last"), bot("b", "honest"), bot("c", "last")]
    overlapping, _ = await played(jobs, bots, tmp_path)
    alone, _ = await played(jobs, bots, tmp_path, processes=1)
    assert len(overlapping) == len(alone) == 6 * len(PAIRS)
    assert untimed(overlapping) == untimed(alone)


@pytest.mark.usefixtures("processes")
async def test_a_job_whose_bot_is_withdrawn_ends_and_those_after_it_are_played(tmp_path: Path) -> None:
    """protocol.md, Faults at a table: its unplayed games are settled, in jobs that have begun and in later ones."""
    jobs = [job("ax", range(6)), job("ax", range(10, 13)), job("ab", range(20, 23)), job("bx", range(30, 32))]
    bots = [bot("a", "last"), bot("b", "last"), bot("x", "killed", "0")]
    records, _ = await played(jobs, bots, tmp_path, tables=1)
    ended = {record.id: record.result.ended for record in records}
    assert [ended[spec.game_id] for spec in jobs[0].specs] == ["forfeit"] * 4 + ["withdrawn"] * 2
    assert {ended[spec.game_id] for one in (jobs[1], jobs[3]) for spec in one.specs} == {"withdrawn"}
    assert {ended[spec.game_id] for spec in jobs[2].specs}.isdisjoint({"forfeit", "withdrawn"})


@pytest.mark.usefixtures("processes")
async def test_processes_of_a_withdrawn_bot_are_closed_though_there_is_room(tmp_path: Path) -> None:
    jobs = [job("ax", range(8)), job("ab", [20]), job("ab", [21])]
    alive: dict[str, int] = {}

    def keep(spec: TableSpec, record: GameRecord, annotations: Annotations) -> None:
        alive[spec.game_id] = len(running(tmp_path))

    bots = {spec.name: spec for spec in (bot("a", "last"), bot("b", "last"), bot("x", "illegal", "0", "--every"))}
    async with open_club(bots, tmp_path, made=SHARED, tables=1) as club:
        await club.referee.play_jobs(jobs, keep, no_void)
        assert club.referee._registry.bots["x"].withdrawn is not None
    assert alive[jobs[2].specs[0].game_id] == 2


@pytest.mark.usefixtures("processes")
async def test_no_process_is_left_when_two_jobs_in_play_are_broken_off(tmp_path: Path) -> None:
    """faults.md row 28. The referee can play on afterwards."""
    slow = bot("s", "slow", THINK_MS="50")
    bots = {spec.name: spec for spec in (bot("a", "last"), bot("b", "last"), slow)}
    async with open_club(bots, tmp_path, made=SHARED) as club:
        with trio.CancelScope() as scope:
            jobs = [job("as", max_hands=50), job("ab", range(50))]
            await club.referee.play_jobs(jobs, lambda *_: scope.cancel(), no_void)
        assert scope.cancelled_caught
        assert len(await club.play(job("ab", [60]).specs)) == 1
    assert not running(tmp_path)


def _unread(one: ListedTables) -> ListedTables:
    raise AssertionError(f"{one} was looked at")


def test_those_are_kept_that_are_needed_soonest() -> None:
    coming = [job("ab"), job("cd"), job("ae"), job("bd")]
    assert soonest(keys("bcde"), coming, 2) == keys("bc")
    assert soonest([*keys("z"), *keys("e")], coming, 1) == keys("e"), "nobody needs z yet"
    assert soonest(keys("z"), coming, 1) == keys("z"), "a job that is not known yet may need it"
    assert soonest(keys("bc"), coming, -1) == set()
    assert soonest(keys("bc"), map(_unread, coming), 2) == keys("bc"), "jobs are read only where room is short"
    late = [job("cd")] * LOOKAHEAD_JOBS + [job("ab")]
    assert soonest([*keys("z"), *keys("b")], late, 1) == keys("z"), "b is needed too late to come first"
