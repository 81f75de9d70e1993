"""One process of a foreign program, and the lines to and from it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence

from bowerbird.bots.bridge.messages import MAX_ANSWER_BYTES, EndedError, LateError, encoded
from bowerbird.sdk import BotFailedError

WORDS_BYTES = 2048
"""How much of the program's last stderr output a sentence can quote."""

EXIT_S = 0.5
"""How long a program that has closed its stdout may take to exit, so that its status is known."""

CHUNK = 65536
STDERR = 2


class Program:
    """A running program, in its own process group. Its stderr goes to the bridge's, where the referee reads it.

    Use it in one thread. Another thread drains stderr.
    """

    who = "the program"

    def __init__(self, command: Sequence[str]) -> None:
        """Start the program. Raises BotFailedError if there is none of this name or it cannot be run."""
        found = _resolved(command[0])
        try:
            self._process = subprocess.Popen(
                [found, *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                process_group=0,
                bufsize=0,
            )
        except OSError as error:
            raise BotFailedError(f"the program {command[0]!r} cannot be started: {error.strerror}") from None
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in pipes if pipe is not None)
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._received = bytearray()
        self._words = bytearray()
        self._drain = threading.Thread(target=self._drain_stderr, daemon=True)
        self._drain.start()

    def ask(self, message: Mapping[str, object], deadline: float, warn_at: float, warning: str) -> bytes:
        """Send a message and return the next line. Raises BotFailedError, EndedError or LateError."""
        self._send(message, deadline)
        is_warned = not warning
        while b"\n" not in self._received:
            if len(self._received) > MAX_ANSWER_BYTES:
                raise BotFailedError(f"the program wrote a line of more than {MAX_ANSWER_BYTES:,} bytes")
            try:
                self._receive(deadline if is_warned else min(warn_at, deadline))
            except LateError:
                if is_warned:
                    raise
                is_warned = True
                sys.stderr.write(f"{warning}\n")
                sys.stderr.flush()
        line, _, rest = self._received.partition(b"\n")
        if len(line) > MAX_ANSWER_BYTES:
            raise BotFailedError(f"the program wrote a line of more than {MAX_ANSWER_BYTES:,} bytes")
        self._received = bytearray(rest)
        return bytes(line)

    def tell(self, message: Mapping[str, object], deadline: float) -> None:
        """Send a message. Raises EndedError, or BotFailedError if the program does not read it."""
        try:
            self._send(message, deadline)
        except LateError:
            raise BotFailedError("the program does not read its stdin") from None

    def close(self, deadline: float) -> None:
        """Close the program's stdin, which asks it to end. At `deadline`, kill the rest of its process group."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # then it is killed with its group
            self._process.wait(max(0.0, deadline - time.monotonic()))
        self._kill_group()
        self._process.wait()
        self._drain.join(EXIT_S)

    def _send(self, message: Mapping[str, object], deadline: float) -> None:
        rest = memoryview(encoded(message) + b"\n")
        while rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self._stdin], [], left)[1]:
                raise LateError
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise self._ended("closed its stdin") from None

    def _receive(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._stdout], [], [], left)[0]:
            raise LateError
        data = os.read(self._stdout, CHUNK)
        if not data:
            raise self._ended("closed its stdout")
        self._received += data

    def _ended(self, otherwise: str) -> Exception:
        """Return the error for a program that has ended, or for one that is alive but failed in the way `otherwise`."""
        try:
            status = self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            return BotFailedError(f"the program lives, but {otherwise}")
        self._kill_group()  # processes that it left behind may keep its stderr open
        self._drain.join(EXIT_S)
        how = f"exited with status {status}" if status >= 0 else f"was killed by {_signal_name(-status)}"
        lines = self._words.decode("utf-8", "replace").strip().splitlines()
        said = f"; its last line was {lines[-1][:200]!a}" if lines else ""
        return EndedError(f"the program {how}{said}", status)

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # the group is already gone
            os.killpg(self._process.pid, signal.SIGKILL)

    def _drain_stderr(self) -> None:
        """Pass on the program's stderr, and keep the end of it."""
        while True:
            try:
                data = os.read(self._stderr, CHUNK)
                if not data:
                    return
                self._words = (self._words + data)[-WORDS_BYTES:]
                while data:
                    data = data[os.write(STDERR, data) :]
            except OSError:
                return


def _resolved(program: str) -> str:
    """Return a name with a slash, or of a file in the working folder, as a path, and other names unchanged."""
    return os.path.abspath(program) if "/" in program else program


def _environment() -> dict[str, str]:
    """Return the environment without the referee's variables, so that the program cannot take the bridge's place."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BOWERBIRD_")}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
