"""The report page in a real browser (CLI.md, Pages)."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import Browser, Page

pytestmark = [pytest.mark.toolchain("chromium"), pytest.mark.slow]

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}


def opened(browser: Browser, file: Path, size: str = "desktop", *, dark: bool = False) -> Page:
    page = browser.page(*SIZES[size], dark=dark)
    page.open(file)
    return page


def is_clean(page: Page) -> None:
    """No complaint, and no request for anything but files of ours."""
    assert page.complaints == []
    assert [one for one in page.requests if not one.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True])
def test_report_fits_its_width(browser: Browser, report: Path, size: str, dark: bool) -> None:
    page = opened(browser, report, size, dark=dark)
    page.picture(f"report-{size}-{'dark' if dark else 'light'}")
    assert page.ask("document.documentElement.scrollWidth") <= SIZES[size][0], "it scrolls sideways"
    headings = page.ask("[...document.querySelectorAll('h2')].map(one => one.innerText)")
    assert headings[:3] == ["Standings", "Rating curves", "Each variant"]
    assert page.ask("document.querySelectorAll('#standings tbody tr').length") == 4
    assert page.ask("document.querySelectorAll('polyline').length") == 2
    is_clean(page)


def test_cells_open_the_games_and_these_their_replays(browser: Browser, report: Path) -> None:
    page = opened(browser, report)
    href = page.ask("document.querySelector('.heat td.c a').href")
    page.open(Path(href.removeprefix("file://").partition("#")[0]))
    is_clean(page)
    replay = page.ask("document.querySelector('a[href^=game-]').href")
    page.open(Path(replay.removeprefix("file://")))
    page.press("ArrowRight")
    assert "step=1" in page.ask("location.hash")
    is_clean(page)


def test_columns_are_sorted_by_their_heads(browser: Browser, report: Path) -> None:
    page = opened(browser, report)
    column = "[...document.querySelectorAll('#standings .sortable tbody tr')].map(row => +row.cells[5].dataset.v)"
    button = "document.querySelector('#standings .sortable [data-sort=\"5\"]').click()"
    page.ask(button)
    assert page.ask(column) == sorted(page.ask(column), reverse=True)
    page.ask(button)
    assert page.ask(column) == sorted(page.ask(column))
    assert page.ask("document.querySelector('#standings [aria-sort]').ariaSort") == "ascending"


def test_print_opens_every_variant(browser: Browser, report: Path) -> None:
    page = opened(browser, report)
    assert page.ask("document.querySelectorAll('details[open]').length") == 0
    page.ask("dispatchEvent(new Event('beforeprint'))")
    assert page.ask("document.querySelectorAll('details:not([open])').length") == 0
    printed = page.command("Page.printToPDF", printBackground=False)["data"]
    assert len(printed) > 10_000
