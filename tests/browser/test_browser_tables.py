"""The table of the replay page with every variant and number of seats: no element overlaps another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.records.values.game_record import OptionValue
from bowerbird.harness.report.replay_page import replay_page
from tests.support.chromium import Browser
from tests.support.records.played_games import game

pytestmark = [pytest.mark.toolchain("chromium")]

SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

TABLES: dict[str, tuple[str, dict[str, OptionValue]]] = {
    **{variant: (variant, {}) for variant in variant_names()},
    **{f"dirty-clubs-{seats}": ("dirty-clubs", {"players": seats}) for seats in range(5, 11)},
    "king-cut-throat-2": ("king-cut-throat", {"players": 2}),
    "cornish-50": ("cornish", {"pack": 50}),
}
KEPT = ("two-handed-straw-men", "three-handed", "british", "five-handed", "almonte", "seven-handed", "dirty-clubs-10")
"""Tables of which pictures are kept."""

NAMES = {"ann": "node-random", "bob": "maximilian-the-second"}

FAULTS = """(() => {
  const found = new Set(), slide = document.querySelector("#slide input"), last = +slide.max;
  const edge = document.getElementById("table").getBoundingClientRect();
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const told = thing => `${thing.one.className} of ${thing.owner.dataset.seat ?? "the middle"}`;
  for (let part = 0; part <= 12; part++) {
    const step = Math.round(last * part / 12);
    slide.value = step;
    slide.dispatchEvent(new Event("input"));
    const say = text => found.add(`step ${step}: ${text}`);
    const things = [...document.querySelectorAll("#table .card, #table .plate, #table .tag, #middle span")]
      .map(one => ({box: one.getBoundingClientRect(), owner: one.closest(".seat,.played,#middle"), one}));
    for (const {box, one} of things) {
      const [left, right] = [Math.max(edge.left, 0), Math.min(edge.right, innerWidth)];
      if (box.left < left || box.right > right || box.top < edge.top || box.bottom > edge.bottom)
        say(`outside the table: ${one.className}`);
    }
    things.forEach((a, index) => things.slice(0, index).forEach(b => {
      if (a.owner !== b.owner && meet(a.box, b.box)) say(`${told(a)} on ${told(b)}`);
    }));
    for (const name of document.querySelectorAll("#table .plate b"))
      if (name.clientWidth < Math.min(name.scrollWidth, 76)) say(`name cut off: ${name.textContent}`);
    if (document.documentElement.scrollWidth > innerWidth) say("the page scrolls sideways");
  }
  slide.value = Math.round(last / 4);
  slide.dispatchEvent(new Event("input"));
  return [...found].slice(0, 5);
})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a replay page of each table; one of the bots has a long name."""
    folder = tmp_path_factory.mktemp("tables")
    found = {name: folder / f"{name}.html" for name in TABLES}
    for name, (variant, options) in TABLES.items():
        record = game(variant, 5, options={"max_hands": 1, **options})
        seats = tuple(replace(seat, bot=NAMES[seat.bot]) for seat in record.seats)
        found[name].write_text(replay_page(replace(record, seats=seats)), encoding="utf-8")
    return found


@pytest.mark.parametrize("size", SIZES)
def test_nothing_on_the_table_lies_on_anything_else(browser: Browser, pages: dict[str, Path], size: str) -> None:
    page = browser.page(*SIZES[size])
    wrong = {}
    for name, file in pages.items():
        page.open(file)
        found = page.ask(FAULTS)
        if name in KEPT:
            page.picture(f"table-{name}-{size}")
        if found:
            wrong[name] = found
    assert wrong == {}
    assert page.complaints == []


@pytest.mark.parametrize(("width", "height"), [(360, 640), (844, 390), (1000, 620)])
def test_a_window_may_change_its_size(browser: Browser, pages: dict[str, Path], width: int, height: int) -> None:
    page = browser.page(*SIZES["desktop"])
    page.open(pages["euchre"])
    page.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    page.ask("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    assert page.ask(FAULTS) == []
