"""Part (i): the start-up time until the help is shown, and until the first decision of a match."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.system.bot_startup import time_to_start
from benchmarks.system.figures import Figure, Round
from benchmarks.system.part import DEADLINE_S, Part, Place
from bowerbird.harness.cli.main import commands
from bowerbird.harness.referee.isolation.tiers import tier_named
from bowerbird.harness.referee.spec import InstanceKey
from bowerbird.harness.tournament.config.bot_file import check_command, load_bot
from bowerbird.harness.tournament.config.tournament_file import quick_match
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.playing.runner import first_instances
from bowerbird.harness.tournament.preparation.isolation import choose_tier

BOWERBIRD = Path(sys.executable).with_name("bowerbird")
PAIRS = 10
BOTS = 4
STARTS = 3
"""The number of starts in each round, of the match and of its bots alone."""

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
"""A program that only imports click and prints a help text of the same size."""

STAMPED = """import sys
import time

from bowerbird.harness.sdk import Bot, run


class Stamped(Bot):
    asked = False

    def act(self, decision):
        if not self.asked:
            self.asked = True
            print("asked at", time.monotonic_ns(), file=sys.stderr, flush=True)
        return 0


run(Stamped())
"""
"""A bot that prints the time of its first decision, on the monotonic clock that all processes share."""

STAMP = re.compile(r"^asked at (\d+)$", re.MULTILINE)


class Help(Part):
    """(i): `bowerbird --help` and the help of a program that only imports click, in turn."""

    figures = (
        Figure("help.click", "i", "bare click --help", "ms"),
        Figure("help", "i", "bowerbird --help", "ms", "help.click"),
    )

    def prepare(self, place: Place) -> None:
        self.script = place.folder / "bare_click.py"
        self.script.write_text(CLICK.format(commands=commands()), encoding="utf-8")

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
    """(i): a match of four bots until its first decision, less the start-up time of its bots on an idle machine.

    The two are measured in turn. A match needs a process of each bot, because a run begins when each has shown that it
    can start, and another process for each further seat at the first table. Both use the best isolation tier that works
    here.
    """

    figures = (
        Figure("start", "i", "start of a match of 4 bots: our own time", "s"),
        Figure("start.whole", "i", "until the first decision", "s", of="start"),
        Figure("start.bots", "i", "the bots alone", "s", of="start"),
    )

    def prepare(self, place: Place) -> None:
        folder = place.folder / "stamped"
        folder.mkdir()
        (folder / "bot.py").write_text(STAMPED, encoding="utf-8")
        (folder / "bot.toml").write_text('name = "stamped"\ncommand = ["{python}", "bot.py"]\n', encoding="utf-8")
        self.bot = check_command(load_bot(folder))
        chosen = choose_tier("", [self.bot], (), None)
        self.tier = tier_named(chosen.tier, measures=chosen.measures)
        plan = make_plan(quick_match([folder] * BOTS, {place.variant: {}}, sets=1))
        self.processes = len(first_instances(plan) | {InstanceKey(bot.name, 0) for bot in plan.file.bots})

    def measure(self, place: Place) -> Round:
        whole, alone = [], []
        for number in range(STARTS):
            alone.append(time_to_start(self.bot, self.processes, self.tier) / 1e9)
            whole.append(self._first_decision(place, place.folder / f"start-{time.monotonic_ns()}-{number}") / 1e9)
        own = median(one - bots for one, bots in zip(whole, alone, strict=True))
        return {"start": own, "start.whole": median(whole), "start.bots": median(alone)}

    def _first_decision(self, place: Place, folder: Path) -> int:
        """Return the nanoseconds from the start of the command to the first decision."""
        bots = [str(self.bot.source.parent)] * BOTS
        command = [str(BOWERBIRD), "match", *bots, "--variant", place.variant, "--sets", "1", "--deals"]
        began = time.monotonic_ns()
        subprocess.run(
            [*command, "--db", str(folder / "runs.db"), "--quiet", "--json"],
            stdout=subprocess.DEVNULL,
            timeout=DEADLINE_S,
            check=True,
        )
        return min(at for path in folder.rglob("*.log") for at in asked(path.read_text(encoding="utf-8"))) - began


def asked(log: str) -> list[int]:
    """Return when a bot was first asked for a decision, in nanoseconds of the shared clock; [] if it never was."""
    return [int(at) for at in STAMP.findall(log)]
