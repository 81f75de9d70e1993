"""The page on replays and reports is right: keys, numbers and files match the code."""

from __future__ import annotations

import re

from bowerbird.harness.ratings.standings import curves
from bowerbird.harness.report import report_data, report_page
from bowerbird.harness.report.templating import source
from tests.support.paths import ROOT

TEXT = (ROOT / "docs" / "reference" / "pages.md").read_text(encoding="utf-8")
WORDS = " ".join(TEXT.split())
"""The page without its line breaks."""

SHOWN = {
    "→": "ArrowRight",
    "←": "ArrowLeft",
    "↓": "ArrowDown",
    "↑": "ArrowUp",
    "PgDn": "PageDown",
    "PgUp": "PageUp",
}
"""The name of a key in the browser, by what the page calls it; others have the same name."""


def test_keys_of_the_replay_page_are_those_of_its_script() -> None:
    table = TEXT.partition("| key | goes to |\n|---|---|\n")[2].partition("\n\n")[0]
    shown = {SHOWN.get(key, key) for row in table.splitlines() for key in re.findall(r"`([^`]+)`", row.split("|")[1])}
    keys = re.search(r"const KEYS = \{(.*?)\};", str(source("replay.js")))
    assert keys is not None
    known = set(re.findall(r"(\w+):|\"( )\":", keys.group(1)))
    assert {word or space for word, space in known} - {"f", " "} == shown
    assert "or space" in table


def test_figures_of_the_report_are_those_of_the_code() -> None:
    assert f"at most {curves.MOST_POINTS} points" in WORDS
    assert f"at most {report_data.STORIES} stories" in WORDS
    assert f"at most {report_page.FOR_FAULTS} games with faults" in WORDS
    assert f"at least {report_page.LEAST} games" in WORDS


def test_files_of_the_report_are_those_that_are_written() -> None:
    code = (ROOT / "harness" / "report" / "report_page.py").read_text(encoding="utf-8")
    assert report_page.pair_files([]) == report_page.bot_files([]) == {}
    for name in ("pair-{number:03}", "bot-{number:03}", "game-{place:05}"):
        assert name in code


def test_links_of_the_replay_page_are_those_of_its_script() -> None:
    assert "game.html#hand=3&step=12&seat=1" in TEXT
    assert "#hand=${f.h}&step=${f.s}" in str(source("replay.js"))
    assert '<details id="v-{{ scope.id }}">' in str(source("standings.html"))
