"""The pages in docs/ are right: tables, bytes, limits, keys and commands are compared with their sources.

Links and citations: test_citations.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bowerbird.harness.extras.compliance.transcripts.transcript_file import message_text
from bowerbird.harness.records.values.faults import FAULT_KINDS, POLICIES
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.participant import FEATURES
from bowerbird.harness.referee.connection.stream import STATUS
from bowerbird.harness.referee.game.clock import NS_PER_MS, Bank, MessageClock, Pace
from bowerbird.harness.referee.game.faults import ENDED_AFTER
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.sdk.grpc_stream import REMOTE_CHANNEL_OPTIONS
from bowerbird.seat.v1 import seat_pb2
from tests.support.docs.pages import (
    CLIENT,
    GAME,
    PARTS,
    PROTOCOL,
    bad_messages,
    first,
    game,
    plain,
    retry_table,
    rows,
    section,
)
from tests.support.docs.parts import part
from tests.support.docs.wrap import too_long, wrapped, wrapped_pages
from tests.support.paths import DOCS

PAGES = sorted(page for page in DOCS.rglob("*.md") if "newsfragments" not in page.parts)

TIME = TimeControl(per_decision_ms=1000, bank_ms=5000, margin_ms=20)
"""The clock of the examples."""


@pytest.mark.parametrize(("page", "name"), [(page, name) for page, parts in PARTS.items() for name in parts])
def test_generated_part_is_up_to_date(page: Path, name: str) -> None:
    assert part(page, name) == PARTS[page][name](), "regenerate it: python -m tests.support.docs.pages"


# The tables of seat.proto.


def test_retry_table_is_that_of_the_contract() -> None:
    shown: list[list[str]] = []
    for line in part(PROTOCOL, "retry").splitlines()[1:-1]:
        if line.startswith(" "):
            shown[-1].append(line.strip())
        else:
            shown.append([line])
    assert len(shown) > 5
    assert [(what, " ".join(then)) for what, *then in shown] == retry_table()


def test_bad_messages_are_those_of_the_contract() -> None:
    shown = []
    referee = ""
    for line in part(PROTOCOL, "bad-messages").splitlines():
        if line.startswith("**"):
            referee = line.strip("*").removeprefix("The referee: ")
        for cells in rows(f"|-|\n{line}"):
            if cells[0] != "message" and not set(line) <= set("|- "):
                shown.append(tuple(cells) if len(cells) == 4 else (cells[0], referee, *cells[1:]))
    assert len(shown) > 30
    assert sorted(shown) == sorted(bad_messages())


# The recorded game.


@pytest.mark.parametrize(("name", "kind"), [("decision", "decision_requests"), ("answer", "decisions")])
def test_worked_bytes_are_the_message(name: str, kind: str) -> None:
    shown = ""
    for line in part(CLIENT, name).splitlines()[1:-1]:
        digits = re.match(r" *((?:[0-9a-f]{2} ?)+)(?:  |$)", f"{line}  ")
        assert digits is not None, line
        shown += digits.group(1).replace(" ", "")
    assert bytes.fromhex(shown) == first(kind).data


def test_bytes_and_text_of_the_whole_game_agree() -> None:
    lines = [json.loads(line) for line in GAME.read_text(encoding="ascii").splitlines()]
    texts = [line["message"] for line in lines if "message" in line]
    recorded = [message for _, message in game().messages()]
    assert len(texts) == len(recorded) > 10
    assert [message_text(message.parsed) for message in recorded] == texts


def test_framed_answer_is_the_answer() -> None:
    [line] = re.findall(r"^00 .*$", section(CLIENT, "gRPC without a gRPC library"), re.MULTILINE)
    framed = bytes.fromhex(line.replace(" ", ""))
    answer = first("decisions").data
    assert framed == b"\0" + len(answer).to_bytes(4, "big") + answer


def test_zeros_are_sent_as_the_page_says() -> None:
    [request] = first("decision_requests").response.decision_requests.requests
    view = request.view.public_view
    assert (view.HasField("actor"), view.actor, view.hand_number, request.decision_id) == (True, 0, 0, 0)
    [answer] = first("decisions").request.decisions.decisions
    assert (answer.WhichOneof("choice"), answer.action_index) == ("action_index", 0)
    numbers = [
        one.decision_id
        for _, message in game().messages()
        if message.kind == "decision_requests"
        for one in message.response.decision_requests.requests
    ]
    assert numbers == [0, 1, 2, 4], "decision 3 was made by the referee"


def test_example_of_a_transcript_is_of_the_file() -> None:
    lines = GAME.read_text(encoding="ascii").splitlines()
    head, ready, note = lines[0], lines[3], lines[-1]
    shown = section(CLIENT, "The transcript")
    assert head in shown.replace(",\n ", ", ")
    assert ready in shown
    assert note in shown


# The clock.


def ms(cell: str) -> int:
    return int(cell.removesuffix(" ms"))


def test_example_of_the_clock_is_right() -> None:
    bank = Bank(Pace.of(TIME))
    shown = [row for row in rows(section(PROTOCOL, "The clock")) if len(row) == 5]
    assert len(shown) == 4
    for _, takes, before, charged, after in shown:
        assert bank.left == ms(before) * NS_PER_MS
        assert bank.charge(ms(takes) * NS_PER_MS) == (charged != "late")
        if charged != "late":
            assert (bank.charged, bank.left) == (ms(charged) * NS_PER_MS, ms(after) * NS_PER_MS)


def test_example_of_a_batch_is_right() -> None:
    pace = Pace.of(TIME)
    banks = [Bank(pace) for _ in range(3)]
    banks[2].left = 1200 * NS_PER_MS
    clock = MessageClock(pace, banks, queued=0)
    assert clock.limit == 8020 * NS_PER_MS
    assert "3 × 1,000 + 5,000 + 20 = 8,020 ms" in section(PROTOCOL, "Batches")
    (at, _, two), (later, _, third) = rows(section(PROTOCOL, "Batches"))
    assert clock.part(2, ms(at) * NS_PER_MS) == ms(two) * NS_PER_MS
    assert clock.part(1, ms(later) * NS_PER_MS) == ms(third.partition(",")[0]) * NS_PER_MS
    assert "of which 500 ms" in third


# Codes, limits, capabilities.


def test_statuses_are_those_of_the_referee() -> None:
    shown = {code: status for code, status, _ in rows(section(PROTOCOL, "Errors and statuses"))}
    assert shown == {code: status.name for code, status in STATUS.items()}


def test_faults_are_those_of_the_referee() -> None:
    """Every kind, in their order; the limits; and which kinds end a process."""
    text = section(PROTOCOL, "Faults at a table")
    assert tuple(plain(kind) for kind, _ in rows(text)) == FAULT_KINDS
    limits = FaultLimits()
    said = " ".join(text.split())
    assert f"at most `max_restarts` times ({limits.max_restarts})" in said
    assert f"more than `max_faults` incidents ({limits.max_faults})" in said
    [ending] = re.findall(r"After (.*?) the process is gone", said)
    assert set(re.findall(r"`(\w+)`", ending)) == ENDED_AFTER
    assert tuple(re.findall(r"^- `(\w+)`", text, re.MULTILINE)) == POLICIES


def test_limits_are_those_of_the_referee() -> None:
    today = {plain(field): said for field, _, said in rows(section(PROTOCOL, "Limits"))}
    assert list(today) == [field.name for field in seat_pb2.Limits.DESCRIPTOR.fields]
    assert today["max_message_bytes"] == f"{messages.MAX_MESSAGE:,}"
    assert today["max_note_bytes"] == f"{messages.MAX_NOTE:,}"
    assert today["max_response_bytes"] == f"{messages.MAX_RESPONSE:,}"


def test_capabilities_and_features_are_those_of_the_contract() -> None:
    text = section(PROTOCOL, "Features")
    shown = {plain(field) for field, *_ in rows(text)}
    assert shown == {field.name for field in seat_pb2.Capabilities.DESCRIPTOR.fields}
    assert tuple(re.findall(r"^- `(\w+)`:", text, re.MULTILINE)) == FEATURES


def test_keepalive_is_that_of_the_sdk() -> None:
    options = dict(REMOTE_CHANNEL_OPTIONS)
    shown = dict(rows(section(PROTOCOL, "When the connection breaks")))
    assert shown["keepalive time"] == f"{options['grpc.keepalive_time_ms'] // 1000} s"
    assert shown["keepalive timeout"] == f"{options['grpc.keepalive_timeout_ms'] // 1000} s"
    text = section(PROTOCOL, "When the connection breaks")
    for name in ("grpc.http2.ping_timeout_ms", "grpc.http2.max_pings_without_data"):
        assert f"`{name} = {options[name]}`" in text


# Lines.


@pytest.mark.parametrize("page", wrapped_pages(), ids=lambda page: page.name)
def test_prose_fits_into_80_columns(page: Path) -> None:
    """`python -m tests.support.docs.wrap` rewraps the lines."""
    assert not too_long(page.read_text(encoding="utf-8"))


def test_long_lines_are_broken_and_nothing_else_is_changed() -> None:
    """Links and code stay whole; lists keep their indent; tables, code blocks and short paragraphs stay as they are."""
    words = "word " * 17
    kept = f"# {words}\n\n| {words} |\n|---|\n\n```\n{words}\n```\n\n- item\n\n      {words}\n\nShort\nlines.\n"
    text = f"{kept}\n- {words}[a link](x.md#{'y' * 90}) `a b`\n  more\n- next\n"
    assert len(too_long(text)) == 1
    done = wrapped(text)
    assert done.startswith(kept)
    assert not too_long(done)
    assert done.split() == text.split()
    assert "\n  [a link](x.md#" in done or " [a link](x.md#" in done
    assert wrapped(done) == done


def test_tools_are_shown_calls_that_exist() -> None:
    text = section(PROTOCOL, "Health, reflection and ListVariants")
    service = seat_pb2.DESCRIPTOR.services_by_name["SeatService"]
    for name in re.findall(rf"{re.escape(service.full_name)}/(\w+)", text):
        assert name in service.methods_by_name
    for name in re.findall(r"describe (\S+)", text):
        assert name.rpartition(".")[2] in seat_pb2.DESCRIPTOR.message_types_by_name
    assert "grpc.health.v1.Health/Check" in text
