"""The report page in a real browser (pages.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.report.report_page import write_report
from tests.support.chromium import Browser, Page
from tests.support.records.stored_runs import store_cup

pytestmark = [pytest.mark.toolchain("chromium")]

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}


def opened(browser: Browser, file: Path, size: str = "desktop", *, dark: bool = False) -> Page:
    page = browser.page(*SIZES[size], dark=dark)
    page.open(file)
    return page


def is_clean(page: Page) -> None:
    """Assert that the page has no complaint and requested nothing but files of ours."""
    assert page.complaints == []
    assert [one for one in page.requests if not one.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dark", [False, True])
def test_report_fits_its_width(browser: Browser, report: Path, size: str, dark: bool) -> None:
    page = opened(browser, report, size, dark=dark)
    page.picture(f"report-{size}-{'dark' if dark else 'light'}")
    assert page.ask("document.documentElement.scrollWidth") <= SIZES[size][0], "it scrolls sideways"
    headings = page.ask("[...document.querySelectorAll('h2')].map(one => one.innerText)")
    assert headings[:4] == ["Standings", "Over the variants", "Rating curves", "Each variant"]
    assert page.ask("document.querySelectorAll('#standings tbody').length") == 3
    assert page.ask("document.querySelectorAll('polyline').length") == 2
    page.ask("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.ask("document.body.innerText.match(/undefined|NaN|Infinity|null/)") is None
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


@pytest.mark.parametrize("title", ["Elo", "95%", "bot"])
def test_columns_are_sorted_by_their_heads(browser: Browser, report: Path, title: str) -> None:
    """Also from the keyboard: descending first, then ascending."""
    page = opened(browser, report)
    head = f"[...document.querySelectorAll('#standings .sortable th')].find(one => one.innerText.startsWith('{title}'))"
    column = (
        f"[...document.querySelector('#standings .sortable').tBodies[0].rows]"
        f".map(row => row.cells[{head}.cellIndex].dataset.v).filter(one => one !== '')"
    )

    def values() -> list[str] | list[float]:
        shown: list[str] = page.ask(column)
        return shown if title == "bot" else [float(text) for text in shown]

    page.ask(f"{head}.querySelector('button').focus()")
    page.press("Enter")
    assert page.ask(f"{head}.ariaSort") == "descending"
    falling = values()
    assert falling == sorted(falling, reverse=True)
    page.press("Enter")
    assert values() == sorted(falling)
    assert page.ask("document.querySelector('#standings [aria-sort]').ariaSort") == "ascending"


def test_ten_bots_fit_a_phone_and_every_cell_is_a_link(browser: Browser, tmp_path: Path) -> None:
    fingerprint = store_cup(tmp_path / "x.db", 10, ("two-handed", "seven-handed"))
    with Store.open(tmp_path / "x.db") as store:
        write_report(store.run(fingerprint), tmp_path / "report.html", replays=0)
    page = opened(browser, tmp_path / "report.html", "phone")
    page.picture("report-ten-bots-phone")
    assert page.ask("document.documentElement.scrollWidth") <= SIZES["phone"][0], "it scrolls sideways"
    cells, links = page.ask("['', ' > a[href]'].map(link => document.querySelectorAll(`.heat td.c${link}`).length)")
    assert cells == links > 200
    is_clean(page)


def test_print_opens_every_variant(browser: Browser, report: Path) -> None:
    page = opened(browser, report)
    assert page.ask("document.querySelectorAll('details[open]').length") == 0
    page.command(
        "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    page.ask("dispatchEvent(new Event('beforeprint'))")
    assert page.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "dark pages print dark"
    assert page.ask("document.querySelectorAll('details:not([open])').length") == 0
    printed = page.command("Page.printToPDF", printBackground=False)["data"]
    assert len(printed) > 10_000
