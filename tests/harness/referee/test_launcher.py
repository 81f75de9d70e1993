"""FAULTS.md, Launching: every row that concerns a process alone, with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from harness.referee.isolation import Launch, clean_environment
from harness.referee.launcher import TAIL, Launcher, LauncherLostError, NotStartedError, Process, Tail
from harness.referee.lifeline import Lifeline
from harness.referee.log import LOG_LIMIT, Log

LIMIT_S = 30


class Bench:
    """A launcher at work, and a short way to start a piece of Python under it."""

    def __init__(self, lifeline: Lifeline, launcher: Launcher, nursery: trio.Nursery, folder: Path) -> None:
        self.lifeline = lifeline
        self.launcher = launcher
        self._nursery = nursery
        self._folder = folder

    async def run(self, *argv: str, env: dict[str, str] | None = None, folder: str = "") -> Process:
        environment = clean_environment({}, env or {})
        log = Log(self._folder / "log")
        return await self.launcher.start(Launch(argv, self._folder / folder, environment), log, self._nursery)

    async def python(self, code: str, *arguments: str) -> Process:
        return await self.run(sys.executable, "-c", code, *arguments)


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    lifeline = Lifeline.start()
    launcher = Launcher(lifeline)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(launcher.run)
        try:
            yield Bench(lifeline, launcher, nursery, folder)
        finally:
            await launcher.close()
            nursery.cancel_scope.cancel()


def with_bench(folder: Path, body: Callable[[Bench], object]) -> None:
    async def main() -> None:
        with trio.fail_after(LIMIT_S):
            async with bench(folder) as made:
                await body(made)  # type: ignore[misc]  # every body here is an async function

    trio.run(main)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # it is gone, before or while we read
        return False


async def until(condition: Callable[[], bool]) -> None:
    """Wait for the world; the whole test has a deadline."""
    while not condition():
        await trio.sleep(0.005)


def test_exit_status_is_told(tmp_path):
    async def body(made: Bench) -> None:
        process = await made.python("raise SystemExit(7)")
        await process.ended.wait()
        assert str(process.how) == "exit status 7"

    with_bench(tmp_path, body)


def test_a_signal_is_told_by_name(tmp_path):
    async def body(made: Bench) -> None:
        process = await made.python("import signal; signal.pause()")
        await process.signal(signal.SIGKILL)
        await process.ended.wait()
        assert str(process.how) == "signal 9 (SIGKILL)"

    with_bench(tmp_path, body)


@pytest.mark.parametrize(
    ("program", "folder", "reason"),
    [
        ("/no/such/program", "", "No such file or directory"),
        ("./plain", "", "Permission denied"),
        ("true", "gone", "No such file or directory"),
    ],
)
def test_what_cannot_be_started_is_refused_with_a_reason(tmp_path, program, folder, reason):
    (tmp_path / "plain").write_text("not a program")

    async def body(made: Bench) -> None:
        with pytest.raises(NotStartedError) as refused:
            await made.run(program, folder=folder)
        assert str(refused.value) == reason

    with_bench(tmp_path, body)


def test_the_environment_is_exactly_what_was_given(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_REFEREE", "1")

    async def body(made: Bench) -> None:
        code = "import os; print(sorted(os.environ))"
        process = await made.run(sys.executable, "-c", code, env={"BOWERBIRD_TOKEN": "t"})
        await process.ended.wait()
        await until(lambda: "\n" in process.stdout.text)
        assert set(eval(process.stdout.text)) - {"LC_CTYPE"} == {"PATH", "LANG", "BOWERBIRD_TOKEN"}

    with_bench(tmp_path, body)


def test_standard_input_is_empty(tmp_path):
    async def body(made: Bench) -> None:
        process = await made.python("import sys; raise SystemExit(len(sys.stdin.read()))")
        await process.ended.wait()
        assert str(process.how) == "exit status 0"

    with_bench(tmp_path, body)


def test_no_descriptor_of_the_referee_is_inherited(tmp_path):
    async def body(made: Bench) -> None:
        process = await made.python("import os; print(sorted(os.listdir('/proc/self/fd'))[:9])")
        await process.ended.wait()
        await until(lambda: "\n" in process.stdout.text)
        assert eval(process.stdout.text) == ["0", "1", "2", "3"], "3 is the folder that is being listed"

    with_bench(tmp_path, body)


def test_a_flood_of_output_is_drained_and_its_tail_kept(tmp_path):
    """FAULTS.md 18; 8 MiB here, the rate is bounded, not the amount."""

    async def body(made: Bench) -> None:
        flood = "import sys\nfor _ in range(128): sys.stdout.write('x' * 65536)\n"
        process = await made.python(flood + "print('the end')\nsys.stderr.write('e' * 9)")
        await process.ended.wait()
        assert str(process.how) == "exit status 0"
        await until(lambda: process.stdout.text.endswith("the end\n"))
        assert len(process.stdout.text) == TAIL
        assert process.stderr.text == "e" * 9
        size = process.log.path.stat().st_size
        assert LOG_LIMIT < size < LOG_LIMIT + 100, f"the log is bounded, not {size} bytes"

    with_bench(tmp_path, body)


def test_a_process_that_ignores_sigterm_is_killed(tmp_path):
    async def body(made: Bench) -> None:
        code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"
        process = await made.python(code)
        await until(lambda: "deaf" in process.stdout.text)
        await process.end(patience=0)
        assert str(process.how) == "signal 9 (SIGKILL)"

    with_bench(tmp_path, body)


def test_a_stopped_process_is_killed(tmp_path):
    async def body(made: Bench) -> None:
        process = await made.python("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)")
        await process.end(patience=0)
        assert process.how is not None
        assert process.how.status < 0

    with_bench(tmp_path, body)


def test_a_child_left_in_the_group_dies_with_the_bot(tmp_path):
    async def body(made: Bench) -> None:
        code = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); raise SystemExit(0)"
        process = await made.python(code)
        await process.ended.wait()
        await until(lambda: "\n" in process.stdout.text)
        child = int(process.stdout.text)
        await until(lambda: not is_running(child))
        assert process.left == ("sleep 600",)

    with_bench(tmp_path, body)


def test_only_the_bot_that_left_a_process_is_told_of_it(tmp_path):
    """PROTOCOL.md, Compliance: leaving no child."""

    async def body(made: Bench) -> None:
        leaver = await made.run("/bin/sh", "-c", "setsid sleep 601 & exit 3")
        await leaver.ended.wait()
        clean = await made.run("/bin/sh", "-c", "sleep 0.01")
        await clean.ended.wait()
        assert len(leaver.left) == 1, "what is left may not have become `sleep` yet, but it is there"
        assert clean.left == ()

    with_bench(tmp_path, body)


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


def test_a_double_fork_with_its_own_session_is_gone_when_the_launcher_closes(tmp_path):
    """FAULTS.md 16: such a child survives killpg; the subreaper finds it."""
    found: list[int] = []

    async def body(made: Bench) -> None:
        process = await made.python(DAEMON)
        await until(lambda: "\n" in process.stdout.text)
        found.append(int(process.stdout.text))
        await process.end(patience=0)
        assert is_running(found[0]), "if this fails the test has lost its point"

    with_bench(tmp_path, body)
    assert not is_running(found[0])


REFEREE = """
import sys, trio
from pathlib import Path
from harness.referee.isolation import Launch
from harness.referee.launcher import Launcher
from harness.referee.lifeline import Lifeline
from harness.referee.log import Log

async def main():
    launcher = Launcher(Lifeline.start())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(launcher.run)
        launch = Launch((sys.executable, "-c", sys.argv[1]), Path("."), {})
        started = [
            await launcher.start(launch, Log(Path("log")), nursery)
            for _ in range(3)
        ]
        print(*[process.pid for process in started], flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


def test_kill_9_of_the_referee_leaves_no_process(tmp_path):
    """FAULTS.md 21."""
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
    with subprocess.Popen(
        [sys.executable, "-c", REFEREE, code], cwd=Path(__file__).parents[3], stdout=subprocess.PIPE, text=True
    ) as referee:
        assert referee.stdout is not None
        bots = [int(word) for word in referee.stdout.readline().split()]
        assert len(bots) == 3
        referee.kill()
    deadline = time.monotonic() + LIMIT_S
    while any(is_running(bot) for bot in bots) and time.monotonic() < deadline:
        os.sched_yield()
    assert not [bot for bot in bots if is_running(bot)]


def test_a_launcher_that_is_gone_is_an_error_of_ours(tmp_path):
    bots: list[int] = []
    folders: list[Path] = []

    async def body(made: Bench) -> None:
        bots.append((await made.python("import signal; signal.pause()")).pid)
        folders.append(made.lifeline.folder)
        made.lifeline._process.kill()
        await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as raised:
        with_bench(tmp_path, body)
    assert raised.group_contains(LauncherLostError)
    deadline = time.monotonic() + LIMIT_S
    while is_running(bots[0]) and time.monotonic() < deadline:
        os.sched_yield()
    assert not is_running(bots[0]), "the referee ends what the launcher left running"
    assert not folders[0].exists(), "nor is a folder left"


def test_the_folder_of_sockets_is_removed_at_the_end(tmp_path):
    folders: list[Path] = []

    async def body(made: Bench) -> None:
        folders.append(made.lifeline.folder)
        (made.lifeline.folder / "1").touch()

    with_bench(tmp_path, body)
    assert not folders[0].exists()


def test_a_launcher_that_nobody_has_taken_over_ends_with_its_context():
    """A command that fails between starting it and opening a referee leaves nothing."""
    with Lifeline.start() as lifeline:
        assert lifeline.folder.is_dir()
    assert lifeline._process.returncode == 0
    assert not lifeline.folder.exists()


def test_a_tail_keeps_the_last_64_kib():
    tail = Tail()
    for _ in range(5):
        tail.add(b"a" * TAIL)
    tail.add(b"end")
    assert len(tail.text) == TAIL
    assert tail.text.endswith("aend")
