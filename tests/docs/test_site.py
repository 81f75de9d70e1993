"""The documentation site builds without a warning, its links resolve, and it loads nothing from outside."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.support.axe import barriers
from tests.support.chromium import Browser
from tests.support.docs.site import found_pages, problems, read_document
from tests.support.paths import DOCS

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

PICTURES = {
    "index": "index.html",
    "variant": "reference/variants/buck.html",
    "messages": "reference/protocol-messages.html",
    "api": "python/sdk.html",
}
"""Pages of which a picture is kept, by the picture's name."""


MODULES = ("sdk", "engine", "records", "ratings", "envs", "spectator")
DOCUMENTED_ELSEWHERE = {
    "records": {"bowerbird.records.RecordError"},
    "ratings": {"bowerbird.ratings.GameId", "bowerbird.ratings.GameResult"},
}
"""Names that a module shares with another one, whose page explains them."""


def page(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a valid site of empty pages, one for each page of docs/."""
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


@pytest.mark.usefixtures("processes")
def test_the_built_site_has_no_problem(built_site: Path) -> None:
    assert problems(built_site) == []


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_on_the_site(built_site: Path, module: str) -> None:
    documented = {name for each in MODULES for name in read_document(built_site / "python" / f"{each}.html").ids}
    names = {f"bowerbird.{module}.{name}" for name in import_module(f"bowerbird.{module}").__all__}
    assert names - documented == DOCUMENTED_ELSEWHERE.get(module, set()), f"docs/python/{module}.rst"


@pytest.mark.usefixtures("processes")
@pytest.mark.toolchain("chromium")
@pytest.mark.parametrize("size", ["phone", pytest.param("desktop", marks=pytest.mark.long)])
def test_every_page_of_the_site_fits_its_width(built_site: Path, size: str, browser: Browser) -> None:
    width, height = SIZES[size]
    seen = browser.page(width, height)
    for file in sorted(built_site.rglob("*.html")):
        seen.open(file)
        assert seen.ask("document.documentElement.scrollWidth") <= width, f"{file.name} scrolls sideways"
    assert seen.complaints == []
    assert [one for one in seen.requests if not one.startswith(("file:", "data:"))] == []
    for dark in (False, True):
        shown = browser.page(width, height, dark=dark)
        for name, file_name in PICTURES.items():
            shown.open(built_site / file_name)
            shown.picture(f"docs-{name}-{size}-{'dark' if dark else 'light'}")


@pytest.mark.usefixtures("processes")
@pytest.mark.toolchain("chromium")
def test_the_search_of_the_site_finds_pages_from_disk(built_site: Path, browser: Browser) -> None:
    page = browser.page(*SIZES["desktop"])
    assert len(found_pages(page, built_site, "upcard")) > 1
    assert found_pages(page, built_site, "xyzzy") == []
    assert page.ask("document.querySelector('#answers')") is None
    assert page.complaints == []


@pytest.mark.usefixtures("processes")
@pytest.mark.toolchain("chromium")
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("luck duplicate deals", "explanation/fairness.html#luck"),
        ("how do I resume an interrupted run", "how-to/resume-a-run.html#after-a-crash"),
        ("Monte Carlo rollouts", "tutorials/first-bot.html#search-and-learn"),
        ("publish report website", "how-to/read-a-report.html#send-it"),
    ],
)
def test_the_search_shows_questions_with_their_answers_first(
    built_site: Path, asked: str, answer: str, browser: Browser
) -> None:
    """A question finds a page by a few of its words if no page has them all."""
    page = browser.page(*SIZES["desktop"])
    found_pages(page, built_site, asked)
    assert answer in page.ask("[...document.querySelectorAll('#answers a')].map(one => one.getAttribute('href'))")
    place = answer.partition("#")[2]
    page.open(built_site / answer.partition("#")[0])
    assert page.ask(f"document.getElementById({place!r}) !== null"), "the answer leads to its place"


BARRIER_PAGES = (
    *("index.html", "questions.html", "search.html?q=bower", "tutorials/first-bot.html", "how-to/read-a-report.html"),
    *("reference/tournament-file.html", "reference/variants/buck.html", "internals/architecture.html"),
    *("reference/python.html", "python/sdk.html"),
)
"""A page of each kind: front page, index, search, code, pictures, tables, a variant, a diagram, Python."""


@pytest.mark.usefixtures("processes")
@pytest.mark.toolchain("chromium", "npm")
@pytest.mark.parametrize(
    ("size", "dark"),
    [
        pytest.param("phone", False, id="phone-light"),
        pytest.param("desktop", True, id="desktop-dark"),
        pytest.param("phone", True, id="phone-dark", marks=pytest.mark.long),
        pytest.param("desktop", False, id="desktop-light", marks=pytest.mark.long),
    ],
)
def test_no_page_of_the_site_shuts_people_out(built_site: Path, size: str, dark: bool, browser: Browser) -> None:
    """axe-core finds nothing critical or serious."""
    page = browser.page(*SIZES[size], dark=dark)
    for name in BARRIER_PAGES:
        file, _, query = name.partition("?")
        page.open(built_site / file, f"?{query}" if query else "")
        assert barriers(page) == [], name
