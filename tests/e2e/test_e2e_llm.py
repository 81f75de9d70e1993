"""A chat model plays a hosted run as a remote bot, with every kind of bad answer, and its key leaks nowhere."""

from __future__ import annotations

import pytest

from tests.support.bots.fake_endpoint import EVENTS, GOOD, Answer, completion, events, fake_endpoint
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import PYTHON, hosted, remote

pytest.importorskip("httpx")

KEY = "sk-secret-of-this-test"
HOSTED = """
[tournament]
seed = "a model"
sets = 2
max_hands = 2
[[variant]]
name = "euchre"
[time]
per_decision = "20s"
[[bot]]
remote = true
name = "model"
"""
BAD = [
    (500, b"{}"),
    (200, completion("I pass")),
    (200, completion('{"action": 99}')),
    (200, b"<html>"),
    (429, b"{}"),
    (200, completion(f'{{"thoughts": "my key is {KEY}", "action": 1}}')),
    (200, completion(GOOD)),
]


def test_a_model_plays_a_hosted_run_and_its_key_is_in_no_file(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(HOSTED, bowerbird.bundled("greedy"))
    with fake_endpoint() as endpoint, hosted(bowerbird, file) as host:
        endpoint.script[:] = list(BAD)
        host.until_invited()
        arguments = ("-m", "bowerbird.bots.llm", "--base-url", endpoint.url, "--model", "m", "--fallback", "first")
        with remote(host, "model", PYTHON, *arguments, OPENAI_API_KEY=KEY) as model:
            shown = host.ended()
            code, said = model.ended()
    assert code == 0, said
    assert endpoint.keys
    assert set(endpoint.keys) == {f"Bearer {KEY}"}
    assert {row["kind"] for row in bowerbird.json("matches", "--faults", "--db", "x.db")} == set()
    assert KEY not in shown + said + "".join(host.said)
    holding = [path for path in bowerbird.folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert holding == []


NOT_THE_MODELS_FAULT: list[Answer] = [
    (200, completion(GOOD)),
    (503, b"<html>busy</html>"),
    (429, b"{}", {"Retry-After": "0"}),
    (200, completion(f"<think>hm</think>\n```json\n{GOOD}\n```")),
    (200, events(GOOD), EVENTS),
    (200, events(GOOD, end=b""), EVENTS),
    (200, completion("order")),
    (200, completion(None, tool_calls=[{"function": {"name": "act", "arguments": GOOD}}])),
    (200, completion(None, refusal="I cannot gamble.")),
    (200, completion('{"action": "1"}')),
    (200, completion("1")),
]


def test_a_model_loses_no_game_for_what_its_endpoint_does_and_its_tokens_stand_in_the_standings(
    bowerbird: Bowerbird,
) -> None:
    """Without an answer it would resign."""
    file = bowerbird.tournament(HOSTED, bowerbird.bundled("greedy"))
    with fake_endpoint() as endpoint, hosted(bowerbird, file) as host:
        endpoint.script[:] = list(NOT_THE_MODELS_FAULT)
        endpoint.refused = {"response_format"}
        endpoint.endings[7] = "cut off"
        host.until_invited()
        arguments = ("-m", "bowerbird.bots.llm", "--base-url", endpoint.url, "--model", "m", "--question-price", "5")
        with remote(host, "model", PYTHON, *arguments, OPENAI_API_KEY=KEY) as model:
            host.ended()
            code, said = model.ended()
        refused = [request for request in endpoint.requests if "response_format" in request]
    assert code == 0, said
    assert len(refused) == 2, "a schema, then any JSON, and neither from then on"
    assert said.count("from now on the form 'text' is used, not 'schema'") == 1
    assert bowerbird.json("matches", "--faults", "--db", "x.db") == []
    figures = {one["name"]: one for one in bowerbird.json("standings", "--db", "x.db")["figures"]}
    decisions = figures["questions"]["decisions"]
    assert decisions > len(NOT_THE_MODELS_FAULT)
    assert figures["question_tokens"]["total"] == 100 * figures["questions"]["total"]
    assert figures["cost"]["total"] == pytest.approx(figures["question_tokens"]["total"] * 5 / 1_000_000)
    assert "fallback" not in figures
    assert f"model claims of {decisions} decisions: " in bowerbird.done("standings", "--db", "x.db")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--base-url", "models.example.org", "--model", "m"), "must begin with http:// or https://"),
        (("--base-url", "https://", "--model", "m"), "not the address of a host"),
        (("--model", "m"), "--base-url"),
    ],
)
def test_a_wrong_argument_is_one_sentence(bowerbird: Bowerbird, arguments: tuple[str, ...], sentence: str) -> None:
    file = bowerbird.tournament(HOSTED, bowerbird.bundled("greedy"))
    with hosted(bowerbird, file) as host:
        host.until_invited()
        with remote(host, "model", PYTHON, "-m", "bowerbird.bots.llm", *arguments) as model:
            code, said = model.ended()
    assert code == 2
    assert sentence in said.splitlines()[-1]
    assert "Traceback" not in said
