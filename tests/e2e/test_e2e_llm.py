"""A chat model plays a hosted run as a remote bot, with every kind of bad answer, and its key leaks nowhere."""

from __future__ import annotations

import pytest

from tests.support.bots.fake_endpoint import GOOD, completion, fake_endpoint
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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--base-url", "models.example.org", "--model", "m"), "must begin with http:// or https://"),
        (("--base-url", "https://", "--model", "m"), "no address of a host"),
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
