"""Remote bots of a season: invited once, in a loop of a shell, over runs that are processes of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.bots.built_bots import ready
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import PYTHON
from tests.support.command.season import looped, season
from tests.support.command.season_run import MISSING
from tests.support.paths import ROOT

CUP = """
[tournament]
sets = {sets}
unit = "deals"
[time]
per_decision = "60s"
startup = "60s"
[[variant]]
name = "euchre"
"""

REMOTE = """
[[bot]]
remote = true
name = "{name}"
"""


def cup(bowerbird: Bowerbird, *remote: str, sets: int = 2) -> Path:
    """Write a tournament of these remote bots and a local one."""
    text = CUP.format(sets=sets) + "".join(REMOTE.format(name=name) for name in remote)
    return bowerbird.tournament(text, bowerbird.bot("local", "honest"), name="-".join(remote))


def check_no_faults(bowerbird: Bowerbird, runs: int) -> None:
    """Assert that this many runs are complete, and that no bot was at fault in any."""
    with Store.open(bowerbird.folder / "x.db") as store:
        found = store.runs()
        assert [run.row.ended is not None for run in found] == [True] * runs
        for run in found:
            faults = [(fault.bot, fault.kind, fault.detail) for fault in run.faults()]
            assert not faults, f"faults in {run.row.name}: {faults}"


@pytest.fixture
def mortal(tmp_path: Path) -> tuple[str, str, str]:
    """Return the command of a bot whose first process kills itself when asked for the 10th time. It writes its life."""
    source = tmp_path / "mortal.py"
    source.write_text(
        "import os, pathlib, signal, sys\n"
        "from bowerbird.harness.sdk import Bot, run\n"
        "mark = pathlib.Path(sys.argv[1])\n"
        "class Mortal(Bot):\n"
        "    asked = 0\n"
        "    def act(self, decision):\n"
        "        self.asked += 1\n"
        "        if self.asked == 10 and not mark.exists():\n"
        "            mark.touch()\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return 0\n"
        "run(Mortal())\n"
    )
    return PYTHON, str(source), str(tmp_path / "died")


def test_one_token_plays_run_after_run_on_one_listener(bowerbird: Bowerbird) -> None:
    """The bot dials before anybody accepts, and between the runs."""
    file = cup(bowerbird, "ada")
    with season(bowerbird, "ada") as organiser, looped(organiser, "ada") as ada:
        for _ in range(2):
            with organiser.run(file) as host:
                host.until("bot ada is here")
                host.ended()
        assert "Traceback" not in ada.said()
    check_no_faults(bowerbird, runs=2)


def test_a_bot_that_is_missing_is_named_and_plays_when_it_is_back(bowerbird: Bowerbird) -> None:
    both, alone = cup(bowerbird, "ada", "grace"), cup(bowerbird, "ada")
    with season(bowerbird, "ada", "grace") as organiser:
        with looped(organiser, "ada") as ada:
            with organiser.run(both, "grace") as host:
                host.until("bot ada is here")
                host.ended(MISSING)
                assert host.said[-1] == "missing grace"
            assert "the referee says: this run does not begin, since bot 'grace' is missing" in ada.said()
        with Store.open(bowerbird.folder / "x.db") as store:
            assert not store.runs()
        with looped(organiser, "grace") as grace:
            with organiser.run(alone) as host:
                host.until("outsider grace")
                with looped(organiser, "ada"):
                    host.ended()
                    with organiser.run(both) as later:
                        later.ended()
            assert "bot grace does not play in this run" in grace.said()
    check_no_faults(bowerbird, runs=2)


def test_a_bot_comes_back_after_a_run_that_was_killed(bowerbird: Bowerbird) -> None:
    """It dials with the secret of its session, is told that this is over, and its loop starts it again."""
    with season(bowerbird, "ada") as organiser, looped(organiser, "ada") as ada:
        with organiser.run(cup(bowerbird, "ada", sets=2000)) as host:
            host.until("SetSaved")
            host.process.kill()
        with organiser.run(cup(bowerbird, "ada")) as host:
            host.ended()
        assert "the referee ended the session: this session is over" in ada.said()
    with Store.open(bowerbird.folder / "x.db") as store:
        whole, killed = store.runs()
        assert (whole.row.ended is not None, killed.row.ended) == (True, None)
        assert not whole.faults()


def test_a_revoked_token_is_refused_with_a_sentence_in_the_run_too(bowerbird: Bowerbird) -> None:
    file = cup(bowerbird, "ada", "grace")
    with season(bowerbird, "ada", "grace") as organiser:
        stale = organiser.invitation("ada")
        with organiser.run(file) as host:
            host.until("open")
            organiser.tokens.revoke("ada")
            with looped(organiser, "ada", loop='"$@"', environment=stale) as ada:
                assert ada.ended() == 1
                assert "the invitation of bot ada was revoked; ask the organiser" in ada.said()
            host.until("was turned away: the invitation of bot ada was revoked")
        with organiser.run(file) as host:
            host.ended(MISSING)
            assert host.said[-1] == "missing ada", "a bot without tokens is left out"
        with looped(organiser, "ada"), looped(organiser, "grace"), organiser.run(file) as host:
            host.ended()
    check_no_faults(bowerbird, runs=1)


def test_a_second_process_takes_the_seats_of_one_that_is_killed(
    bowerbird: Bowerbird, mortal: tuple[str, str, str]
) -> None:
    """The first is killed in the middle of a game, with a decision open. No game is lost."""
    with (
        season(bowerbird, "ada", "grace") as organiser,
        organiser.run(cup(bowerbird, "ada", "grace", sets=4)) as host,
        looped(organiser, "ada", *mortal, loop='"$@"') as first,
    ):
        host.until("bot ada is here")
        with looped(organiser, "ada", token=1) as second:
            host.until("bot ada has another process in reserve")
            with looped(organiser, "grace"):
                host.until("another process of bot ada takes its seats")
                host.ended()
            assert first.ended() in (128 + 9, -9), "some shells give their place to the last command"
            assert "Traceback" not in second.said()
    check_no_faults(bowerbird, runs=1)


@pytest.mark.parametrize(
    "language",
    [
        pytest.param("go", marks=[pytest.mark.toolchain("go", "protoc"), pytest.mark.long]),
        pytest.param("node", marks=pytest.mark.toolchain("node", "npm")),
    ],
)
def test_a_process_in_reserve_needs_nothing_but_the_protocol(
    bowerbird: Bowerbird, mortal: tuple[str, str, str], language: str
) -> None:
    """A starter takes the seats of another program, and plays on from the messages that it gets."""
    starter = ready(ROOT / "bots" / "starters" / language)
    with (
        season(bowerbird, "ada", "grace") as organiser,
        organiser.run(cup(bowerbird, "ada", "grace", sets=4)) as host,
        looped(organiser, "ada", *mortal, loop='"$@"'),
    ):
        host.until("bot ada is here")
        command = ("/bin/sh", "-c", 'cd "$0"; exec "$@"', str(starter.cwd), *starter.command)
        with looped(organiser, "ada", *command, token=1):
            host.until("bot ada has another process in reserve")
            with looped(organiser, "grace"):
                host.until("another process of bot ada takes its seats")
                host.ended()
    check_no_faults(bowerbird, runs=1)


def test_a_process_that_is_started_again_within_its_clock_loses_nothing(
    bowerbird: Bowerbird, mortal: tuple[str, str, str]
) -> None:
    with (
        season(bowerbird, "ada", "grace") as organiser,
        organiser.run(cup(bowerbird, "ada", sets=4)) as host,
        looped(organiser, "ada", *mortal) as ada,
    ):
        host.until("bot ada has lost its connection")
        host.until("another process of bot ada takes its seats")
        host.ended()
        assert "Killed" in ada.said()
    check_no_faults(bowerbird, runs=1)
