"""The live pages in a real browser: a tournament of seven variants is watched from the first to the last card."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from bowerbird.harness.records.replay.frames import frames
from bowerbird.harness.records.replay.visibility import PUBLIC
from bowerbird.harness.records.store.store import Store
from tests.support.chromium import Browser, Page
from tests.support.command.bowerbird_command import said_until
from tests.support.deadline import DEADLINE_S
from tests.support.serving import ENTRY

pytestmark = [pytest.mark.toolchain("chromium"), pytest.mark.long]

VARIANTS = ("euchre", "buck", "two-handed", "cut-throat", "five-handed", "cornish", "seven-handed")

SLOW_BOT = """
import time
from bowerbird.sdk import Bot, Decision, run

class Slow(Bot):
    def act(self, decision: Decision) -> int:
        time.sleep(0.3)
        return 0

run(Slow())
"""
"""Takes its time, so that a table can be opened in its first hand; its sandbox hides every sign of a test."""

WATCHED = """
window.told = [];
const insert = Element.prototype.insertAdjacentHTML;
Element.prototype.insertAdjacentHTML = function (place, text) {
  if (this.id === "log") window.told.push(text.replace(/<[^>]*>/g, ""));
  return insert.call(this, place, text);
};
"""
"""Remembers every step that the page shows, in order."""

DRAWN = "document.querySelector('.trump') !== null || !over.hidden"
"""Whether a table has been drawn: its first card may not have been played yet."""


def written(folder: Path) -> Path:
    """Return a tournament file: two bots, one of which takes its time."""
    (folder / "slow").mkdir()
    (folder / "slow" / "bot.py").write_text(SLOW_BOT, encoding="utf-8")
    manifest = 'name = "slow"\ncommand = ["{python}", "bot.py"]\ntables = 16\n'
    (folder / "slow" / "bot.toml").write_text(manifest, encoding="utf-8")
    entries = "".join(f'[[variant]]\nname = "{name}"\n' for name in VARIANTS)
    text = (
        f'[tournament]\nname = "live"\nsets = 2\npacks = "own"\nmax_hands = 2\n{entries}[time]\nper_decision = "10m"\n'
    )
    file = folder / "live.toml"
    file.write_text(f'{text}[[bot]]\npath = "./slow"\n[[bot]]\npath = "greedy"\n', encoding="utf-8")
    return file


@contextmanager
def played(file: Path) -> Iterator[str]:
    """Play a tournament with its pages beside it; yield their address. It must end well after the block."""
    command = [sys.executable, "-c", ENTRY, "tournament", str(file), "--serve", "127.0.0.1:0"]
    process = subprocess.Popen(command, cwd=file.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        address = said_until(process, "the pages: ").rpartition("the pages: ")[2].split("/ ")[0]
        said_until(process, "commitment")  # the run is in the database then
        yield address
        _, errors = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0, errors
    finally:
        process.kill()
        process.wait()


def first_hands(address: str) -> list[dict[str, object]]:
    """Return the tables that play their first hand."""
    try:
        with urlopen(f"{address}/runs/live/tables.json") as answer:
            return [table for table in json.load(answer)["tables"] if table["hand"] == 0]
    except (URLError, ConnectionError):
        return []


def caught(browser: Browser, address: str) -> dict[str, Page]:
    """Open a table of each variant in its first hand; return the pages by game."""
    pages: dict[str, Page] = {}
    missing = set(VARIANTS)
    deadline = time.monotonic() + DEADLINE_S
    while missing and time.monotonic() < deadline:
        for table in first_hands(address):
            game, variant = str(table["game"]), str(table["variant"])
            if variant not in missing:
                continue
            page = browser.page(390, 844)
            page.command("Page.addScriptToEvaluateOnNewDocument", source=WATCHED)
            page.visit(f"{address}{table['address']}")
            if not page.ask("!!document.getElementById('speed')"):
                continue  # the game was over before its page came
            page.ask("(speed.value = '0', speed.dispatchEvent(new Event('change')))")
            wait_until(page, DRAWN)
            if any(one["game"] == game for one in first_hands(address)):
                pages[game] = page
                missing.discard(variant)
    assert not missing, f"no table of {missing} was seen in its first hand"
    return pages


def wait_until(page: Page, condition: str) -> None:
    """Wait until a condition holds on a page. Ask again and again: a browser may be silent for a while."""
    deadline = time.monotonic() + DEADLINE_S
    while not page.ask(condition):
        assert time.monotonic() < deadline, f"{condition} did not come true; the page tells {page.ask('window.told')}"
        page.ask("new Promise(done => setTimeout(done, 200))")


def test_a_tournament_is_watched_from_the_first_to_the_last_card(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path)
    with played(file) as address:
        run_page = browser.page(1280, 900)
        run_page.visit(f"{address}/runs/live")
        before = run_page.ask("document.querySelector('main').innerText")
        pages = caught(browser, address)
        run_page.command("Page.bringToFront")  # a page that nobody sees does not follow
        for game, page in pages.items():
            wait_until(page, "!over.hidden")
            page.picture(f"live-{game.split('/')[1]}")
        wait_until(run_page, f"document.querySelector('main').innerText !== {json.dumps(before)}")
        run_page.picture("live-run")
        told = {game: page.ask("window.told") for game, page in pages.items()}
        complaints = [one for page in pages.values() for one in page.complaints]
    assert complaints == []
    with Store.open(tmp_path / "results" / "bowerbird.db") as store:
        for game, shown in told.items():
            expected = [frame.said for frame in frames(store.record(game), PUBLIC) if frame.said]
            assert shown[-1] == expected[-1], game
            first = shown.index(expected[0]) if expected[0] in shown else -1
            assert first == 0, f"{game} was not seen from its first card"
            assert shown == expected, game
