"""Asks an endpoint of OpenAI's form. It repeats what the transport lost, as long as the caller's clock allows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx

MAX_REPLY = 1 << 20
"""The most bytes of a reply. An endpoint that sends more has failed."""

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 4.0
"""The waits before a repetition: the first one, doubled each time, up to the longest."""


class EndpointError(Exception):
    """The end of a question to which no answer came. The text is ours; it holds nothing that the endpoint sent."""


class _NotNowError(Exception):
    """The end of one try, after which another may succeed; the message is the reason in a few words of ours."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of a model's answer, and the tokens that the endpoint counts, 0 if it counts none."""

    text: str
    prompt_tokens: int
    answer_tokens: int


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers. `base_url` ends before /chat/completions; `key` is "" if none is needed.

    `socket` is the path of a Unix socket to connect to in place of the host, "" for none.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    socket: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError if the address is none."""
        try:
            is_address = bool(httpx.URL(self.base_url).host)
        except httpx.InvalidURL:
            is_address = False
        if not is_address:
            raise ValueError("--base-url is no address of a host, such as https://models.example.org/v1")

    @property
    def place(self) -> tuple[str, int]:
        """The host and the port."""
        url = httpx.URL(self.base_url)
        return url.host, url.port or (443 if url.scheme == "https" else 80)

    async def ask(self, messages: Sequence[dict[str, str]], on_retry: Callable[[str], None]) -> Reply:
        """Return the answer to `messages`. It has no deadline of its own: cancel it when the time is over.

        on_retry: called with the reason, in a few words, before the same question is asked again.

        Raises:
            EndpointError: the endpoint refuses the question, or sends a reply that is none.
        """
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        wait = FIRST_WAIT_S
        transport = httpx.AsyncHTTPTransport(uds=self.socket) if self.socket else None
        async with httpx.AsyncClient(timeout=None, headers=headers, trust_env=False, transport=transport) as client:
            while True:
                try:
                    return await self._try(client, messages)
                except _NotNowError as why:
                    on_retry(str(why))
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT_S)

    async def _try(self, client: httpx.AsyncClient, messages: Sequence[dict[str, str]]) -> Reply:
        """Return the answer. Raises _NotNowError if the same question may be answered later."""
        url = self.base_url.rstrip("/") + "/chat/completions"
        body = bytearray()
        try:
            async with client.stream("POST", url, json={"model": self.model, "messages": list(messages)}) as response:
                if response.status_code == 429 or response.status_code >= 500:
                    raise _NotNowError(f"status {response.status_code}")
                if response.status_code != 200:
                    raise EndpointError(f"the endpoint refuses the question with status {response.status_code}")
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > MAX_REPLY:
                        raise EndpointError(f"the endpoint sends more than {MAX_REPLY} bytes")
        except httpx.ConnectError as error:
            raise _NotNowError("failing to reach the endpoint") from error
        except httpx.TransportError as error:
            raise _NotNowError("a broken connection") from error
        except httpx.HTTPError as error:  # such as a reply that cannot be decompressed
            raise EndpointError("the endpoint sends no chat completion") from error
        return _reply(bytes(body))


def _reply(body: bytes) -> Reply:
    try:
        reply = json.loads(body)
        text = reply["choices"][0]["message"]["content"]
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        raise EndpointError("the endpoint sends no chat completion") from error
    if not isinstance(text, str):
        raise EndpointError("the endpoint sends no chat completion")
    usage = reply.get("usage")
    return Reply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _count(usage: object, name: str) -> int:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and value >= 0 else 0
