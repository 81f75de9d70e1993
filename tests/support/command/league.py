"""A league as its organiser runs it: its folder, its process, its commands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import Season
from bowerbird.harness.referee.process.procfs import children_of
from tests.support.command.loaded_command import loaded_command
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

SCRIPT = Path(sys.executable).with_name("bowerbird")
COMMAND = [sys.executable, "-c", "from bowerbird.harness.cli.entry import main; main()"]

BOT = """
import sys
from bowerbird.sdk import Bot, Decision, run


class First(Bot):
    def act(self, decision: Decision) -> int:
        {act}
        return 0


run(First())
"""


class League:
    """A folder with a league in it."""

    def __init__(self, folder: Path, text: str) -> None:
        """Write the league file `autumn.toml` with this text."""
        self.folder = folder
        self.file = folder / "autumn.toml"
        self.database = folder / "l.db"
        self.python_path: tuple[Path, ...] = (ROOT,)
        """Where the programs of the league look for modules."""
        self.file.write_text(text, encoding="utf-8")

    def write_bot(self, name: str, version: str = "1", act: str = "pass") -> None:
        """Write a bot that plays its first choice, after `act`."""
        bot = self.folder / "bots" / name
        bot.mkdir(parents=True, exist_ok=True)
        (bot / "bot.py").write_text(BOT.format(act=act), encoding="utf-8")
        manifest = f'name = "{name}"\nversion = "{version}"\ncommand = ["{{python}}", "bot.py"]\ntables = 4\n'
        (bot / "bot.toml").write_text(manifest, encoding="utf-8")

    @contextmanager
    def running(self, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run the league during the block; afterwards end it as Ctrl-C does."""
        with self.started(*options) as process:
            try:
                yield process
            finally:
                process.send_signal(signal.SIGINT)
                assert process.wait(DEADLINE_S) == 0, self.said

    @contextmanager
    def started(self, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start the league, and wait for its end after the block."""
        command = [*COMMAND, "league", str(self.file), "--db", str(self.database), "--quiet", *options]
        log = (self.folder / "league.log").open("ab")
        with log, subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=self._environment) as process:
            try:
                yield process
            except BaseException:
                process.kill()
                raise

    @property
    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, self.python_path))}

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run another command of the league."""
        return self._run("league", *arguments)

    def shown(self, *arguments: str) -> str:
        """Return what a command outside the league prints from the database."""
        done = self._run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command on the database: a fork (`loaded_command`), if its programs look for modules where all do."""
        words = [*arguments, "--db", str(self.database)]
        loaded = loaded_command(SCRIPT) if self.python_path == (ROOT,) else None
        if loaded is not None and loaded.is_current():
            return loaded.run(words, self.folder, self._environment, DEADLINE_S)
        return subprocess.run(
            [*COMMAND, *words],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    def invite(self, name: str) -> dict[str, str]:
        """Invite a remote bot that plays four tables at once. Return the environment that its author sets."""
        invited = self.command("invite", name, "--author", name, "--tables", "4")
        assert invited.returncode == 0, invited.stderr
        folder = self.folder / "leagues/autumn/invitations-1"
        lines = (folder / f"{name}.env").read_text(encoding="utf-8").splitlines()
        environment = dict(line.split("=", 1) for line in lines if line.startswith("BOWERBIRD_"))
        environment["BOWERBIRD_CA"] = str(folder / environment["BOWERBIRD_CA"])
        return environment

    @property
    def said(self) -> str:
        """What the league has said."""
        return (self.folder / "league.log").read_text(encoding="utf-8")

    def season(self) -> Season | None:
        """The present season as stored; None if the league has not begun."""
        if not self.database.exists():
            return None
        with Store.open(self.database) as store:
            return store.season("autumn")

    def until(self, holds: Callable[[Season], bool], what: str) -> Season:
        """Wait until something holds of the stored season."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            season = self.season()
            if season is not None and holds(season):
                return season
            time.sleep(0.1)
        raise AssertionError(f"{what} did not come; the league said:\n{self.said}")

    def until_epochs(self, number: int) -> Season:
        """Wait until this many epochs are complete."""
        return self.until(lambda season: complete(season) >= number, f"epoch {number}")


def complete(season: Season) -> int:
    return sum(epoch.ended is not None for epoch in season.epochs)


def status(season: Season, name: str) -> str:
    return next((bot.status for bot in season.bots if bot.name == name), "")


def child_of(pid: int) -> int:
    """Return the process of the epoch that the main process started, as soon as there is one."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        children = children_of(pid)
        if children:
            return children[0]
        time.sleep(0.05)
    raise AssertionError("there is no process of an epoch")
