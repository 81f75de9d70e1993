"""Connections that break on one side only while the machine is busy (row 62)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.flaky_network import BOT, REFEREE, flaky_network
from tests.support.command.hosted import hosted, remote
from tests.support.referee.fault_matrix import Seen

CUP = """
[tournament]
seed = "half-open"
sets = 2
unit = "deals"
tables = 1
[time]
per_decision = "90s"
startup = "120s"
[[variant]]
name = "euchre"
[[bot]]
remote = true
name = "ada"
"""

SPINNERS = 4


@contextmanager
def load() -> Iterator[None]:
    """Keep every processor busy during the block."""
    spinning = [subprocess.Popen(["nice", "-n", "5", "/bin/sh", "-c", "while :; do :; done"]) for _ in range(SPINNERS)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


@pytest.mark.long  # the spinners make every test beside it slow
@pytest.mark.row(62)
def test_half_open_breaks_beside_a_load_cost_nobody_a_game(bowerbird: Bowerbird, seen: Seen) -> None:
    file = bowerbird.tournament(CUP, bowerbird.bot("local", "slow", THINK_MS="100"))
    with load(), hosted(bowerbird, file) as host:
        host.until_invited()
        target = host.invitation("ada")["BOWERBIRD_ADDRESS"]
        kinds = (BOT, BOT, REFEREE, BOT, BOT)
        with (
            flaky_network(target, 0.2, 1.0, kinds, 62) as network,
            remote(host, "ada", BOWERBIRD_ADDRESS=network.address) as ada,
        ):
            host.ended()
            assert ada.ended()[0] == 0
    with Store.open(bowerbird.folder / "x.db") as store:
        assert not store.run(None).faults()
        assert store.run(None).row.ended is not None
    assert network.breaks[BOT] + network.breaks[REFEREE] > 0, "nothing broke"
    seen(f"{dict(network.breaks)} beside {SPINNERS} spinners: no fault, the run is complete")
