"""`bowerbird.bots.llm.answers` reads an action wherever models put it, if there is exactly one legal reading."""

from __future__ import annotations

import json

import pytest

from bowerbird.bots.llm.answers import AmbiguousError, Answer, AnswerError, IllegalError, UnparsableError, read_answer

TOKENS = ("pass", "order", "order alone", "9H")

GOOD = [
    '{"action": 2}',
    '{"thoughts": "", "action": 2}',
    ' \n{"action" : 2 }\n',
    '{"action": 2.0}',
    '{"action": "2"}',
    '{"action": "2."}',
    '{"action": "#2"}',
    '{"action": "order"}',
    '{"action": " ORDER "}',
    '{"action": "2. order"}',
    '{"Action": 2}',
    '{"action": 2, "confidence": 0.9}',
    '{"answer": {"action": 2}}',
    '```json\n{"action": 2}\n```',
    '```\n{"thoughts": "a\nb", "action": 2}\n```\nGood luck!',
    'Sure, I order it up: {"action": 2} is my choice.',
    '<think>{"action": 1} or {"action": 3}?</think>{"action": 2}',
    'Let me see, 1 or 3 …</think>\n\n{"action": 2}',
    "<thinking>pass?</thinking>2",
    '<|channel|>analysis<|message|>{"action": 1}<|channel|>final<|message|>{"action": 2}',
    '<tool_call>{"name": "act", "arguments": {"action": 2}}</tool_call>',
    '{"action": 2} and again {"action": 2}',
    '{"action": 99}? No: {"action": 2}',
    "2",
    "2.",
    "**2**",
    "`order`",
    "order",
    "2. order",
    "Action: 2",
    "Final answer: order",
    "I think hearts are strong.\n\n2",
    "I think hearts are strong.\nAnswer: 2",
    "{'action': 2}",
    "{action: 2}",
    '{"thoughts": "a "good" hand", "action": 2}',
    '{"thoughts": "no end", "action": 2,',
    "[" * 100_000 + '{"action": 2}',
]


@pytest.mark.parametrize("text", GOOD)
def test_one_legal_reading_is_taken(text: str) -> None:
    assert read_answer(text, TOKENS).index == 1


@pytest.mark.parametrize("token", TOKENS)
def test_each_action_has_its_number_from_1_and_its_token(token: str) -> None:
    number = TOKENS.index(token) + 1
    for said in (str(number), token, json.dumps({"action": number}), json.dumps({"action": token})):
        assert read_answer(said, TOKENS).index == number - 1


def test_thoughts_are_those_beside_the_action() -> None:
    assert read_answer('{"thoughts": "why", "action": 2}', TOKENS) == Answer(1, "why")
    assert read_answer('{"thoughts": ["why"], "action": 2}', TOKENS) == Answer(1, "")


BAD: list[tuple[str, type[AnswerError], str]] = [
    ("", UnparsableError, "no JSON object"),
    ("I would pass: action 1", UnparsableError, "no JSON object"),
    ("I pass, since 9H is weak", UnparsableError, "no JSON object"),
    ("[" * 100_000, UnparsableError, "no JSON object"),
    ('{"a":' * 20_000, UnparsableError, "no JSON object"),
    ("{" * 100_000, UnparsableError, "no JSON object"),
    ('<think>{"action": 1}', UnparsableError, "no JSON object"),
    ('{"thoughts": "why"}', UnparsableError, "no JSON object"),
    ('{"action": 0}', IllegalError, "0 is not a legal action"),
    ('{"action": 5}', IllegalError, "a number from 1 to 4"),
    ('{"action": -1}', IllegalError, "-1 is not a legal action"),
    ('{"action": 1.5}', IllegalError, "float is not a legal action"),
    ('{"action": true}', IllegalError, "bool is not a legal action"),
    ('{"action": null}', IllegalError, "null is not a legal action"),
    ('{"action": [1]}', IllegalError, "list is not a legal action"),
    ('{"action": "play"}', IllegalError, "play is not a legal action"),
    ('{"action": "1. order"}', IllegalError, "1. order is not a legal action"),
    ('{"action": 1' + "0" * 4000 + "}", IllegalError, "that number is not a legal action"),
    ("0", IllegalError, "0 is not a legal action"),
    ("99", IllegalError, "99 is not a legal action"),
    ('{"action": 1} or {"action": 2}', AmbiguousError, "1 (pass), 2 (order)"),
    ('{"action": 1, "action": 2}', AmbiguousError, "1 (pass), 2 (order)"),
    ("{'action': 1} or {'action': 2}", AmbiguousError, "1 (pass), 2 (order)"),
]


@pytest.mark.parametrize(("text", "error", "told"), BAD)
def test_anything_else_is_told_as_what_it_is(text: str, error: type[AnswerError], told: str) -> None:
    with pytest.raises(error) as caught:
        read_answer(text, TOKENS)
    assert type(caught.value) is error
    assert told in caught.value.told
    assert "a number from 1 to 4" in caught.value.told


def test_a_text_that_is_the_number_of_one_action_and_the_token_of_another_is_ambiguous() -> None:
    bids = ("pass", "3", "2")
    for said in ('{"action": "3"}', "3"):
        with pytest.raises(AmbiguousError):
            read_answer(said, bids)
    assert read_answer('{"action": 3}', bids).index == 2, "a number of JSON is a place in the list"


@pytest.mark.parametrize("text", ["1", '{"thoughts": "x", "action": 1', "pass"])
def test_of_an_answer_that_was_cut_off_only_a_whole_object_counts(text: str) -> None:
    with pytest.raises(UnparsableError, match="cut off"):
        read_answer(text, TOKENS, is_cut=True)
    assert read_answer('{"action": 1} and so', TOKENS, is_cut=True).index == 0
