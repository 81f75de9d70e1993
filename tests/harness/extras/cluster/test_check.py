"""`bowerbird cluster check` against real schedulers and workers: who can play, and one sentence for each obstacle."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.extras.cluster import connection as connection_module
from bowerbird.harness.extras.cluster.address import ClusterOptions, parse_address
from bowerbird.harness.extras.cluster.connection import ClusterConnection
from bowerbird.harness.extras.cluster.inspection import InspectedWorker, inspect_cluster
from bowerbird.harness.extras.cluster.on_worker.worker_facts import TOOLS
from bowerbird.harness.extras.cluster.tls import make_certificates
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.errors import MachinesError
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.tournament.dask_cluster import DaskCluster, dask_cluster

pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture(scope="module")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Return a cluster over TLS with the workers one and two, and bare, which has no Bowerbird."""
    with dask_cluster(tmp_path_factory.mktemp("tls")) as cluster:
        for name in ("one", "two"):
            cluster.begin_worker(name)
        cluster.begin_bare_worker("bare")
        cluster.wait_for_workers("one", "two", "bare")
        yield cluster


@pytest.fixture
def cluster(shared_cluster: DaskCluster) -> Iterator[DaskCluster]:
    """Return the cluster, and show the output of its processes if the test fails."""
    with shared_cluster.shown_output():
        yield shared_cluster


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Return a scheduler without certificates or workers."""
    with dask_cluster(tmp_path_factory.mktemp("plain"), tls=False) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def greedy() -> BotSpec:
    """Return a bundled bot."""
    return load_bot(bundled_bots()["greedy"])


def options_of(cluster: DaskCluster) -> ClusterOptions:
    """Return the options with which a run uses a cluster, all workers of it."""
    tls = cluster.tls.folder if cluster.tls is not None else None
    return ClusterOptions(parse_address(cluster.address), tls, max_slowdown=1000)


def refusal(options: ClusterOptions) -> str:
    """Return why a cluster cannot be checked; at once where it has no workers."""
    with pytest.raises(MachinesError) as refused:
        inspect_cluster(options, (), "", wait_s=0)
    return str(refused.value).removeprefix(f"cluster {options.address}: ")


def by_name(workers: tuple[InspectedWorker, ...]) -> dict[str, InspectedWorker]:
    """Return workers by their names."""
    return {one.name: one for one in workers}


def test_each_worker_is_shown_and_the_one_without_bowerbird_is_left_out(
    cluster: DaskCluster, bowerbird: Bowerbird
) -> None:
    words = ["cluster", "check", cluster.address, *cluster.options[2:], "--max-slowdown", "1000"]
    finished = bowerbird.run(COMMAND, *words, COLUMNS="80")
    assert finished.returncode == 0, finished.stderr
    lines = finished.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "2 of 3 workers can play" in lines
    joined = " ".join(finished.stdout.split())
    assert "left out: worker bare: it has no Bowerbird: pip install 'bowerbird[cluster]' there" in joined
    assert {line.split()[0] for line in lines if re.search(r" 1\.00 +\d+\.\d$", line)} <= {"one", "two"}


def test_a_worker_tells_its_facts_and_is_free_afterwards(cluster: DaskCluster, greedy: BotSpec) -> None:
    for _ in range(2):
        found = by_name(inspect_cluster(options_of(cluster), [greedy], "limits"))
        for name in ("one", "two"):
            worker = found[name]
            assert worker.why == ""
            assert worker.tier == "limits"
            assert worker.facts is not None
            assert worker.facts.speed > 0
            assert set(worker.facts.tools) <= set(TOOLS)
            assert worker.round_trip_ms is not None


def test_a_worker_that_another_run_uses_is_left_out(cluster: DaskCluster, greedy: BotSpec) -> None:
    other = ClusterConnection(parse_address(cluster.address), cluster.tls)
    other.open()
    try:
        addresses = {name: address for address, name in other.loop.wait_for(other.workers()).items()}
        other.loop.wait_for(other.enter(addresses["two"]))
        found = by_name(inspect_cluster(options_of(cluster), [greedy], "limits"))
    finally:
        other.close()
    assert found["one"].why == ""
    assert found["two"].why == "another run plays on it"


def test_a_bot_that_a_worker_cannot_build_is_said_with_the_way_out(cluster: DaskCluster, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(
        'name = "mine"\nversion = "1.0"\ncommand = ["no-such-program-here"]\n', encoding="utf-8"
    )
    bot = load_bot(tmp_path)
    found = by_name(inspect_cluster(options_of(cluster), [bot], ""))
    assert "no-such-program-here" in found["one"].why
    assert found["one"].facts is not None
    assert all(one.why for one in found.values())


def test_without_certificates_their_option_is_named(cluster: DaskCluster) -> None:
    said = refusal(replace(options_of(cluster), tls=None))
    assert said == "tls:// needs the cluster's certificates; name their folder with --cluster-tls FOLDER"


def test_certificates_of_another_authority_are_refused(cluster: DaskCluster, tmp_path: Path) -> None:
    said = refusal(replace(options_of(cluster), tls=make_certificates(tmp_path / "other").folder))
    assert said.startswith("the scheduler's certificate is from another authority, or is not valid now (")


def test_a_scheduler_with_certificates_is_not_asked_in_plain_tcp(cluster: DaskCluster) -> None:
    said = refusal(ClusterOptions(parse_address(cluster.address.replace("tls", "tcp"))))
    assert said.startswith("no Dask scheduler answers there over plain TCP (")
    assert said.endswith("; if it has certificates, use tls:// and --cluster-tls FOLDER")


def test_a_scheduler_without_certificates_is_not_asked_over_tls(plain: DaskCluster, tmp_path: Path) -> None:
    files = make_certificates(tmp_path / "tls")
    said = refusal(ClusterOptions(parse_address(plain.address.replace("tcp", "tls")), files.folder))
    assert said == "the scheduler does not use TLS; start it with: dask scheduler --protocol tls"


def test_a_scheduler_without_workers_names_the_command_that_starts_one(plain: DaskCluster) -> None:
    assert refusal(options_of(plain)) == (
        f"the scheduler of {plain.address} has no workers; start one with: dask worker {plain.address} --nthreads 1"
    )


@pytest.mark.parametrize("protocol", ["tls", "tcp"])
def test_an_address_without_a_scheduler_is_refused_at_once(protocol: str, tmp_path: Path) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # it does not listen
        port = reserved.getsockname()[1]
        tls = make_certificates(tmp_path / "tls").folder if protocol == "tls" else None
        said = refusal(ClusterOptions(parse_address(f"{protocol}://127.0.0.1:{port}"), tls))
    assert said == "no Dask scheduler listens there (Connection refused); start one with: dask scheduler"


def test_a_listener_that_stays_silent_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(connection_module, "CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = parse_address(f"tls://127.0.0.1:{silent.getsockname()[1]}")
        assert refusal(ClusterOptions(address, make_certificates(tmp_path / "tls").folder)) == (
            "no Dask scheduler answers there (no answer)"
        )


def test_the_json_holds_every_worker(cluster: DaskCluster, bowerbird: Bowerbird) -> None:
    words = ["cluster", "check", cluster.address, *cluster.options[2:], "--max-slowdown", "1000", "--json"]
    finished = bowerbird.run(COMMAND, *words)
    assert finished.returncode == 0, finished.stderr
    document = json.loads(finished.stdout)
    assert document["cluster"] == cluster.address
    assert {one["name"]: bool(one["why"]) for one in document["workers"]} == {"one": False, "two": False, "bare": True}
