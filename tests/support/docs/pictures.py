"""The pictures of docs/pictures: screens of the terminal as SVG, pages for the browser as WebP, of a run that it plays.

`python -m tests.support.docs.pictures`, or `make pictures`, remakes them; it needs Chromium. The run is the tutorials'
run: the bot of first-bot.md in the tournament of first-tournament.md, with a fixed seed and fewer deal sets.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.support.chromium import Page, chromium
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.terminal import on_terminal
from tests.support.docs.blocks import README, block
from tests.support.paths import DOCS

FOLDER = DOCS / "pictures"
SEED = "pictures"
SETS = 8
ANALYSIS_LINES = 29
WIDTH = 80

DESKTOP = (1280, 800)
PHONE = (390, 780)

DOWN, RIGHT = "\x1b[B", "\x1b[C"

THEME = TerminalTheme(
    (27, 30, 35),
    (230, 228, 222),
    [(60, 64, 70), (255, 123, 114), (86, 211, 140), (227, 179, 76)] * 2,
    [(96, 102, 110), (255, 150, 140), (120, 230, 160), (240, 200, 110)] * 2,
)

SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-ligatures: none; white-space: pre; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""rich's own form without the font that it loads from outside."""


def play(folder: Path) -> Bowerbird:
    """Play the tournament of the tutorials in a folder; return the command in it."""
    command = Bowerbird(folder)
    bot = folder / "mybot"
    bot.mkdir()
    tutorials = DOCS / "tutorials"
    (bot / "bot.py").write_text(block(tutorials / "first-bot.md", "python", "class MyBot"), encoding="utf-8")
    (bot / "bot.toml").write_text(block(README, "toml", 'name = "mybot"'), encoding="utf-8")
    text = block(tutorials / "first-tournament.md", "toml", "[tournament]")
    small = text.replace("[tournament]", f'[tournament]\nseed = "{SEED}"').replace("sets = 20 ", f"sets = {SETS} ")
    assert small.count(f"sets = {SETS} ") == 1, "first-tournament.md has another number of deal sets"
    (folder / "autumn.toml").write_text(small, encoding="utf-8")
    command.done("tournament", "autumn.toml", "--quiet")
    return command


def game_of(command: Bowerbird) -> str:
    """Return the id of the game that is shown: the first one of buck."""
    return str(command.json("matches", "autumn", "--variant", "buck")[0]["id"])


def svg(name: str, typed: str, screen: str) -> str:
    """Return a screen of the terminal, with its colours, as a picture of text."""
    console = Console(width=WIDTH, record=True, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "dim"), (typed, "bold")))
    for line in screen.splitlines():
        console.print(Text.from_ansi(line), soft_wrap=True)
    return console.export_svg(title="", theme=THEME, code_format=SVG, unique_id=name)


def standings(command: Bowerbird) -> str:
    """Return the first screen after the tournament."""
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    done = command.run("bowerbird", "standings", "autumn", COLUMNS=str(WIDTH), PATH=path)
    assert done.returncode == 0, done.stderr
    return svg("standings", "bowerbird standings autumn", done.stdout)


def step(command: Bowerbird) -> str:
    """Return the stepper in the third trick, at a card that was no choice: its screen has no time."""
    game = game_of(command)
    with on_terminal(command, "replay", game, "--step", columns=WIDTH) as terminal:
        terminal.wait("step 0")
        for key in (DOWN, DOWN, RIGHT):
            terminal.press(key, "q quit")
        os.write(terminal.descriptor, RIGHT.encode())
        return svg("step", f"bowerbird replay {game} --step", terminal.coloured("no choice").replace("\r", ""))


def analysis(command: Bowerbird) -> str:
    """Return the head of an analysis of the bot's first game of euchre."""
    games = command.json("matches", "autumn", "--variant", "euchre")
    game = next(str(one["id"]) for one in games if "mybot" in one["lineup"])
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    arguments = ("analyse", game, "mybot", "--quiet")
    done = command.run("bowerbird", *arguments, COLUMNS=str(WIDTH), PATH=path)
    assert done.returncode == 0, done.stderr
    head = "\n".join(done.stdout.splitlines()[:ANALYSIS_LINES])
    return svg("analysis", f"bowerbird {' '.join(arguments)} | head -{ANALYSIS_LINES}", head)


JUDGED: Mapping[str, Callable[[Bowerbird], str]] = {"analysis": analysis}
"""What makes each picture of figures that networks compute: another processor may round the last digit differently."""

SCREENS: Mapping[str, Callable[[Bowerbird], str]] = {"standings": standings, "step": step}
"""What makes each picture of a screen, by its name."""


def write_pages(command: Bowerbird) -> None:
    """Write the pages for the browser into the folder of the run."""
    command.done("report", "autumn", "-o", "report.html")
    command.done("replay", game_of(command), "-o", "game.html")


PAGES: Mapping[str, tuple[str, str, tuple[int, int]]] = {
    "report": ("report.html", "", DESKTOP),
    "replay": ("game.html", "#hand=0&step=15", DESKTOP),
    "replay-phone": ("game.html", "#hand=0&step=15", PHONE),
}
"""The file, the place in it and the size of each picture of a page, by its name."""


def photographed(page: Page, command: Bowerbird, name: str) -> bytes:
    """Return the picture of a page."""
    file, place, _ = PAGES[name]
    page.open(command.folder / file, place)
    return page.screenshot("webp")


def main() -> None:
    """Remake all pictures."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        command = play(Path(folder))
        for name, make in {**SCREENS, **JUDGED}.items():
            (FOLDER / f"{name}.svg").write_text(make(command), encoding="utf-8")
        write_pages(command)
        for name, (_, _, size) in PAGES.items():
            (FOLDER / f"{name}.webp").write_bytes(photographed(browser.page(*size), command, name))


if __name__ == "__main__":
    main()
