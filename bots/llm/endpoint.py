"""Asks an OpenAI-style endpoint: retries within the caller's time, and reports the endpoint's errors in full."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from bowerbird.bots.llm.masking import Mask, one_line
from bowerbird.bots.llm.reply import (
    BrokenStreamError,
    EventStream,
    NoCompletionError,
    Reply,
    SentError,
    read_reply,
    sent_error,
)
from bowerbird.bots.llm.request import FIELDS, PLAIN_WISHES, WEAKER, Message, Wishes, body_of

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 4.0
"""The first and the longest wait before a repetition. The wait doubles each time."""

_SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{0,9})?")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the wait in seconds from the header Retry-After, or None without a readable one.

    It contains seconds or a date. A date is compared with the endpoint's clock if the endpoint sends its time, and
    otherwise with `now`.
    """
    asked = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(asked):
        return float(asked)
    until = _date(asked)
    if until is None:
        return None
    since = _date(headers.get("date", "")) or now or datetime.now(UTC)
    return max(math.ceil((until - since).total_seconds()), 0)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


MAX_REPLY = 1 << 20
"""The maximum size of a reply, in bytes. An endpoint that sends more has failed."""

MAX_STREAM = 1 << 24
"""The maximum size of an event stream, in bytes. Each event uses about a hundred bytes for a few letters."""

PROBE_S = 8.0
"""The maximum duration, in seconds, of the question before the first card, during which the start-up clock runs."""

MOST_SHOWN = 500
"""How many characters of an endpoint's text are shown."""

_BUSY = (408, 409, 425, 429)
"""The statuses, besides 5xx, after which the endpoint may answer the same question later."""

_NOT_LATER = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
"""The codes of errors with status 429 that waiting does not help."""

_OVERFLOW = ("context_length", "context length", "context window", "maximum context", "prompt is too long")

_FORM_WORDS = ("response_format", "json_schema", "json_object", "structured", "schema", "tool", "grammar", "guided")

_MAYBE_FORM = (400, 415, 422, 501)
"""The statuses that may mean that the endpoint does not support the requested form."""

_MEANINGS = {
    401: "the endpoint refuses the key",
    403: "the endpoint refuses the key",
    404: "the endpoint does not know the model or the address",
}


class EndpointError(Exception):
    """A question got no answer. The text says why, with the endpoint's text but without the key.

    is_lasting: whether every question will fail in the same way, as with a wrong key.
    """

    def __init__(self, message: str, *, is_lasting: bool = True) -> None:
        super().__init__(message)
        self.is_lasting = is_lasting


class _NotNowError(Exception):
    """An attempt failed, but another may succeed. `wait_s` is how long the endpoint asks to wait, or None."""

    def __init__(self, why: str, wait_s: float | None = None) -> None:
        super().__init__(why)
        self.wait_s = wait_s


class _MaybeFormError(EndpointError):
    """A refusal that the requested form may have caused."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of a model. `base_url` ends before /chat/completions, and `key` is "" if none is needed.

    `socket` is the path of a Unix socket to connect to instead of the host, or "". `wishes` are the other parts of
    requests besides the messages.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    socket: str = ""
    wishes: Wishes = PLAIN_WISHES

    def __post_init__(self) -> None:
        """Raise ValueError if the address is not valid or contains a password."""
        try:
            url = httpx.URL(self.base_url)
            is_address = bool(url.host)
        except httpx.InvalidURL:
            is_address = False
        if not is_address:
            raise ValueError("--base-url is not the address of a host, such as https://models.example.org/v1")
        if url.userinfo or url.query:
            raise ValueError("--base-url must hold no password and no '?'; --key-from names the variable of the key")

    @property
    def place(self) -> tuple[str, int]:
        """The host and port of the endpoint."""
        url = httpx.URL(self.base_url)
        return url.host, url.port or (443 if url.scheme == "https" else 80)

    @property
    def url(self) -> str:
        """The URL for questions."""
        return self.base_url.rstrip("/") + "/chat/completions"


class Asker:
    """A client of an endpoint, which asks one question at a time and remembers refusals and requested waits.

    say: called with a sentence when something is left out of all later questions.
    """

    def __init__(self, endpoint: Endpoint, mask: Mask, say: Callable[[str], None]) -> None:
        self.endpoint = endpoint
        self.mask = mask
        self.wishes = endpoint.wishes
        self._say = say
        self._not_before = 0.0

    async def ask(
        self, messages: Sequence[Message], choices: int, ends: float, on_retry: Callable[[str], None]
    ) -> Reply:
        """Return the answer to `messages`, which number `choices` actions.

        ends: the end of the time, on `time.monotonic`. It only decides which waits are too long; the caller must
            cancel.
        on_retry: called with the reason before the same question is asked again.

        Raises:
            EndpointError: the endpoint refuses the question, sends something other than an answer, or asks to wait
            until after `ends`.
        """
        headers = {"Authorization": f"Bearer {self.endpoint.key}"} if self.endpoint.key else {}
        transport = httpx.AsyncHTTPTransport(uds=self.endpoint.socket) if self.endpoint.socket else None
        await self._wait(self._not_before - time.monotonic(), ends, "it asked before")
        wait = FIRST_WAIT_S
        async with httpx.AsyncClient(timeout=None, headers=headers, trust_env=False, transport=transport) as client:
            while True:
                try:
                    return await self._in_some_form(client, messages, choices)
                except _NotNowError as why:
                    on_retry(str(why))
                    asked_wait, reason = why.wait_s, str(why)
                if asked_wait is not None:
                    self._not_before = time.monotonic() + asked_wait
                    await self._wait(max(asked_wait, wait), ends, reason, asked_wait)
                else:
                    await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT_S)

    async def _wait(self, seconds: float, ends: float, reason: str, asked: float | None = None) -> None:
        """Wait as long as the endpoint asked. Raises EndpointError at once if that is longer than the time left."""
        asked = seconds if asked is None else asked
        left = ends - time.monotonic()
        if asked > left:
            told = f"the endpoint asks for a wait of {asked:.0f} s, but only {max(left, 0):.0f} s are left ({reason})"
            raise EndpointError(told, is_lasting=False)
        if seconds > 0:
            await asyncio.sleep(seconds)

    async def _in_some_form(self, client: httpx.AsyncClient, messages: Sequence[Message], choices: int) -> Reply:
        """Return the answer, in a weaker form if the endpoint refuses the wanted form but accepts the weaker one."""
        wishes, first = self.wishes, None
        while True:
            try:
                reply = await self._try(client, messages, wishes, choices)
            except _MaybeFormError as refusal:
                first = first or refusal
                if wishes.form not in WEAKER or FIELDS[wishes.form] in (wishes.extra or ()):
                    raise first from None
                wishes = replace(wishes, form=WEAKER[wishes.form])
                continue
            if first is not None:
                self._say(f"from now on the form {wishes.form!r} is used, not {self.wishes.form!r}: {first}")
                self.wishes = wishes
            return reply

    async def _try(self, client: httpx.AsyncClient, messages: Sequence[Message], wishes: Wishes, choices: int) -> Reply:
        """Return the answer. Raises _NotNowError if the same question may be answered later."""
        body = body_of(self.endpoint.model, messages, wishes, choices)
        try:
            async with client.stream("POST", self.endpoint.url, json=body) as response:
                if response.status_code == 200 and "event-stream" in response.headers.get("Content-Type", ""):
                    return await self._streamed(response)
                whole = await _read(response)
        except httpx.ConnectError as error:
            raise _NotNowError("failing to reach the endpoint") from error
        except httpx.TransportError as error:
            raise _NotNowError("a broken connection") from error
        except httpx.HTTPError as error:  # for example, a reply that cannot be decompressed
            raise EndpointError("the endpoint sends no chat completion") from error
        if response.status_code != 200:
            raise self._refusal(response, whole)
        with self._understood(whole):
            if whole.lstrip().startswith((b"data:", b"event:", b": ")):  # a stream without its type
                stream = EventStream()
                stream.feed(whole)
                return stream.reply()
            return read_reply(whole)

    async def _streamed(self, response: httpx.Response) -> Reply:
        """Return the answer in an event stream. It ends when the endpoint says so or closes the connection."""
        stream = EventStream()
        size, start = 0, bytearray()
        with self._understood(start):
            async for chunk in response.aiter_bytes():
                size += len(chunk)
                start += chunk[: max(4 * MOST_SHOWN - len(start), 0)]
                if size > MAX_STREAM:
                    raise EndpointError(f"the endpoint sends more than {MAX_STREAM} bytes")
                stream.feed(chunk)
                if stream.is_done:
                    break
            return stream.reply()

    @contextmanager
    def _understood(self, sent: bytes | bytearray) -> Iterator[None]:
        """Return the error for an endpoint that did not send a chat completion.

        `sent` is the beginning of its text, for people.
        """
        try:
            yield
        except NoCompletionError as error:
            raise EndpointError(f"the endpoint sends {error}, no chat completion{self._shown(bytes(sent))}") from error
        except SentError as error:
            raise self._error_in_reply(error) from error
        except BrokenStreamError as error:
            raise _NotNowError("a broken stream") from error

    def _refusal(self, response: httpx.Response, body: bytes) -> Exception:
        """Return the error for a reply with a status other than 200."""
        status, sent = response.status_code, sent_error(body)
        shown = f": {self._line(str(sent))}" if str(sent) else self._shown(body)
        said = f"{sent.code} {body[:2000].decode(errors='replace')}".lower()
        told = f"status {status}{shown}"
        if status == 413 or _has(said, _OVERFLOW):
            return EndpointError(f"the question is longer than the model's context ({told})", is_lasting=False)
        if status == 429 and _has(said, _NOT_LATER):
            return EndpointError(f"the account has nothing left to spend ({told})")
        if status in _BUSY or (status >= 500 and status != 501):
            return _NotNowError(told, retry_after(response.headers))
        if status in _MAYBE_FORM or (status == 404 and _has(said, _FORM_WORDS)):
            return _MaybeFormError(f"the endpoint refuses the question ({told})")
        if 300 <= status < 400:
            told += f", sent on to {self._line(response.headers.get('Location', 'nowhere'))}"
        return EndpointError(f"{_MEANINGS.get(status, 'the endpoint refuses the question')} ({told})")

    def _error_in_reply(self, sent: SentError) -> Exception:
        """Return the error for an error that came with status 200."""
        shown = f"{self._line(str(sent))} ({self._line(sent.code, 40)})"
        if sent.code in map(str, _BUSY) or (len(sent.code) == 3 and sent.code.startswith("5")):
            return _NotNowError(f"an error: {shown}")
        if _has(f"{sent.code} {sent}".lower(), _OVERFLOW):
            return EndpointError(f"the question is longer than the model's context: {shown}", is_lasting=False)
        return EndpointError(f"the endpoint sends an error: {shown}")

    def _shown(self, body: bytes) -> str:
        """Return the beginning of a sent text, for people."""
        line = self._line(body[: 8 * MOST_SHOWN].decode(errors="replace"))
        return f": {line}" if line else ""

    def _line(self, text: str, limit: int = MOST_SHOWN) -> str:
        """Return foreign text as one line without the key, masked after lines are joined and before anything is cut."""
        return self.mask(one_line(self.mask(text), limit))


def _has(said: str, words: Sequence[str]) -> bool:
    return any(word in said for word in words)


async def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_REPLY:
            raise EndpointError(f"the endpoint sends more than {MAX_REPLY} bytes")
    return bytes(body)
