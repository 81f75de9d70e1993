"""Descriptors that a bot keeps in flight (row 34).

The system counts the descriptors that wait in sockets for each user, over all of the user's processes. A bot of an
ordinary user can use up that number, so the referee must start processes without passing any.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.command.ordinary_command import can_run_as_another, ordinary_command
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen

OPEN_FILES = 1024
CROWDED = "Too many references: cannot splice"

BOT = """
import array, errno, os, signal, socket
descriptors = array.array("i", [os.open(os.devnull, os.O_RDONLY) for _ in range(200)])
kept = []
while True:
    kept.append(socket.socketpair())
    try:
        kept[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
    except OSError as error:
        print(os.strerror(error.errno), flush=True)
        break
if os.fork():
    os.kill(os.getpid(), signal.SIGKILL)
os.setsid()
print("kept", flush=True)
signal.pause()
"""
"""Fills the number of descriptors in flight and crashes. A child in a session of its own keeps them there."""

REFEREE = """
import os, sys, tempfile, trio
from pathlib import Path
from bowerbird.harness.referee.isolation.launch import Launch
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor import Supervisor
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle

async def run(supervisor, nursery, folder, name, code):
    launch = Launch((sys.executable, "-c", code), folder, {"PATH": os.environ["PATH"]})
    process = await supervisor.start(launch, OutputLog(folder / name), nursery)
    await process.ended.wait()
    return process

async def main(folder):
    supervisor = Supervisor(SupervisorHandle.start())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(supervisor.run)
        crashed = await run(supervisor, nursery, folder, "bad", sys.argv[1])
        while "kept" not in crashed.stdout.text and not crashed.stdout_read.is_set():
            await trio.sleep(0.01)
        print(crashed.exit_status, repr(crashed.stdout.text), sep="|")
        for number in range(3):
            after = await run(supervisor, nursery, folder, f"good-{number}", "print('plays')")
            await after.wait_for_output()
            print(after.exit_status, repr(after.stdout.text), sep="|")
        await supervisor.close()
        nursery.cancel_scope.cancel()

with tempfile.TemporaryDirectory() as folder:
    trio.run(main, Path(folder))
"""


@pytest.mark.row(34)
@pytest.mark.skipif(not can_run_as_another(), reason="needs root, setpriv and an interpreter that another user can run")
def test_descriptors_in_flight_and_a_crash_do_not_keep_the_next_bot_from_starting(tmp_path: Path, seen: Seen) -> None:
    limit = f"--nofile={OPEN_FILES}:{OPEN_FILES}"
    finished = subprocess.run(
        ["prlimit", limit, "--", *ordinary_command()[:-1], REFEREE, BOT],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert finished.returncode == 0, finished.stderr
    crashed, *others = finished.stdout.splitlines()
    assert crashed.startswith("signal 9 (SIGKILL)|"), crashed
    assert CROWDED in crashed, "the bot did not fill the number of descriptors in flight"
    assert others == ["exit status 0|'plays\\n'"] * 3
    seen(f"{CROWDED!r} for the bot, with nofile {OPEN_FILES}; the next three processes start and are heard")
