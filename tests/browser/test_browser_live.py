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

from harness.records.replay.frames import frames
from harness.records.replay.visibility import PUBLIC
from harness.records.store.store import Store
from tests.support.chromium import Browser, Page
from tests.support.serving import ENTRY, served

pytestmark = [pytest.mark.toolchain("chromium"), pytest.mark.long]

VARIANTS = ("euchre", "buck", "two-handed", "cut-throat", "five-handed", "cornish", "seven-handed")
DEADLINE_S = 600

SLOW_BOT = """
import time
from bowerbird.sdk import Bot, Decision, run

class Slow(Bot):
    def act(self, decision: Decision) -> int:
        time.sleep(0.25)
        return 0

run(Slow())
"""

WATCHED = """
window.told = [];
const insert = Element.prototype.insertAdjacentHTML;
Element.prototype.insertAdjacentHTML = function (place, text) {
  if (this.id === "log") window.told.push(text.replace(/<[^>]*>/g, ""));
  return insert.call(this, place, text);
};
"""
"""Remembers every step that the page shows, in order."""


def written(folder: Path) -> Path:
    """Return a tournament file: two bots, one of which takes its time, so that a table can be found before it ends."""
    (folder / "slow").mkdir()
    (folder / "slow" / "bot.py").write_text(SLOW_BOT, encoding="utf-8")
    manifest = 'name = "slow"\ncommand = ["{python}", "bot.py"]\ntables = 16\n'
    (folder / "slow" / "bot.toml").write_text(manifest, encoding="utf-8")
    entries = "".join(f'[[variant]]\nname = "{name}"\n' for name in VARIANTS)
    text = f'[tournament]\nname = "live"\nsets = 3\npacks = "own"\nmax_hands = 3\n{entries}'
    file = folder / "live.toml"
    file.write_text(f'{text}[[bot]]\npath = "./slow"\n[[bot]]\npath = "greedy"\n', encoding="utf-8")
    return file


@contextmanager
def played(file: Path) -> Iterator[str]:
    """Play a tournament, with its pages in a process of their own; yield their address. Both must end well."""
    command = [sys.executable, "-c", ENTRY, "tournament", str(file)]
    process = subprocess.Popen(command, cwd=file.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = ""
        while not line.startswith("commitment"):  # the run is in the database then
            line = process.stderr.readline()
            assert line, "the run has not begun"
        with served(file.parent / "results" / "bowerbird.db") as server:
            yield server.url
            _, errors = process.communicate(timeout=DEADLINE_S)
            assert process.returncode == 0, errors
    finally:
        process.kill()
        process.wait()


def tables_of(address: str) -> list[dict[str, object]]:
    try:
        with urlopen(f"{address}/runs/live/tables.json") as answer:
            return list(json.load(answer)["tables"])
    except (URLError, ConnectionError):
        return []


def caught(browser: Browser, address: str) -> dict[str, Page]:
    """Open a table of each variant in its first hand as soon as there is one; return the pages by game."""
    pages: dict[str, Page] = {}
    missing = set(VARIANTS)
    deadline = time.monotonic() + DEADLINE_S
    while missing and time.monotonic() < deadline:
        for table in tables_of(address):
            if table["variant"] in missing and table["hand"] == 0:
                page = browser.page(390, 844)
                page.command("Page.addScriptToEvaluateOnNewDocument", source=WATCHED)
                page.visit(f"{address}{table['address']}")
                if page.ask("!!document.getElementById('speed')"):
                    page.ask("(speed.value = '0', speed.dispatchEvent(new Event('change')))")
                    pages[str(table["game"])] = page
                    missing.discard(str(table["variant"]))
    assert not missing, f"no table of {missing} was seen in its first hand"
    return pages


def test_a_tournament_is_watched_from_the_first_to_the_last_card(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path)
    with played(file) as address:
        run_page = browser.page(1280, 900)
        run_page.visit(f"{address}/runs/live")
        before = run_page.ask("document.querySelector('main').innerText")
        pages = caught(browser, address)
        for game, page in pages.items():
            page.ask(
                "new Promise(done => { const look = () => over.hidden ? setTimeout(look, 200) : done(); look(); })"
            )
            page.picture(f"live-{game.split('/')[1]}")
        assert run_page.ask("document.querySelector('main').innerText") != before, "the page of the run has not moved"
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
