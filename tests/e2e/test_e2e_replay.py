"""Replays of a game with faults, in a terminal with keys and as a page (commands.md, `bowerbird replay`)."""

from __future__ import annotations

import os
import re

import pytest

from bowerbird.harness.records.text.canonical import canonical
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.terminal import ESCAPES, on_terminal
from tests.support.deadline import DEADLINE_S
from tests.support.records.played_games import after, game

KINDS = ("TIMEOUT", "ILLEGAL", "CRASHED")


@pytest.fixture
def faulty(bowerbird: Bowerbird) -> Bowerbird:
    """Return a folder with records in which a seat times out, acts illegally or crashes, and the referee plays on."""
    for kind in KINDS:
        record = game("buck", 1, on_fault="substitute", misbehave=after(9, None, kind), options={"max_hands": 3})
        (bowerbird.folder / f"{kind}.toml").write_text(canonical(record), encoding="utf-8")
    return bowerbird


def test_keys_step_through_the_game_and_back(faulty: Bowerbird) -> None:
    with on_terminal(faulty, "replay", "TIMEOUT.toml", "--step") as terminal:
        first = terminal.wait("hand 0 · step 0")
        assert re.search("[♠♥♦♣]", first)
        terminal.press("\x1b[C", "hand 0 · step 1")
        terminal.press(" ", "hand 0 · step 2")
        assert terminal.press("\x1b[D\x1b[D", "hand 0 · step 0") == first, "back is where we were"
        terminal.press("t", "won by")
        terminal.press("h", "hand 1 · step 0")
        terminal.press("\x1b[5~", "hand 0 · step 0")
        fault = terminal.press("f", "⚠")
        assert "TIMEOUT, 6031 ms of 6020 ms: exit status 3" in fault
        terminal.press("l", "chosen by the referee")
        terminal.press("\x1b[F", "Game over")
        os.write(terminal.descriptor, b"q")
        assert terminal.process.wait(DEADLINE_S) == 0


def test_seat_sees_its_own_cards_alone(faulty: Bowerbird) -> None:
    with on_terminal(faulty, "replay", "CRASHED.toml", "--step", "--seat", "2", "--hand", "1") as terminal:
        screen = terminal.wait("hand 1 · step 0")
        assert "what seat 2 knew" in screen
        lines = [line for line in screen.splitlines() if " score " in line]
        assert ["▒" in line for line in lines] == [True, True, False, True]
        assert [bool(re.search("[♠♥♦♣]", line)) for line in lines] == [False, False, True, False]


def test_ctrl_c_leaves_the_terminal_as_it_was(faulty: Bowerbird) -> None:
    with on_terminal(faulty, "replay", "TIMEOUT.toml", "--step") as terminal:
        terminal.wait("hand 0 · step 0")
        os.write(terminal.descriptor, b"\x03")
        assert terminal.process.wait(DEADLINE_S) == 130


def test_step_without_a_terminal_is_refused(faulty: Bowerbird) -> None:
    assert "needs a terminal" in faulty.refused("replay", "TIMEOUT.toml", "--step")


@pytest.mark.parametrize("kind", KINDS)
def test_faults_are_shown_in_lines_and_on_the_page(faulty: Bowerbird, kind: str) -> None:
    shown = faulty.done("replay", f"{kind}.toml")
    assert f"fault   {kind} of seat" in shown
    assert "(substituted)" in shown
    assert not ESCAPES.search(shown)
    assert not re.search("[♠♥♦♣]", shown), "plain when piped"
    faulty.done("replay", f"{kind}.toml", "-o", "game.html")
    page = (faulty.folder / "game.html").read_text(encoding="utf-8")
    assert f"{kind}, 6031 ms of 6020 ms: exit status 3" in page
    assert '"k":"fault"' in page


def test_page_of_a_seat_has_no_other_hand_inside(faulty: Bowerbird) -> None:
    faulty.done("replay", "TIMEOUT.toml", "-o", "all.html")
    faulty.done("replay", "TIMEOUT.toml", "--seat", "0", "-o", "seat.html")
    pages = [(faulty.folder / name).read_text(encoding="utf-8") for name in ("all.html", "seat.html")]
    assert ["packs = [" in page for page in pages] == [True, False]
    assert "only what seat 0 knew" in pages[1]
