"""The Content-Security-Policy of every page stops what is not ours, in a real browser (pages.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.report.replay_page import replay_page
from bowerbird.harness.report.templating import render_page
from tests.support.chromium import Browser, Page
from tests.support.records.played_games import after, game

pytestmark = [pytest.mark.toolchain("chromium")]

MARKUP = "</script></option></h1><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"

PLANTED = {
    "script": "<script>window.ran = 1</script>",
    "handler": "<img src='data:,' onerror='window.ran = 2'>",
    "file": "<script src='planted.js'></script>",
    "style": "<i id=planted style='position:fixed'></i>",
    "frame": "<iframe src='data:text/html,x'></iframe>",
    "base": "<base href='https://example.invalid/'>",
}


def named(record: GameRecord, name: str) -> GameRecord:
    """Return the record with this name, version and fault text."""
    seats = tuple(replace(seat, bot=name, version=name) for seat in record.seats)
    return replace(record, seats=seats, faults=tuple(replace(fault, detail=name) for fault in record.faults))


def opened(browser: Browser, file: Path) -> Page:
    page = browser.page(1280, 900)
    page.open(file)
    return page


def test_markup_in_the_words_of_a_bot_is_text_on_the_page(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    record = game("buck", 5, misbehave=after(20, None, "TIMEOUT"), options={"max_hands": 3})
    path.write_text(replay_page(named(record, MARKUP)), encoding="utf-8")
    page = opened(browser, path)
    page.press("End", "Home", "f")
    assert page.ask("window.ran") is None
    assert page.ask("document.querySelectorAll('img, iframe').length") == 0
    assert MARKUP in page.ask("document.body.textContent")
    assert page.complaints == []


@pytest.fixture
def pages(report: Path, replays: dict[int, Path], tmp_path: Path) -> dict[str, Path]:
    """Return a page of each kind by its name."""
    folder = report.with_name("report-games")
    unreadable = tmp_path / "unreadable.html"
    text = render_page("unreadable.html", game="a/b-0/x/0/0", sentence="hand 0 is wrong", styles=("page.css",))
    unreadable.write_text(text, encoding="utf-8")
    return {
        "report": report,
        "replay": replays[4],
        "shared replay": sorted(folder.glob("game-*.html"))[0],
        "pair": sorted(folder.glob("pair-*.html"))[0],
        "unreadable": unreadable,
    }


@pytest.mark.parametrize("what", PLANTED)
@pytest.mark.parametrize("kind", ["report", "replay", "shared replay", "pair", "unreadable"])
def test_policy_stops_what_is_put_into_the_file_afterwards(
    browser: Browser, pages: dict[str, Path], kind: str, what: str, tmp_path: Path
) -> None:
    (tmp_path / "planted.js").write_text("window.ran = 3", encoding="utf-8")
    text = pages[kind].read_text(encoding="utf-8")
    planted = tmp_path / "planted.html"
    planted.write_text(text.replace("</body>", f"{PLANTED[what]}</body>"), encoding="utf-8")
    page = opened(browser, planted)
    assert page.ask("window.ran") is None, "what was planted ran"
    assert page.ask(
        "!document.getElementById('planted')?.getAttribute('style') || getComputedStyle(planted).position === 'static'"
    ), "the style was applied"
    assert page.ask("document.baseURI.startsWith('file:')"), "the base was changed"
    wait_for(page, lambda: any("Content Security Policy" in one for one in page.complaints))


def wait_for(page: Page, condition: Callable[[], bool]) -> None:
    """Wait until the browser has reported what is asked; `ask` hands over what was reported before its answer."""
    for _ in range(20):
        if condition():
            return
        page.ask("new Promise(done => setTimeout(done, 50))")
    raise AssertionError(f"the browser did not complain of the policy: {page.complaints}")


def test_every_style_of_a_part_is_applied(browser: Browser, replays: dict[int, Path]) -> None:
    page = opened(browser, replays[4])
    assert page.ask("document.querySelectorAll('[data-css]').length") > 3
    assert (
        page.ask("[...document.querySelectorAll('[data-css]')].filter(one => !one.getAttribute('style')).length") == 0
    )


def test_the_report_is_styled_by_classes_alone(browser: Browser, report: Path) -> None:
    """The policy refuses styles of parts; a class without its rule would leave a bot without its colour."""
    page = opened(browser, report)
    assert page.ask("document.querySelectorAll('[style]').length") == 0
    assert page.ask("document.querySelectorAll('.dot').length") > 3
    colours = "[...document.querySelectorAll('.dot')].map(one => getComputedStyle(one).backgroundColor)"
    assert page.ask(f"{colours}.filter(one => one === 'rgba(0, 0, 0, 0)').length") == 0
    assert page.complaints == []
