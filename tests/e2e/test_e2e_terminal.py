"""Output that a person sees at a terminal and a pipe does not get (commands.md, Output)."""

from __future__ import annotations

import os
import pty
import subprocess

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.terminal import read_piece
from tests.support.deadline import DEADLINE_S

ESCAPE = "\x1b["


def _on_terminal(bowerbird: Bowerbird, *arguments: str) -> tuple[str, str]:
    """Run the command with standard error on a terminal; return its standard output and the terminal's text."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, *arguments],
        cwd=bowerbird.folder,
        env={**bowerbird.environment(), "TERM": "xterm", "COLUMNS": "120"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = bytearray()
        while chunk := read_piece(ours):
            shown += chunk
        os.close(ours)
        out, _ = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0, shown.decode()
    return out.decode(), shown.decode()


def _match(bowerbird: Bowerbird) -> list[str]:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")
    return ["match", *map(str, bots), "--variant", "euchre", "--deals", "--sets", "2", "--db", "x.db"]


def test_terminal_gets_a_bar_and_standard_output_none_of_it(bowerbird: Bowerbird) -> None:
    out, shown = _on_terminal(bowerbird, *_match(bowerbird))
    assert ESCAPE in shown
    assert "4/4" in shown
    assert "sha256:" in shown, "the commitment stays on the screen"
    assert ESCAPE not in out
    assert "Elo: " in out


def test_pipe_gets_plain_lines(bowerbird: Bowerbird) -> None:
    done = bowerbird(*_match(bowerbird))
    assert done.returncode == 0, done.stderr
    assert ESCAPE not in done.stderr + done.stdout
    assert "2 of 2 deal sets" in done.stderr


def test_quiet_says_nothing_but_the_result(bowerbird: Bowerbird) -> None:
    out, shown = _on_terminal(bowerbird, *_match(bowerbird), "--quiet")
    assert shown == ""
    assert "Elo: " in out
