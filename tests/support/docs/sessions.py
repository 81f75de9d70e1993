"""Console sessions of a page: its commands are run in order, in a folder as the page supposes it, with less play.

A shown line is held to what the command prints by its words: the words of the line must appear together in the output.
Numbers, ids and the breaks of lines differ from run to run, and are not compared.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.loaded_command import loaded_command
from tests.support.deadline import DEADLINE_S
from tests.support.docs.blocks import block, blocks
from tests.support.paths import DOCS

PROGRAMS = ("bowerbird ", "python ", "cd ", "sqlite3 ", "node ")
"""How a command begins in a block that has no `$`."""

_WORD = re.compile(r"(?<![\w.])[A-Za-z]{3,}(?![\w])")
_SHELL = re.compile(r"[|&;<>$*?`~#\n\\]")
"""Characters that mean something to a shell, besides quotes and blanks."""

_RUN = re.compile(r"\b[0-9a-f]{10}(?=/)")
_FINGERPRINT = re.compile(r"\b[0-9a-f]{4}(?:-[0-9a-f]{4}){5}\b")  # of a key: one in nine has a group of letters alone


@dataclass(frozen=True)
class Step:
    """A command that a page shows, and the lines that it shows below it."""

    command: str
    shown: tuple[str, ...]


def steps(page: Path) -> list[Step]:
    """Return the commands of a page, in order."""
    return [step for one in blocks(page) if one.language in ("", "sh") for step in _steps_of(one.text)]


def _steps_of(text: str) -> Iterator[Step]:
    lines = text.replace("\\\n", " ").splitlines()
    marked = any(line.startswith("$ ") for line in lines)
    command, shown = "", list[str]()
    for line in lines:
        begins = line.startswith("$ ") if marked else line.startswith(PROGRAMS)
        if begins:
            if command:
                yield Step(command, tuple(shown))
            command, shown = line.removeprefix("$ "), []
        elif command and marked:
            shown.append(line)
    if command:
        yield Step(command, tuple(shown))


def smaller(command: str) -> str:
    """Return the command with less play than the page shows."""
    if re.search(r"^bowerbird match ", command):
        command = re.sub(r"--sets \d+", "", command) + " --sets 1"
    if re.search(r"^bowerbird test ", command):
        command += " --max-sets 64" if "--deals" in command else " --max-sets 2"
    if command.startswith("bowerbird check-bot ") and "--only" not in command:
        command += " --only 1"
    return command


class Console:
    """A shell in the folder of a command, with `bowerbird` and `python` of this checkout on its path."""

    def __init__(self, bowerbird: Bowerbird) -> None:
        self.folder = bowerbird.folder
        self._bowerbird = bowerbird
        self._at = bowerbird.folder
        self.environment: dict[str, str] = {}

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of a page. Ids of games get the id of the newest run here; `cd` holds for one block."""
        if command.startswith("cd "):
            self._at = (self._at / command[3:].strip()).resolve()
            return subprocess.CompletedProcess(command, 0 if self._at.is_dir() else 1, "", f"no {self._at}")
        if _RUN.search(command):
            game: str = self._bowerbird.json("matches")[0]["id"]
            command = _RUN.sub(game.partition("/")[0], command)
        path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**self._bowerbird.environment(), "PATH": path, **self.environment}
        loaded = loaded_command(COMMAND) if command.startswith("bowerbird ") and not _SHELL.search(command) else None
        if loaded is not None and loaded.is_current():
            return loaded.run(shlex.split(command)[1:], self._at, environment, DEADLINE_S)
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self._at,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    def back(self) -> None:
        """Return to the folder that a page begins in."""
        self._at = self.folder


def words_of(text: str) -> str:
    """Return the words of a string, each between blanks and without a plural s; one blank if there is none."""
    return "".join(f" {word.removesuffix('s')}" for word in _WORD.findall(_FINGERPRINT.sub("", text))) + " "


def missing_lines(step: Step, said: str, loose: re.Pattern[str]) -> list[str]:
    """Return the shown lines whose words do not appear together in the output, except those that `loose` matches."""
    words = words_of(said)
    return [line for line in step.shown if not loose.search(line) and words_of(line) not in words]


def tutorial_bot(folder: Path) -> None:
    """Write the bot of first-bot.md."""
    folder.mkdir()
    text = block(DOCS / "tutorials" / "first-bot.md", "python", "class MyBot")
    (folder / "bot.py").write_text(text, encoding="utf-8")
    (folder / "bot.toml").write_text(
        f'name = "{folder.name}"\ncommand = ["{{python}}", "bot.py"]\ntables = 16\n', encoding="utf-8"
    )
