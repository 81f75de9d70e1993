"""`bowerbird transcript` and `bowerbird play-transcript`, with real processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

GAME = ("--seed", "8", "--hands", "1", "--isolation", "limits")
"""A game with four decisions for the bundled bot random."""

ANGRY = """
from bowerbird.harness.sdk import Bot, run

class Angry(Bot):
    def act(self, decision):
        raise ValueError("\\x1b[31mred\\x1b[0m")

run(Angry())
"""


def record(bowerbird: Bowerbird, bot: Path, *more: str) -> list[dict[str, Any]]:
    """Record a game to t.jsonl, which must succeed; return the lines of the file."""
    bowerbird.done("transcript", bot, *GAME, *more, "-o", "t.jsonl")
    return rows(bowerbird)


def rows(bowerbird: Bowerbird) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bowerbird.folder / "t.jsonl").read_text(encoding="ascii").splitlines()]


def kinds(lines: list[dict[str, Any]]) -> list[str]:
    return [f"{line['from']} {next(iter(line['message']))}" for line in lines if "from" in line]


def play(bowerbird: Bowerbird, bot: Path, *more: str) -> tuple[int, Any]:
    """Play t.jsonl with a bot; return the exit code and the result."""
    finished = bowerbird("play-transcript", "t.jsonl", bot, "--isolation", "limits", "--json", *more)
    assert finished.stdout, finished.stderr
    return finished.returncode, json.loads(finished.stdout)


def comparisons(result: Any) -> list[str]:
    return [answer["comparison"] for answer in result["answers"]]


def test_a_whole_game_is_written_in_order(bowerbird: Bowerbird) -> None:
    lines = record(bowerbird, bowerbird.bundled("random"))
    assert lines[0] == {
        "format": "bowerbird-transcript/1",
        "bot": "random",
        "version": "1.0",
        "variant": "euchre",
        "seat": 0,
        "hands": 1,
        "seed": "8",
    }
    asked = ["referee decision_requests", "bot decisions"]
    opening = ["bot hello", "referee welcome", "bot ready", "referee table_opened"]
    assert kinds(lines) == [*opening, *asked * 4, "referee table_closed", "referee goodbye"]
    times = [line["ms"] for line in lines[1:]]
    assert times == sorted(times)
    assert lines[-1]["note"] == "the process ended: exit status 0"


def test_json_says_what_was_written(bowerbird: Bowerbird) -> None:
    said = bowerbird.json("transcript", bowerbird.bundled("random"), *GAME, "-o", "t.jsonl")
    assert (said["file"], said["seed"], said["failure"]) == ("t.jsonl", "8", "")
    assert said["messages"] == len(kinds(rows(bowerbird)))
    finished = bowerbird("transcript", bowerbird.bot("wrong", "exits", "1"), *GAME, "-o", "t.jsonl", "--json")
    assert finished.returncode == 1
    assert "its process ended" in json.loads(finished.stdout)["failure"]


def test_the_same_seed_gives_the_same_game(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bundled("random")
    first = record(bowerbird, bot)
    second = record(bowerbird, bot)

    def chosen(lines: list[dict[str, Any]]) -> list[Any]:
        return [line["message"] for line in lines if "decisions" in line.get("message", {})]

    assert chosen(first) == chosen(second)


def test_a_bot_that_wants_all_is_recorded_with_all(bowerbird: Bowerbird) -> None:
    """Events, HandEnded and forced decisions are for bots that ask for them."""
    lines = record(bowerbird, bowerbird.bot("keen", "honest", "--events"), "--hands", "2")
    said = kinds(lines)
    assert said.count("referee hand_ended") == 2
    requests = [
        line["message"]["decision_requests"] for line in lines if "decision_requests" in line.get("message", {})
    ]
    assert any("events" in request for message in requests for request in message["requests"])
    assert play(bowerbird, bowerbird.bot("keen", "honest", "--events"), "--exact")[0] == 0


def test_every_seat_and_variant_can_be_recorded(bowerbird: Bowerbird) -> None:
    lines = record(bowerbird, bowerbird.bundled("random"), "--variant", "two-handed", "--seat", "1")
    opened = next(line["message"]["table_opened"] for line in lines if "table_opened" in line.get("message", {}))
    assert (opened["variant"], opened["seat"], opened["players"]) == ("two-handed", 1, 2)


def test_the_same_bot_answers_as_recorded(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bundled("random")
    record(bowerbird, bot)
    shown = bowerbird.done("play-transcript", "t.jsonl", bot, "--exact", "--isolation", "limits").splitlines()
    assert shown == [
        "8b66b696d90ef06fdefb64a3, decision 0  same: pass",
        "8b66b696d90ef06fdefb64a3, decision 1  same: play Qc",
        "8b66b696d90ef06fdefb64a3, decision 2  same: play Ts",
        "8b66b696d90ef06fdefb64a3, decision 4  same: play Tc",
        "random 1.0: 4 decisions: 4 as recorded, 0 with another legal action, 0 illegal, 0 missing",
    ]


def test_the_game_of_the_documentation_is_still_answered_as_recorded(bowerbird: Bowerbird) -> None:
    game = ROOT / "docs" / "transcripts" / "euchre.jsonl"
    shown = bowerbird.done("play-transcript", game, bowerbird.bundled("random"), "--exact", "--isolation", "limits")
    assert "4 as recorded" in shown
    bowerbird.done("transcript", "random", *GAME, "-o", "t.jsonl")
    new = rows(bowerbird)
    old = [json.loads(line) for line in game.read_text(encoding="ascii").splitlines()]
    assert [_without_secrets(line) for line in new] == [_without_secrets(line) for line in old], "record it again"


def _without_secrets(line: dict[str, Any]) -> Any:
    """Return a line without what differs from run to run, times and tokens, and without the name of the table."""
    said = _without_table(line.get("message", {}))
    if "hello" in said:
        said["hello"] = {**said["hello"], "token": ""}
    for request in said.get("decision_requests", {}).get("requests", []):
        for key in ("charged_ms", "bank_ms", "remaining_ms"):
            request.pop(key, None)
    if "decision_requests" in said:
        said["decision_requests"] = {"requests": said["decision_requests"]["requests"]}
    return {**{key: value for key, value in line.items() if key not in ("ms", "bytes")}, "message": said}


def _without_table(said: Any) -> Any:
    """Return a message without every table_id."""
    if isinstance(said, dict):
        return {key: _without_table(value) for key, value in said.items() if key != "table_id"}
    return [_without_table(one) for one in said] if isinstance(said, list) else said


def test_index_and_token_are_the_same_answer(bowerbird: Bowerbird) -> None:
    """Both bots take the first action at decision 0, one by its index, the other by its token."""
    record(bowerbird, bowerbird.bot("one", "honest"))
    _, result = play(bowerbird, bowerbird.bot("two", "tokens"))
    assert comparisons(result)[0] == "same"


def test_another_legal_action_fails_only_if_all_must_be_exact(bowerbird: Bowerbird) -> None:
    record(bowerbird, bowerbird.bundled("random"))
    last = bowerbird.bot("last", "last")
    code, result = play(bowerbird, last)
    assert (code, result["passed"]) == (0, True)
    assert set(comparisons(result)) == {"same", "other legal action"}
    code, result = play(bowerbird, last, "--exact")
    assert (code, result["passed"]) == (1, False)


@pytest.mark.parametrize("mode", ["illegal", "nothing", "another", "resigns"])
def test_an_illegal_answer_fails(bowerbird: Bowerbird, mode: str) -> None:
    record(bowerbird, bowerbird.bundled("random"))
    code, result = play(bowerbird, bowerbird.bot("wrong", mode, "1"))
    assert code == 1
    assert comparisons(result)[1] == "illegal"
    assert "illegal" not in comparisons(result)[2:], "the file goes on after it"
    assert "missing" not in comparisons(result)


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("exits", "its process ended"),
        ("silent", "no message came within 1 s; expected an answer to decision 1 of table '8b66b696d90ef06fdefb64a3'"),
        ("malformed", "bytes that are not a PlayRequest"),
        ("hello-again", "it sent hello"),
    ],
)
def test_a_bot_that_does_not_answer_fails(bowerbird: Bowerbird, mode: str, why: str) -> None:
    record(bowerbird, bowerbird.bundled("random"))
    code, result = play(bowerbird, bowerbird.bot("wrong", mode, "1"), "--timeout", "1")
    assert code == 1
    assert comparisons(result)[1:] == ["missing"] * 3
    assert why in result["failure"]


def test_an_answer_that_nobody_asked_for_is_told(bowerbird: Bowerbird) -> None:
    record(bowerbird, bowerbird.bot("one", "honest"))
    code, result = play(bowerbird, bowerbird.bot("twice", "repeats"))
    assert code == 0
    assert "which was not open" in result["remarks"][0]
    assert play(bowerbird, bowerbird.bot("twice", "repeats"), "--exact")[0] == 0, "a referee ignores it"


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        ("illegal", "its answer to decision 1 is illegal: action_index 99"),
        ("exits", "its process ended"),
        ("gives-up", "it reported a failure of its own"),
    ],
)
def test_a_game_that_breaks_off_is_written_up_to_there(bowerbird: Bowerbird, mode: str, why: str) -> None:
    finished = bowerbird("transcript", bowerbird.bot("wrong", mode, "1"), *GAME, "-o", "t.jsonl")
    assert finished.returncode == 1
    assert "the game ended early: " in finished.stderr
    assert why in finished.stderr
    lines = rows(bowerbird)
    assert "the recording ends here" in lines[-1]["note"]
    assert kinds(lines).count("referee decision_requests") == 2
    assert play(bowerbird, bowerbird.bundled("random"))[0] == 0, "what there is can be played"


def test_a_game_that_is_given_up_is_whole(bowerbird: Bowerbird) -> None:
    lines = record(bowerbird, bowerbird.bot("tired", "resigns", "1"))
    said = kinds(lines)
    assert said.index("bot resign") < said.index("referee table_closed") < said.index("referee goodbye")
    closed = next(line["message"]["table_closed"] for line in lines if "table_closed" in line.get("message", {}))
    assert closed["ended"] == "GAME_ENDING_FORFEIT"
    assert closed["faults"] == [{"kind": "FAULT_KIND_RESIGNED"}]
    assert play(bowerbird, bowerbird.bot("tired", "resigns", "1"), "--exact")[0] == 0


def test_what_a_bot_writes_is_shown_escaped(bowerbird: Bowerbird) -> None:
    record(bowerbird, bowerbird.bundled("random"))
    folder = bowerbird.bundled("angry")
    (folder / "angry.py").write_text(ANGRY, encoding="utf-8")
    manifest = folder / "bot.toml"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace('"-m", "bowerbird.bots.angry"', f'"{folder / "angry.py"}"'),
        encoding="utf-8",
    )
    for command in (("play-transcript", "t.jsonl", folder), ("transcript", folder, *GAME, "-o", "broken.jsonl")):
        finished = bowerbird(*command)
        assert finished.returncode == 1
        shown = finished.stdout + finished.stderr
        assert "ValueError" in shown
        assert "\x1b" not in shown
    assert "\x1b" not in (bowerbird.folder / "broken.jsonl").read_text(encoding="ascii")


def test_bad_input_is_refused_with_one_sentence(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bundled("random")
    (bowerbird.folder / "bad.jsonl").write_text('{"format": "x"}\n', encoding="utf-8")
    refused = bowerbird.refused("play-transcript", "bad.jsonl", bot)
    assert refused.startswith("bowerbird: bad.jsonl, line 1: got the format")
    assert "there is no such bot" in bowerbird.refused("transcript", "no/bot", "-o", "t.jsonl")
    assert "buck" in bowerbird.refused("transcript", bot, "--variant", "bukc", "-o", "t.jsonl")
    assert "seats" in bowerbird.refused("transcript", bot, "--seat", "4", "-o", "t.jsonl")
    assert not (bowerbird.folder / "t.jsonl").exists()
