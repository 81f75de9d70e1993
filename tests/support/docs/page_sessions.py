"""What each page with console sessions supposes: its folder, what a reader does between commands, what is skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import block
from tests.support.docs.sessions import Console, tutorial_bot
from tests.support.paths import DOCS

GUIDES, TUTORIALS = DOCS / "how-to", DOCS / "tutorials"

LOOSE = (
    r"^…|^$|decided: |deal sets?; |^\d+ of \d+ deal sets|^#|^─|^\d+ +\w+ +"  # tables: their rows depend on the play
    r"|^Elo: the mean|^Interrupted|^if bots answer at once|^game   |; ended: |^  to decide: "
    r"|is stronger than random$|^H[01] is accepted|^(2\.94|to 341\.8|points a deal)|^ *sha256:|^  [0-9a-f]{64}$"
)
"""Lines that depend on how the games went."""


SMALL = """
[tournament]
sets = 1 # for each line-up
[[variant]]
name = "euchre"
[[bot]]
path = "greedy"
[[bot]]
path = "random"
"""


BAD = """
import os, sys
from bowerbird.sdk import Bot, Decision, run

class Bad(Bot):
    def act(self, decision: Decision) -> int:
        print("the queen of spades is missing", file=sys.stderr, flush=True)
        os._exit(3)

run(Bad())
"""

STEPPER = "bowerbird replay c5c859da08/euchre-0/one+bad/0/0 --step"
ANY_DECISION = "bowerbird ask c5c859da08/euchre-0/one+bad/0/0 ./mybot --hand"


def autumn(command: Bowerbird) -> None:
    """Write the tournament file of the tutorial, with its bot."""
    tutorial_bot(command.folder / "mybot")
    text = block(TUTORIALS / "first-tournament.md", "toml", "[tournament]")
    (command.folder / "autumn.toml").write_text(text.replace("sets = 20 ", "sets = 1 "), encoding="utf-8")


def small_autumn(command: Bowerbird) -> None:
    """Write a tournament of that name with two bundled bots and one variant."""
    (command.folder / "autumn.toml").write_text(SMALL, encoding="utf-8")
    tutorial_bot(command.folder / "mybot")


def three_bots(command: Bowerbird) -> None:
    """Play a run `spring` besides `autumn`, and have bots `new` and `old`."""
    (command.folder / "spring.toml").write_text(SMALL, encoding="utf-8")
    command.done("tournament", "spring.toml", "--quiet")
    for name in ("new", "old"):
        tutorial_bot(command.folder / name)


def missing_queen(command: Bowerbird) -> None:
    """Play the match of the page: a bot `bad` ends with exit code 3 at its first decision."""
    for name in ("one", "bad", "mybot"):
        tutorial_bot(command.folder / name)
    (command.folder / "bad" / "bot.py").write_text(BAD, encoding="utf-8")
    command.done("match", "./one", "./bad", "--variant", "euchre", "--sets", "1", "--quiet")


def cup(command: Bowerbird) -> None:
    """Write the tournament file of the page on beacons."""
    text = block(GUIDES / "prove-the-deals.md", "toml", "[[variant]]")
    (command.folder / "cup.toml").write_text(text.replace("sets = 50", "sets = 1"), encoding="utf-8")


def set_beacon(console: Console) -> None:
    """Enter the beacon, as the page says between two commands."""
    file = console.folder / "cup.toml"
    file.write_text(file.read_text(encoding="utf-8").replace('beacon = ""', 'beacon = "4 8 15 16 23 42"'))


def more_sets(console: Console) -> None:
    """Raise the number of deal sets, as the page says between two commands."""
    file = console.folder / "autumn.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("sets = 1 ", "sets = 2 "), encoding="utf-8")


def mistake(console: Console) -> None:
    """Make the mistake that the page supposes."""
    file = console.folder / "mybot" / "bot.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("view.proposed or view.upcard[-1]", "view.upcard[2]"), encoding="utf-8")


def other_installation(console: Console) -> None:
    """Become somebody else: other keys, no results, only the two files that were sent."""
    console.environment["XDG_CONFIG_HOME"] = str(console.folder / "config")
    shutil.rmtree(console.folder / "results")


def tutorial_program(console: Console) -> None:
    """Write the programs of the tutorial."""
    page = TUTORIALS / "first-bot.md"
    (console.folder / "mybot" / "watch.py").write_text(block(page, "python", "class Watched"), encoding="utf-8")


def better_bot(console: Console) -> None:
    """Replace the bot with the tutorial's bot."""
    page = TUTORIALS / "first-bot.md"
    (console.folder / "mybot" / "bot.py").write_text(block(page, "python", "class MyBot"), encoding="utf-8")


@dataclass(frozen=True)
class Session:
    """How the commands of a page are run.

    prepare: makes the folder that the page supposes.
    played: whether the tournament of the tutorial has been played in it.
    is_long: whether only `make test-long` runs them.
    before: what a reader does before the first command with this beginning.
    skip: commands that cannot be run here, with the reason; named by their beginning.
    loose: lines that depend on the play, besides LOOSE.
    """

    page: Path
    prepare: Callable[[Bowerbird], None] = autumn
    before: dict[str, Callable[[Console], None]] = field(default_factory=dict)
    skip: dict[str, str] = field(default_factory=dict)
    loose: str = "(?!)"
    played: bool = False
    is_long: bool = False


def nothing(command: Bowerbird) -> None:
    """Leave the folder empty."""


SESSIONS = [
    Session(
        TUTORIALS / "first-tournament.md",
        before={"bowerbird tournament autumn.toml --resume": more_sets},
        loose="^greedy wins|^(buck|euchre) |^[0-9]+ deal sets already|^deal sets added|^…",
    ),
    Session(
        TUTORIALS / "first-bot.md",
        nothing,
        before={
            "python watch.py": tutorial_program,
            "bowerbird match ./mybot random greedy": better_bot,
            "bowerbird match ./mybot random --variant euchre": mistake,
        },
        skip={
            "python3 -m venv": "tests/wheel installs the wheel",
            "python -m pdb": "waits for a person",
            "bowerbird new-bot mygo": "tests/bots builds the starters",
            "bowerbird match ./mygo": "tests/bots builds the starters",
            "bowerbird check-bot mygo": "tests/bots builds the starters",
        },
    ),
    Session(
        GUIDES / "debug-a-fault.md",
        missing_queen,
        skip={
            STEPPER: "needs a terminal",
            ANY_DECISION: "bad fails in its first hand; tests/e2e/test_e2e_ask.py asks any",
        },
        is_long=True,
    ),
    Session(
        GUIDES / "resume-a-run.md",
        small_autumn,
        before={"bowerbird tournament autumn.toml --resume": more_sets},
        is_long=True,
    ),
    Session(GUIDES / "prove-the-deals.md", cup, before={"bowerbird tournament cup.toml --resume": set_beacon}),
    Session(
        GUIDES / "study-games.md",
        nothing,
        loose=r"^hand 0, dealer|^  (seat|trump|trick|scores) |^ended: ",  # how this hand went
        skip={"node examples/verify.mjs": "tests/docs/test_verify_program.py runs it"},
        played=True,
    ),
    Session(GUIDES / "vouch-for-results.md", nothing, {"bowerbird keys trust": other_installation}, played=True),
    Session(GUIDES / "compare-bots.md", three_bots, played=True, is_long=True),
    Session(GUIDES / "large-runs.md", small_autumn),
    Session(GUIDES / "isolate-bots.md", small_autumn, skip={"bowerbird host": "needs a bot that dials in"}),
    Session(GUIDES / "check-a-bot.md", small_autumn, loose=""),  # the page shows a bot that fails
    Session(DOCS / "reference" / "bundled-bots.md", nothing),
]
