"""The command on a pseudo-terminal, as a person uses it."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal:
    """The command on a pseudo-terminal of its own."""

    def __init__(self, descriptor: int, process: subprocess.Popen[bytes]) -> None:
        self.descriptor = descriptor
        self.process = process

    def press(self, keys: str, until: str) -> str:
        """Press keys and wait for a screen that holds `until`; return that screen without colours."""
        os.write(self.descriptor, keys.encode())
        return self.wait(until)

    def wait(self, until: str) -> str:
        """Wait for a whole screen that holds `until`; return it without colours."""
        return ESCAPES.sub("", self.coloured(until))

    def coloured(self, until: str) -> str:
        """Wait for a whole screen that holds `until`; return it with the escape sequences of its colours."""
        shown = bytearray()
        while chunk := read_piece(self.descriptor):
            shown += chunk
            screen = shown.decode(errors="replace").split("\x1b[2J")[-1]
            if until in (words := ESCAPES.sub("", screen)) and "q quit" in words:
                return screen
        raise AssertionError(f"{until!r} was not shown but {shown.decode(errors='replace')!r}")

    def rest(self) -> str:
        """Return what is shown until the command ends, without colours."""
        shown = bytearray()
        while chunk := read_piece(self.descriptor):
            shown += chunk
        return ESCAPES.sub("", shown.decode())


def read_piece(descriptor: int) -> bytes:
    """Return the next piece of output; empty once the other side is closed, which Linux reports as an error."""
    ready, _, _ = select.select([descriptor], [], [], DEADLINE_S)
    assert ready, "the terminal shows nothing more, and is still open"
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


@contextmanager
def on_terminal(bowerbird: Bowerbird, *arguments: str, columns: int = 120) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    environment = {**bowerbird.environment(), "TERM": "xterm", "COLUMNS": str(columns), "LINES": "40"}
    # "setsid --ctty" makes it the controlling terminal: its Ctrl-C is a signal
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", COMMAND, *arguments],
        cwd=bowerbird.folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.wait(DEADLINE_S)
        os.close(ours)
