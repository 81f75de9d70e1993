"""The replay page in a real browser (pages.md)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.report.replay_page import replay_page
from tests.support.chromium import Browser, Page
from tests.support.records.played_games import game, notes_of

pytestmark = [pytest.mark.toolchain("chromium")]

SEATS = pytest.mark.parametrize("seats", [2, 4, 7])
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

TABLE = "document.getElementById('table').innerHTML + document.querySelector('.score').innerText + said.innerText"
CARDS = "[...document.querySelectorAll('#table .seat')].map(seat => seat.querySelectorAll('[data-card]').length)"


def opened(browser: Browser, file: Path, place: str = "", size: str = "desktop", *, dark: bool = False) -> Page:
    page = browser.page(*SIZES[size], dark=dark)
    page.open(file, place)
    return page


def is_clean(page: Page) -> None:
    """Assert that the page has no complaint and requested nothing but files of ours."""
    assert page.complaints == []
    assert [one for one in page.requests if not one.startswith(("file:", "data:", "blob:"))] == []


def place(page: Page) -> tuple[int, int]:
    wish: dict[str, Any] = page.ask("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")
    return int(wish["hand"]), int(wish["step"])


@SEATS
@pytest.mark.parametrize("size", SIZES)
def test_page_fits_its_width_and_shows_the_table(
    browser: Browser, replays: dict[int, Path], seats: int, size: str
) -> None:
    page = opened(browser, replays[seats], "#hand=0&step=12", size)
    page.picture(f"replay-{seats}-seats-{size}")
    assert page.ask("document.documentElement.scrollWidth") <= SIZES[size][0], "it scrolls sideways"
    assert page.ask("document.querySelectorAll('#table .seat').length") == seats
    outside = page.ask(
        f"""[...document.querySelectorAll('#table .card, #table .plate')].filter(one => {{
             const box = one.getBoundingClientRect();
             return box.left < 0 || box.right > {SIZES[size][0]}; }}).length"""
    )
    assert outside == 0, "cards or names are cut off at the edge"
    is_clean(page)


@SEATS
def test_forward_and_back_is_the_same_state(browser: Browser, replays: dict[int, Path], seats: int) -> None:
    page = opened(browser, replays[seats])
    states = [page.ask(TABLE)]
    for _ in range(30):
        page.press("ArrowRight")
        states.append(page.ask(TABLE))
    assert len(set(states)) > 25, "steps look alike"
    for state in reversed(states[:-1]):
        page.press("ArrowLeft")
        assert page.ask(TABLE) == state
    is_clean(page)


@SEATS
def test_deep_link_shows_the_step_that_it_names(browser: Browser, replays: dict[int, Path], seats: int) -> None:
    page = opened(browser, replays[seats])
    page.press("PageDown", *["ArrowRight"] * 7)
    assert place(page) == (1, 7)
    linked = opened(browser, replays[seats], "#hand=1&step=7")
    assert linked.ask(TABLE) == page.ask(TABLE)
    linked.ask("location.hash = '#hand=2&step=3'")
    linked.ask("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    assert "hand 2 · step 3" in linked.ask("document.getElementById('place').textContent")
    is_clean(linked)


def test_a_link_to_a_hand_that_the_game_does_not_have_says_so(browser: Browser, replays: dict[int, Path]) -> None:
    linked = opened(browser, replays[4], "#hand=9999&step=0")
    last = linked.ask("document.getElementById('hands').options.length") - 1
    assert linked.ask("document.getElementById('place').textContent") == f"no hand 9999; this is hand {last}"
    is_clean(linked)


def test_a_ten_is_called_the_same_on_its_face_and_in_the_log(browser: Browser, replays: dict[int, Path]) -> None:
    page = opened(browser, replays[4])
    said = ""
    for _ in range(3):
        page.press("PageDown")
        said += page.ask("document.getElementById('log').innerText")
    assert "10" in said
    assert not [sign for sign in "♠♥♦♣" if f"T{sign}" in said]
    is_clean(page)


def test_keyboard_alone_reaches_everything(browser: Browser, replays: dict[int, Path]) -> None:
    page = opened(browser, replays[4])
    page.press("ArrowDown")
    assert "takes the trick" in page.ask("said.innerText")
    page.press("End")
    assert "Game over" in page.ask("said.innerText")
    page.press("Home", "f")
    assert "TIMEOUT, 6031 ms of 6020 ms" in page.ask("said.innerText")
    page.press("ArrowRight")
    assert "chosen by the referee" in page.ask("said.innerText")
    page.press("PageUp")
    assert place(page)[1] == 0
    seen = set()
    for _ in range(60):
        page.press("Tab")
        seen.add(page.ask("document.activeElement.id || document.activeElement.tagName"))
    assert {"eyes", "theme", "step+", "step-", "hand+", "trick+", "fault+", "hands"} <= seen
    page.ask("document.getElementById('step+').focus()")
    before = place(page)
    page.press("Enter")
    assert place(page) != before
    is_clean(page)


def test_buttons_and_tricks_can_be_clicked(browser: Browser, replays: dict[int, Path]) -> None:
    page = opened(browser, replays[7])
    page.ask("document.getElementById('step+').click()")
    assert place(page) == (0, 1)
    page.ask("document.querySelectorAll('#tricks button')[2].click()")
    assert "takes the trick" in page.ask("said.innerText")
    assert page.ask("document.querySelector('#tricks [aria-current=true]').innerText").find("2 ·") >= 0
    is_clean(page)


def test_choosing_a_seat_hides_the_hands_of_others(browser: Browser, replays: dict[int, Path]) -> None:
    page = opened(browser, replays[7], "#hand=0&step=0&seat=2")
    assert [seat for seat, cards in enumerate(page.ask(CARDS)) if cards] == [2]
    page.ask("eyes.value = ''; eyes.dispatchEvent(new Event('change'))")
    assert all(cards > 0 for cards in page.ask(CARDS))


def test_page_of_a_seat_has_no_other_hand_in_it_at_any_step(browser: Browser, seat_page: Path) -> None:
    page = opened(browser, seat_page)
    page.picture("replay-of-a-seat")
    assert page.ask("document.getElementById('download')") is None
    for _ in range(20):
        page.press("ArrowRight")
        assert [bool(cards) for cards in page.ask(CARDS)][0::2] == [False, False], "seats 0 and 2 are open"
    assert page.ask("JSON.parse(data.textContent).record") is None
    is_clean(page)


def test_record_inside_is_what_is_downloaded(browser: Browser, replays: dict[int, Path], tmp_path: Path) -> None:
    page = opened(browser, replays[4])
    text = page.download("document.getElementById('download').click()", tmp_path).decode()
    assert text.startswith('format = "bowerbird-record/1"')
    assert page.ask("JSON.parse(data.textContent).record") == text


def test_dark_and_light_follow_the_system_and_the_switch(browser: Browser, replays: dict[int, Path]) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light, dark = (opened(browser, replays[4], dark=dark) for dark in (False, True))
    dark.picture("replay-dark")
    assert light.ask(background) != dark.ask(background)
    light.ask("theme.click()")
    assert light.ask(background) == dark.ask(background)
    dark.ask("theme.click()")
    assert light.ask(background) != dark.ask(background)


def test_controls_and_cards_have_names_to_be_read_out(browser: Browser, replays: dict[int, Path]) -> None:
    page = opened(browser, replays[4])
    tree = page.command("Accessibility.getFullAXTree")["nodes"]
    nameless = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored")
        and node.get("role", {}).get("value") in ("button", "combobox", "slider", "image", "link")
        and not node.get("name", {}).get("value", "").strip()
    ]
    assert nameless == []
    assert any("of spades" in node.get("name", {}).get("value", "") for node in tree)


def test_number_cards_have_their_pips_and_number(browser: Browser, replays: dict[int, Path]) -> None:
    """A ten is written T in notation and drawn as on a card: 10, with ten pips besides the pips in its corners."""
    page = opened(browser, replays[7])
    drawn = (
        "[...document.querySelectorAll('#table [data-card]')].map(card => "
        "[card.dataset.card[0], card.textContent, card.querySelectorAll('path').length])"
    )
    pips = {rank: (text, paths - 2) for rank, text, paths in page.ask(drawn) if rank in "T9876"}
    assert pips, "seven hands hold number cards"
    for rank, (text, number) in pips.items():
        figure = "10" if rank == "T" else rank
        assert text.count(figure) == 2, "in two corners"
        assert number == int(figure)


def test_a_note_stands_beside_its_action_as_text(browser: Browser, tmp_path: Path) -> None:
    """Markup of a bot is shown and not run. As one seat only that seat's notes are shown."""
    record = game("euchre", 5, options={"max_hands": 2})
    markup = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>\nsecond line"
    notes = [replace(note, text=f"{markup} {note.place}") for note in notes_of(record)]
    file = tmp_path / "noted.html"
    file.write_text(replay_page(record, notes=notes), encoding="utf-8")
    page = opened(browser, file)
    frames = page.ask("JSON.parse(data.textContent).frames.length")
    said = []
    for _ in range(frames - 1):
        page.press("ArrowRight")
        said.append(page.ask("note.hidden ? '' : document.querySelector('#note pre').textContent"))
    assert [text for text in said if text] == [note.text for note in notes]
    assert "" in said
    assert page.ask("document.title") != "run"
    assert page.ask("document.querySelectorAll('#note img, #note script').length") == 0
    page.press("Home")
    page.picture("replay-note")
    first = notes[0]
    other = (first.seat + 1) % 4
    page.press(*["ArrowRight"] * (first.action + 1))
    assert not page.ask("note.hidden")
    for seat, is_hidden in ((other, True), (first.seat, False)):
        page.ask(f"eyes.value = '{seat}'; eyes.dispatchEvent(new Event('change'))")
        assert page.ask("note.hidden") is is_hidden
    is_clean(page)
