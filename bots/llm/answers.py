"""Reads the answer of a model: the legal action that it names, or what is wrong with it.

Models put the requested JSON into a code fence, after their reasoning, or among words. Some name the action by its
token, or send only the number. All of these are read, but there must be exactly one legal reading. This module never
chooses between two, and finds nothing in plain prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bowerbird.bots.llm.request import FORM

LONGEST_READ = 1 << 16
"""How many characters at the end of an answer are read, since the action is at the end."""

MOST_OBJECTS = 1000
"""The maximum number of places in an answer where to look for a JSON object."""

_REASONING = re.compile(r"</(?:think|thinking|thought|thoughts|reasoning|reflection)>|<\|message\|>", re.IGNORECASE)
"""The end of the reasoning that a model writes before its answer."""

_BEGUN = re.compile(r"<(?:think|thinking|thought|thoughts|reasoning|reflection)>", re.IGNORECASE)

_ALONE = re.compile(
    r"(?:(?:my |the |final )*(?:action|answer|choice|number)(?: is)?\s*[:=]?\s*)?(?P<value>.+)", re.IGNORECASE
)
"""An answer that is only the action, perhaps after a word such as "Action:"."""

_PAIR = re.compile(r"""["']?\baction["']?\s*[:=]\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,;}\]]+))""", re.IGNORECASE)
"""A pair in an object that is not quite JSON: with single quotes, a comma too many, or its end cut off."""

_DECORATION = " \t\r\n`*_\"'$.()[]{}<>"


class AnswerError(Exception):
    """An attempt failed. `kind` is a word for notes, and `told` is a sentence for the model."""

    kind = "unparsable"

    def __init__(self, told: str) -> None:
        super().__init__(told)
        self.told = told


class UnparsableError(AnswerError):
    """The answer does not name an action."""


class IllegalError(AnswerError):
    """The answer names an action that is not in the list."""

    kind = "illegal"


class AmbiguousError(AnswerError):
    """The answer names several actions."""

    kind = "ambiguous"


@dataclass(frozen=True, slots=True)
class Answer:
    """The chosen action, as an index from 0, and the model's thoughts."""

    index: int
    thoughts: str


@dataclass(frozen=True, slots=True)
class _Named:
    """An action in an answer: its words, the indices they may mean, and the thoughts that came with it."""

    said: str
    indices: frozenset[int]
    thoughts: str = ""


def read_answer(text: str, tokens: Sequence[str], *, is_cut: bool = False) -> Answer:
    """Return the action of `tokens` that `text` names by its number from 1 or its token.
    is_cut: whether the endpoint says that the answer is cut off. Then only a complete object counts, since the last
        number may have lost a digit.

    Raises:
        UnparsableError: the text names no action.
        IllegalError: it names only actions that are not in the list.
        AmbiguousError: it has several legal readings.
    """
    rest = _behind_reasoning(text)[-LONGEST_READ:]
    named = list(_in_objects(rest, tokens))
    if not is_cut:
        named = named or list(_alone(rest, tokens)) or list(_in_pairs(rest, tokens))
    legal = sorted(set().union(*(one.indices for one in named)))
    if len(legal) == 1:
        thoughts = [one.thoughts for one in named if one.indices]
        return Answer(legal[0], thoughts[-1])
    if legal:
        which = ", ".join(f"{index + 1} ({tokens[index]})" for index in legal)
        raise AmbiguousError(f"Your answer can mean several actions: {which}. Name one. {_request(tokens)}")
    if named:
        said = named[-1].said[:40]
        raise IllegalError(f"{said} is not a legal action. {_request(tokens)}")
    if is_cut:
        raise UnparsableError(f"Your answer was cut off before it named an action. Think less. {_request(tokens)}")
    raise UnparsableError(f"Your answer holds no JSON object that names an action. {_request(tokens)}")


def _request(tokens: Sequence[str]) -> str:
    return f"Answer only in this form, with a number from 1 to {len(tokens)} from the list of legal actions: {FORM}"


def _behind_reasoning(text: str) -> str:
    """Return the text after the last reasoning, or the text before it if it never ends."""
    ends = list(_REASONING.finditer(text))
    rest = text[ends[-1].end() :] if ends else text
    begun = _BEGUN.search(rest)
    return rest[: begun.start()] if begun else rest


class _Pair(list[tuple[str, object]]):
    """The pairs of an object in order, since an object may name its action twice."""


_DECODER = json.JSONDecoder(object_pairs_hook=_Pair, strict=False)


def _in_objects(text: str, tokens: Sequence[str]) -> Iterator[_Named]:
    """Yield the actions in the JSON objects of a string.

    An object without an action is searched for objects inside it.
    """
    at = 0
    for _ in range(MOST_OBJECTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        values = [value for name, value in found if name.lower() == "action"]
        if not values:
            at += 1
            continue
        said = [value for name, value in found if name.lower() == "thoughts" and isinstance(value, str)]
        for value in values:
            yield _named(value, tokens, said[0] if said else "")
        at = end


def _named(value: object, tokens: Sequence[str], thoughts: str) -> _Named:
    """Return the action that a JSON value names. A number can only be a place in the list."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int:
        place = frozenset({value - 1} if 1 <= value <= len(tokens) else ())
        return _Named(str(value) if abs(value) < 10**9 else "that number", place, thoughts)
    if isinstance(value, str):
        return _Named(value.strip(), _meant(value, tokens), thoughts)
    return _Named("null" if value is None else type(value).__name__, frozenset(), thoughts)


def _meant(said: str, tokens: Sequence[str]) -> frozenset[int]:
    """Return the indices that a string may mean as a number, as a token, or as both, such as "2. pass"."""
    words = _plain(said)
    found = {index for index, token in enumerate(tokens) if _plain(token) == words}
    number, _, rest = words.lstrip("#").partition(" ")
    number = number.rstrip(".:)")
    if number.isascii() and number.isdecimal() and len(number) < 9 and 1 <= int(number) <= len(tokens):
        index = int(number) - 1
        if not rest or _plain(rest) == _plain(tokens[index]):
            found.add(index)
    return frozenset(found)


def _plain(text: str) -> str:
    return " ".join(text.strip(_DECORATION).casefold().split())


def _alone(text: str, tokens: Sequence[str]) -> Iterator[_Named]:
    """Yield the action of an answer that, or whose last line, consists only of it."""
    plain = text.strip(_DECORATION)
    for part in (plain, plain.splitlines()[-1] if plain else ""):
        words = part.strip(_DECORATION)
        readings = [words]
        if found := _ALONE.fullmatch(words):
            readings.append(found["value"])
        for said in readings:
            meant = _meant(said, tokens)
            if meant or _plain(said).isdecimal():
                yield _Named(said, meant)
                return


def _in_pairs(text: str, tokens: Sequence[str]) -> Iterator[_Named]:
    """Yield the actions in the pairs of broken objects."""
    for found in _PAIR.finditer(text):
        said = next(value for value in found.groups() if value is not None)
        yield _Named(said.strip(_DECORATION), _meant(said, tokens))
