"""`bowerbird ask`, with real processes: one decision of a recorded game."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

GAMES = ROOT / "tests" / "fixtures" / "games"
WHOLE = GAMES / "buck" / "hand-scored.toml"
FORFEIT = GAMES / "euchre" / "game-forfeit.toml"

NOTICING = """
from bowerbird.sdk import Bot, Capabilities, run

class Noticing(Bot):
    capabilities = Capabilities(wants_events=True)

    def __init__(self):
        self.decisions = 0
        self.events = []

    def act(self, decision):
        self.decisions += 1
        self.events += decision.events
        decision.note = f"{self.decisions} {len(self.events)} {len(decision.view.history)}"
        return 0

run(Noticing())
"""

CHOOSING = """
from bowerbird.sdk import Bot, run

class Choosing(Bot):
    def act(self, decision):
        return decision.legal[PLACE]

run(Choosing())
"""

FAILING = """
from bowerbird.sdk import Bot, run

class Failing(Bot):
    def act(self, decision):
        secret = decision.view.hand[0]
        raise ValueError("no plan for this hand")

run(Failing())
"""


def recorded(file: Path) -> GameRecord:
    return read(file.read_text(encoding="utf-8"))


def script(bowerbird: Bowerbird, name: str, text: str) -> Path:
    """Write a bot of one Python file with the test's mark; return its folder."""
    folder = bowerbird.bundled(name)
    (folder / "bot.py").write_text(text, encoding="utf-8")
    manifest = folder / "bot.toml"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(f'"-m", "bowerbird.bots.{name}"', f'"{folder / "bot.py"}"'),
        encoding="utf-8",
    )
    return folder


def last_choice(record: GameRecord) -> tuple[int, int, str]:
    """Return hand, step and token of the last decision of hand 0 that was not forced."""
    hand = record.hands[0]
    step = max(index for index in range(len(hand.actions)) if index not in hand.forced)
    return 0, step, hand.actions[step].partition(" ")[2]


def debugged(bowerbird: Bowerbird, typed: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command with `typed` as its standard input."""
    return subprocess.run(
        [COMMAND, "ask", *map(str, arguments), "--pdb"],
        cwd=bowerbird.folder,
        env=bowerbird.environment(),
        input=typed,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def test_a_bot_is_asked_the_recorded_decision(bowerbird: Bowerbird) -> None:
    _, step, token = last_choice(recorded(WHOLE))
    said = bowerbird.json("ask", WHOLE, script(bowerbird, "first", CHOOSING.replace("PLACE", "0")), "--step", str(step))
    (answer,) = said["answers"]
    assert (said["hand"], said["step"], said["recorded"]) == (0, step, token)
    assert answer["token"] == said["view"]["legal"][0], "this bot takes the first action"
    assert said["passed"] is True
    assert said["view"]["seat"] == said["seat"] == said["view"]["actor"]


def test_the_position_is_shown_in_words_within_80_columns(bowerbird: Bowerbird) -> None:
    _, step, token = last_choice(recorded(WHOLE))
    shown = bowerbird.done("ask", WHOLE, bowerbird.bot("first", "honest"), "--step", str(step)).splitlines()
    assert shown[0].startswith("buck, hand 0: seat ")
    assert f"  recorded  {token}" in shown
    assert shown[-1].startswith("first 1.0: ")
    assert max(map(len, shown)) <= 80


def test_without_a_step_the_first_fault_is_asked(bowerbird: Bowerbird) -> None:
    """The decision at which the game ended has no recorded action."""
    fault = recorded(FORFEIT).faults[0]
    said = bowerbird.json("ask", FORFEIT, bowerbird.bot("first", "honest"))
    assert (said["hand"], said["step"], said["seat"]) == (fault.hand, fault.action, fault.seat)
    assert (said["recorded"], said["fault"]["kind"]) == ("", fault.kind)


def test_only_an_exact_answer_passes_if_that_is_demanded(bowerbird: Bowerbird) -> None:
    record = recorded(WHOLE)
    _, step, token = last_choice(record)
    first, last = (
        script(bowerbird, f"place{place.strip('-')}", CHOOSING.replace("PLACE", place)) for place in ("0", "-1")
    )
    codes = [bowerbird("ask", WHOLE, bot, "--step", str(step), "--exact").returncode for bot in (first, last)]
    legal = bowerbird.json("ask", WHOLE, first, "--step", str(step))["view"]["legal"]
    assert len(legal) > 1
    assert codes == [int(legal[0] != token), int(legal[-1] != token)], f"of {legal}, {token} was recorded"


def test_a_bot_that_draws_lots_is_asked_often_and_alike_with_the_same_seed(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bundled("random")

    def tokens(*more: str) -> list[str]:
        said = bowerbird.json("ask", FORFEIT, bot, "--step", "1", "--times", "12", *more)
        return [answer["token"] for answer in said["answers"]]

    once, again, other = tokens(), tokens(), tokens("--seed", "2")
    assert len(set(once)) > 1, "each table has a seed of its own"
    assert once == again
    assert once != other


def test_a_bot_that_remembers_gets_the_earlier_decisions_and_all_events(bowerbird: Bowerbird) -> None:
    bot = script(bowerbird, "noticing", NOTICING)
    _, step, _ = last_choice(recorded(WHOLE))
    alone = bowerbird.json("ask", WHOLE, bot, "--step", str(step))
    whole = bowerbird.json("ask", WHOLE, bot, "--step", str(step), "--from-start")
    for said, decisions in ((alone, 1), (whole, 1 + len(whole["earlier"]))):
        count, events, history = map(int, said["answers"][0]["note"].split())
        assert (count, events) == (decisions, history), "every event of the hand, once"
    assert whole["earlier"]


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("exits", "its process ended"),
        ("silent", "no message came within 1 s"),
        ("malformed", "bytes that are not a PlayRequest"),
    ],
)
def test_a_bot_that_does_not_answer_fails(bowerbird: Bowerbird, mode: str, why: str) -> None:
    finished = bowerbird("ask", FORFEIT, bowerbird.bot("wrong", mode, "0"), "--step", "1", "--timeout", "1")
    assert finished.returncode == 1
    assert "the bot failed: " in finished.stdout
    assert why in finished.stdout
    assert bowerbird.wait_until_gone() == []


def test_an_illegal_answer_fails_and_is_shown(bowerbird: Bowerbird) -> None:
    finished = bowerbird("ask", FORFEIT, bowerbird.bot("wrong", "illegal", "0"), "--step", "1")
    assert finished.returncode == 1
    assert "illegal: action_index 99" in finished.stdout


def test_the_debugger_stops_where_the_bot_decides(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bundled("greedy")
    said = debugged(bowerbird, "p decision.view.seat\np decision.view.stage\nc\n", FORFEIT, bot)
    assert said.returncode == 0, said.stderr
    assert "act()" in said.stdout
    assert f"(Pdb) {recorded(FORFEIT).faults[0].seat}" in said.stdout
    assert "(Pdb) 'order up'" in said.stdout
    assert "the bot chooses " in said.stderr


def test_the_debugger_stands_where_the_bot_raised(bowerbird: Bowerbird) -> None:
    said = debugged(bowerbird, "c\np secret\nq\n", FORFEIT, script(bowerbird, "failing", FAILING))
    assert said.returncode == 1
    assert "ValueError: no plan for this hand" in said.stderr
    assert "(Pdb) 'As'" in said.stdout, "the local variables of act can be read"


def test_a_debugger_that_is_left_is_no_answer(bowerbird: Bowerbird) -> None:
    said = debugged(bowerbird, "q\n", FORFEIT, bowerbird.bundled("greedy"))
    assert said.returncode == 1
    assert "the debugger was left before the bot had chosen" in said.stderr


def test_a_bot_in_another_language_has_no_debugger(bowerbird: Bowerbird) -> None:
    folder = bowerbird.bundled("shell")
    manifest = folder / "bot.toml"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace(
            '"{python}", "-m", "bowerbird.bots.shell"', '"sh", "-c", "exit 3"'
        ),
        encoding="utf-8",
    )
    finished = bowerbird("ask", FORFEIT, folder, "--pdb")
    assert finished.returncode == 2
    assert "--pdb is only for bots in Python; shell starts sh" in finished.stderr


def test_a_hand_alone_lists_its_decisions(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bot("first", "honest")
    hand = recorded(WHOLE).hands[0]
    listed = bowerbird.json("ask", WHOLE, bot, "--hand", "0")
    assert [one["step"] for one in listed] == [step for step in range(len(hand.actions)) if step not in hand.forced]
    rows = bowerbird.done("ask", WHOLE, bot, "--hand", "0").splitlines()[3:]
    assert [row.split()[0] for row in rows] == [str(one["step"]) for one in listed]


def test_bad_places_are_refused_with_one_sentence(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bot("first", "honest")
    forced = recorded(WHOLE).hands[0].forced[0]
    for arguments, sentence in (
        ((WHOLE, bot), "name the decision with --hand and --step"),
        ((WHOLE, bot, "--hand", "0", "--times", "2"), "choose one with --step"),
        ((WHOLE, bot, "--hand", "7"), "there is no hand 7; it has hands 0 to 0"),
        ((WHOLE, bot, "--hand", "7", "--step", "0"), "there is no hand 7; it has hands 0 to 0"),
        ((WHOLE, bot, "--step", "999"), "step 999 is not followed by a decision; the hand has "),
        ((WHOLE, bot, "--step", str(forced)), "had no choice at step"),
        (("none.toml", bot, "--step", "0"), "there is no such file"),
        ((WHOLE, "no/bot", "--step", "0"), "there is no such bot"),
        ((WHOLE, bot, "--step", "0", "--pdb", "--json"), "leave out --json"),
    ):
        assert sentence in bowerbird.refused("ask", *arguments)
