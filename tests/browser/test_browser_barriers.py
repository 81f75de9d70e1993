"""Reports, replays and live pages shut nobody out: axe-core finds nothing critical or serious (pages.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.axe import barriers
from tests.support.chromium import Browser
from tests.support.records.stored_leagues import LEAGUE, store_league
from tests.support.records.stored_runs import store_run
from tests.support.serving import Served, served

pytestmark = [pytest.mark.toolchain("chromium", "npm")]

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

LOOKS = [
    ("phone", False),
    ("desktop", True),
    pytest.param("phone", True, marks=pytest.mark.long),
    pytest.param("desktop", False, marks=pytest.mark.long),
]
NAMES = ["phone-light", "desktop-dark", "phone-dark", "desktop-light"]


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=NAMES)
def test_a_report_shuts_nobody_out(browser: Browser, report: Path, size: str, dark: bool) -> None:
    page = browser.page(*SIZES[size], dark=dark)
    page.open(report)
    page.ask("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert barriers(page) == []
    page.open(sorted(report.with_name("report-games").glob("pair-*.html"))[0])
    assert barriers(page) == []


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=NAMES)
@pytest.mark.parametrize("seats", [4, 7])
def test_a_replay_shuts_nobody_out(
    browser: Browser, replays: dict[int, Path], seats: int, size: str, dark: bool
) -> None:
    """At its first step, within a trick, at a fault if there is one, and at its end."""
    page = browser.page(*SIZES[size], dark=dark)
    page.open(replays[seats])
    assert barriers(page) == []
    page.press("ArrowDown", "ArrowRight", "ArrowRight")
    assert barriers(page) == []
    page.press("f")
    assert barriers(page) == []
    page.press("End")
    assert barriers(page) == []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a complete run with faults, and one whose packs are not open yet."""
    db = tmp_path_factory.mktemp("serve") / "x.db"
    for name, is_complete in (("autumn", True), ("winter", False)):
        store_run(db, variants=("euchre", "seven-handed"), sets=range(2), faulty={1}, name=name, end=is_complete)
    with served(db) as running:
        yield running


LIVE_PAGES = {
    "home": "/",
    "run": "/runs/autumn",
    "tables": "/runs/winter/tables",
    "bot": "/runs/autumn/bots/ann",
    "pair": "/runs/autumn/pairs/ann/bob",
    "games": "/runs/autumn/games",
    "faults": "/runs/autumn/faults",
    "nothing": "/nothing",
}
"""Games come to them. A table in play is in test_browser_live."""


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=NAMES)
def test_a_served_page_shuts_nobody_out(browser: Browser, server: Served, size: str, dark: bool) -> None:
    page = browser.page(*SIZES[size], dark=dark)
    found = {}
    games = {run: server.json(f"/runs/{run}/games.json")["games"][-1]["address"] for run in ("autumn", "winter")}
    for name, path in {**LIVE_PAGES, "game": games["autumn"], "hidden": games["winter"]}.items():
        page.visit(f"{server.url}{path}")
        page.ask("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        page.picture(f"served-{name}-{size}-{'dark' if dark else 'light'}")
        found[name] = barriers(page)
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a league with bots of every status."""
    db = tmp_path_factory.mktemp("league") / "x.db"
    store_league(db)
    with served(db) as running:
        yield running


PAGES_OF_A_LEAGUE = {
    "home": "/",
    "season": f"/leagues/{LEAGUE}",
    "old-season": f"/leagues/{LEAGUE}/seasons/1",
    "variant": f"/leagues/{LEAGUE}?variant=buck",
    "versions": f"/leagues/{LEAGUE}/bots/ann",
    "suspended": f"/leagues/{LEAGUE}/bots/cat",
    "newcomer": f"/leagues/{LEAGUE}/bots/eve",
    "schedule": f"/leagues/{LEAGUE}/schedule",
}


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=NAMES)
def test_a_page_of_a_league_shuts_nobody_out(browser: Browser, league: Served, size: str, dark: bool) -> None:
    """Nor is it wider than the screen."""
    page = browser.page(*SIZES[size], dark=dark)
    found: dict[str, list[str]] = {}
    for name, path in PAGES_OF_A_LEAGUE.items():
        page.visit(f"{league.url}{path}")
        page.ask("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        page.picture(f"league-{name}-{size}-{'dark' if dark else 'light'}")
        width = page.ask("document.documentElement.scrollWidth")
        wide = [f"{width} pixels wide"] if width > SIZES[size][0] else []
        found[name] = [*barriers(page), *wide]
    assert page.complaints == []
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_a_barrier_is_found_and_named(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    file.write_text(
        '<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><img src="data:,">'
        '<p style="color:#999;background:#fff">pale</p></main>',
        encoding="utf-8",
    )
    page = browser.page(*SIZES["desktop"])
    page.open(file)
    first, second = barriers(page)
    assert first.startswith("critical, image-alt: ")
    assert second.startswith("serious, color-contrast: ")
    assert "\n  p: " in second, "the place is named"
