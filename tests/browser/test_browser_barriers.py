"""Reports and replays shut nobody out: axe-core finds nothing critical or serious (pages.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.axe import barriers
from tests.support.chromium import Browser

pytestmark = [pytest.mark.toolchain("chromium", "npm"), pytest.mark.slow]

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

LOOKS = [(size, dark) for size in SIZES for dark in (False, True)]
NAMES = [f"{size}-{'dark' if dark else 'light'}" for size, dark in LOOKS]


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
