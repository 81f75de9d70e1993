"""Row 21 of faults.md: kill -9 of the referee in the first milliseconds of a sandbox."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import require
from tests.support.referee.tables import MARK, running

REFEREE = """
import dataclasses, sys, trio
from pathlib import Path
from tests.support.referee.tables import bot
from bowerbird.harness.referee.process.supervisor import Supervisor
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.isolation.tiers import tier_named

async def main():
    supervisor = Supervisor(SupervisorHandle.start())
    spec = dataclasses.replace(bot("orphan", command=("/bin/sleep", "600")), environment={sys.argv[1]: sys.argv[2]})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(supervisor.run)
        launch = tier_named("sandbox").launch(spec, {})
        await supervisor.start(launch, OutputLog(Path("log")), nursery)
        print("launched", flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


@pytest.mark.row(21)
@pytest.mark.parametrize("delay_ms", [0, 1, 2, 3, 5, 8, 15, 30])
def test_kill_9_of_the_referee_right_after_a_launch_leaves_no_process(
    tmp_path: Path, seen: Seen, delay_ms: int
) -> None:
    require("sandbox")
    mark = uuid.uuid4().hex
    code = f"import sys; sys.path.append({str(ROOT)!r})\n{REFEREE}"
    with subprocess.Popen(
        [sys.executable, "-c", code, MARK, mark], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as referee:
        assert referee.stdout is not None
        assert referee.stdout.readline() == "launched\n"
        time.sleep(delay_ms / 1000)  # the test varies the moment of the kill
        referee.kill()
    deadline = time.monotonic() + DEADLINE_S
    while (left := running(mark)) and time.monotonic() < deadline:
        time.sleep(0.01)  # no event to wait for: they are not our children
    assert not left
    seen(f"killed {delay_ms} ms after the launch: no process is left")
