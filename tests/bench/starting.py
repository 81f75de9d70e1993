"""Part (i): how long it takes until something happens: the help, and the first decision of a match."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.figures import Figure, Round
from bench.part import DEADLINE_S, Part, Place
from harness.cli.main import COMMANDS

BOWERBIRD = Path(sys.executable).with_name("bowerbird")
PAIRS = 10

CLICK = """import click


@click.group(epilog="Begin with something. Every command explains itself.")
@click.version_option("1.0")
@click.option("--debug", is_flag=True, help="Show the traceback of an error, not its sentence alone.")
def cli():
    \"\"\"As many commands as bowerbird has, and nothing behind them.\"\"\"


for name, line in {commands!r}.items():
    cli.add_command(click.Command(name, help=line))
cli()
"""
"""A program that imports click alone and prints a help of the same size."""

STAMPED = """import sys
import time


def stamp(what):
    print("stamp", what, time.monotonic_ns(), file=sys.stderr, flush=True)


stamp("started")
from harness.sdk import Bot, run


class Stamped(Bot):
    asked = False

    def prepare(self):
        stamp("ready")

    def act(self, decision):
        if not self.asked:
            self.asked = True
            stamp("asked")
        return 0


run(Stamped())
"""
"""A bot that says when it was started, ready and first asked, on the one clock of all processes."""

STAMP = re.compile(r"^stamp (\w+) (\d+)$", re.MULTILINE)


class Help(Part):
    """The help of the command against that of a program with click and nothing else, in turn."""

    figures = (
        Figure("help.click", "i", "bare click --help", "ms"),
        Figure("help", "i", "bowerbird --help", "ms", "help.click"),
    )

    def prepare(self, place: Place) -> None:
        self.script = place.folder / "bare_click.py"
        self.script.write_text(CLICK.format(commands=COMMANDS), encoding="utf-8")

    def measure(self, place: Place) -> Round:
        commands = {"help.click": [sys.executable, str(self.script)], "help": [str(BOWERBIRD)]}
        times: dict[str, list[float]] = {key: [] for key in commands}
        for _ in range(PAIRS):
            for key, command in commands.items():
                began = time.perf_counter()
                subprocess.run([*command, "--help"], stdout=subprocess.DEVNULL, timeout=DEADLINE_S, check=True)
                times[key].append((time.perf_counter() - began) * 1000)
        return {key: median(found) for key, found in times.items()}


class Start(Part):
    """A match of four bots until its first decision: the time in which no bot was busy with its own start."""

    figures = (
        Figure("start", "i", "start of a match of 4 bots: our own time", "s"),
        Figure("start.bots", "i", "in which bots started", "s", of="start"),
    )

    def prepare(self, place: Place) -> None:
        self.bot = place.folder / "stamped"
        self.bot.mkdir()
        (self.bot / "bot.py").write_text(STAMPED, encoding="utf-8")
        (self.bot / "bot.toml").write_text('name = "stamped"\ncommand = ["{python}", "bot.py"]\n', encoding="utf-8")
        self.rounds = 0

    def measure(self, place: Place) -> Round:
        self.rounds += 1
        database = place.folder / f"start-{self.rounds}" / "runs.db"
        command = [str(BOWERBIRD), "match", *[str(self.bot)] * 4, "--variant", place.variant, "--sets", "1", "--deals"]
        began = time.monotonic_ns()
        subprocess.run(
            [*command, "--db", str(database), "--quiet", "--json"],
            stdout=subprocess.DEVNULL,
            timeout=DEADLINE_S,
            check=True,
        )
        lives = [stamps(path.read_text(encoding="utf-8")) for path in database.parent.rglob("*.log")]
        ours, theirs = own_time(began, lives)
        return {"start": ours / 1e9, "start.bots": theirs / 1e9}


def stamps(log: str) -> dict[str, int]:
    """What a bot said, in nanoseconds of the one clock."""
    return {what: int(at) for what, at in STAMP.findall(log)}


def own_time(began: int, lives: Sequence[dict[str, int]]) -> tuple[int, int]:
    """From `began` to the first decision: the time in which no bot was starting, and that in which one was."""
    asked = min(life["asked"] for life in lives if "asked" in life)
    spans = sorted((life["started"], min(life.get("ready", asked), asked)) for life in lives if life["started"] < asked)
    theirs, reached = 0, began
    for start, end in spans:
        theirs += max(0, end - max(start, reached))
        reached = max(reached, end)
    return asked - began - theirs, theirs
