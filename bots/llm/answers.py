"""Reads the answer of a model: strict JSON with the number of an action, or nothing. It never guesses from prose."""

from __future__ import annotations

import json
from dataclasses import dataclass


class UnparsableError(Exception):
    """The end of an attempt: the answer is not the JSON object that was asked for."""


class IllegalError(Exception):
    """The end of an attempt: the answer names an action that is not in the list."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The chosen action, as a number from 0, and what the model says about it."""

    index: int
    thoughts: str


def read_answer(text: str, choices: int) -> Answer:
    """Return the answer in `text`, which may name the actions 1 to `choices`.

    Raises:
        UnparsableError: it is no JSON object with the whole number `action` and, if it likes, the text `thoughts`.
        IllegalError: the number is not in the list.
    """
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnparsableError from error
    if not isinstance(answer, dict) or not set(answer) <= {"action", "thoughts"}:
        raise UnparsableError
    number, thoughts = answer.get("action"), answer.get("thoughts", "")
    if type(number) is not int or not isinstance(thoughts, str):
        raise UnparsableError
    if not 1 <= number <= choices:
        raise IllegalError
    return Answer(number - 1, thoughts)
