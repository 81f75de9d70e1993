"""A scripted person: plays a whole game of `bowerbird play` on a pseudo-terminal, guided by the screen."""

from __future__ import annotations

import os
import pty
import random
import re
import signal
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import ioctl

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.terminal import ESCAPES, read_piece
from tests.support.deadline import DEADLINE_S

PROMPT = "> "
_CHOICE = re.compile(r"(?:^ {2}| {3}|^(?=\d+:))(\d+):? \S", re.MULTILINE)


class Person:
    """The command on a pseudo-terminal of its own, with what it has shown so far."""

    def __init__(self, descriptor: int, process: subprocess.Popen[bytes]) -> None:
        self.descriptor = descriptor
        self.process = process
        self.shown = ""

    def screen(self) -> str:
        """Wait for the next prompt; return what was shown since the last one, without colours."""
        seen = self._until(lambda text: text.endswith(PROMPT))
        assert seen.endswith(PROMPT), f"the game asked nothing more: {seen[-2000:]}"
        return seen

    def rest(self) -> str:
        """Return what is shown until the command ends."""
        return self._until(lambda _: False)

    def _until(self, is_there: Callable[[str], bool]) -> str:
        raw = b""
        while piece := read_piece(self.descriptor):
            raw += piece
            text = ESCAPES.sub("", raw.decode(errors="ignore")).replace("\r\n", "\n")
            if is_there(text):
                break
        text = ESCAPES.sub("", raw.decode(errors="ignore")).replace("\r\n", "\n")
        self.shown += text
        return text

    def type(self, line: str) -> None:
        """Type a line and Enter."""
        os.write(self.descriptor, f"{line}\n".encode())

    def press(self, key: bytes) -> None:
        """Press a key, such as Ctrl-C."""
        os.write(self.descriptor, key)

    def play_out(self, rng: random.Random, screen: str = "", most: int = 2000) -> str:
        """Choose at random until the game is over; return the last screen, which offers another game.

        screen: the one that is already shown; "" to wait for it.
        """
        screen = screen or self.screen()
        for _ in range(most):
            if "a new game" in screen:
                return screen
            self.type(str(rng.choice(choices(screen))))
            screen = self.screen()
        raise AssertionError(f"the game is not over after {most} choices")


def choices(screen: str) -> list[int]:
    """Return the numbers of the choices that a screen offers."""
    question = screen.rpartition("?\n")[2]
    found = [int(number) for number in _CHOICE.findall(question)]
    assert found == list(range(1, len(found) + 1)), f"choices are numbered from 1: {screen}"
    assert found, f"a question has choices: {screen}"
    return found


@contextmanager
def person(bowerbird: Bowerbird, *arguments: str, columns: int = 80, **environment: str) -> Iterator[Person]:
    """Start `bowerbird play` on a terminal with this many columns; 0 for a terminal that does not tell its size."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))
    # "setsid --ctty" makes it the controlling terminal: its Ctrl-C is a signal
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", COMMAND, "play", *arguments],
        cwd=bowerbird.folder,
        env={**bowerbird.environment(), "TERM": "xterm", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield Person(ours, process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(DEADLINE_S)
        os.close(ours)
