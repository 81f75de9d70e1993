"""faults.md, Launching: every row about a single process, with real processes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from bowerbird.harness.referee.isolation.launch import Launch, clean_environment
from bowerbird.harness.referee.process import supervisor
from bowerbird.harness.referee.process.freezer import CpuMeter
from bowerbird.harness.referee.process.output import LOG_LIMIT, TAIL_BYTES, OutputLog, Tail
from bowerbird.harness.referee.process.procfs import command_line_of
from bowerbird.harness.referee.process.supervisor import NotStartedError, Process, Supervisor, SupervisorLostError
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("processes")


class Bench:
    """A running supervisor, with a short way to start a piece of Python under it."""

    def __init__(self, lifeline: SupervisorHandle, launcher: Supervisor, nursery: trio.Nursery, folder: Path) -> None:
        self.lifeline = lifeline
        self.launcher = launcher
        self._nursery = nursery
        self._folder = folder

    async def run(self, *argv: str, env: dict[str, str] | None = None, folder: str = "") -> Process:
        environment = clean_environment({}, env or {})
        log = OutputLog(self._folder / "log")
        return await self.launcher.start(Launch(argv, self._folder / folder, environment), log, self._nursery)

    async def python(self, code: str, *arguments: str) -> Process:
        return await self.run(sys.executable, "-c", code, *arguments)


@asynccontextmanager
async def open_bench(folder: Path) -> AsyncIterator[Bench]:
    lifeline = SupervisorHandle.start()
    launcher = Supervisor(lifeline)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(launcher.run)
        try:
            yield Bench(lifeline, launcher, nursery, folder)
        finally:
            await launcher.close()
            nursery.cancel_scope.cancel()


@pytest.fixture
def bench(tmp_path: Path) -> AbstractAsyncContextManager[Bench]:
    return open_bench(tmp_path)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it ended before or while we read
        return False


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; the whole test has a deadline."""
    while not condition():
        await trio.sleep(0.005)


async def test_exit_status_is_told(bench: Bench) -> None:
    process = await bench.python("raise SystemExit(7)")
    await process.ended.wait()
    assert str(process.exit_status) == "exit status 7"


async def test_a_signal_is_told_by_name(bench: Bench) -> None:
    process = await bench.python("import signal; signal.pause()")
    await process.signal(signal.SIGKILL)
    await process.ended.wait()
    assert str(process.exit_status) == "signal 9 (SIGKILL)"


@pytest.mark.parametrize(
    ("program", "folder", "reason"),
    [
        ("/no/such/program", "", "No such file or directory"),
        ("./plain", "", "Permission denied"),
        ("true", "gone", "No such file or directory"),
    ],
)
async def test_what_cannot_be_started_is_refused_with_a_reason(
    bench: Bench, tmp_path: Path, program: str, folder: str, reason: str
) -> None:
    (tmp_path / "plain").write_text("not a program")
    with pytest.raises(NotStartedError) as refused:
        await bench.run(program, folder=folder)
    assert str(refused.value) == reason


async def test_the_environment_is_exactly_what_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_REFEREE", "1")
    async with open_bench(tmp_path) as bench:
        code = "import os; print(sorted(os.environ))"
        process = await bench.run(sys.executable, "-c", code, env={"BOWERBIRD_TOKEN": "t"})
        await process.ended.wait()
        await until(lambda: "\n" in process.stdout.text)
        assert set(eval(process.stdout.text)) - {"LC_CTYPE"} == {"PATH", "LANG", "BOWERBIRD_TOKEN"}


async def test_standard_input_is_empty(bench: Bench) -> None:
    process = await bench.python("import sys; raise SystemExit(len(sys.stdin.read()))")
    await process.ended.wait()
    assert str(process.exit_status) == "exit status 0"


async def test_no_descriptor_of_the_referee_is_inherited(bench: Bench) -> None:
    process = await bench.python("import os; print(sorted(os.listdir('/proc/self/fd'))[:9])")
    await process.ended.wait()
    await until(lambda: "\n" in process.stdout.text)
    assert eval(process.stdout.text) == ["0", "1", "2", "3"], "3 is the folder that is being listed"


async def test_a_flood_of_output_is_drained_and_its_tail_kept(bench: Bench) -> None:
    """faults.md row 18. Here 8 MiB; the rate is bounded, not the amount."""
    flood = "import sys\nfor _ in range(128): sys.stdout.write('x' * 65536)\n"
    process = await bench.python(flood + "print('the end')\nsys.stderr.write('e' * 9)")
    await process.ended.wait()
    assert str(process.exit_status) == "exit status 0"
    await until(lambda: process.stdout.text.endswith("the end\n"))
    assert len(process.stdout.text) == TAIL_BYTES
    assert process.stderr.text == "e" * 9
    size = process.log.path.stat().st_size
    assert LOG_LIMIT < size < LOG_LIMIT + 100, f"the log is bounded, not {size} bytes"


async def test_a_process_that_ignores_sigterm_is_killed(bench: Bench) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"
    process = await bench.python(code)
    await until(lambda: "deaf" in process.stdout.text)
    await process.end(patience_s=0)
    assert str(process.exit_status) == "signal 9 (SIGKILL)"


async def test_a_stopped_process_is_killed(bench: Bench) -> None:
    process = await bench.python("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)")
    await process.end(patience_s=0)
    assert process.exit_status is not None
    assert process.exit_status.status < 0


async def test_a_child_left_in_the_group_dies_with_the_bot(bench: Bench) -> None:
    code = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); raise SystemExit(0)"
    process = await bench.python(code)
    await process.ended.wait()
    await until(lambda: "\n" in process.stdout.text)
    child = int(process.stdout.text)
    await until(lambda: not is_running(child))
    assert process.left_running == ("sleep 600",)


async def test_only_the_bot_that_left_a_process_is_told_of_it(bench: Bench) -> None:
    """protocol.md, The order of messages: a bot that exits leaves no child."""
    leaver = await bench.run("/bin/sh", "-c", "setsid sleep 601 & exit 3")
    await leaver.ended.wait()
    clean = await bench.run("/bin/sh", "-c", "sleep 0.01")
    await clean.ended.wait()
    assert len(leaver.left_running) == 1, "what is left may not have become `sleep` yet, but it is there"
    assert clean.left_running == ()


def test_a_living_process_without_a_command_line_has_the_name_of_its_program_and_an_ended_one_has_none() -> None:
    """A process that a bot left has no command line for a moment, while it starts its program."""
    pipe = subprocess.PIPE
    with subprocess.Popen([""], executable="/bin/cat", bufsize=0, stdin=pipe, stdout=pipe) as cat:
        assert cat.stdin is not None
        assert cat.stdout is not None
        cat.stdin.write(b"?")
        assert cat.stdout.read(1) == b"?", "it runs"
        assert command_line_of(cat.pid) == "cat"
        cat.stdin.close()
        os.waitid(os.P_PID, cat.pid, os.WEXITED | os.WNOWAIT)
        assert command_line_of(cat.pid) == ""


READY_FILE = "import os, pathlib, signal; pathlib.Path('pid').write_text(f'{os.getpid()}\\n'); signal.pause()"
"""Writes its pid and a newline into the file `pid` of its folder, and waits."""


def launch_of(folder: Path, *argv: str) -> tuple[Launch, OutputLog]:
    return Launch(argv, folder, clean_environment({}, {})), OutputLog(folder / "log")


async def pid_in(folder: Path) -> int:
    """Wait until READY_FILE runs in this folder; return its pid."""
    file = folder / "pid"
    await until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())


@asynccontextmanager
async def unheard_launcher(lifeline: SupervisorHandle) -> AsyncIterator[tuple[Supervisor, trio.Nursery]]:
    """Take over a supervisor whose reports nobody reads until the test starts `run`."""
    launcher = Supervisor(lifeline)
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:
            try:
                yield launcher, nursery
            finally:
                await launcher.close()
                nursery.cancel_scope.cancel()


async def test_a_process_whose_start_is_cancelled_is_killed(tmp_path: Path) -> None:
    """It is already running, but the referee has not heard of that yet."""
    async with unheard_launcher(SupervisorHandle.start()) as (launcher, nursery):
        start = trio.CancelScope()

        async def begin() -> None:
            with start:
                await launcher.start(*launch_of(tmp_path, sys.executable, "-c", READY_FILE), nursery)

        nursery.start_soon(begin)
        pid = await pid_in(tmp_path)
        start.cancel()
        nursery.start_soon(launcher.run)
        await until(lambda: not is_running(pid))


async def test_a_process_that_nobody_takes_over_is_killed(tmp_path: Path) -> None:
    lifeline = SupervisorHandle.start()
    request = lifeline.request_start(*launch_of(tmp_path, sys.executable, "-c", READY_FILE))
    async with unheard_launcher(lifeline) as (launcher, nursery):
        pid = await pid_in(tmp_path)
        await launcher.drop(request)
        nursery.start_soon(launcher.run)
        await until(lambda: not is_running(pid))


async def test_a_start_that_is_cancelled_half_sent_leaves_the_launcher_usable(bench: Bench) -> None:
    start, is_over = trio.CancelScope(), trio.Event()

    async def begin() -> None:
        with start:
            await bench.run("/bin/true", *["x" * 1000] * 4000)
        is_over.set()

    os.kill(bench.lifeline.pid, signal.SIGSTOP)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(begin)
            await trio.testing.wait_all_tasks_blocked()
            start.cancel()
            await trio.testing.wait_all_tasks_blocked()
            os.kill(bench.lifeline.pid, signal.SIGCONT)
            await is_over.wait()
    finally:
        os.kill(bench.lifeline.pid, signal.SIGCONT)
    process = await bench.python("raise SystemExit(7)")
    await process.ended.wait()
    assert str(process.exit_status) == "exit status 7"


async def test_a_process_whose_group_cannot_be_opened_is_refused_and_killed(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(supervisor, "CpuMeter", lambda pid, file: refuse() if pid else CpuMeter(0, ""))
    with pytest.raises(NotStartedError, match="its control group cannot be used: Too many open files"):
        await bench.python("import signal; signal.pause()")
    await until(lambda: not bench.launcher._processes)


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
time.sleep(600)
"""


async def test_a_double_fork_with_its_own_session_is_gone_when_the_launcher_closes(tmp_path: Path) -> None:
    """faults.md row 16: such a child survives killpg, but the subreaper finds it."""
    found: list[int] = []
    async with open_bench(tmp_path) as bench:
        process = await bench.python(DAEMON)
        await until(lambda: "\n" in process.stdout.text)
        found.append(int(process.stdout.text))
        await process.end(patience_s=0)
        assert is_running(found[0]), "if this fails the test has lost its point"
    assert not is_running(found[0])


REFEREE = """
import sys, trio
from pathlib import Path
from bowerbird.harness.referee.isolation.launch import Launch
from bowerbird.harness.referee.process.supervisor import Supervisor
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from bowerbird.harness.referee.process.output import OutputLog

async def main():
    supervisor = Supervisor(SupervisorHandle.start())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(supervisor.run)
        launch = Launch((sys.executable, "-c", sys.argv[1]), Path("."), {})
        started = [
            await supervisor.start(launch, OutputLog(Path("log")), nursery)
            for _ in range(3)
        ]
        print(*[process.pid for process in started], flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


def test_kill_9_of_the_referee_leaves_no_process(tmp_path: Path) -> None:
    """faults.md row 21."""
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
    with subprocess.Popen(
        [sys.executable, "-c", REFEREE, code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as referee:
        assert referee.stdout is not None
        bots = [int(word) for word in referee.stdout.readline().split()]
        assert len(bots) == 3
        referee.kill()
    deadline = time.monotonic() + DEADLINE_S
    while any(is_running(bot) for bot in bots) and time.monotonic() < deadline:
        os.sched_yield()
    assert not [bot for bot in bots if is_running(bot)]


async def test_a_launcher_that_is_gone_is_an_error_of_ours(tmp_path: Path) -> None:
    bots: list[int] = []
    folders: list[Path] = []

    async def lose_the_launcher() -> None:
        async with open_bench(tmp_path) as bench:
            bots.append((await bench.python("import signal; signal.pause()")).pid)
            folders.append(bench.lifeline.folder)
            bench.lifeline._process.kill()
            await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as raised:
        await lose_the_launcher()
    assert raised.group_contains(SupervisorLostError)
    deadline = time.monotonic() + DEADLINE_S
    while is_running(bots[0]) and time.monotonic() < deadline:
        os.sched_yield()
    assert not is_running(bots[0]), "the referee ends what the launcher left running"
    assert not folders[0].exists(), "nor is a folder left"


async def test_the_folder_of_sockets_is_removed_at_the_end(tmp_path: Path) -> None:
    folders: list[Path] = []
    async with open_bench(tmp_path) as bench:
        folders.append(bench.lifeline.folder)
        (bench.lifeline.folder / "1").touch()
    assert not folders[0].exists()


def test_a_launcher_that_nobody_has_taken_over_ends_with_its_context() -> None:
    """A command that fails between starting it and opening a referee leaves no process behind."""
    with SupervisorHandle.start() as lifeline:
        assert lifeline.folder.is_dir()
    assert lifeline._process.returncode == 0
    assert not lifeline.folder.exists()


def test_a_tail_keeps_the_last_64_kib() -> None:
    tail = Tail()
    for _ in range(5):
        tail.add(b"a" * TAIL_BYTES)
    tail.add(b"end")
    assert len(tail.text) == TAIL_BYTES
    assert tail.text.endswith("aend")
