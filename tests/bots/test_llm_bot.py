"""`bowerbird.bots.llm` plays whatever its model answers, tells what each decision cost, and never shows the key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("httpx")

from bowerbird.bots.llm import __main__ as program
from bowerbird.bots.llm.budget import Budget, Limits, Prices
from bowerbird.bots.llm.endpoint import Endpoint
from bowerbird.bots.llm.player import LlmBot
from bowerbird.harness.sdk.figures import LONGEST_NOTE, noted
from bowerbird.harness.sdk.local import ResignedError, play
from bowerbird.sdk import BotFailedError
from tests.support.bots.fake_endpoint import EVENTS, GOOD, FakeEndpoint, completion, events, fake_endpoint

KEY = "sk-secret-of-this-test"
TOKEN = "token-of-the-referee"


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with fake_endpoint() as endpoint:
        yield endpoint


class Kept(LlmBot):
    """Keeps the notes and figures of its decisions. It has a minute for each, even on a busy machine."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.notes: list[str] = []
        self.figures: list[dict[str, float]] = []

    def act(self, decision: Any) -> Any:
        decision.request.remaining_ms = 60_000
        choice = super().act(decision)
        self.notes.append(noted(decision.figures, decision.note))
        self.figures.append(decision.figures)
        return choice


def hand(bot: LlmBot, variant: str = "euchre", seats: int = 4) -> None:
    play(variant, [bot] * seats, seed="llm", options={"max_hands": 1})


ANSWERS = [
    completion(GOOD),
    completion(f"```json\n{GOOD}\n```"),
    completion(f"<think>which one? {{}}</think>\n{GOOD}"),
    completion('{"action": "1"}'),
    completion("1"),
    completion(None, tool_calls=[{"function": {"name": "act", "arguments": GOOD}}]),
]


def test_a_model_that_answers_in_its_own_way_plays_without_a_fallback(fake: FakeEndpoint) -> None:
    fake.refused = {"response_format"}
    fake.script[:] = [(200, body) for body in ANSWERS] + [(200, events(GOOD), EVENTS)]
    bot = Kept(Endpoint(fake.url, "m", KEY))
    hand(bot)
    assert len(bot.notes) > len(ANSWERS)
    assert bot.fallbacks == 0


def test_a_decision_reports_tokens_and_money(fake: FakeEndpoint) -> None:
    fake.script[:0] = [(200, completion("?"))]
    bot = Kept(Endpoint(fake.url, "m", KEY), "resign", Budget(Prices(1.0, 10.0)))
    hand(bot)
    assert bot.figures[0] == {"questions": 2, "question_tokens": 200, "answer_tokens": 20, "cost": 0.0004}
    assert bot.figures[1] == {"questions": 1, "question_tokens": 100, "answer_tokens": 10, "cost": 0.0002}


def test_tokens_that_an_endpoint_does_not_count_are_estimated(fake: FakeEndpoint) -> None:
    fake.script[:] = [(200, json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode())]
    bot = Kept(Endpoint(fake.url, "m", KEY))
    hand(bot)
    asked = sum(len(message["content"]) for message in fake.requests[0]["messages"])
    assert bot.figures[0]["question_tokens"] == -(-asked // 4)
    assert bot.figures[0]["answer_tokens"] == -(-len(GOOD) // 4)
    assert bot.figures[0]["estimated"] == 1


@pytest.mark.parametrize("limits", [Limits(tokens=250), Limits(cost=0.0005)])
def test_a_budget_that_is_spent_leaves_the_rest_to_the_fallback(fake: FakeEndpoint, limits: Limits) -> None:
    bot = Kept(Endpoint(fake.url, "m", KEY), "first", Budget(Prices(1.0, 10.0), limits))
    hand(bot)
    assert len(fake.requests) == 3, "the third question goes beyond it"
    asked = len(bot.figures) - 3
    assert [one.get("over_budget") for one in bot.figures] == [None] * 3 + [1] * asked
    assert [one.get("fallback") for one in bot.figures] == [None] * 3 + [1] * asked
    assert "is spent" in bot.notes[-1]


def test_without_an_answer_the_bot_resigns_or_plays_the_declared_fallback(fake: FakeEndpoint) -> None:
    fake.script[:] = [(200, completion("?"))]
    with pytest.raises(ResignedError):
        hand(LlmBot(Endpoint(fake.url, "m")))
    bot = Kept(Endpoint(fake.url, "m"), "first")
    hand(bot)
    assert bot.fallbacks == len(bot.notes)
    assert {figures["fallback"] for figures in bot.figures} == {1}


def test_a_transcript_in_the_log_has_question_answer_reading_and_time_and_never_the_key(
    fake: FakeEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    thoughts = f"my key is {KEY}, {KEY[:12]}, the token {TOKEN}, \x1b[2J"
    fake.script[:] = [
        (401, f"wrong key {KEY}".encode()),
        (200, completion(f"no {KEY}")),
        (200, completion(json.dumps({"thoughts": thoughts, "action": 1}))),
    ]
    bot = Kept(Endpoint(fake.url, "m", KEY), "first", secrets=(TOKEN,))
    hand(bot)
    log = capsys.readouterr().err
    for held in (log, *bot.notes):
        assert not [piece for piece in (KEY, KEY[:12], TOKEN, "\x1b") if piece in held]
    assert "the endpoint refuses the key (status 401: wrong key [key])" in log
    assert log.count("system message of euchre:") == 1
    assert "question:\n  | euchre, seat" in log
    assert "  |   legal   " in log
    assert "answer, after " in log
    assert "reading: 1. pass" in log
    assert "reading: unparsable: " in log
    assert "thoughts: my key is [key], [key], the token [key]" in bot.notes[-1]


def test_a_note_says_what_was_read_asked_and_answered(fake: FakeEndpoint) -> None:
    bot = Kept(Endpoint(fake.url, "small-1", KEY))
    hand(bot)
    figures, note = bot.notes[0].split("\n")
    assert figures == "figures: questions=1 question_tokens=100 answer_tokens=10"
    assert note.startswith("1. pass, small-1 after ")
    assert "; thoughts: trump is strong; asked: 1. pass | 2. order" in note
    assert note.endswith(f"; answered: {GOOD}")


@pytest.mark.parametrize(
    "thoughts",
    ["é" * 3000, "\ud800" * 400, '"\\\n' * 500, "🂡" * 500, ""],
    ids=["accents", "half pairs", "escapes", "pictures", "none"],
)
def test_a_note_fits_whatever_the_model_thinks(fake: FakeEndpoint, thoughts: str) -> None:
    fake.script[:] = [(200, completion(json.dumps({"thoughts": thoughts, "action": 1})))]
    bot = Kept(Endpoint(fake.url, "m", KEY))
    hand(bot, "two-handed", 2)
    assert bot.notes
    for text in bot.notes:
        assert len(text.encode()) <= LONGEST_NOTE
        assert text.startswith("figures: questions=1 ")


def probing(fake: FakeEndpoint, probe_s: float = 20.0) -> LlmBot:
    return LlmBot(Endpoint(fake.url, "m", KEY), probe_s=probe_s, secrets=(TOKEN,))


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (401, f"wrong key {KEY}", "the endpoint refuses the key (status 401: wrong key [key])"),
        (404, "no model m", "the endpoint does not know the model or the address (status 404: no model m)"),
        (200, "<html>", "the endpoint sends a page of HTML, no chat completion: <html>"),
    ],
)
def test_a_wrong_key_or_model_is_found_before_the_first_card(
    fake: FakeEndpoint, status: int, body: str, told: str
) -> None:
    fake.script[:] = [(status, body.encode())]
    with pytest.raises(BotFailedError) as caught:
        probing(fake).prepare()
    assert str(caught.value) == f"the model cannot be asked: {told}"


def test_the_question_before_the_first_card_is_short_and_can_be_left_out(fake: FakeEndpoint) -> None:
    probing(fake, 0).prepare()
    assert fake.requests == []
    probing(fake).prepare()
    (request,) = fake.requests
    assert sum(len(message["content"]) for message in request["messages"]) < 200


def test_a_slow_or_busy_endpoint_may_play(fake: FakeEndpoint, capsys: pytest.CaptureFixture[str]) -> None:
    fake.script[:0] = [(429, b"", {"Retry-After": "3600"})]
    probing(fake).prepare()
    assert "the model does not answer before the first card: the endpoint asks for a wait" in capsys.readouterr().err
    fake.ending = "late"
    probing(fake, 0.3).prepare()
    assert "the model does not answer before the first card: late" in capsys.readouterr().err


def run_program(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr("sys.argv", ["llm", *arguments])
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(SystemExit) as ended:
        program.main()
    return ended.value.code


def test_a_trial_shows_request_answer_reading_and_price(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.script[:0] = [(200, completion(f"not yet, {KEY}"))]
    priced = ("--question-price", "1", "--answer-price", "10", "--extra-body", '{"temperature": 0}')
    assert run_program(monkeypatch, "--base-url", fake.url, "--model", "m", "--try", *priced) == 0
    shown = capsys.readouterr().out
    assert f"request to {fake.url}/chat/completions:" in shown
    assert '"temperature": 0' in shown
    assert "not yet, [key]" in shown
    assert "reading: unparsable" in shown
    assert "reading: 1. pass" in shown
    assert "spent: 200 tokens of questions and 20 of answers, as the endpoint counts them" in shown
    assert "price: 0.000400" in shown
    assert KEY not in shown


def test_a_trial_without_prices_names_none(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_program(monkeypatch, "--base-url", fake.url, "--model", "m", "--try") == 0
    assert "price: not known without --question-price" in capsys.readouterr().out


def test_a_trial_that_fails_says_why(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake.script[:] = [(401, f"wrong key {KEY}".encode())]
    assert run_program(monkeypatch, "--base-url", fake.url, "--model", "m", "--try", "buck") == 1
    assert "failure: the endpoint refuses the key (status 401: wrong key [key])" in capsys.readouterr().out
    assert run_program(monkeypatch, "--base-url", fake.url, "--model", "m", "--try", "nosuch") == 2
    assert "nosuch" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--max-cost", "1"], "--max-cost needs --question-price or --answer-price"),
        (["--extra-body", "[]"], "must be a JSON object"),
        (["--extra-body", "{"], "must be a JSON object"),
        (["--extra-body", '{"messages": []}'], "--extra-body must not set 'messages'"),
        (["--max-tokens", "0"], "must be a whole number from 1"),
        (["--question-price", "-1"], "must be a number from 0"),
        (["--answer-price", "nan"], "must be a number from 0"),
        (["--form", "xml"], "invalid choice"),
    ],
)
def test_a_wrong_argument_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run_program(monkeypatch, "--base-url", "http://127.0.0.1:9/v1", "--model", "m", *arguments) == 2
    assert told in capsys.readouterr().err
