"""One real game with a timeout, an illegal action, a crash and a bot that never came back, and how it is reported.

Four hostile bots and a fair one sit at one table; the referee plays on for each of the four. All four faults happen in
the third game. After it, one bot is past its limit and is withdrawn. Terminal and page show everything.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.records.values.faults import NO_LOG
from tests.support.chromium import Browser, Page
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.terminal import on_terminal
from tests.support.deadline import DEADLINE_S

FILE = """
[tournament]
name = "faults"
seed = "every fault"
sets = 1
on_fault = "substitute"
isolation = "none"
instances = "shared"
tables = 1
max_hands = 2
max_faults = 3
[time]
per_decision = "3s"
bank = "0s"
[[variant]]
name = "five-handed"
"""

LAST_WORDS = {"frail": "the queen of spades is missing", "gone": "no model found, giving up"}
"""What two of the bots write before they end."""

STORIES = {
    "gone": ("NEVER_STARTED", "exit status 7 before its Hello", "exit status 7"),
    "frail": ("CRASHED", "exit status 3", "exit status 3"),
    "slow": ("TIMEOUT", "no answer in time", "still running"),
    "cheat": ("ILLEGAL", "action_index 99", "still running"),
}
"""By bot, in the order of their faults in the third game: kind, detail, how the process ended."""

DB = ("--db", "x.db")
LOG = re.compile(r"logs/[0-9a-f]{10}/[a-z0-9-]+\.log")
AFTER = re.compile(r" after its \w+ fault|, about [\d.,]+ (minutes|hours|days) more")
"""An archive holds no incidents, so the faults in its games are counted; nor the playing time, which forecasts use."""
NOBODY_VOUCHES = "imported: unsigned, so nobody vouches for it\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Bowerbird:
    """Return the folder with the run; tests only read it."""
    command = Bowerbird(tmp_path_factory.mktemp("faults"))
    bots = [
        command.bot("fair", "honest"),
        command.bot("slow", "silent", "14"),
        command.bot("cheat", "illegal", "14"),
        command.bot("frail", "exits", "1"),
        command.bot("gone", "exits-for-good", "2", ONCE=str(command.folder / "once")),
    ]
    command.done("tournament", command.tournament(FILE, *bots), *DB, "--quiet")
    assert not command.wait_until_gone()
    return command


@pytest.fixture(scope="module")
def games(run: Bowerbird) -> list[dict[str, Any]]:
    return list(run.json("matches", "--faults", *DB))


@pytest.fixture(scope="module")
def told(games: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the game in which all four fail."""
    return games[2]


@pytest.fixture(scope="module")
def unplayed(games: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the game that was not played because a bot had been withdrawn."""
    assert games[-1]["ended"] == "withdrawn"
    return games[-1]


def words_of(story: dict[str, Any]) -> list[str]:
    """Return the words that every report of this fault must contain."""
    kind, detail, ended = STORIES[story["bot"]]
    assert (story["kind"], story["how_ended"]) == (kind, ended)
    assert story["detail"].startswith(detail)
    words = LAST_WORDS.get(story["bot"])
    assert story["stderr"].strip() == (words or "")
    return [kind, story["detail"], ended, *([words] if words else [])]


def test_four_seats_fail_in_one_game_and_the_referee_plays_on_for_each(told: dict[str, Any]) -> None:
    assert [story["bot"] for story in told["stories"]] == list(STORIES)
    assert told["ended"] == "limit"
    for story in told["stories"]:
        assert words_of(story)
        assert len(story["legal"]) > 1


def test_plain_replay_tells_each_of_them_where_it_happened(run: Bowerbird, told: dict[str, Any]) -> None:
    shown = run.done("replay", told["id"], *DB)
    parts = re.split(r"^  fault   ", shown, flags=re.MULTILINE)
    assert len(parts) == 1 + len(STORIES)
    for part, story in zip(parts[1:], told["stories"], strict=True):
        lines = part.split("\n")
        assert lines[0].startswith(f"{story['kind']} of seat {story['seat']} ({story['bot']})")
        below = "\n".join(line for line in lines[1:] if line.startswith(" " * 10))
        assert f"to decide: {story['legal'][0]}" in below
        for word in words_of(story)[2:]:
            assert word in below
    document = run.json("replay", told["id"], *DB)
    made = [step for step in document["steps"] if step["substituted"]]
    assert {step["seat"] for step in made} == {story["seat"] for story in told["stories"]}
    assert shown.count("(substituted)") == len(made), "no action that the referee chose is silent"


def test_json_has_each_of_them_with_its_step(run: Bowerbird, told: dict[str, Any]) -> None:
    document = run.json("replay", told["id"], *DB)
    assert [fault["kind"] for fault in document["faults"]] == [kind for kind, _, _ in STORIES.values()]
    assert document["stories"] == told["stories"]
    at = [(step["hand"], step["action"], step["fault"]["kind"]) for step in document["steps"] if step["fault"]]
    assert at == [(story["hand"], story["action"], story["kind"]) for story in told["stories"]]


def test_stepping_finds_each_of_them_with_its_story(run: Bowerbird, told: dict[str, Any]) -> None:
    with on_terminal(run, "replay", told["id"], "--step", *DB) as terminal:
        terminal.wait("hand 0 · step 0")
        for story in told["stories"]:
            screen = terminal.press("f", f"⚠ seat {story['seat']}")
            for word in [*words_of(story), "to decide: "]:
                assert word in screen
            after = terminal.press("l", "chosen by the referee")
            assert "process: " not in after, "a story stands at its fault and nowhere else"
        os.write(terminal.descriptor, b"q")
        assert terminal.process.wait(DEADLINE_S) == 0


def test_seat_is_told_of_others_no_more_than_kind_and_clock(run: Bowerbird, told: dict[str, Any]) -> None:
    """It does not see the output of its own process either, which may be about other seats and tables."""
    for story in told["stories"][:2]:  # the ones that wrote something
        seat = str(story["seat"])
        shown = run.done("replay", told["id"], "--seat", seat, *DB)
        document = run.json("replay", told["id"], "--seat", seat, *DB)
        run.done("replay", told["id"], "--seat", seat, "-o", "seat.html", *DB)
        page = (run.folder / "seat.html").read_text(encoding="utf-8")
        for text in (shown, str(document), page):
            assert not any(words in text for words in LAST_WORDS.values())
            assert "logs/" not in text
        for other in told["stories"]:
            mine = other is story
            assert f"{other['kind']} of seat {other['seat']}" in shown
            assert (other["detail"] in shown) == mine
            assert (f"to decide: {', '.join(other['legal'][:12])}" in shown) == mine
        assert [one["seat"] for one in document["stories"]] == [story["seat"]]
        assert document["stories"][0]["legal"] == story["legal"]


def test_record_alone_still_tells_its_faults(run: Bowerbird, told: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(run.done("export", told["id"], *DB), encoding="utf-8")
    alone = Bowerbird(tmp_path, run.mark)
    shown = alone.done("replay", "game.toml")
    for story in told["stories"]:
        assert re.search(f"fault   {story['kind']} of seat {story['seat']} .*{re.escape(story['detail'])}", shown)
    assert not any(words in shown for words in LAST_WORDS.values())
    document = alone.json("replay", "game.toml")
    assert [fault["kind"] for fault in document["faults"]] == [kind for kind, _, _ in STORIES.values()]
    assert document["stories"] == []


def test_game_that_was_not_played_says_why(run: Bowerbird, unplayed: dict[str, Any]) -> None:
    assert [story["bot"] for story in unplayed["stories"]] == ["gone"]
    shown = run.done("replay", unplayed["id"], *DB)
    with on_terminal(run, "replay", unplayed["id"], "--step", *DB) as terminal:
        stepped = terminal.rest()
        assert terminal.process.wait(DEADLINE_S) == 0
    for story in unplayed["stories"]:
        assert f"{story['kind']} of seat {story['seat']}" in shown
        assert story["detail"].startswith("withdrawn: ")
        for text in (shown, stepped):
            assert f"process: {story['how_ended']}" in text
            assert LAST_WORDS[story["bot"]] in text
    assert "was not played" in stepped


# The page


def opened(browser: Browser, run: Bowerbird, game: str, width: int = 1280) -> Page:
    run.done("replay", game, "-o", "game.html", *DB)
    page = browser.page(width, 900)
    page.open(run.folder / "game.html")
    return page


@pytest.mark.toolchain("chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_page_tells_each_of_them_where_it_happened(
    browser: Browser, run: Bowerbird, told: dict[str, Any], width: int
) -> None:
    page = opened(browser, run, told["id"], width)
    assert page.ask("document.querySelectorAll('#marks i').length") == len(STORIES)
    assert page.ask("story.hidden")
    for story in told["stories"]:
        page.press("f")
        page.picture(f"fault-{story['kind']}-{width}")
        said = page.ask("said.innerText") + page.ask("story.innerText")
        for word in words_of(story):
            assert word in said
        assert page.ask("document.querySelectorAll('#story .redsuit, #story dd')[0].innerText.length") > 0
        mark = page.ask("document.querySelector('#tricks [aria-current=true]').innerText")
        assert mark.startswith(f"⚠ {story['kind']}"), "it is marked in the line of tricks"
        assert page.ask("document.documentElement.scrollWidth") <= width, "it scrolls sideways"
        page.press("ArrowRight")
        assert "chosen by the referee" in page.ask("said.innerText")
        assert page.ask("story.hidden")
    hand = told["stories"][-1]["hand"]
    here = [story for story in told["stories"] if story["hand"] == hand]
    assert page.ask("document.querySelectorAll('#tricks .fault').length") == len(here)
    page.ask("document.querySelector('#tricks .fault').click()")
    assert words_of(here[0])[1] in page.ask("said.innerText")
    assert page.complaints == []


@pytest.mark.toolchain("chromium")
def test_page_looked_at_as_another_seat_hides_the_story(browser: Browser, run: Bowerbird, told: dict[str, Any]) -> None:
    page = opened(browser, run, told["id"])
    page.press("f")
    [story, *_] = told["stories"]
    for seat, words, ended in ((1 - story["seat"], False, False), (story["seat"], False, True), ("", True, True)):
        page.ask(f"eyes.value = '{seat}'; eyes.dispatchEvent(new Event('change'))")
        shown = page.ask("document.body.innerText")
        assert story["kind"] in shown
        assert (LAST_WORDS[story["bot"]] in shown) == words
        assert (page.ask("story.innerText").find("exit status 7") >= 0) == ended
        assert ("exit status 7 before its Hello" in page.ask("said.innerText")) == ended


@pytest.mark.toolchain("chromium")
def test_page_of_a_game_that_was_not_played_says_why(
    browser: Browser, run: Bowerbird, unplayed: dict[str, Any]
) -> None:
    page = opened(browser, run, unplayed["id"])
    shown = page.ask("said.innerText") + page.ask("story.innerText")
    for story in unplayed["stories"]:
        for word in (story["kind"], story["detail"], story["how_ended"], LAST_WORDS[story["bot"]]):
            assert word in shown
    assert page.complaints == []


# In another database


def test_the_run_tells_the_same_stories_in_another_database(
    run: Bowerbird, told: dict[str, Any], tmp_path: Path
) -> None:
    """Only the logs are missing: they stayed where they were."""
    run.done("export", "faults", "-o", str(tmp_path / "run.tar.gz"), *DB)
    there = Bowerbird(tmp_path, run.mark)
    assert "new stories of " in there.done("import", "run.tar.gz", *DB)
    assert "no differences" in there.done("verify", *DB)
    assert "no differences" in there.done("verify", "run.tar.gz")
    for command in (["matches", "--faults"], ["standings"], ["replay", told["id"]]):
        here = run.done(*command, *DB)
        moved = there.done(*command, *DB)
        assert NO_LOG not in here
        here, moved = (AFTER.sub("", text) for text in (here, moved))
        assert moved.replace(NOBODY_VOUCHES, "") == LOG.sub(NO_LOG, here)
    [story, *_] = there.json("replay", told["id"], *DB)["stories"]
    assert (story["log"], story["no_log"]) == ("", NO_LOG)
    for one in (run, there):
        one.done("report", "-o", "report.html", *DB)
        one.done("replay", told["id"], "-o", "same.html", *DB)
    pages = ["same.html", "report.html", *(f"report-games/{file.name}" for file in run.folder.glob("report-games/*"))]
    assert len(pages) > 5
    for page in pages:
        before, after = (AFTER.sub("", (one.folder / page).read_text("utf-8")) for one in (run, there))
        assert after.replace(f'<p class="soft">{NOBODY_VOUCHES.strip()}</p>', "") == LOG.sub(NO_LOG, before), page
