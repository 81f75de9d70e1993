"""Reads an endpoint's reply: a chat completion, as one JSON object or as a stream of server-sent events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

DONE = b"[DONE]"


class NoCompletionError(Exception):
    """A reply is not a chat completion. The message describes it in a few words of our own."""


class SentError(Exception):
    """The endpoint sent an error instead of a completion, with its code or ""."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class BrokenStreamError(Exception):
    """A stream broke off before its end."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer.

    text: its text, or the arguments of the tool that it calls.
    refusal: why the model refuses; "" if it does not.
    is_cut: whether it ended at a token limit.
    question_tokens, answer_tokens: the endpoint's counts; None if it does not count.
    """

    text: str
    refusal: str = ""
    is_cut: bool = False
    question_tokens: int | None = None
    answer_tokens: int | None = None


def read_reply(body: bytes) -> Reply:
    """Return the completion in the body of a reply.

    Raises: NoCompletionError: it is not a completion. SentError: it is an error, which some endpoints send with status
        200.
    """
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NoCompletionError(_kind_of(body)) from error
    answer = _Gathered()
    answer.add(reply, "message")
    return answer.reply()


def sent_error(body: bytes) -> SentError:
    """Return the error in a reply with a bad status. Its message is "" if the form of the reply is unknown."""
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return SentError("", "")
    return _error_in(reply) or SentError("", "")


def _kind_of(body: bytes) -> str:
    start = body.lstrip()[:200].lower()
    if not start:
        return "an empty reply"
    return "a page of HTML" if start.startswith((b"<!doctype html", b"<html", b"<head")) else "no JSON"


def _error_in(reply: object) -> SentError | None:
    """Return the error of an object: `{"error": {"message": …, "code": …}}` or a similar form."""
    if not isinstance(reply, dict):
        return None
    found = reply.get("error") or (reply if reply.get("object") == "error" else None)
    if found is None:
        return None
    if not isinstance(found, dict):
        return SentError(str(found), "")
    code = found.get("code") or found.get("type") or found.get("status") or ""
    return SentError(str(found.get("message") or ""), str(code))


class EventStream:
    """A reader of server-sent events, which assembles the completion from their bytes as they arrive."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._answer = _Gathered()
        self.is_done = False
        """Whether the stream has announced its end. Some connections stay open after that."""

    def feed(self, chunk: bytes) -> None:
        """Read more bytes. Raises NoCompletionError or SentError for an event that doesn't belong to a completion."""
        first, *others = chunk.split(b"\n")
        self._line += first
        for following in others:
            line, self._line = bytes(self._line), bytearray(following)
            self._take(line.rstrip(b"\r"))

    def reply(self) -> Reply:
        """Return the completion. Raises BrokenStreamError if its end has not arrived."""
        self._take(bytes(self._line).rstrip(b"\r"))
        self._line.clear()
        self._take(b"")
        if not (self.is_done or self._answer.finish):
            raise BrokenStreamError
        return self._answer.reply()

    def _take(self, line: bytes) -> None:
        """Process a line. An empty line ends an event. Comments and all fields except `data` are skipped."""
        if line:
            name, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            return
        data, self._data = b"\n".join(self._data), []
        if not data or self.is_done:
            return
        if data.strip() == DONE:
            self.is_done = True
            return
        try:
            part = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise NoCompletionError("a stream of something else") from error
        self._answer.add(part, "delta")


class _Gathered:
    """A completion, assembled from its parts."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._arguments: list[str] = []
        self._refusals: list[str] = []
        self._has_message = False
        self._usage: object = None
        self.finish = ""

    def add(self, part: object, name: str) -> None:
        """Add an object whose first choice has a `name`: the whole message, or a stream's addition to it."""
        if error := _error_in(part):
            raise error
        if not isinstance(part, dict):
            raise NoCompletionError("JSON of another form")
        self._usage = part.get("usage") or self._usage
        choices = part.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return
        self.finish = _text(choices[0].get("finish_reason")) or self.finish
        message = choices[0].get(name) or choices[0].get("message")
        if not isinstance(message, dict):
            return
        self._has_message = True
        self._texts.append(_content(message.get("content")))
        self._refusals.append(_text(message.get("refusal")))
        calls = message.get("tool_calls")
        for call in [*(calls if isinstance(calls, list) else ()), {"function": message.get("function_call")}]:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                given = function.get("arguments")
                self._arguments.append(given if isinstance(given, str) else json.dumps(given) if given else "")

    def reply(self) -> Reply:
        """Return the completion. Raises NoCompletionError if there was no message."""
        if not self._has_message:
            raise NoCompletionError("JSON of another form")
        refusal = "".join(self._refusals)
        text = "".join(self._arguments).strip() or "".join(self._texts)
        if self.finish == "content_filter" and not refusal:
            refusal = f"content filter {text}".strip()
        usage = self._usage if isinstance(self._usage, dict) else {}
        asked, answered = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        return Reply(text, refusal, self.finish == "length", asked, answered)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _content(value: object) -> str:
    """Return the text of a message, whose content is a string or a list of parts, some of which are text."""
    if not isinstance(value, list):
        return _text(value)
    return "".join(_text(part.get("text")) for part in value if isinstance(part, dict) and part.get("type") == "text")


def _count(usage: Mapping[str, object], name: str) -> int | None:
    value = usage.get(name)
    return value if type(value) is int and 0 <= value < 1 << 40 else None
