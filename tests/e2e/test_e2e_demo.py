"""`bowerbird demo`, the first thing that a newcomer runs."""

from __future__ import annotations

import os
import shlex
import shutil

import pytest

from bowerbird.engine import rules_of
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.serving import served


def _suggestions(shown: str) -> list[list[str]]:
    """Return the command lines that the demo proposes, without the program."""
    return [shlex.split(line)[1:] for line in shown.split("Try next:\n")[1].splitlines()]


@pytest.mark.toolchain("node", "npm")
def test_demo_plays_three_bots_in_two_languages_and_says_what_next(bowerbird: Bowerbird) -> None:
    shown = bowerbird.done("demo")
    assert len(shown.splitlines()) <= 24, "all that it prints fits one screen"
    standings = bowerbird.json("standings")
    assert {rules_of(name).seats() for name in standings["variants"]} == {2, 3, 4, 5, 6, 7}
    assert set(standings["variants"]) >= {"euchre", "buck"}
    for scope in standings["variants"].values():
        assert {line["bot"] for line in scope["standings"]} == {"greedy", "random", "node-random"}
        assert not any(sum(line["faults"].values()) for line in scope["standings"])
    suggestions = _suggestions(shown)
    assert {arguments[0] for arguments in suggestions} >= {"replay", "match", "variants"}
    for arguments in suggestions:
        if arguments[0] == "serve":
            with served(bowerbird.folder / "results" / "bowerbird.db", *arguments[1:]) as server:
                assert server.get("/").status == 200
        elif arguments[0] != "match":
            bowerbird.done(*arguments)


@pytest.mark.long
def test_demo_without_node_plays_the_python_bots_and_says_so(bowerbird: Bowerbird) -> None:
    tools = bowerbird.folder / "tools"
    tools.mkdir()
    for tool in ("sh", "env", "git"):
        found = shutil.which(tool)
        if found is not None:
            (tools / tool).symlink_to(found)
    done = bowerbird.run(COMMAND, "demo", "--json", "--db", "mine/demo.db", PATH=str(tools))
    assert done.returncode == 0, done.stderr
    assert "node and npm are not installed" in done.stderr
    assert '"greedy"' in done.stdout
    assert '"node-random"' not in done.stdout
    assert (bowerbird.folder / "mine" / "demo.db").is_file()
    assert os.listdir(bowerbird.folder / "mine")


@pytest.mark.long  # two whole demos
def test_demo_run_twice_makes_two_runs(bowerbird: Bowerbird) -> None:
    for _ in range(2):
        bowerbird.done("demo", "--quiet")
    assert len(bowerbird.json("runs")) == 2
