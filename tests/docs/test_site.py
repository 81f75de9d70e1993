"""The site of the documentation builds without a warning, its links resolve, and it loads nothing from outside."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.chromium import chromium
from tests.support.docs.site import problems, read_document
from tests.support.paths import DOCS, ROOT

DEADLINE_S = 240
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

PICTURES = {
    "index": "index.html",
    "variant": "reference/variants/buck.html",
    "messages": "reference/protocol-messages.html",
    "api": "python/sdk.html",
}
"""Pages of which a picture is kept, by the name of the picture."""


MODULES = ("sdk", "engine", "records", "ratings", "spectator")
DOCUMENTED_ELSEWHERE = {
    "records": {"bowerbird.records.RecordError"},
    "ratings": {"bowerbird.ratings.GameId", "bowerbird.ratings.GameResult"},
}
"""Names that a module shares with another one, whose page explains them."""


def page(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a sound site of empty pages, one for each page of docs/."""
    for source in DOCS.rglob("*.md"):
        if "newsfragments" not in source.parts:
            made = tmp_path / source.relative_to(DOCS).with_suffix(".html")
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(page('<h1 id="title">x</h1>'), encoding="utf-8")
    (tmp_path / "searchindex.js").write_text("", encoding="utf-8")
    return tmp_path


def test_a_sound_site_has_no_problem(site: Path) -> None:
    (site / "index.html").write_text(
        page(
            '<a href="reference.html#title">a</a> <a href="https://example.org/">b</a> <a href="#here" id="here">c</a>',
            '<link rel="stylesheet" href="site.css"><link rel="next" href="reference.html">',
        ),
        encoding="utf-8",
    )
    (site / "site.css").write_text("a { background: url('data:image/svg+xml,x') }", encoding="utf-8")
    assert problems(site) == []


@pytest.mark.parametrize(
    ("body", "head", "problem"),
    [
        ('<a href="nowhere.html">x</a>', "", "is not there"),
        ('<a href="reference.html#nowhere">x</a>', "", "no such anchor"),
        ('<a href="#nowhere">x</a>', "", "no such anchor"),
        ('<img src="https://example.org/x.png">', "", "from outside"),
        ('<img src="x.png">', "", "is not there"),
        ("", '<script src="//example.org/x.js"></script>', "from outside"),
        ("", '<link rel="stylesheet" href="https://example.org/font.css">', "from outside"),
        ("", '<link rel="preconnect" href="https://example.org/">', "from outside"),
        ('<p style="background: url(https://example.org/x)">x</p>', "", "from outside"),
    ],
)
def test_a_problem_of_a_page_is_found(site: Path, body: str, head: str, problem: str) -> None:
    (site / "index.html").write_text(page(body, head), encoding="utf-8")
    [found] = problems(site)
    assert problem in found


def test_an_outside_font_of_a_style_sheet_is_found(site: Path) -> None:
    (site / "site.css").write_text("@font-face { src: url(https://example.org/font.woff2) }", encoding="utf-8")
    [found] = problems(site)
    assert "font.woff2 from outside" in found


def test_a_page_that_is_missing_is_found(site: Path) -> None:
    (site / "tutorials" / "first-bot.html").unlink()
    [found] = problems(site)
    assert found == "tutorials/first-bot.html: is not there"


@pytest.mark.slow
@pytest.mark.toolchain("chromium")
@pytest.mark.skipif(importlib.util.find_spec("furo") is None, reason="needs furo: make docs")
def test_the_site_builds_without_a_warning_and_fits_every_width(tmp_path: Path) -> None:
    made = tmp_path / "html"
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-E", "-b", "html", "-W", "--keep-going", "-q", "-d", tmp_path, DOCS, made],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert problems(made) == []
    documented = {name for module in MODULES for name in read_document(made / "python" / f"{module}.html").ids}
    for module in MODULES:
        names = {f"bowerbird.{module}.{name}" for name in import_module(f"bowerbird.{module}").__all__}
        assert names - documented == DOCUMENTED_ELSEWHERE.get(module, set()), f"docs/python/{module}.rst"
    with chromium() as browser:
        for size, (width, height) in SIZES.items():
            seen = browser.page(width, height)
            for file in sorted(made.rglob("*.html")):
                seen.open(file)
                assert seen.ask("document.documentElement.scrollWidth") <= width, f"{file.name} scrolls sideways"
            assert seen.complaints == []
            assert [one for one in seen.requests if not one.startswith(("file:", "data:"))] == []
            for dark in (False, True):
                shown = browser.page(width, height, dark=dark)
                for name, file_name in PICTURES.items():
                    shown.open(made / file_name)
                    shown.picture(f"docs-{name}-{size}-{'dark' if dark else 'light'}")
        search = browser.page(*SIZES["desktop"])
        search.open(made / "search.html", "?q=upcard")
        found = search.ask(
            "new Promise(done => { const look = () => { const all = document.querySelectorAll('ul.search li a');"
            " all.length > 1 ? done(all.length) : setTimeout(look, 50) }; look() })"
        )
        assert found > 1
        assert search.complaints == []
