"""`bowerbird.bots.llm` plays what a model names in strict JSON, asks twice at most, and never shows the key."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("httpx")

from bowerbird.bots.llm.endpoint import MAX_REPLY, Endpoint
from bowerbird.bots.llm.player import NOTE_BYTES, LlmBot, Outcome, Prices, consult
from bowerbird.harness.sdk.local import ResignedError, play
from tests.support.bots.fake_endpoint import GOOD, FakeEndpoint, completion, fake_endpoint

KEY = "sk-secret-of-this-test"
PATIENCE, SHORT = 20.0, 0.3
"""Seconds for questions that must be answered, and for those to which no answer comes."""

FAILED_BEFORE = 5.0
"""Seconds for questions to which no answer comes, and of which one attempt must fail before, on a busy machine too."""


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with fake_endpoint() as endpoint:
        yield endpoint


def asked(fake: FakeEndpoint, seconds: float = PATIENCE) -> Outcome:
    return asyncio.run(consult(Endpoint(fake.url, "m", KEY), "rules", "position", ("pass", "order"), seconds))


def test_a_good_answer_is_played_and_counted(fake: FakeEndpoint) -> None:
    outcome = asked(fake)
    assert (outcome.index, outcome.thoughts, outcome.failures) == (0, "trump is strong", [])
    assert (outcome.prompt_tokens, outcome.answer_tokens) == (100, 10)
    assert fake.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("bad", "failure", "told"),
    [
        ("I would pass: action 1", "unparsable", "not the JSON"),
        (f"```json\n{GOOD}\n```", "unparsable", "not the JSON"),
        ('{"action": true}', "unparsable", "not the JSON"),
        ('{"action": "1"}', "unparsable", "not the JSON"),
        ("[" * 100_000, "unparsable", "not the JSON"),
        ('{"action": 3}', "illegal", "not legal"),
        ('{"action": 0}', "illegal", "not legal"),
    ],
)
def test_a_bad_answer_has_one_more_attempt_that_says_what_was_wrong(
    fake: FakeEndpoint, bad: str, failure: str, told: str
) -> None:
    fake.script[:0] = [(200, completion(bad))]
    outcome = asked(fake)
    assert (outcome.index, outcome.failures) == (0, [failure])
    assert told in fake.requests[1]["messages"][-1]["content"]
    fake.script[:] = [(200, completion(bad))]
    fake.requests.clear()
    outcome = asked(fake)
    assert (outcome.index, outcome.failures) == (None, [failure, failure])
    assert len(fake.requests) == 2, "two attempts in all"


@pytest.mark.parametrize("status", [429, 500])
def test_a_busy_endpoint_is_asked_the_same_again(fake: FakeEndpoint, status: int) -> None:
    fake.script[:0] = [(status, b"{}")]
    assert asked(fake).index == 0
    assert fake.requests[0] == fake.requests[1]


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
    outcome = asyncio.run(consult(Endpoint(url, "m", KEY), "rules", "position", ("pass", "order"), FAILED_BEFORE))
    assert outcome.failures == ["late, after failing to reach the endpoint"]


def test_an_endpoint_that_stays_busy_ends_with_the_clock(fake: FakeEndpoint) -> None:
    fake.script[:] = [(429, b"{}")]
    assert asked(fake, FAILED_BEFORE).failures == ["late, after status 429"]


def test_an_endless_reply_is_given_up(fake: FakeEndpoint) -> None:
    fake.ending = "endless"
    assert asked(fake).failures == [f"the endpoint sends more than {MAX_REPLY} bytes"]


@pytest.mark.parametrize("body", [b"\xff<html>", b"{}", b"[]", b'{"choices": []}', completion(None)])
def test_a_reply_that_is_no_completion_is_a_failure(fake: FakeEndpoint, body: bytes) -> None:
    fake.script[:] = [(200, body)]
    assert asked(fake).failures == ["the endpoint sends no chat completion"]


def test_a_refusal_is_not_repeated_and_shows_nothing_that_was_sent(fake: FakeEndpoint) -> None:
    fake.script[:] = [(401, f"wrong key {KEY}".encode())]
    assert asked(fake).failures == ["the endpoint refuses the question with status 401"]
    assert len(fake.requests) == 1


class Kept(LlmBot):
    """Keeps the notes of its decisions."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.kept: list[str] = []

    def act(self, decision: Any) -> Any:
        choice = super().act(decision)
        self.kept.append(decision.note)
        return choice


@pytest.mark.parametrize("address", ["https://", "http://[::1", "models.example.org/v1", ""])
def test_an_address_without_a_host_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="--base-url is no address of a host"):
        Endpoint(address, "m", KEY)


def test_whole_games_are_played_and_no_note_has_the_key(fake: FakeEndpoint) -> None:
    fake.script[:] = [(200, completion(json.dumps({"thoughts": f"my key is {KEY}", "action": 1})))]
    bot = Kept(Endpoint(fake.url, "m", KEY), "resign", Prices(1.0, 10.0))
    play("euchre", [bot] * 4, seed="llm", options={"max_hands": 1})
    assert bot.kept
    assert not [note for note in bot.kept if KEY in note]
    note = json.loads(bot.kept[0])
    assert (note["cost"], note["thoughts"], note["fallbacks"]) == (0.0002, "my key is [key]", 0)
    assert "order" in fake.requests[0]["messages"][-1]["content"]


def test_without_an_answer_the_bot_resigns_or_plays_the_declared_fallback(fake: FakeEndpoint) -> None:
    fake.script[:] = [(200, completion("pass"))]
    with pytest.raises(ResignedError):
        play("euchre", [LlmBot(Endpoint(fake.url, "m"))] * 4, options={"max_hands": 1})
    bot = Kept(Endpoint(fake.url, "m"), "first")
    play("euchre", [bot] * 4, options={"max_hands": 1})
    assert bot.fallbacks == len(bot.kept) == json.loads(bot.kept[-1])["fallbacks"]


@pytest.mark.parametrize(
    "thoughts",
    ["é" * 3000, "\ud800" * 400, '"\\\n' * 500, "🂡" * 500, ""],
    ids=["accents", "half pairs", "escapes", "pictures", "none"],
)
def test_a_note_is_whole_and_fits_whatever_the_model_thinks(fake: FakeEndpoint, thoughts: str) -> None:
    fake.script[:] = [(200, completion(json.dumps({"thoughts": thoughts, "action": 1})))]
    bot = Kept(Endpoint(fake.url, "m", KEY))
    play("two-handed", [bot] * 2, seed="llm", options={"max_hands": 1})
    assert bot.kept
    for text in bot.kept:
        assert len(text.encode()) <= NOTE_BYTES
        note = json.loads(text)
        assert thoughts.replace("\ud800", "?").startswith(note["thoughts"])
        assert len(note["thoughts"]) >= min(len(thoughts), 100), "most of a note is for the thoughts"
