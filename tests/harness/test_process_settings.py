"""Settings of a process: entry points apply them before grpc is imported; importers keep their environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
import trio

from bowerbird.harness.process_settings import BLAS_VARIABLE, COLLECT_AFTER, GRPC_EXPERIMENTS, GRPC_VARIABLE
from bowerbird.harness.tournament.executors.pool import WorkerProcess
from tests.support.deadline import DEADLINE_S

pytestmark = pytest.mark.usefixtures("processes")

REPORT = f"print(os.environ.get({GRPC_VARIABLE!r}), 'grpc' in sys.modules)"


def _output(program: str, **environment: str) -> str:
    """Return the output of a fresh interpreter whose environment does not have the variables yet."""
    own = {name: value for name, value in os.environ.items() if name not in (GRPC_VARIABLE, BLAS_VARIABLE)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
        env={**own, **environment},
    )
    return done.stdout


@pytest.mark.parametrize(
    "module",
    [
        "harness",
        "bowerbird.harness.sdk",
        "bowerbird.harness.process_settings",
        "bowerbird.harness.cli.main",
        "bowerbird.harness.sdk.local",
    ],
)
def test_an_import_changes_no_environment_variable(module: str) -> None:
    program = f"import os; before = dict(os.environ); import {module}; print(dict(os.environ) == before)"
    assert _output(program) == "True\n"


LOUD = """
import os
class Loud:
    def __del__(self): os.write(1, b"collected")
loud = Loud()
loud.itself = loud
"""
"""A program with an object in a cycle, which says so when it is collected."""

COMMAND = """
import os, sys
import bowerbird.harness.cli.main
from bowerbird.harness.cli.entry import main
bowerbird.harness.cli.main.run = lambda arguments: {run}
main()
"""


def test_the_command_configures_its_process() -> None:
    said = f"{REPORT}; import gc; print(gc.get_threshold()[0])"
    assert _output(COMMAND.format(run=f"exec({said!r})")) == f"{GRPC_EXPERIMENTS} False\n{COLLECT_AFTER}\n"


def test_the_command_computes_in_one_thread() -> None:
    said = "import numpy, scipy.linalg.lapack; print(len(os.listdir('/proc/self/task')))"
    assert _output(COMMAND.format(run=f"exec({said!r})")) == "1\n"


def test_the_users_own_number_of_threads_stays() -> None:
    said = f"print(os.environ[{BLAS_VARIABLE!r}])"
    assert _output(COMMAND.format(run=f"exec({said!r})"), **{BLAS_VARIABLE: "7"}) == "7\n"


def test_the_command_ends_without_a_last_collection() -> None:
    assert _output(LOUD) == "collected"
    assert _output(COMMAND.format(run=f"exec({LOUD!r})")) == ""


BOT = f"""
import os, sys, types
def open_channel(address, trusted):
    {REPORT}
    sys.exit()
sys.modules["bowerbird.harness.sdk.grpc_stream"] = types.SimpleNamespace(GrpcStream=None, open_channel=open_channel)
from bowerbird.harness.sdk import Bot, run
class Mine(Bot):
    def act(self, decision): ...
run(Mine(), {{"BOWERBIRD_ADDRESS": "nowhere"}})
"""


def test_a_bot_configures_grpc_when_it_is_run() -> None:
    assert _output(BOT) == f"{GRPC_EXPERIMENTS} False\n"


def test_what_a_bot_left_open_is_written_when_it_ends(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    program = f"""
class Notes:
    def __init__(self): self.file, self.itself = open({str(notes)!r}, "w"), self
notes = Notes()
notes.file.write("all of it")
"""
    _output(program + BOT)
    assert notes.read_text() == "all of it"


def test_a_value_of_the_bots_environment_stays() -> None:
    assert _output(BOT, **{GRPC_VARIABLE: "-event_engine_listener"}) == "-event_engine_listener False\n"


def test_a_worker_process_is_started_with_grpc_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, str] = {}

    async def started(_command: list[str], *, env: dict[str, str], **_more: object) -> NoReturn:
        given.update(env)
        raise OSError("enough")

    monkeypatch.setattr(trio.lowlevel, "open_process", started)
    for set_before, expected in ((None, GRPC_EXPERIMENTS), ("", "")):
        if set_before is None:
            monkeypatch.delenv(GRPC_VARIABLE, raising=False)
        else:
            monkeypatch.setenv(GRPC_VARIABLE, set_before)
        with pytest.raises(OSError, match="enough"):
            trio.run(WorkerProcess.start, lambda pid: None)
        assert given[GRPC_VARIABLE] == expected
