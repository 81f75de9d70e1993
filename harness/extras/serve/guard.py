"""The checks of every request before a page is made (method, size, host, rate), and the headers of every answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import trio

from bowerbird.harness.extras.serve.limits import LOCAL, Limits
from bowerbird.harness.rate_limit import AddressRateLimit, network_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

Headers = Mapping[bytes, bytes]

CLOSE: tuple[tuple[bytes, bytes], ...] = ((b"connection", b"close"),)
"""The header of a refusal that closes the connection."""

READER = "bowerbird.reader"
"""The key in a request's scope for its reader, as `network_of` returns it."""

READING = ("GET", "HEAD")

LONGEST_PATH = 1024
"""The maximum length of an address with its query, in characters."""

HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
"""The headers of every answer. A page also has its Content-Security-Policy."""

NO_PAGE_POLICY = b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy of answers that are not pages."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer instead of a page: a status, a sentence, and headers."""

    status: int
    sentence: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(slots=True)
class Served:
    """How many requests were answered, by status."""

    by_status: dict[int, int] = field(default_factory=dict)

    def count(self, status: int) -> None:
        """Count an answer."""
        self.by_status[status] = self.by_status.get(status, 0) + 1


class Guard:
    """A wrapper of an application, which refuses everything except plain reads of a page and finds out who is asking.

    prefix: the beginning of all addresses, if the proxy leaves it in place. It is removed here.
    hosts: the names accepted in the header Host; None for any. A server for this machine alone must not send pages to a
        request that names another site.
    is_behind_proxy: whether X-Forwarded-For and X-Forwarded-Prefix of the connection's peer are believed.
    """

    def __init__(
        self,
        app: App,
        limits: Limits,
        *,
        hosts: frozenset[str] | None,
        is_behind_proxy: bool,
        prefix: str,
        served: Served,
    ) -> None:
        self._app = app
        self._rates = AddressRateLimit(limits.rate, limits.burst)
        self._hosts = hosts
        self._is_behind_proxy = is_behind_proxy
        self._prefix = prefix
        self._served = served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. The server itself refuses everything except HTTP, such as a WebSocket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def finish(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._served.count(message["status"])
                given = list(message.get("headers", ()))
                names = {name for name, _ in given}
                if b"content-security-policy" not in names:
                    given.append((b"content-security-policy", NO_PAGE_POLICY))
                message = {**message, "headers": [*given, *HEADERS]}
            await send(message)

        refused = self._refusal(scope)
        if refused is None:
            path = scope["path"]
            if self._prefix and (path == self._prefix or path.startswith(f"{self._prefix}/")):
                scope["path"] = path[len(self._prefix) :] or "/"
            await self._app(scope, receive, finish)
        else:
            await _answer(finish, refused)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """Return the refusal of a request, or None if it may pass."""
        headers = {name.lower(): value for name, value in scope["headers"]}
        return _of_form(scope, headers) or self._of_asker(scope, headers)

    def _of_asker(self, scope: Scope, headers: Headers) -> Refusal | None:
        if self._hosts is not None and _host_of(headers.get(b"host", b"")) not in self._hosts:
            return Refusal(421, "This server answers only to its own names; use 127.0.0.1 or localhost.", CLOSE)
        address = scope[READER] = network_of(self._address(scope, headers))
        if address not in LOCAL and not self._rates.take(address, trio.current_time()):
            return Refusal(429, "Too many requests; wait a few seconds.", (*CLOSE, (b"retry-after", b"5")))
        return None

    def _address(self, scope: Scope, headers: Headers) -> str:
        """Return who is asking: behind a proxy, the last address in its header."""
        forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1")
        if self._is_behind_proxy and forwarded:
            return forwarded.rpartition(",")[2].strip()[:64]
        return str(scope["client"][0]) if scope.get("client") else ""


def _host_of(header: bytes) -> str:
    """Return the name in a header Host, without the port."""
    text = header.decode("latin-1").lower()
    return text.partition("]")[0] + "]" if text.startswith("[") else text.partition(":")[0]


def _of_form(scope: Scope, headers: Headers) -> Refusal | None:
    """Return the refusal of a request for its form, or None if the form is valid."""
    if scope["http_version"].startswith("2"):
        return Refusal(505, "This server supports only HTTP/1.1; a proxy in front of it may support more.")
    if scope["method"] not in READING:
        return Refusal(405, "These pages are read-only.", (*CLOSE, (b"allow", b"GET, HEAD")))
    if headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers:
        return Refusal(413, "A request for a page must not have a body.", CLOSE)
    if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_PATH:
        return Refusal(414, f"The address is too long: at most {LONGEST_PATH} characters.", CLOSE)
    return None


async def _answer(send: Send, refusal: Refusal) -> None:
    body = f"{refusal.sentence}\n".encode()
    plain = ((b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": [*plain, *refusal.headers]})
    await send({"type": "http.response.body", "body": body})
