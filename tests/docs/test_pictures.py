"""The pictures in docs/pictures show what the commands and pages show today."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.chromium import Browser, Page
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.docs.blocks import README
from tests.support.docs.pictures import FOLDER, JUDGED, PAGES, SCREENS, photographed, play, svg, write_pages
from tests.support.paths import DOCS, ROOT

ANEW = "remake it: make pictures"
MOST_BYTES = 100_000
MOST_DIFFERENCE = 4
"""Of 255, the mean over the picture. The times in a report and the fonts of another machine change less than this."""

NAMES = {*(f"{name}.svg" for name in (*SCREENS, *JUDGED)), *(f"{name}.webp" for name in PAGES)}


def shown_pictures() -> dict[str, list[Path]]:
    """Return the pages that show each picture of the folder."""
    found: dict[str, list[Path]] = {}
    for page in (README, *sorted(DOCS.rglob("*.md"))):
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            file = (page.parent / target).resolve()
            if file.parent == FOLDER:
                assert file.is_file(), f"{page.name} shows {target}"
                assert len(words) > 20, f"{page.name}, {target}: a terminal and a screen reader have the words alone"
                found.setdefault(file.name, []).append(page)
    return found


def test_each_picture_is_made_by_the_script_and_shown_on_a_page() -> None:
    assert {file.name for file in FOLDER.iterdir()} == NAMES, ANEW
    assert set(shown_pictures()) == NAMES


def test_pictures_are_small() -> None:
    """They travel with the repository, not in the wheel."""
    assert not {file.name: file.stat().st_size for file in FOLDER.iterdir() if file.stat().st_size > MOST_BYTES}
    assert "docs/pictures" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*SCREENS, *JUDGED])
def test_a_picture_of_a_screen_is_text_and_loads_nothing(name: str) -> None:
    text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    words = " ".join(ElementTree.fromstring(text).itertext()).replace("\xa0", " ")
    assert "$ " in words
    assert "bowerbird" in words
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)|@font-face|@import|href", text)


def test_a_screen_with_other_text_is_another_picture() -> None:
    assert svg("x", "bowerbird", "rank 1") != svg("x", "bowerbird", "rank 2")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Bowerbird:
    """Return the command in a folder with the run of the pictures."""
    return play(tmp_path_factory.mktemp("pictures"))


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", SCREENS)
def test_a_picture_of_a_screen_is_that_of_today(played: Bowerbird, name: str) -> None:
    assert SCREENS[name](played) == (FOLDER / f"{name}.svg").read_text(encoding="utf-8"), ANEW


def words_of(picture: str) -> list[str]:
    """Return the words of the lines above the first figure that a network computes, without numbers."""
    text = "".join(f"{one}\n" for one in ElementTree.fromstring(picture).itertext()).replace("\xa0", " ")
    return re.findall(r"[a-z=']{2,}", text.partition("what cost most")[0])


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", JUDGED)
def test_a_picture_of_judged_figures_has_the_words_of_today(played: Bowerbird, name: str) -> None:
    stored = words_of((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
    assert {"bidding", "exchange", "lead", "follow", "ending", "par"} <= set(stored)
    assert words_of(JUDGED[name](played)) == stored, ANEW


def difference(page: Page, one: bytes, other: bytes) -> float:
    """Return the mean difference of two pictures, from 0 to 255; 255 if their sizes differ."""
    page.open(README)  # any page: the pictures are drawn by a script
    addresses = [f"data:image/webp;base64,{base64.b64encode(each).decode()}" for each in (one, other)]
    found = page.ask(
        "(async () => { const pixels = async address => { const image = new Image(); image.src = address;"
        " await image.decode(); const canvas = new OffscreenCanvas(image.width, image.height);"
        " const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);"
        " return context.getImageData(0, 0, image.width, image.height).data; };"
        f" const [a, b] = [await pixels({addresses[0]!r}), await pixels({addresses[1]!r})];"
        " if (a.length !== b.length) return 255; let sum = 0;"
        " for (let at = 0; at < a.length; at++) sum += Math.abs(a[at] - b[at]);"
        " return sum / (a.length * 3 / 4); })()"
    )
    return float(found)


@pytest.mark.usefixtures("processes")
@pytest.mark.toolchain("chromium")
def test_a_picture_of_a_page_looks_like_that_of_today(played: Bowerbird, browser: Browser) -> None:
    write_pages(played)
    seen = {name: photographed(browser.page(*size), played, name) for name, (_, _, size) in PAGES.items()}
    compared = browser.page(400, 300)
    stored = {name: (FOLDER / f"{name}.webp").read_bytes() for name in PAGES}
    found = {name: difference(compared, seen[name], stored[name]) for name in PAGES}
    assert not {name: mean for name, mean in found.items() if mean > MOST_DIFFERENCE}, ANEW
    assert difference(compared, seen["report"], stored["replay"]) > 10 * MOST_DIFFERENCE, "what differs is seen"
