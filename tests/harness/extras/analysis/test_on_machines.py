"""An analysis on other machines finds the same as here, whatever happens to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.extras.analysis.analysing import Analyser, analyse, analysed_here, analysed_on, plan_of
from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile, analysis_path
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis
from bowerbird.harness.extras.cluster import examiner as examining
from bowerbird.harness.extras.cluster.examiner import examiner_on
from bowerbird.harness.extras.cluster.on_worker import site
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts, describe
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.events import Progress, TournamentEvent, WorkerLost
from bowerbird.harness.tournament.executors.other_machines import MachinePool, OtherMachines
from tests.support.records.stored_runs import store_run
from tests.support.tournament.cluster_in_process import ClusterInProcess, WorkerInProcess, connected

WORLDS = 4


@dataclass(frozen=True)
class Machines:
    """A cluster in this process, as the options of the command name one."""

    cluster: ClusterInProcess

    @contextmanager
    def pool(self, progress: Progress, verb: str) -> Iterator[MachinePool]:
        with connected(self.cluster) as connection, examiner_on(connection, progress, verb) as pool:
            yield pool


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a database with a run. Workers are checked often, and none is calibrated."""
    facts = describe(calibrated=False)

    def described(*, calibrated: bool) -> WorkerFacts:
        return facts

    monkeypatch.setattr(examining, "LOOK_S", 0.02)
    monkeypatch.setattr(site, "describe", described)
    path = tmp_path / "x.db"
    store_run(path, variants=("two-handed",))
    return path


@pytest.fixture
def worker(tmp_path: Path) -> Callable[..., WorkerInProcess]:
    def make(name: str, bowerbird: str = "") -> WorkerInProcess:
        return WorkerInProcess(f"tcp://{name}:1", name, tmp_path, bowerbird)

    return make


def on(cluster: ClusterInProcess, events: list[TournamentEvent] | None = None) -> Analyser:
    heard: list[TournamentEvent] = [] if events is None else events
    return analysed_on(cast(OtherMachines, Machines(cluster)), heard.append)


def figures(path: Path, analyser: Analyser) -> dict[str, GameAnalysis]:
    """Analyse the run again, and return what is stored then."""
    analysis_path(path).unlink(missing_ok=True)
    with Store.open(path) as store, AnalysisFile(path) as file:
        plan = plan_of(store.run(), WORLDS)
        analyse(store.run(), plan, file, analyser, lambda _done, _games: None)
        return dict(file.games(store.run().fingerprint, plan.judges))


def test_machines_find_the_same_figures(stored: Path, worker: Callable[..., WorkerInProcess]) -> None:
    here = figures(stored, analysed_here(1))
    assert here
    there = figures(stored, on(ClusterInProcess(worker("one"), worker("two"))))
    assert there == here
    assert list(there) == list(here), "games are stored in their order"


def test_what_a_lost_machine_had_is_analysed_elsewhere(stored: Path, worker: Callable[..., WorkerInProcess]) -> None:
    here = figures(stored, analysed_here(1))
    one, two = worker("one"), worker("two")
    cluster = ClusterInProcess(one, two)
    one.on_examine = cluster.lose(one)
    events: list[TournamentEvent] = []
    assert figures(stored, on(cluster, events)) == here
    assert [event for event in events if isinstance(event, WorkerLost)]


def test_machines_with_another_version_analyse_nothing_and_all_is_kept(
    stored: Path, worker: Callable[..., WorkerInProcess]
) -> None:
    with pytest.raises(MachinesError, match=r"can analyse; worker old .* it has Bowerbird 0\.0\.1"):
        figures(stored, on(ClusterInProcess(worker("old", "0.0.1"))))


def test_where_all_is_stored_no_machine_is_asked(stored: Path) -> None:
    assert run(("analyse", "autumn", "--worlds", str(WORLDS), "--db", str(stored), "--json", "-q")) == 0
    unreachable = ("--cluster", "tcp://127.0.0.1:1")
    assert run(("analyse", "autumn", "--worlds", str(WORLDS), *unreachable, "--db", str(stored), "--json", "-q")) == 0


def test_jobs_and_machines_exclude_each_other(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("analyse", "autumn", "--jobs", "2", "--cluster", "local:2", "--db", str(stored))) == 2
    assert "--jobs is for this machine alone" in capsys.readouterr().err
