"""The file format of transcripts is read strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bowerbird.harness.extras.compliance.transcripts.transcript_file import (
    BOT,
    REFEREE,
    Head,
    Message,
    Note,
    Transcript,
    TranscriptError,
    message_text,
    read,
    write,
)
from bowerbird.seat.v1 import seat_pb2

HELLO = seat_pb2.PlayRequest(hello=seat_pb2.Hello(token="secret", protocol_versions=[1], bot_name="\x1b[31m"))
WELCOME = seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1, awaits_ready=True))
READY = seat_pb2.PlayRequest(ready=seat_pb2.Ready())
HEAD = Head("one", "1.0", "euchre", 0, 1, "8")
WHOLE = Transcript(
    HEAD,
    (
        Message(3, BOT, HELLO.SerializeToString()),
        Message(4, REFEREE, WELCOME.SerializeToString()),
        Message(9, BOT, READY.SerializeToString()),
        Note(12, "the process ended: exit status 0"),
    ),
)


def lines() -> list[Any]:
    return [json.loads(line) for line in write(WHOLE).splitlines()]


def text(rows: list[Any]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def test_what_is_written_is_read_back() -> None:
    assert read(write(WHOLE).encode()) == WHOLE


def test_text_of_a_bot_is_escaped() -> None:
    assert write(WHOLE).isascii()
    assert write(WHOLE).replace("\n", "").isprintable()


def test_fields_of_a_later_version_do_not_disagree() -> None:
    rows = lines()
    rows[2]["bytes"] += "f80601"  # field 111, a varint
    rows[2]["message"]["later"] = True
    assert read(text(rows)).entries[1] == Message(4, REFEREE, WELCOME.SerializeToString() + bytes.fromhex("f80601"))


@pytest.mark.parametrize(
    ("line", "change", "reason"),
    [
        (1, {"format": "bowerbird-transcript/2"}, "must be 'bowerbird-transcript/1'"),
        (1, {"seat": "0"}, "'seat' must be a number"),
        (1, {"seat": True}, "'seat' must be a number"),
        (1, {"seed": None}, "'seed' must be a string"),
        (1, {"colour": "red"}, '"colour" is not a key of this line'),
        (3, {"ms": -1}, "'ms' must be a whole number"),
        (3, {"ms": 0.5}, "'ms' must be a whole number"),
        (3, {"from": "stranger"}, "key 'from': got \"stranger\"; must be 'bot' or 'referee'"),
        (3, {"bytes": "0"}, "'bytes' must be a string of hex digits"),
        (3, {"bytes": 5}, "'bytes' must be a string of hex digits"),
        (3, {"bytes": "ffff"}, "'bytes' is not a PlayResponse"),
        (3, {"message": "welcome"}, "'message' must be a JSON object"),
        (3, {"message": {"welcome": {"protocol_version": "one"}}}, "'message' is not a PlayResponse"),
        (3, {"message": {"welcome": {"protocol_version": 2}}}, "'bytes' and 'message' do not agree"),
        (3, {"message": {"a\ud800b": 1}}, "'message' is not a PlayResponse"),
        (5, {"note": 7}, "'note' must be a string"),
        (5, {"from": "bot"}, '"from" is not a key of this line'),
        (2, {"bytes": "1200", "message": {"ready": {}}}, "the first message of the bot must be its Hello"),
        (3, {"bytes": "4200", "message": {"goodbye": {}}}, "the first message of the referee must be its Welcome"),
    ],
)
def test_a_wrong_line_is_named(line: int, change: dict[str, Any], reason: str) -> None:
    rows = lines()
    rows[line - 1].update(change)
    with pytest.raises(TranscriptError) as wrong:
        read(text(rows))
    assert str(wrong.value).startswith(f"line {line}: ")
    assert reason in str(wrong.value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "line 1: the file is empty"),
        (text(lines())[:-1], "line 5: the last line is cut off: it does not end with a newline"),
        (text(lines()[:1]), "line 1: the first message of the bot must be its Hello"),
        (text(lines()[:2]), "line 2: the first message of the referee must be its Welcome"),
        (text(lines()[1:]), "line 1: got the format null; must be 'bowerbird-transcript/1'"),
        (text(lines()) + b"\xff\n", "line 6: the line is not UTF-8"),
        (text(lines()) + b"{\n", "line 6: the line is not JSON"),
        (text(lines()) + b"\n", "line 6: the line is not JSON"),
        (text(lines()) + b"[" * 100_000 + b"\n", "line 6: the line is not JSON"),
        (text(lines()) + b"[]\n", "line 6: the line is not a JSON object"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(data: bytes, sentence: str) -> None:
    with pytest.raises(TranscriptError) as wrong:
        read(data)
    assert str(wrong.value) == sentence


def test_the_text_of_a_message_has_the_names_of_the_contract() -> None:
    answer = seat_pb2.Decision(table_id="t", decision_id=0, action_index=0)
    assert message_text(seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=[answer]))) == {
        "decisions": {"decisions": [{"table_id": "t", "action_index": 0}]}
    }
