"""`bowerbird.bots.llm` takes whatever an endpoint does: it waits as asked, reads every form, hides only the key."""

from __future__ import annotations

import asyncio
import email.utils
import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("httpx")

from bowerbird.bots.llm.budget import Budget
from bowerbird.bots.llm.consulting import Outcome, consult
from bowerbird.bots.llm.endpoint import MAX_REPLY, MOST_SHOWN, Asker, Endpoint, retry_after
from bowerbird.bots.llm.masking import Mask
from bowerbird.bots.llm.request import FORMS, JSON, SCHEMA, TEXT, TOOLS, ExtraBodyError, Question, Wishes
from tests.support.bots.fake_endpoint import EVENTS, GOOD, Answer, FakeEndpoint, completion, events, fake_endpoint

KEY = "sk-secret-of-this-test"
PATIENCE, SHORT = 20.0, 0.3
"""Seconds for questions that must be answered, and for those to which no answer comes."""

FAILED_BEFORE = 5.0
"""Seconds for questions that get no answer, and of which one attempt must fail before that, on a busy machine too."""

HTML = b"<!DOCTYPE html>\n<html><body>Please sign in</body></html>"


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with fake_endpoint() as endpoint:
        yield endpoint


class Patient:
    """Asks a fake endpoint as one process of the bot does, and keeps what it says."""

    def __init__(self, url: str, wishes: Wishes | None = None) -> None:
        self.said: list[str] = []
        self.asker = Asker(Endpoint(url, "m", KEY, wishes=wishes or Wishes()), Mask(KEY), self.said.append)
        self.budget = Budget()

    def asked(self, seconds: float = PATIENCE) -> Outcome:
        question = Question("rules", "position", ("pass", "order"))
        return asyncio.run(consult(self.asker, self.budget, question, seconds))


def asked(fake: FakeEndpoint, seconds: float = PATIENCE) -> Outcome:
    return Patient(fake.url).asked(seconds)


def test_a_good_answer_is_played_and_counted(fake: FakeEndpoint) -> None:
    outcome = asked(fake)
    assert (outcome.index, outcome.thoughts, outcome.failures) == (0, "trump is strong", [])
    assert (outcome.spent.questions, outcome.spent.question_tokens, outcome.spent.answer_tokens) == (1, 100, 10)
    assert fake.keys == [f"Bearer {KEY}"]


WHOLE: dict[str, Answer] = {
    "tool call": (200, completion(None, tool_calls=[{"function": {"name": "act", "arguments": GOOD}}])),
    "arguments as an object": (200, completion("", tool_calls=[{"function": {"arguments": json.loads(GOOD)}}])),
    "function call": (200, completion(None, function_call={"name": "act", "arguments": GOOD})),
    "parts": (200, completion([{"type": "thinking", "thinking": []}, {"type": "text", "text": GOOD}])),
    "reasoning beside": (200, completion(GOOD, reasoning_content='{"action": 2}')),
    "stream": (200, events(GOOD), EVENTS),
    "stream with carriage returns": (200, events(GOOD, line=b"\r\n"), EVENTS),
    "stream without its type": (200, events(GOOD)),
    "stream that says no end but a reason": (
        200,
        events(GOOD, end=b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'),
        EVENTS,
    ),
    "stream that says its end at its end": (200, events(GOOD, end=b"data: [DONE]"), EVENTS),
}


@pytest.mark.parametrize("answer", WHOLE.values(), ids=list(WHOLE))
def test_each_form_of_an_answer_is_read(fake: FakeEndpoint, answer: Answer) -> None:
    fake.script[:] = [answer]
    outcome = asked(fake)
    assert (outcome.index, outcome.failures) == (0, [])
    assert (outcome.spent.question_tokens, outcome.spent.answer_tokens) == (100, 10)


def test_a_stream_of_a_tool_call_is_put_together(fake: FakeEndpoint) -> None:
    calls = [{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": a}}]}}]} for a in GOOD]
    fake.script[:] = [(200, b"".join(f"data: {json.dumps(call)}\n\n".encode() for call in calls) + b"data: [DONE]\n\n")]
    assert asked(fake).index == 0


def test_a_stream_ends_where_it_says_even_if_the_connection_stays_open(fake: FakeEndpoint) -> None:
    fake.script[:] = [(200, events(GOOD), EVENTS)]
    fake.ending = "held"
    assert asked(fake).index == 0


def test_a_stream_that_breaks_off_is_asked_for_again(fake: FakeEndpoint) -> None:
    fake.script[:0] = [(200, events(GOOD, end=b""), EVENTS), (200, events(GOOD, end=b""))]
    outcome = asked(fake)
    assert (outcome.index, outcome.retried, len(fake.requests)) == (0, "a broken stream", 3)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_busy_endpoint_is_asked_the_same_again(fake: FakeEndpoint, status: int) -> None:
    fake.script[:0] = [(status, b"{}")]
    assert asked(fake).index == 0
    assert fake.requests[0] == fake.requests[1]


def test_an_endpoint_that_asks_to_wait_is_not_asked_before(fake: FakeEndpoint) -> None:
    fake.script[:0] = [(429, b"{}", {"Retry-After": "1"})]
    assert asked(fake).index == 0
    assert fake.times[1] - fake.times[0] >= 1


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_wait_that_is_longer_than_the_time_left_ends_the_decision_at_once(fake: FakeEndpoint, form: str) -> None:
    now = datetime.now(UTC)
    until = "3600" if form == "seconds" else email.utils.format_datetime(now + timedelta(hours=1), usegmt=True)
    fake.script[:] = [(429, b'{"error": {"message": "slow down"}}', {"Retry-After": until}), (200, completion(GOOD))]
    patient = Patient(fake.url)
    (failure,) = patient.asked(3000.0).failures
    assert failure.startswith("the endpoint asks for a wait of 3")
    assert "slow down" in failure
    (failure,) = patient.asked(3000.0).failures
    assert failure.startswith("the endpoint asks for a wait of 3")
    assert len(fake.requests) == 1, "the wait holds for later decisions, too"


NOW = datetime(2026, 11, 28, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3600"}, 3600),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Sat, 28 Nov 2026 12:01:00 GMT"}, 60),
        ({"retry-after": "Sat, 28 Nov 2026 12:01:00 GMT", "date": "Sat, 28 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sat, 28 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "9" * 400}, None),
        ({}, None),
    ],
)
def test_both_forms_of_the_header_are_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("ending", "seconds", "failure"),
    [("late", SHORT, "late"), ("cut off", FAILED_BEFORE, "late, after a broken connection")],
)
def test_the_clock_ends_what_does_not_answer(fake: FakeEndpoint, ending: str, seconds: float, failure: str) -> None:
    fake.ending = ending
    outcome = asked(fake, seconds)
    assert (outcome.index, outcome.failures) == (None, [failure])


def test_an_endpoint_that_cannot_be_reached_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    assert Patient(url).asked(FAILED_BEFORE).failures == ["late, after failing to reach the endpoint"]


def test_an_endpoint_that_stays_busy_ends_with_the_clock(fake: FakeEndpoint) -> None:
    fake.script[:] = [(429, b"{}")]
    assert asked(fake, FAILED_BEFORE).failures == ["late, after status 429: {}"]


def test_an_endless_reply_is_given_up(fake: FakeEndpoint) -> None:
    fake.ending = "endless"
    assert asked(fake).failures == [f"the endpoint sends more than {MAX_REPLY} bytes"]


TOLD: list[tuple[Answer, str]] = [
    ((200, HTML), f"the endpoint sends a page of HTML, no chat completion: {' '.join(HTML.decode().split())}"),
    ((200, b""), "the endpoint sends an empty reply, no chat completion"),
    ((200, b"\xff"), "the endpoint sends no JSON, no chat completion: \ufffd"),
    ((200, b"[]"), "the endpoint sends JSON of another form, no chat completion: []"),
    ((200, b'{"choices": []}'), 'the endpoint sends JSON of another form, no chat completion: {"choices": []}'),
    ((200, b"data: hi\n\n", EVENTS), "the endpoint sends a stream of something else, no chat completion: data: hi"),
    ((200, b'{"error": {"message": "no credit", "code": 402}}'), "the endpoint sends an error: no credit (402)"),
    ((200, b'data: {"error": {"message": "gone"}}\n\n', EVENTS), "the endpoint sends an error: gone ()"),
    (
        (401, b'{"error": {"message": "Incorrect API key provided: sk-secret-of-this-test."}}'),
        "the endpoint refuses the key (status 401: Incorrect API key provided: [key].)",
    ),
    ((403, HTML), f"the endpoint refuses the key (status 403: {' '.join(HTML.decode().split())})"),
    (
        (404, b'{"error": "model m not found, try pulling it first"}'),
        "the endpoint does not know the model or the address (status 404: model m not found, try pulling it first)",
    ),
    (
        (400, b'{"error": {"message": "too many tokens", "code": "context_length_exceeded"}}'),
        "the question is longer than the model's context (status 400: too many tokens)",
    ),
    ((413, b""), "the question is longer than the model's context (status 413)"),
    (
        (429, b'{"error": {"message": "check your plan", "code": "insufficient_quota"}}'),
        "the account has nothing left to spend (status 429: check your plan)",
    ),
    ((402, b"pay"), "the endpoint refuses the question (status 402: pay)"),
    (
        (301, b"", {"Location": "https://elsewhere.example.org/"}),
        "the endpoint refuses the question (status 301, sent on to https://elsewhere.example.org/)",
    ),
    ((402, b"x" * 3000), f"the endpoint refuses the question (status 402: {'x' * (MOST_SHOWN - 1)}…)"),
    ((402, b"\x1b[2Jpay"), "the endpoint refuses the question (status 402: [2Jpay)"),
]


@pytest.mark.parametrize(("answer", "told"), TOLD, ids=[str(at) for at in range(len(TOLD))])
def test_what_came_is_told_as_what_it_is_and_not_asked_for_again(fake: FakeEndpoint, answer: Answer, told: str) -> None:
    fake.script[:] = [answer]
    assert asked(fake).failures == [told]
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        (completion(None, refusal="I cannot gamble."), "refused: I cannot gamble."),
        (completion(None, finish="content_filter"), "refused: content filter"),
        (completion("", finish="length"), "unparsable: (an empty answer)"),
        (completion(None), "unparsable: (an empty answer)"),
        (completion('{"action": 1', finish="length"), 'unparsable: {"action": 1'),
        (completion("I  pass"), "unparsable: I pass"),
        (completion('{"action": 3}'), 'illegal: {"action": 3}'),
        (completion(f"{KEY} {'x' * 600}"), f"unparsable: [key] {'x' * (MOST_SHOWN - 7)}…"),
    ],
)
def test_a_bad_answer_has_one_more_attempt_and_is_told_as_what_it_is(
    fake: FakeEndpoint, body: bytes, failure: str
) -> None:
    fake.script[:0] = [(200, body)]
    outcome = asked(fake)
    assert (outcome.index, outcome.failures) == (0, [failure])
    assert "a number from 1 to 2" in fake.requests[1]["messages"][-1]["content"]
    fake.script[:] = [(200, body)]
    fake.requests.clear()
    outcome = asked(fake)
    assert (outcome.index, outcome.failures) == (None, [failure, failure])
    assert len(fake.requests) == 2, "two attempts in all"


@pytest.mark.parametrize("form", FORMS)
def test_the_form_is_asked_for_as_wanted(fake: FakeEndpoint, form: str) -> None:
    Patient(fake.url, Wishes(form)).asked()
    (request,) = fake.requests
    fields = {SCHEMA: {"response_format"}, JSON: {"response_format"}, TOOLS: {"tools", "tool_choice"}, TEXT: set()}
    assert set(request) - {"model", "messages"} == fields[form]
    if form == SCHEMA:
        schema = request["response_format"]["json_schema"]["schema"]
        assert schema["properties"]["action"]["enum"] == [1, 2]


@pytest.mark.parametrize(("form", "field"), [(SCHEMA, "response_format"), (TOOLS, "tools")])
def test_a_form_that_is_refused_is_left_out_from_then_on_and_said_once(
    fake: FakeEndpoint, form: str, field: str
) -> None:
    fake.refused = {field}
    patient = Patient(fake.url, Wishes(form))
    assert [patient.asked().index for _ in range(3)] == [0, 0, 0]
    assert [field in request for request in fake.requests[-3:]] == [False] * 3
    (said,) = patient.said
    assert f"{field} is not supported by this model" in said
    assert f"not '{form}'" in said


def test_a_question_that_is_refused_in_every_form_keeps_its_form(fake: FakeEndpoint) -> None:
    fake.script[:] = [(400, b'{"error": "no such thing"}')]
    patient = Patient(fake.url)
    assert patient.asked().failures == ["the endpoint refuses the question (status 400: no such thing)"]
    assert (patient.said, patient.asker.wishes.form) == ([], SCHEMA)


def test_extra_fields_are_sent_as_they_are(fake: FakeEndpoint) -> None:
    extra = {"temperature": 0, "provider": {"order": ["a"]}, "response_format": {"type": "text"}}
    Patient(fake.url, Wishes(extra=extra)).asked()
    assert {name: fake.requests[0][name] for name in extra} == extra
    fake.refused = {"response_format"}
    assert "response_format is not supported" in Patient(fake.url, Wishes(extra=extra)).asked().failures[0]


@pytest.mark.parametrize("name", ["messages", "model"])
def test_extra_fields_must_not_replace_what_other_arguments_say(name: str) -> None:
    with pytest.raises(ExtraBodyError, match=name):
        Wishes(extra={name: []})


@pytest.mark.parametrize("address", ["https://", "http://[::1", "models.example.org/v1", ""])
def test_an_address_without_a_host_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="--base-url is not the address of a host"):
        Endpoint(address, "m", KEY)


@pytest.mark.parametrize("address", ["https://me:word@models.example.org/v1", "https://models.example.org/v1?key=x"])
def test_an_address_with_a_password_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="--key-from"):
        Endpoint(address, "m", KEY)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (KEY, "[key]"),
        (f"a {KEY} b {KEY}", "a [key] b [key]"),
        (KEY[:12], "[key]"),
        (f"…{KEY[3:15]}…", "…[key]…"),
        (KEY[:7], KEY[:7]),
        ("short", "short"),
        ("", ""),
    ],
)
def test_a_key_is_masked_whole_and_in_part(text: str, masked: str) -> None:
    assert Mask(KEY, "")(text) == masked
    assert KEY not in repr(Mask(KEY))


def test_a_short_key_is_masked_whole() -> None:
    assert Mask("abc")("xabcx") == "x[key]x"
