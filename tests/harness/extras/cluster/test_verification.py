"""Verification on a cluster finds the same as in one process, whatever happens to its workers.

See commands.md, `bowerbird verify`.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from bowerbird.harness.extras.cluster import examiner as examining
from bowerbird.harness.extras.cluster.address import ClusterAddress, ClusterOptions
from bowerbird.harness.extras.cluster.examiner import BLOCKS_PER_WORKER, examiner_on, open_examiner
from bowerbird.harness.extras.cluster.executor import MAX_LOSSES
from bowerbird.harness.extras.cluster.on_worker import site
from bowerbird.harness.extras.cluster.on_worker.site import Done
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts, describe
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.merge import verify_archive
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.tables.games import TableRows
from bowerbird.harness.records.verify import verification
from bowerbird.harness.records.verify.examiner import Examiner, PoolExaminer, examine_here
from bowerbird.harness.records.verify.game_checks import Block, Difference, RunFacts
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.events import TournamentEvent, WorkerJoined, WorkerLeftOut, WorkerLost
from tests.support.records.archives import exported
from tests.support.records.damaged_runs import KINDS, KINDS_WITHOUT_SEED, damage, deal_otherwise, store_sound_run
from tests.support.tournament.cluster_in_process import ClusterInProcess, Games, WorkerInProcess, connected


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    path = tmp_path_factory.mktemp("sound") / "x.db"
    return path, store_sound_run(path)


@pytest.fixture
def damaged(sound: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    path = tmp_path / "x.db"
    shutil.copy(sound[0], path)
    damage(path)
    return path, sound[1]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """One deal set to a block; check workers often; calibrate none."""
    facts = describe(calibrated=False)

    def described(*, calibrated: bool) -> WorkerFacts:
        return facts

    monkeypatch.setattr(verification, "BLOCK_GAMES", 1)
    monkeypatch.setattr(examining, "LOOK_S", 0.02)
    monkeypatch.setattr(site, "describe", described)


@pytest.fixture
def worker(tmp_path: Path) -> Callable[..., WorkerInProcess]:
    """Return a function that makes a worker of this name."""

    def make(name: str, bowerbird: str = "") -> WorkerInProcess:
        return WorkerInProcess(f"tcp://{name}:1", name, tmp_path, bowerbird)

    return make


@contextmanager
def examiner_of(cluster: ClusterInProcess, events: list[TournamentEvent] | None = None) -> Iterator[Examiner]:
    heard = [] if events is None else events
    with connected(cluster) as connection, examiner_on(connection, heard.append) as examiner:
        yield examiner


def found(
    run: tuple[Path, str], examiner: Examiner = examine_here, progress: Callable[[int, int], None] | None = None
) -> list[str]:
    with Store.open(run[0]) as store:
        return [str(difference) for difference in verify_run(store[run[1]], digest_of, progress, examiner)]


def test_a_sound_run_verifies_and_each_worker_examines(
    sound: tuple[Path, str], worker: Callable[..., WorkerInProcess]
) -> None:
    one, two = worker("one"), worker("two")
    here: list[tuple[int, int]] = []
    there: list[tuple[int, int]] = []
    assert found(sound, progress=lambda done, games: here.append((done, games))) == []
    with examiner_of(ClusterInProcess(one, two)) as examiner:
        assert found(sound, examiner, lambda done, games: there.append((done, games))) == []
    assert there == here, "progress counts the games in order of blocks"
    assert one.examined, "the blocks are shared"
    assert two.examined, "the blocks are shared"
    with Store.open(sound[0]) as store:
        games = Counter(store[sound[1]].game_ids())
    assert Counter(game for block in (*one.examined, *two.examined) for game in block) == games, "each one once"
    assert not one.extensions["bowerbird"].site.is_open, "the run leaves nothing on a worker"  # type: ignore[attr-defined]


def test_a_cluster_finds_every_kind_of_damage_in_the_same_order(
    damaged: tuple[Path, str], worker: Callable[..., WorkerInProcess]
) -> None:
    alone = found(damaged)
    assert [kind for kind in KINDS if not any(kind in line for line in alone)] == [], alone
    with examiner_of(ClusterInProcess(worker("one"), worker("two"))) as examiner:
        assert found(damaged, examiner) == alone
        assert found(damaged, examiner) == alone, "an examiner serves several runs"
    assert found(damaged, PoolExaminer(2)) == alone


LIES = (
    Done("all is well"),
    Done([("game", "where", "why")]),
    Done([Difference("", "somewhere", "made up")]),
    7,
    ValueError("no"),
)


@pytest.mark.parametrize("finds", LIES)
def test_a_worker_that_answers_no_differences_of_its_block_is_lost_and_another_examines_its_block(
    damaged: tuple[Path, str], worker: Callable[..., WorkerInProcess], finds: object
) -> None:
    liar, honest, events = worker("liar"), worker("honest"), list[TournamentEvent]()
    liar.finds = finds
    with examiner_of(ClusterInProcess(liar, honest), events) as examiner:
        assert found(damaged, examiner) == found(damaged)
    assert liar.examined, "the liar got no block"
    assert {event.worker for event in events if isinstance(event, WorkerLost)} <= {f"liar on {platform.node()}"}
    assert [event for event in events if isinstance(event, WorkerLost)], "nobody says what was wrong"


def test_a_cluster_finds_the_same_before_the_seed_is_published(
    sound: tuple[Path, str], tmp_path: Path, worker: Callable[..., WorkerInProcess]
) -> None:
    run = tmp_path / "x.db", sound[1]
    shutil.copy(sound[0], run[0])
    deal_otherwise(run[0])
    alone = found(run)
    assert [kind for kind in KINDS_WITHOUT_SEED if not any(kind in line for line in alone)] == [], alone
    with examiner_of(ClusterInProcess(worker("one"), worker("two"))) as examiner:
        assert found(run, examiner) == alone


def test_a_cluster_verifies_archives(sound: tuple[Path, str], worker: Callable[..., WorkerInProcess]) -> None:
    archive = exported(*sound)
    one = worker("one")
    with examiner_of(ClusterInProcess(one)) as examiner:
        assert verify_archive(archive, digest_of, examiner=examiner) == verify_archive(archive, digest_of)
    assert one.examined


@pytest.mark.parametrize("way", [ClusterInProcess.lose, ClusterInProcess.silence])
def test_blocks_of_a_lost_worker_are_examined_elsewhere(
    damaged: tuple[Path, str],
    worker: Callable[..., WorkerInProcess],
    way: Callable[[ClusterInProcess, WorkerInProcess], Callable[[Games], object]],
) -> None:
    one, two = worker("one"), worker("two")
    cluster = ClusterInProcess(one, two)
    one.on_examine = way(cluster, one)  # type: ignore[assignment]  # both return what a worker awaits
    events: list[TournamentEvent] = []
    with examiner_of(cluster, events) as examiner:
        assert found(damaged, examiner) == found(damaged)
    assert not one.examined
    [lost] = events
    assert isinstance(lost, WorkerLost), lost
    assert (lost.worker.split(" ")[0], lost.workers) == ("one", 1)


def test_a_worker_that_joins_examines(damaged: tuple[Path, str], worker: Callable[..., WorkerInProcess]) -> None:
    one, two = worker("one"), worker("two")
    cluster = ClusterInProcess(one)

    async def give_way(_: Games) -> None:
        cluster.workers = {two.address: two}

    one.on_examine = give_way
    events: list[TournamentEvent] = []
    with examiner_of(cluster, events) as examiner:
        assert found(damaged, examiner) == found(damaged)
    assert two.examined
    assert [type(event) for event in events] == [WorkerLost, WorkerJoined]


def test_a_worker_with_another_bowerbird_is_left_out(
    sound: tuple[Path, str], worker: Callable[..., WorkerInProcess]
) -> None:
    one, old = worker("one"), worker("old", "0.0.9")
    events: list[TournamentEvent] = []
    with examiner_of(ClusterInProcess(one, old), events) as examiner:
        assert found(sound, examiner) == []
    assert not old.examined
    [left_out] = events
    assert isinstance(left_out, WorkerLeftOut), left_out
    assert left_out.why.startswith("worker old on ")
    assert "it has Bowerbird 0.0.9, the run " in left_out.why


def test_without_a_worker_that_fits_one_sentence_says_why(worker: Callable[..., WorkerInProcess]) -> None:
    with (
        pytest.raises(
            MachinesError, match=r"^none of the workers of tcp://.* can verify; worker old .* \(and 1 more\)$"
        ),
        examiner_of(ClusterInProcess(worker("old", "0.0.9"), worker("older", "0.0.8"))),
    ):
        pytest.fail("there is nobody to examine")


def test_when_all_workers_are_gone_one_sentence_ends_it(
    sound: tuple[Path, str], worker: Callable[..., WorkerInProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "NO_WORKER_S", 0.1)
    one, two = worker("one"), worker("two")
    cluster = ClusterInProcess(one, two)
    one.on_examine, two.on_examine = cluster.lose(one), cluster.lose(two)
    with (
        pytest.raises(MachinesError, match=r"^all workers of tcp://.* are gone, and none came for 0\.1 s; "),
        examiner_of(cluster) as examiner,
    ):
        found(sound, examiner)


def test_a_block_that_ends_every_worker_is_named(
    sound: tuple[Path, str], worker: Callable[..., WorkerInProcess]
) -> None:
    workers = [worker(f"worker-{number}") for number in range(MAX_LOSSES + 2)]
    cluster = ClusterInProcess(*workers)

    def dies_of_it(worker: WorkerInProcess) -> Callable[[Games], object]:
        async def end(games: Games) -> None:
            if "/euchre-0/" in str(games[0].rows.game["id"]) and games[0].rows.game["set_number"] == 2:
                del cluster.workers[worker.address]

        return end

    for one in workers:
        one.on_examine = dies_of_it(one)  # type: ignore[assignment]  # what a worker awaits
    with (
        pytest.raises(MachinesError, match=r"^the games from \S+/euchre-0/ann\+bob/2/0 to \S+/2/1 lost \d workers "),
        examiner_of(cluster) as examiner,
    ):
        found(sound, examiner)
    assert len(cluster.workers) == 2, "the other workers do not follow"


def test_only_a_few_blocks_are_in_memory_at_a_time(
    sound: tuple[Path, str], worker: Callable[..., WorkerInProcess]
) -> None:
    workers = [worker("one"), worker("two")]
    ahead: list[int] = []

    class Counting(Store):
        read = 0

        def table_rows(self, game: str) -> TableRows:
            rows = super().table_rows(game)
            self.read += 1
            ahead.append(self.read - sum(len(block) for one in workers for block in one.examined))
            return rows

    with Counting.open(sound[0]) as store, examiner_of(ClusterInProcess(*workers)) as examiner:
        assert verify_run(store[sound[1]], digest_of, examiner=examiner) == []
        games, sets = store[sound[1]].game_ids(), store[sound[1]].sets()
    most = max(size for _, size in sets)
    assert max(ahead) <= BLOCKS_PER_WORKER * len(workers) * most < len(games) / 2


class CallingAt(list[Block]):
    """Blocks that call a function when a particular block is asked for."""

    def __init__(self, blocks: Sequence[Block], number: int, call: Callable[[], None]) -> None:
        super().__init__(blocks)
        self.number, self.call = number, call

    def __iter__(self) -> Iterator[Block]:
        for number, block in enumerate(super().__iter__(), 1):
            if number == self.number:
                self.call()
            yield block


@pytest.mark.usefixtures("processes")
def test_a_worker_that_is_killed_while_it_verifies_changes_nothing(damaged: tuple[Path, str]) -> None:
    alone = found(damaged)
    killed: list[int] = []
    events: list[TournamentEvent] = []
    assert not multiprocessing.active_children(), "the only children are the workers"
    with open_examiner(ClusterOptions(ClusterAddress("", 2)), events.append) as examiner:
        pid = multiprocessing.active_children()[0].pid  # Dask starts its workers as children of ours
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)  # so it never finishes the block that it takes

        def kill() -> None:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

        def examine(store: Store, run: RunFacts, blocks: Sequence[Block]) -> Iterator[list[Difference]]:
            # The first block beyond the window is asked for when one is done, so both workers have taken one.
            return examiner(store, run, CallingAt(blocks, 2 * BLOCKS_PER_WORKER + 1, kill))

        assert found(damaged, examine) == alone
    assert killed
    lost = [event for event in events if isinstance(event, WorkerLost)]
    assert len(lost) == 1, events
