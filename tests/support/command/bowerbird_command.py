"""The `bowerbird` command with real processes, in a folder of its own. No process may outlive its test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.command.loaded_command import loaded_command
from tests.support.deadline import DEADLINE_S
from tests.support.paths import HOSTILE, ROOT

COMMAND = Path(sys.executable).with_name("bowerbird")
MARK = "E2E_TEST_MARK"
"""An environment variable that marks all processes of one test: the command's, and through bot.toml the bots'."""


def said_until(process: subprocess.Popen[str], awaited: str) -> str:
    """Read a command's stderr up to the line that holds `awaited`; return all of it. Fail if the command ends first."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if awaited in line:
            return said
    raise AssertionError(f"{awaited!r} was not said: {said}")


class Bowerbird:
    """The command, run in `folder`."""

    def __init__(self, folder: Path, mark: str | None = None) -> None:
        self.folder = folder
        self.mark = mark or uuid.uuid4().hex

    def environment(self) -> dict[str, str]:
        """Return this process's environment with the mark of the test, and without a width, which pytest-xdist sets."""
        inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        return {**inherited, MARK: self.mark}

    def run(
        self, *command: str | Path, timeout_s: float = DEADLINE_S, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run any program and wait for its end; accept any exit code. `environment` overrides variables.

        The command itself is forked from a process that has loaded it (`loaded_command`), if no variable differs.
        """
        loaded = loaded_command(COMMAND) if command[0] == COMMAND and not environment else None
        if loaded is not None and loaded.is_current():
            return loaded.run([*map(str, command[1:])], self.folder, self.environment(), timeout_s)
        return subprocess.run(
            [*map(str, command)],
            cwd=self.folder,
            env={**self.environment(), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def __call__(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run the command and wait for its end; accept any exit code."""
        return self.run(COMMAND, *arguments)

    def done(self, *arguments: str | Path) -> str:
        """Run the command, which must succeed; return its standard output."""
        finished = self(*arguments)
        assert finished.returncode == 0, f"{finished.args} ended with {finished.returncode}: {finished.stderr}"
        return finished.stdout

    def json(self, *arguments: str | Path) -> Any:  # the shape depends on the command
        """Run the command with --json, which must succeed; return what it printed."""
        return json.loads(self.done(*arguments, "--json"))

    def refused(self, *arguments: str | Path) -> str:
        """Run the command, which must refuse its input: exit code 2 and one sentence. Return the sentence."""
        finished = self(*arguments)
        assert finished.returncode == 2, f"exit code {finished.returncode}: {finished.stdout}{finished.stderr}"
        lines = finished.stderr.splitlines()
        assert len(lines) == 1, f"one sentence on standard error, no more: {finished.stderr}"
        assert finished.stdout == ""
        assert lines[0].startswith("bowerbird: ")
        return lines[0]

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start the command with pipes and return its process; the caller waits for it."""
        return subprocess.Popen(
            [COMMAND, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def bot(self, name: str, *arguments: str, **environment: str) -> Path:
        """Write the bot.toml of a hostile bot with these arguments (hostile_bot.py); return its folder."""
        return self._manifest(name, [str(HOSTILE), *arguments], environment)

    def bundled(self, name: str, **environment: str) -> Path:
        """Write a bot.toml that starts one of the bundled Python bots with the mark of the test; return its folder."""
        return self._manifest(name, ["-m", f"bowerbird.bots.{name}"], environment)

    def _manifest(self, name: str, arguments: list[str], environment: Mapping[str, str]) -> Path:
        folder = self.folder / "bots" / name
        folder.mkdir(parents=True, exist_ok=True)
        variables = "\n".join(f"{key} = {json.dumps(value)}" for key, value in {MARK: self.mark, **environment}.items())
        (folder / "bot.toml").write_text(
            f'name = "{name}"\nversion = "1.0"\ncommand = {json.dumps(["{python}", *arguments])}\n'
            f'cwd = "{ROOT}"\ntables = 16\n[environment]\n{variables}\n',
            encoding="utf-8",
        )
        return folder

    def tournament(self, text: str, *bots: Path, name: str = "cup") -> Path:
        """Write a tournament file, `text` followed by the bots; return its path."""
        path = self.folder / f"{name}.toml"
        entries = "".join(f'[[bot]]\npath = "{bot.relative_to(self.folder)}"\n' for bot in bots)
        path.write_text(f"{text}\n{entries}", encoding="utf-8")
        return path

    def processes(self) -> list[str]:
        """Return the living processes of this test as "pid command line". Empty if the system has no /proc."""
        alive = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.mark}".encode() in (folder / "environ").read_bytes():
                    alive.append(f"{folder.name} {(folder / 'cmdline').read_bytes().replace(bytes(1), b' ').decode()}")
            except OSError:  # it has just ended, or belongs to another user
                continue
        return alive

    def wait_until_gone(self) -> list[str]:
        """Wait at most DEADLINE_S until no process of this test is left; return those that are."""
        deadline = time.monotonic() + DEADLINE_S
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)  # nothing to wait on: they are not our children
        return left


GOOD = """
[tournament]
seed = "played"
sets = 1
unit = "deals"
instances = "shared"
[[variant]]
name = "euchre"
"""
"""A tournament without a mistake; its first line is empty, so that [tournament] is in line 2."""
