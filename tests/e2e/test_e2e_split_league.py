"""A league with remote bots and `--jobs` or `--cluster`: epoch after epoch, and after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import PLAYING, Season
from tests.support.command.hosted import PYTHON
from tests.support.command.league import COMMAND, League, child_of, complete, status
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

FILE = """
[league]
epoch = "12 sets"

[tournament]
tables = 4

[time]
per_decision = "60s"
startup = "60s"

[[variant]]
name = "two-handed"

[[bot]]
path = "random"

[[bot]]
path = "bots/ada"

[[bot]]
path = "bots/bob"
"""

LISTEN = ("--listen", "127.0.0.1:0", "--public-name", "localhost", "--allow-readable-seed")
LOOP = f'while true; do "{PYTHON}" -m bowerbird.bots.greedy; sleep 0.5; done'
"""What the author of a remote bot starts."""


@pytest.fixture
def league(tmp_path: Path) -> League:
    """Return a league of three local bots."""
    made = League(tmp_path, FILE)
    made.write_bot("ada")
    made.write_bot("bob")
    return made


@contextmanager
def called(league: League) -> Iterator[None]:
    """Invite the remote bot eve, and let it call in a loop during the block."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **league.invite("eve")}
    with (league.folder / "eve.log").open("wb") as log:
        loop = subprocess.Popen(
            ["/bin/sh", "-c", LOOP], cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield
    finally:
        os.killpg(loop.pid, signal.SIGKILL)
        loop.wait(DEADLINE_S)


def line_ups_of_eve(league: League, season: Season) -> set[bool]:
    """Return whether eve sat at the tables of complete epochs: True for those with it, False for those without."""
    with Store.open(league.database) as store:
        games = [game for epoch in season.epochs if epoch.ended for game in store[epoch.run].results()]
        return {"eve" in game.bots for game in games} if any("eve" in game.bots for game in games) else set()


@pytest.mark.long
@pytest.mark.parametrize(
    "elsewhere",
    [("--jobs", "2"), pytest.param(("--cluster", "local:2"), marks=pytest.mark.long)],
    ids=lambda one: one[0],
)
def test_a_remote_bot_plays_beside_workers_epoch_after_epoch_and_after_a_kill(
    league: League, elsewhere: tuple[str, str]
) -> None:
    """An epoch without it is played, too: eve is absent at first."""
    with league.started(*LISTEN, *elsewhere) as process:
        league.until_epochs(1)
        with called(league):
            league.until(lambda one: status(one, "eve") == PLAYING, "eve")
            season = league.until(lambda one: line_ups_of_eve(league, one) == {True, False}, "its tables")
            os.kill(child_of(process.pid), signal.SIGKILL)
            season = league.until_epochs(complete(season) + 2)
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE_S) == 0, league.said
    with Store.open(league.database) as store:
        for epoch in season.epochs:
            if epoch.ended:
                assert store.run(epoch.run).row.sets == 12, "no set is lost or played twice"
                assert not store[epoch.run].faults()
    verified = subprocess.run(
        [*COMMAND, "verify", "--db", str(league.database), "--quiet"],
        cwd=league.folder,
        capture_output=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout
