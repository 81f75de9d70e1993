"""What there is to go on with, and readers that go away (CLI.md). Ctrl-C is a row of the fault matrix: tests/faults."""

from __future__ import annotations

import shlex
import subprocess

from bowerbird_command import COMMAND, DEADLINE_S, Bowerbird

ONE_SET = """
[tournament]
sets = 1
[[variant]]
name = "euchre"
"""


def test_nothing_to_resume_is_said(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")
    file = bowerbird.tournament(ONE_SET, *bots)
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
