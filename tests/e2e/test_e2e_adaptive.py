"""An adaptive run through the command: played, killed, resumed, corrected, verified (pairing.md)."""

from __future__ import annotations

import signal
import subprocess

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S

ADAPTIVE = """
[tournament]
format = "adaptive"
unit = "deals"
total_sets = 30
round_sets = 6
{lines}
[[variant]]
name = "euchre"
[[variant]]
name = "three-handed"
"""


def entered(bowerbird: Bowerbird, lines: str = "") -> str:
    folders = [bowerbird.bot(f"b{index}", "honest") for index in range(4)]
    return bowerbird.tournament(ADAPTIVE.format(lines=lines), *folders).name


def test_an_adaptive_run_is_forecast_played_verified_exported_and_shown(bowerbird: Bowerbird) -> None:
    file = entered(bowerbird)
    assert "at most 30 deal sets" in bowerbird.done("tournament", file, "--dry-run", "--db", "x.db")
    document = bowerbird.json("tournament", file, "--db", "x.db", "--quiet")
    assert isinstance(document["run"], dict)
    assert document["run"]["sets"] == 30
    bowerbird.done("verify", "--db", "x.db")
    bowerbird.done("export", "cup", "--db", "x.db", "-o", "run.tar.gz")
    bowerbird.done("verify", "run.tar.gz")
    bowerbird.done("report", "--db", "x.db", "-o", "report.html", "--replays", "0")
    assert not bowerbird.wait_until_gone(), "a process is left"


@pytest.mark.long
@pytest.mark.parametrize("more", [(), pytest.param(("--jobs", "2"), marks=pytest.mark.long)])
def test_a_killed_run_is_resumed_and_verifies(bowerbird: Bowerbird, more: tuple[str, ...]) -> None:
    """The rounds after the kill follow from the stored results, also with more processes."""
    file = entered(bowerbird)
    with bowerbird.start("tournament", file, "--db", "x.db", *more) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("8 deal sets;"):
                break
        process.send_signal(signal.SIGKILL)
        try:
            process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert not bowerbird.wait_until_gone(), "a bot outlived its referee"
    bowerbird.done("tournament", file, "--resume", "--db", "x.db", "--quiet", *more)
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run()
        assert run.row.ended is not None
        assert run.row.sets == 30
    bowerbird.done("verify", "--db", "x.db")


@pytest.mark.long
def test_sets_can_be_added_to_a_complete_run(bowerbird: Bowerbird) -> None:
    file = entered(bowerbird, 'seed = "x"')
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet")
    path = bowerbird.folder / file
    path.write_text(path.read_text().replace("total_sets = 30", "total_sets = 36"))
    bowerbird.done("tournament", file, "--resume", "--db", "x.db", "--quiet")
    with Store.open(bowerbird.folder / "x.db") as store:
        assert store.run().row.sets == 36
    bowerbird.done("verify", "--db", "x.db")


@pytest.mark.long
def test_a_corrected_run_takes_the_later_rounds_out_and_verifies_again(bowerbird: Bowerbird) -> None:
    file = entered(bowerbird, 'seed = "x"')
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet")
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run().fingerprint
        keys = [key for key, _ in store[run].sets()]
    third = next(key for key in keys if key.number // 64 == 2)
    bowerbird.done("void", run, str(third), "--why", "a test", "--by", "me", "--yes", "--db", "x.db")
    with Store.open(bowerbird.folder / "x.db") as store:
        assert {key.number // 64 for key, _ in store[run].sets()} == {0, 1, 2}
    bowerbird.done("tournament", file, "--resume", "--db", "x.db", "--quiet")
    with Store.open(bowerbird.folder / "x.db") as store:
        assert store.run().row.sets == 30
    bowerbird.done("verify", "--db", "x.db")
