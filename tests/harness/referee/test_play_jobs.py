"""Job after job: tables stay full from one to the next, and processes are kept for a later one, within their number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import trio
from tables import Club, bot, conditions, running, table, with_club

from harness.records.record import GameRecord
from harness.records.story import FaultStory
from harness.referee.keeping import JOBS_AHEAD, soonest
from harness.referee.spec import BotSpec, InstanceKey, OneJob, TableSpec

SHARED = conditions(instances="shared")


def job(bots: str, numbers: Sequence[int] = (0,), max_hands: int = 2) -> OneJob:
    """Tables at which two bots sit across, with one process for each bot."""
    pair = (bots[0], bots[1]) * 2
    return OneJob(tuple(table(pair, number, max_hands=max_hands, shared=True) for number in numbers))


def keys(bots: str) -> set[InstanceKey]:
    return {InstanceKey(name, 0) for name in bots}


def played(
    jobs: Sequence[OneJob], bots: Sequence[BotSpec], workspace: Path, *, processes: int = 16, tables: int = 4
) -> tuple[list[GameRecord], int]:
    """The records in the order in which the games ended, and how many processes there were at most when one did."""
    ended: list[GameRecord] = []
    most = 0

    def keep(spec: TableSpec, record: GameRecord, stories: tuple[FaultStory, ...]) -> None:
        nonlocal most
        assert spec.game_id == record.id
        ended.append(record)
        most = max(most, len(running(workspace)))

    async def body(club: Club) -> None:
        await club.referee.play_jobs(jobs, keep)

    named = {spec.name: spec for spec in bots}
    with_club(body, named, workspace, made=SHARED, tables=tables, processes=processes)
    assert not running(workspace)
    return ended, most


def untimed(records: Sequence[GameRecord]) -> dict[str, object]:
    return {record.id: [(hand.packs, hand.actions, hand.scores) for hand in record.hands] for record in records}


def test_the_next_job_begins_while_the_last_table_of_one_is_in_play(tmp_path: Path) -> None:
    """The first job is one long game with a bot that takes its time; the second is four short ones."""
    slow = bot("s", "slow", THINK_MS="100")
    jobs = [job("as", max_hands=4), job("ab", range(4), max_hands=1)]
    records, _ = played(jobs, [bot("a", "last"), bot("b", "last"), slow], tmp_path)
    assert len(records) == 5
    assert records[-1].id == jobs[0].specs[0].game_id, "the second job waited for the first one's last table"


@pytest.mark.slow
def test_a_job_begins_after_the_one_before_it_where_the_processes_of_both_are_too_many(tmp_path: Path) -> None:
    slow = bot("s", "slow", THINK_MS="20")
    jobs = [job("as"), job("ab", range(3)), job("bc", range(3))]
    bots = [bot("a", "last"), bot("b", "last"), bot("c", "last"), slow]
    records, most = played(jobs, bots, tmp_path, processes=2)
    order = [spec.game_id for one in jobs for spec in one.specs]
    assert [record.id.rpartition("/")[0].split("/")[2] for record in records] == [
        game.split("/")[2] for game in order
    ], "the games of two jobs were in play at once"
    assert most == 2


PAIRS = ("ab", "ac", "bc", "ab", "cb")


@pytest.mark.parametrize(("processes", "kept"), [(3, True), pytest.param(2, False, marks=pytest.mark.slow)])
def test_a_process_is_kept_for_a_later_job_if_there_may_be_so_many(tmp_path: Path, processes: int, kept: bool) -> None:
    """Each bot plays in its first process alone: whoever is started again is not there (NEVER_STARTED)."""
    bots = [bot(name, "once", ONCE=str(tmp_path / f"once-{name}")) for name in "abc"]
    jobs = [job(pair, [number]) for number, pair in enumerate(PAIRS)]
    records, most = played(jobs, bots, tmp_path, processes=processes)
    assert any(record.faults for record in records) != kept
    assert most <= processes


@pytest.mark.slow
def test_jobs_that_overlap_have_the_records_of_jobs_one_after_the_other(tmp_path: Path) -> None:
    """Records are functions of the schedule, whatever is played beside them."""
    jobs = [job(pair, range(10 * number, 10 * number + 6)) for number, pair in enumerate(PAIRS)]
    bots = [bot("a", "last"), bot("b", "honest"), bot("c", "last")]
    overlapping, _ = played(jobs, bots, tmp_path)
    alone, _ = played(jobs, bots, tmp_path, processes=1)
    assert len(overlapping) == len(alone) == 6 * len(PAIRS)
    assert untimed(overlapping) == untimed(alone)


@pytest.mark.slow
def test_a_job_whose_bot_is_withdrawn_ends_and_those_after_it_are_played(tmp_path: Path) -> None:
    """PROTOCOL.md, Faults: its unplayed games are settled, in jobs that have begun and in those that have not."""
    jobs = [job("ax", range(6)), job("ax", range(10, 13)), job("ab", range(20, 23)), job("bx", range(30, 32))]
    bots = [bot("a", "last"), bot("b", "last"), bot("x", "killed", "0")]
    records, _ = played(jobs, bots, tmp_path, tables=1)
    ended = {record.id: record.result.ended for record in records}
    assert [ended[spec.game_id] for spec in jobs[0].specs] == ["forfeit"] * 4 + ["withdrawn"] * 2
    assert {ended[spec.game_id] for one in (jobs[1], jobs[3]) for spec in one.specs} == {"withdrawn"}
    assert {ended[spec.game_id] for spec in jobs[2].specs}.isdisjoint({"forfeit", "withdrawn"})


def test_no_process_is_left_when_two_jobs_in_play_are_broken_off(tmp_path: Path) -> None:
    """FAULTS.md, row 28; afterwards the referee plays on."""
    slow = bot("s", "slow", THINK_MS="50")

    async def body(club: Club) -> None:
        with trio.CancelScope() as scope:
            await club.referee.play_jobs([job("as", max_hands=50), job("ab", range(50))], lambda *_: scope.cancel())
        assert scope.cancelled_caught
        assert len(await club.play(job("ab", [60]).specs)) == 1

    with_club(body, {spec.name: spec for spec in (bot("a", "last"), bot("b", "last"), slow)}, tmp_path, made=SHARED)
    assert not running(tmp_path)


def test_those_are_kept_that_are_needed_soonest() -> None:
    coming = [job("ab"), job("cd"), job("ae"), job("bd")]
    assert soonest(keys("bcde"), coming, 2) == keys("bc")
    assert soonest(keys("ez"), coming, 2) == keys("e"), "nobody needs z"
    assert soonest(keys("bc"), coming, -1) == set()
    assert soonest(keys("b"), [job("cd")] * JOBS_AHEAD + [job("ab")], 2) == set(), "it is needed too late"
