"""A scripted person plays `bowerbird play` on a pseudo-terminal: whole games, and everything that goes wrong."""

from __future__ import annotations

import os
import random
import re
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.scripted_person import Person, person
from tests.support.deadline import DEADLINE_S

FEW = ("euchre", "two-handed-straw-men", "king-cut-throat")
BRIEF = ("euchre", "--option", "max_hands=1")


@pytest.fixture
def bowerbird(tmp_path: Path) -> Bowerbird:
    """Return the command in an empty folder."""
    return Bowerbird(tmp_path)


def _whole_game(bowerbird: Bowerbird, variant: str, *more: str) -> None:
    with person(bowerbird, variant, "--db", "x.db", *more) as one:
        last = one.play_out(random.Random(variant))
        assert "The game is over" in last
        one.type("q")
        one.rest()
        assert one.process.wait(DEADLINE_S) == 0
    assert not [line for line in one.shown.splitlines() if len(line) > 80 and "bowerbird" not in line]
    assert bowerbird.wait_until_gone() == []
    runs = bowerbird.json("runs", "--db", "x.db")
    assert [(run["name"], run["games"]) for run in runs] == [(f"play-{variant}", 1)]
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")


@pytest.mark.parametrize("variant", FEW)
def test_a_person_plays_a_whole_game(bowerbird: Bowerbird, variant: str) -> None:
    _whole_game(bowerbird, variant)


@pytest.mark.long
@pytest.mark.parametrize("variant", sorted(set(variant_names()) - set(FEW)))
def test_a_person_plays_a_whole_game_of_every_variant(bowerbird: Bowerbird, variant: str) -> None:
    _whole_game(bowerbird, variant)


def _empty(bowerbird: Bowerbird) -> None:
    """Check that nothing of an abandoned game is recorded, and that no process is left."""
    assert bowerbird.wait_until_gone() == []
    assert not (bowerbird.folder / "x.db").exists() or bowerbird.json("runs", "--db", "x.db") == []


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=("ctrl-c", "end of input"))
def test_leaving_records_nothing(bowerbird: Bowerbird, key: bytes) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db") as one:
        one.screen()
        one.press(key)
        one.rest()
        assert one.process.wait(DEADLINE_S) == 130
    _empty(bowerbird)


def test_the_word_leave_leaves(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db") as one:
        one.screen()
        one.type("leave")
        one.screen()
        one.type("leave")
        one.rest()
        assert one.process.wait(DEADLINE_S) == 130
    _empty(bowerbird)


def test_a_killed_play_leaves_no_process_and_no_game(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db") as one:
        one.screen()
        os.kill(_pid(bowerbird, "play euchre"), signal.SIGKILL)
        one.rest()
    _empty(bowerbird)


def test_a_killed_human_bot_loses_the_game_and_is_told(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db", "--isolation", "none") as one:
        one.screen()
        os.kill(_bot(bowerbird, "bowerbird.bots.human"), signal.SIGKILL)
        last = one.screen()
        assert "The bot that plays for you has ended" in last
        assert "CRASHED" in last
        one.type("q")
        one.rest()
    assert bowerbird.wait_until_gone() == []


def test_a_killed_opponent_loses_the_game(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db", "--isolation", "none") as one:
        first = one.screen()
        os.kill(_bot(bowerbird, "bowerbird.bots.greedy"), signal.SIGKILL)
        last = one.play_out(random.Random(1), first)
        assert "CRASHED" in last
        assert "You win" in last
        one.type("q")
        one.rest()
    assert bowerbird.wait_until_gone() == []


def _bot(bowerbird: Bowerbird, module: str) -> int:
    """Return the process id of a bot below the run: a bot has a clean environment, without the test's mark."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            commands[int(folder.name)] = (folder / "cmdline").read_bytes().replace(bytes(1), b" ").decode()
    run = _pid(bowerbird, "bowerbird.harness.extras.play.run_process")

    def is_below(pid: int) -> bool:
        return pid == run or (pid in parents and is_below(parents[pid]))

    found = [pid for pid, command in commands.items() if module in command and is_below(pid)]
    assert found, f"no process of {module} is below {run}"
    return found[0]


def _pid(bowerbird: Bowerbird, command: str) -> int:
    found = [line for line in bowerbird.processes() if command in line and "setsid" not in line]
    assert found, f"no process {command!r}: {bowerbird.processes()}"
    return int(found[0].split()[0])


def test_a_stopped_game_asks_again(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db") as one:
        one.screen()
        pid = _pid(bowerbird, "play euchre")
        os.kill(pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGCONT)
        assert one.screen().endswith("> "), "the question is asked again"
        one.press(b"\x03")
        one.rest()


def test_keys_answer_and_wrong_ones_are_refused(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db", "--seed", "keys") as one:
        first = one.screen()
        assert "With you: partner greedy-2 (2). Against you: greedy (1), greedy-3 (3)." in first
        answers = {
            "nonsense": "That is not one of your choices",
            "99": "That is not one of your choices",
            "0": "That is not one of your choices",
            "h": "the last trick",
            "?": "greedy would",
            "t": "No trick is finished",
            "s": "Score: your side 0, their side 0",
            "v": "Seats   4 players",
            "score": "Score: your side 0, their side 0",
            "Last  Trick": "No trick is finished",
            "rules": "Seats   4 players",
            "help": "the last trick",
            "": "hand   ",
        }
        for key, answer in answers.items():
            assert answer in _typed(one, key), f"after {key!r}"
        assert "resigns" in _typed(one, "q")
        assert _typed(one, "").endswith("> ")
        one.type("leave")
        one.screen()
        assert "That is not one of the choices" in _typed(one, "yes")
        last = _typed(one, "resign")
        assert "You do not win" in last
        again = _typed(one, "again")
        assert _deal(one.shown) == _deal(again), "the same deal again"
        one.press(b"\x03")
        one.rest()
    runs = bowerbird.json("runs", "--db", "x.db")
    assert len(runs) == 1


def _typed(one: Person, line: str) -> str:
    one.type(line)
    return one.screen()


def _deal(shown: str) -> list[str]:
    """Return the first hand and upcard that a string shows."""
    hand = re.search(r"hand   (.*)", shown)
    turned = re.search(r"(\S+) is turned up", shown)
    assert hand is not None
    assert turned is not None
    return [hand[1], turned[1]]


@pytest.mark.parametrize("columns", [40, 0])
def test_a_narrow_terminal_or_one_without_a_size_shows_whole_lines(bowerbird: Bowerbird, columns: int) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db", columns=columns) as one:
        one.play_out(random.Random(3))
        one.press(b"\x03")
        one.rest()
    lines = [line for line in one.shown.splitlines() if "bowerbird" not in line]
    assert max(map(len, lines)) <= (columns or 80)


def test_plain_sentences_have_no_drawing_and_no_sign(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db", "--plain") as one:
        one.play_out(random.Random(4))
        one.press(b"\x03")
        one.rest()
    assert not set("♠♥♦♣─│·") & set(one.shown)
    assert re.search("(ace|king|queen|jack|ten|nine) of (spades|hearts|diamonds|clubs)", one.shown)


def test_a_run_of_a_person_has_no_ratings(bowerbird: Bowerbird) -> None:
    with person(bowerbird, *BRIEF, "--db", "x.db") as one:
        one.play_out(random.Random(5))
        one.type("q")
        one.rest()
    assert "no run has ratings" in bowerbird.refused("standings", "--db", "x.db")


def test_wrong_tables_are_refused_in_one_sentence(bowerbird: Bowerbird) -> None:
    assert "did you mean 'euchre'" in bowerbird.refused("play", "euchr")
    assert "seats 0 to 3" in bowerbird.refused("play", "euchre", "--seat", "5")
    assert "no fixed partners" in bowerbird.refused("play", "buck", "--partner", "greedy")
    assert "unknown bot 'gredy'" in bowerbird.refused("play", "euchre", "--with", "gredy")
