"""`bowerbird host` as a process, remote bots as other processes, and a network between them that can be cut."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.command.bowerbird_command import MARK, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

PYTHON = sys.executable


class HostProcess:
    """A process that hosts remote bots. Keeps what it writes to stderr."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def until(self, words: str) -> str:
        """Wait for the next line on stderr that holds these words; return the line."""
        while (line := self._next_line(words)) is not None:
            if words in line:
                return line
        raise AssertionError(f"never said {words!r}: {self.said}")

    def _next_line(self, awaited: str) -> str | None:
        """Return the next line on stderr and keep it; None at the end of stderr."""
        try:
            line = self._lines.get(timeout=DEADLINE_S)
        except queue.Empty:
            raise AssertionError(f"said nothing for {DEADLINE_S} s before {awaited!r}: {self.said}") from None
        if line is not None:
            self.said.append(line)
        return line

    def interrupt(self) -> None:
        """Send Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def ended(self, code: int = 0, timeout_s: float = DEADLINE_S) -> str:
        """Wait until the host ends with this exit code; return its standard output."""
        self.process.wait(timeout=timeout_s)  # a small tournament's standings fit into a pipe
        assert self.process.stdout is not None
        shown = self.process.stdout.read()
        while self._next_line("the end of its messages") is not None:
            pass
        assert self.process.returncode == code, f"exit code {self.process.returncode}: {self.said}"
        return shown

    def close(self) -> None:
        """Kill the host if it still runs, and close its pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=DEADLINE_S)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


class Hosted(HostProcess):
    """A `bowerbird host` process that listens on this machine."""

    def __init__(self, command: Bowerbird, *arguments: str | Path) -> None:
        self.command = command
        super().__init__(command.start("host", *arguments, "--listen", "127.0.0.1:0", "--db", "x.db"))

    def until_invited(self) -> None:
        """Wait until all invitations are printed. Their files are written earlier."""
        self.until("BOWERBIRD_CA")

    def invitation(self, bot: str, token: int = 0) -> dict[str, str]:
        """Return the environment that a bot's author sets; `token` is 0 for the first token, 1 for the spare one."""
        [file] = (self.command.folder / "invitations").glob(f"*/{bot}.env")
        lines = file.read_text().splitlines()
        found = dict(line.split("=", 1) for line in lines if line.startswith("BOWERBIRD_"))
        tokens = [line.split("=", 1)[1] for line in lines if "BOWERBIRD_TOKEN=" in line]
        found["BOWERBIRD_TOKEN"] = tokens[token]
        found["BOWERBIRD_CA"] = str(file.with_name(found["BOWERBIRD_CA"]))
        return found


@contextmanager
def hosted(command: Bowerbird, *arguments: str | Path) -> Iterator[Hosted]:
    """Start a host; end it on leaving."""
    host = Hosted(command, *arguments)
    try:
        yield host
    finally:
        host.close()


class RemoteBot:
    """A bot process that is given nothing but its invitation."""

    def __init__(self, command: Sequence[str], invitation: Mapping[str, str], mark: str, cwd: Path = ROOT) -> None:
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), MARK: mark, **invitation}
        self.process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def ended(self) -> tuple[int, str]:
        """Wait until the bot ends; return its exit code and standard error."""
        _, said = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, said

    def kill(self) -> None:
        """Send SIGKILL and wait for the end."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=DEADLINE_S)


@contextmanager
def remote(
    host: Hosted, bot: str, *command: str, token: int = 0, cwd: Path = ROOT, **environment: str
) -> Iterator[RemoteBot]:
    """Start a remote bot, `bowerbird.bots.random` by default; kill it on leaving.

    `environment` overrides variables of its invitation; "" removes one.
    """
    invitation = {**host.invitation(bot, token), **environment}
    started = RemoteBot(
        command or (PYTHON, "-m", "bowerbird.bots.random"),
        {key: value for key, value in invitation.items() if value},
        host.command.mark,
        cwd,
    )
    try:
        yield started
    finally:
        started.kill()


class Network:
    """Forwards connections to a referee. Cuts each one after `cut_after` bytes from the referee.

    After a cut no connection gets through for `away_s` seconds. Data takes `delay_s` each way.
    """

    def __init__(self, target: str, cut_after: int, away_s: float = 0.0, delay_s: float = 0.0) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._cut_after = cut_after
        self._away_s = away_s
        self._delay_s = delay_s
        self._away_until = 0.0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.cuts = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed at the end of the test
            while True:
                bot, _ = self._listener.accept()
                if time.monotonic() < self._away_until:
                    bot.close()
                    continue
                try:
                    referee = socket.create_connection(self._target)
                except OSError:  # it is gone: a bot that comes back for a lost Goodbye must learn that
                    bot.close()
                    continue
                threading.Thread(target=self._carry, args=(bot, referee, sys.maxsize), daemon=True).start()
                threading.Thread(target=self._carry, args=(referee, bot, self._cut_after), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, room: int) -> None:
        with contextlib.suppress(OSError):  # the other direction was cut
            while room > 0 and (data := source.recv(4096)):
                time.sleep(self._delay_s)
                sink.sendall(data[:room])
                room -= len(data)
            if room <= 0:
                self.cuts += 1
                self._away_until = time.monotonic() + self._away_s
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        """Accept no further connections."""
        self._listener.close()


@contextmanager
def network(target: str, cut_after: int, away_s: float = 0.0, delay_s: float = 0.0) -> Iterator[Network]:
    """Open a network; close it on leaving."""
    made = Network(target, cut_after, away_s, delay_s)
    try:
        yield made
    finally:
        made.close()
