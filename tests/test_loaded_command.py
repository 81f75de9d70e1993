"""A forked command does what an executed one does (tests/support/command/loaded_command.py)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.loaded_command import LoadedCommand

SCRIPT = """
import os, sys, time
print(os.getcwd(), sys.argv[1:], os.environ["OTHER"], repr(sys.stdin.read()), flush=True)
if sys.argv[1:] == ["wait"]:
    time.sleep(100_000)
print("this is wrong", file=sys.stderr)
sys.exit(3)
"""

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="forks are for Linux")


@pytest.mark.parametrize("arguments", [("variants", "buck"), ("runs", "--db", "none.db"), ("no-such-command",)])
def test_a_fork_says_what_the_program_says(bowerbird: Bowerbird, arguments: tuple[str, ...]) -> None:
    (bowerbird.folder / "none.db").write_text("no database")
    forked = bowerbird(*arguments)
    executed = bowerbird.run(COMMAND, *arguments, OTHER="1")
    assert (forked.stdout, forked.stderr, forked.returncode) == (executed.stdout, executed.stderr, executed.returncode)
    assert forked.stdout or forked.stderr


def test_a_fork_has_a_folder_arguments_variables_streams_and_an_end_of_its_own(
    tmp_path: Path, processes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script"
    script.write_text(SCRIPT, encoding="utf-8")
    loaded = LoadedCommand(script)
    for folder, other in ((tmp_path, "one"), (Path("/"), "two")):
        done = loaded.run(["a b"], folder, {"OTHER": other}, timeout_s=600)
        assert done.stdout == f"{folder} ['a b'] {other} ''\n"
        assert (done.stderr, done.returncode) == ("this is wrong\n", 3)
    with pytest.raises(subprocess.TimeoutExpired):
        loaded.run(["wait"], tmp_path, {"OTHER": ""}, timeout_s=0.1)
    assert loaded.is_current()
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    assert not loaded.is_current(), "a program that starts now reads another variable"
