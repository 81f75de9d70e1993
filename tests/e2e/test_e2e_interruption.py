"""Ctrl-C: exit code 130, how to go on, nothing lost, no process left (CLI.md; FAULTS.md, Durability)."""

from __future__ import annotations

import shlex
import signal
import subprocess
from collections.abc import Iterator

import pytest
from bowerbird_command import COMMAND, DEADLINE_S, Bowerbird

from harness.records.store import Store

LONG = """
[tournament]
sets = {sets}
{seed}
[[variant]]
name = "euchre"
"""
SETS = 40


@pytest.fixture
def interrupted(bowerbird: Bowerbird, request: pytest.FixtureRequest) -> Iterator[tuple[Bowerbird, str]]:
    """A long tournament that got a signal after its first progress line about stored sets; what it said."""
    seed, number = getattr(request, "param", ("", signal.SIGINT))
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")
    file = bowerbird.tournament(LONG.format(sets=SETS, seed=seed), *bots)
    with bowerbird.start("tournament", file.name, "--db", "x.db") as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if f"of {SETS} deal sets" in line:
                break
        process.send_signal(number)
        try:
            _, rest = process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert process.returncode == 130, f"exit code {process.returncode}: {''.join(said)}{rest}"
        assert not bowerbird.wait_until_gone()
        yield bowerbird, rest


@pytest.mark.parametrize(
    "interrupted",
    [
        ("", signal.SIGINT),
        pytest.param(('seed = "typed"', signal.SIGINT), marks=pytest.mark.slow),
        pytest.param(("", signal.SIGTERM), marks=pytest.mark.slow),
    ],
    indirect=True,
)
def test_interrupted_run_says_how_to_go_on_and_does(interrupted: tuple[Bowerbird, str]) -> None:
    bowerbird, said = interrupted
    assert "Traceback" not in said
    last = said.splitlines()[-1]
    command = shlex.split(last.split("To go on: ")[1])
    assert command[0].endswith("bowerbird")
    with Store.open(bowerbird.folder / "x.db") as store:
        (run,) = store.runs()
        assert run.ended is None
        assert run.seed is None, "the seed stays secret until the run is complete"
        before = {game.id: store.record_text(game.id) for game in store.games()}
    assert 0 < len(before) < 2 * SETS

    bowerbird.done(*command[1:], "--quiet")
    with Store.open(bowerbird.folder / "x.db") as store:
        (run,) = store.runs()
        assert run.ended is not None
        after = {game.id: store.record_text(game.id) for game in store.games()}
    assert len(after) == 2 * SETS
    assert before.items() <= after.items(), "what was stored stays as it was"
    bowerbird.done("verify", "--db", "x.db")


def test_nothing_to_resume_is_said(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")
    file = bowerbird.tournament(LONG.format(sets=1, seed=""), *bots)
    assert "'cup'" in bowerbird.refused("tournament", file, "--resume", "--db", "x.db")


def test_reader_that_has_had_enough_is_no_error(bowerbird: Bowerbird) -> None:
    shown = subprocess.run(
        f"{shlex.quote(str(COMMAND))} variants buck --json | head -n 1",
        shell=True,
        cwd=bowerbird.folder,
        env=bowerbird.environment(),
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert shown.stdout == "{\n"
    assert shown.stderr == ""
