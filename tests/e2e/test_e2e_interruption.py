"""Nothing to resume, and readers that go away (commands.md, Exit codes). Ctrl-C: faults.md row 28."""

from __future__ import annotations

from tests.support.command.bowerbird_command import COMMAND, Bowerbird

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
    shown = bowerbird.run("sh", "-c", '"$1" variants buck --json | head -n 1', "sh", COMMAND)
    assert shown.stdout == "{\n"
    assert shown.stderr == ""
