"""The command on a terminal of its own, as a person at the keys has it."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bowerbird_command import COMMAND, DEADLINE_S, Bowerbird

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, descriptor: int, process: subprocess.Popen[bytes]) -> None:
        self.descriptor = descriptor
        self.process = process

    def press(self, keys: str, until: str) -> str:
        """Press keys and wait for the screen that says `until`; that screen, without colours."""
        os.write(self.descriptor, keys.encode())
        return self.wait(until)

    def wait(self, until: str) -> str:
        """Wait for a whole screen on which `until` stands."""
        shown, deadline = "", time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self.descriptor], [], [], 0.5)
            if ready:
                shown += os.read(self.descriptor, 65536).decode()
                screen = ESCAPES.sub("", shown.split("\x1b[2J")[-1])
                if until in screen and "q quit" in screen:
                    return screen
        raise AssertionError(f"{until!r} was not shown but {shown!r}")

    def rest(self) -> str:
        """All that is shown until the command ends, without colours."""
        shown = bytearray()
        while chunk := self._read():
            shown += chunk
        return ESCAPES.sub("", shown.decode())

    def _read(self) -> bytes:
        """The next piece; nothing once the other side is closed (Linux says so with an error)."""
        ready, _, _ = select.select([self.descriptor], [], [], DEADLINE_S)
        try:
            return os.read(self.descriptor, 4096) if ready else b""
        except OSError:
            return b""


@contextmanager
def on_terminal(bowerbird: Bowerbird, *arguments: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    environment = {**bowerbird.environment(), "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    # "setsid --ctty" makes it the controlling terminal, whose Ctrl-C is a signal
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
