"""The console sessions of pages run as printed: every command succeeds and prints the words shown."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.page_sessions import LOOSE, SESSIONS, Session, autumn
from tests.support.docs.sessions import Console, Step, missing_lines, smaller, steps


@pytest.fixture(scope="module")
def _played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the tournament of the tutorial was played."""
    command = Bowerbird(tmp_path_factory.mktemp("autumn"))
    autumn(command)
    command.done("tournament", "autumn.toml", "--quiet")
    return command.folder


def run_of(session: Session, console: Console, step: Step) -> list[str]:
    """Run a command; return what is wrong with it."""
    for beginning, act in session.before.items():
        if step.command.startswith(beginning):
            act(console)
    done = console.run(smaller(step.command))
    said = f"{done.stderr}\n{done.stdout}"
    if done.returncode:
        return [f"$ {step.command}: exit code {done.returncode}: {said}"]
    loose = re.compile(f"{LOOSE}|{session.loose}")
    return [f"$ {step.command}: says nowhere {line!r}\n{said}" for line in missing_lines(step, said, loose)]


@pytest.mark.parametrize(
    "session",
    [
        pytest.param(session, id=session.page.stem, marks=pytest.mark.long if session.is_long else ())
        for session in SESSIONS
    ],
)
def test_session_of_a_page_runs_as_printed(
    session: Session, bowerbird: Bowerbird, request: pytest.FixtureRequest
) -> None:
    if session.played:
        shutil.copytree(request.getfixturevalue("_played"), bowerbird.folder, dirs_exist_ok=True)
    session.prepare(bowerbird)
    console = Console(bowerbird)
    wrong: list[str] = []
    shown = steps(session.page)
    assert shown, f"{session.page.name} shows no command"
    for step in shown:
        if not step.command.startswith(tuple(session.skip)):
            wrong += run_of(session, console, step)
        if not step.command.startswith("cd "):
            console.back()
    assert not wrong, "\n".join(wrong)
