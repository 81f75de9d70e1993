"""`bowerbird.bots.stdio` in front of real programs: what fails there is told as the program's fault (bridges.md)."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from bowerbird.bots.bridge.bot import Bridge
from bowerbird.bots.bridge.messages import MAX_NOTE_BYTES, decision, parse_answer, plain
from bowerbird.bots.stdio.program import Program
from bowerbird.engine import new_game
from bowerbird.harness.cli.shared.output import plain as printed
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.sdk import Bot, BotFailedError, Decision, play
from tests.support.paths import ROOT
from tests.support.referee.offence import Offence, offend
from tests.support.referee.tables import bot

pytestmark = pytest.mark.usefixtures("processes")

PROGRAM = ROOT / "tests" / "support" / "bots" / "foreign_program.py"
BRIDGE = (sys.executable, "-P", "-m", "bowerbird.bots.stdio")

GENEROUS = TimeControl(per_decision_ms=1000, bank_ms=500, margin_ms=1000, startup_ms=30_000)
"""For a program that is late: the bridge says so before the referee's margin is over."""


def bridged(mode: str) -> BotSpec:
    return bot("bad", command=(*BRIDGE, sys.executable, str(PROGRAM), mode), tables=2)


@pytest.mark.parametrize(
    ("mode", "kind", "detail"),
    [
        ("dies", "CRASHED", "exit status 3"),
        ("is killed", "CRASHED", "signal 11 (SIGSEGV)"),
        ("leaves with 0", "DISCONNECTED", "exit status 0"),
        ("closes stdout", "PROTOCOL", "the program lives, but closed its stdout"),
        ("garbage", "PROTOCOL", "the program answered '\\x1b[31mbest move\\u202e: pass', which is not JSON"),
        ("a list", "PROTOCOL", "the program answered '[0]', which is not a JSON object"),
        ("nested", "PROTOCOL", "which is not JSON"),
        ("a megabyte", "PROTOCOL", "the program wrote a line of more than 65,536 bytes"),
        ("another id", "PROTOCOL", "whose id is another"),
        ("no action", "PROTOCOL", "without the token of an action"),
        ("answers all", "PROTOCOL", "was asked decision 0 and answered '{\"ok\": true}', whose id is another"),
        ("illegal", "ILLEGAL", "action 'play 2x'"),
        ("a long token", "ILLEGAL", "????"),
        ("resigns", "RESIGNED", "resigned"),
        ("dies at start", "NEVER_STARTED", "exit status 3 before its Ready"),
        ("not ready", "NEVER_STARTED", 'the program answered hello with \'{"ready": "soon"}\''),
    ],
)
def test_what_a_program_does_wrong_is_the_fault_of_its_bot(tmp_path: Path, mode: str, kind: str, detail: str) -> None:
    """The other tables play on, and no process is left (`offend`)."""
    offence = offend(tmp_path, bridged(mode))
    fault = offence.fault
    assert (fault.kind, detail in fault.detail) == (kind, True), fault
    assert "bots/bridge" not in offence.story.stderr, "the bridge's own traceback would hide the program's words"


@pytest.mark.parametrize("mode", ["dies", "dies at start"])
def test_the_story_holds_the_last_words_of_a_program_that_died(tmp_path: Path, mode: str) -> None:
    story = offend(tmp_path, bridged(mode)).story
    assert story.exit == "exit status 3"
    assert "Traceback: the engine lost its way\nthe program exited with status 3; its last line was" in story.stderr


@pytest.mark.parametrize("mode", ["nothing", "half a line"])
def test_a_program_that_never_answers_is_late(tmp_path: Path, mode: str) -> None:
    offence = offend(tmp_path, bridged(mode), time=GENEROUS)
    assert (offence.fault.kind, offence.fault.detail) == ("TIMEOUT", "no answer in time")
    assert "the program has not answered decision 0 after 1500 ms" in offence.story.stderr


def test_a_program_that_is_never_ready_does_not_start(tmp_path: Path) -> None:
    short = TimeControl(per_decision_ms=1000, bank_ms=0, margin_ms=20, startup_ms=4000)
    assert offend(tmp_path, bridged("never ready"), time=short).fault.kind == "NEVER_STARTED"


@pytest.mark.parametrize("mode", ["good", "floods stderr", "a long note", "leaves a child", "ignores the end"])
def test_noise_is_no_fault_and_nothing_outlives_the_game(tmp_path: Path, mode: str) -> None:
    offence: Offence = offend(tmp_path, bridged(mode))
    assert offence.record.faults == ()
    assert offence.record.result.ended == "limit"


def test_a_program_that_does_not_exist_is_one_sentence() -> None:
    with pytest.raises(BotFailedError, match=r"the program './nobody' cannot be started: No such file or directory"):
        Program(["./nobody"])


def test_a_program_that_is_never_ready_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bowerbird.bots.bridge.bot.STARTUP_S", 0.2)
    monkeypatch.setattr("bowerbird.bots.bridge.bot.LATER_STARTUP_S", 0.2)
    silent = [sys.executable, "-c", "import time; time.sleep(1000)"]
    bridge = Bridge("silent", lambda: Program(silent), is_shared=False)
    with pytest.raises(BotFailedError, match="the program has not answered hello after 0 s"):
        bridge.prepare()


def test_a_program_does_not_get_the_variables_of_the_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its bridge's token it could take the place of the bridge."""
    monkeypatch.setenv("BOWERBIRD_TOKEN", "secret")
    monkeypatch.setenv("ANSWER", "42")
    show = "import json, os; input(); print(json.dumps(dict(os.environ)))"
    program = Program([sys.executable, "-c", show])
    until = time.monotonic() + 30
    found = json.loads(program.ask({}, until, until, ""))
    program.close(until)
    assert found["ANSWER"] == "42"
    assert not [name for name in found if name.startswith("BOWERBIRD")]


def test_the_group_of_a_program_ends_with_it() -> None:
    child = "import subprocess; print(subprocess.Popen(['sleep', '1000']).pid, flush=True); input(); input()"
    program = Program([sys.executable, "-c", child])
    until = time.monotonic() + 30
    pid = int(program.ask({}, until, until, ""))
    program.close(time.monotonic())
    stat = Path(f"/proc/{pid}/stat")
    gone = time.monotonic() + 30
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < gone, "a child of the program lives on"
        os.sched_yield()


def test_the_view_of_a_message_is_that_of_the_commands() -> None:
    game = new_game("buck", first_dealer=1, seed=bytes(32))
    while game.actor is not None and len(game.results) < 1:
        view = game.view(game.actor)
        assert plain(view) == printed(view)
        game.apply(game.legal_actions()[-1])


def test_a_decision_alone_is_enough_to_answer_it() -> None:
    """A service may forget everything between two messages: the view says variant, options, seat and cards."""

    class Asked(Bot):
        def act(self, asked: Decision) -> int:
            message = json.loads(json.dumps(decision(asked)))
            assert message["legal"] == message["view"]["legal"] == [str(action) for action in asked.legal]
            assert (message["view"]["variant"], message["view"]["seat"]) == ("euchre", asked.table.seat)
            assert message["view"]["hand"]
            return len(asked.legal) - 1

    assert play("euchre", [Asked()] * 4, options={"max_hands": 3}, seed="1").results


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"id": true, "action": "pass"}', "whose id is another"),
        (b'{"id": 1e999, "action": "pass"}', "whose id is another"),
        (b'{"id": 1, "action": "pass", "note": 3}', "a note that is not a text"),
        (b'{"id": 1, "action": 3}', "without the token of an action"),
        (b'{"id": ' + b"9" * 5000 + b"}", "is not JSON"),
        (b"", "answered '', which is not JSON"),
    ],
)
def test_an_answer_that_is_none_is_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(BotFailedError, match=sentence) as caught:
        parse_answer(data, 1, "the program")
    assert "\n" not in str(caught.value)


def test_a_long_note_is_cut_to_what_the_referee_keeps() -> None:
    found = parse_answer(json.dumps({"id": 1, "action": "pass", "note": "é" * 5000}).encode(), 1, "the program")
    assert found.note == "é" * (MAX_NOTE_BYTES // 2)
