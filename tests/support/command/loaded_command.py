"""The `bowerbird` command as a process that begins at once: a process that has loaded it forks itself for each.

A start costs half a second of the processor, and one where bots are rated: Python, numpy, and a thousand modules.
Hundreds of tests start the command only to have a run, or to read a screen. A fork is a process of its own with its own
folder, environment, standard streams and signals; only the start of the interpreter is not tested. Tests of the start,
of a terminal, of signals and of the installed wheel execute the program.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import resource
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from tests.support.paths import ROOT

LOADED = (
    "bowerbird.harness.cli.display.standings",
    "bowerbird.harness.cli.shared.recording",
    "bowerbird.harness.cli.tournament_run",
    "bowerbird.harness.extras.signatures.vouching",
    "bowerbird.harness.extras.watch.service",
    "bowerbird.harness.ratings.bradley_terry.contrasts",
    "bowerbird.harness.ratings.bradley_terry.linking",
    "bowerbird.harness.ratings.bradley_terry.maximum",
    "bowerbird.harness.ratings.clustered_ratios",
    "bowerbird.harness.ratings.distributions",
    "bowerbird.harness.ratings.standings.rating_list",
    "bowerbird.harness.records.store.writer",
    "bowerbird.harness.records.verify.verification",
    "bowerbird.harness.referee.connection.link",
    "bowerbird.harness.referee.referee",
    "bowerbird.harness.report.report_page",
    "bowerbird.harness.tournament.played_so_far",
    "bowerbird.harness.tournament.playing.run_watch",
    "bowerbird.harness.tournament.playing.runner",
    "grpc._server",
    "rich.progress",
)
"""What most commands load in the end."""

MOST_BYTES = 2**20
"""The arguments and the environment of a command."""

ID_BYTES = 64
"""More than a process's id and its exit code."""

OF_THE_TEST = frozenset({"PYTEST_CURRENT_TEST"})
"""Variables that differ from test to test, and that no command reads."""


class LoadedCommand:
    """The process in which the command is loaded, and its forks."""

    def __init__(self, script: Path) -> None:
        """Start the process; `script` is the installed command."""
        self._script = str(script)
        self._inherited = _inherited()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            words = [sys.executable, "-m", __name__, self._script, str(theirs.fileno())]
            self._process = subprocess.Popen(
                words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
            )
        atexit.register(self._close)

    def _close(self) -> None:
        self._control.close()
        self._process.wait()

    def is_current(self) -> bool:
        """Return whether a program that the tests start now inherits the same as this one did."""
        return self._inherited == _inherited()

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run the command with nothing on its standard input, and wait for its end; accept any exit code."""
        request = json.dumps([arguments, str(folder), dict(environment)]).encode()
        pipes = [os.pipe() for _ in range(3)]
        try:
            socket.send_fds(self._control, [request], [write for _, write in pipes])
        finally:
            for _, write in pipes:
                os.close(write)
        command = [self._script, *arguments]
        out, error, status = (read for read, _ in pipes)
        pid, _, code = os.read(status, ID_BYTES).partition(b" ")
        assert pid, f"the process that forks {command} is gone"
        try:
            found = _read((out, error, status), time.monotonic() + timeout_s)
            if found is None:
                raise subprocess.TimeoutExpired(command, timeout_s)
        except BaseException:
            with suppress(ProcessLookupError):  # it has ended, but a process that it started has not
                os.kill(int(pid), signal.SIGKILL)
            raise
        finally:
            for pipe in (out, error, status):
                os.close(pipe)
        return subprocess.CompletedProcess(command, int(code + found[2]), _text(found[0]), _text(found[1]))


@cache
def loaded_command(script: Path) -> LoadedCommand | None:
    """Return the command of this process of tests, loaded once; None where processes do not fork well."""
    return LoadedCommand(script) if sys.platform == "linux" else None


def _inherited() -> object:
    """Return what a program gets from the process that starts it, and may read or notice as it starts."""
    variables = {name: value for name, value in os.environ.items() if name not in OF_THE_TEST}
    return variables, os.sched_getaffinity(0), resource.getrlimit(resource.RLIMIT_NOFILE)


def _text(data: bytes) -> str:
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")


def _read(pipes: Sequence[int], until: float) -> list[bytes] | None:
    """Return what comes from pipes up to their ends; None if they have not ended by a time of the monotonic clock."""
    found = {pipe: bytearray() for pipe in pipes}
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            if time.monotonic() > until:
                return None
            for key, _ in selector.select(max(until - time.monotonic(), 0)):
                data = os.read(key.fd, 65536)
                found[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
    return [bytes(found[pipe]) for pipe in pipes]


def _serve(script: str, control: socket.socket) -> None:
    """Fork a command for each request until the tests close the socket. Returns in no fork: they end by SystemExit."""
    while True:
        request, pipes, _, _ = socket.recv_fds(control, MOST_BYTES, 3)
        while _reaped():
            pass
        if not request:
            break
        if os.fork() == 0:
            control.close()
            _wait_for(script, json.loads(request), pipes)
            raise AssertionError("the script of a command ends by SystemExit")
        for pipe in pipes:
            os.close(pipe)
    while _reaped(0):
        pass


def _reaped(options: int = os.WNOHANG) -> bool:
    """Take note of the end of a process that waited for a command, so that its time counts."""
    try:
        return os.waitpid(-1, options)[0] != 0
    except ChildProcessError:
        return False


def _wait_for(script: str, request: tuple[list[str], str, dict[str, str]], pipes: Sequence[int]) -> None:
    """Fork the command itself; in this process, write its id and its exit code to the last pipe, and end."""
    *streams, status = pipes
    pid = os.fork()
    if pid == 0:
        os.close(status)
        _become(script, request, streams)
        return
    for stream in streams:
        os.close(stream)
    os.write(status, f"{pid} ".encode())
    _, ended = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):  # the tests have killed it and moved on
        os.write(status, str(os.waitstatus_to_exitcode(ended)).encode())
    os._exit(0)


def _become(script: str, request: tuple[list[str], str, dict[str, str]], streams: Sequence[int]) -> None:
    """Run the installed script in this process, as if it had just been executed."""
    arguments, folder, environment = request
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
        os.close(stream)
    out, error = (io.BufferedWriter(io.FileIO(number, "w", closefd=False)) for number in (1, 2))
    sys.stdout = io.TextIOWrapper(out)
    sys.stderr = io.TextIOWrapper(error, errors="backslashreplace", line_buffering=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [script, *arguments]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        _end(ended.code)


def _end(code: object) -> NoReturn:
    """End as Python does, but without clearing all modules, which would copy the memory that forks share."""
    assert isinstance(code, int), code
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python does
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _load() -> None:
    """Load the command and what it needs, and make sure that nothing runs beside it."""
    from bowerbird.harness.process_settings import configure_grpc, configure_linear_algebra

    configure_grpc()
    configure_linear_algebra()
    from bowerbird.engine import rules_of, variant_names
    from bowerbird.harness.cli.main import commands, module_of

    for variant in variant_names():
        rules_of(variant).rules()
    for name in (*map(module_of, commands()), *LOADED):
        import_module(name)
    assert len(os.listdir("/proc/self/task")) == 1, "a thread would not be there in a fork"
    gc.freeze()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is meant for the tests, which close the socket
    sys.path[0] = os.path.dirname(sys.argv[1])
    _load()
    _serve(sys.argv[1], socket.socket(fileno=int(sys.argv[2])))
