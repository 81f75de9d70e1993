"""Serves agents over streamable HTTP: each token has a place and its own server.

A request of a foreign web page, for another host or without a token reaches no server. A client may come and go; the
place stays, and a client that comes with the same token takes it over.
"""

from __future__ import annotations

import hmac
import math
import secrets
import signal
import socket
import ssl
import stat
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import trio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from bowerbird.harness.extras.mcp.place import Place, open_places
from bowerbird.harness.extras.mcp.runs import Source
from bowerbird.harness.extras.mcp.tools import server_of
from bowerbird.harness.extras.serve.connections import BoundedListener, http_handler
from bowerbird.harness.extras.serve.limits import Limits
from bowerbird.harness.rate_limit import AddressRateLimit
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.run import wrong_name
from bowerbird.harness.tournament.errors import ConfigError
from bowerbird.harness.tournament.preparation.private_file import write_private

PATH = "/mcp"
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")

LONGEST_REQUEST = 1 << 16
"""The most bytes in the body of a request. A tool's has a few hundred."""

MOST_SESSIONS = 16
"""How many sessions one place may have at once. One more ends the one that has been idle longest."""

WRONG_TOKENS_S, WRONG_TOKENS_BURST = 0.5, 20
"""Requests with a wrong token that an address may make each second, and at once."""

LIMITS = Limits(idle_s=120.0)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Gate:
    """Lets a request through to the server of the agent whose token it has."""

    def __init__(self, apps: Mapping[str, App], names: tuple[str, ...]) -> None:
        """Take the servers by token, and the names of this host as written in the header Host.

        Only web pages send an Origin. An Origin on this machine is allowed, such as an inspector's.
        """
        self._apps = {token.encode(): app for token, app in apps.items()}
        self._wrong = AddressRateLimit(WRONG_TOKENS_S, WRONG_TOKENS_BURST)
        hosts = [host for name in names for host in (name, f"{name}:*")]
        origins = [f"http://{name}{port}" for name in LOCAL_NAMES for port in ("", ":*")]
        settings = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
        self._checks = TransportSecurityMiddleware(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        app: App | None = await self._checks.validate_request(request)
        if app is None and request.url.path != PATH:
            app = PlainTextResponse(f"MCP is at {PATH}.\n", 404)
        if app is None:
            app = self._app_of(request)
        await app(scope, receive, send)

    def _app_of(self, request: Request) -> App:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        given = token.strip().encode("latin-1", "replace") if kind.lower() == "bearer" else b""
        found = [app for own, app in self._apps.items() if hmac.compare_digest(own, given)]
        if found:
            return found[0]
        address = request.client.host if request.client is not None else ""
        if not self._wrong.take(address, trio.current_time()):
            return PlainTextResponse("Too many wrong tokens; try again in a minute.\n", 429, {"retry-after": "60"})
        sentence = "A token is needed: Authorization: Bearer TOKEN.\n"
        return PlainTextResponse(sentence, 401, {"www-authenticate": "Bearer"})


def serve_http(
    agents: Mapping[str, str],
    source_of: Callable[[str], Source],
    listening: socket.socket,
    names: tuple[str, ...],
    tls: ssl.SSLContext | None,
) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP.

    agents: their names by token. Tokens of one name are the places of one agent.
    source_of: what the agent of a name plays.
    names: this host's, as clients call it.
    tls: None for plain text, which must stay on this machine.
    """
    trio.run(_serve, agents, source_of, listening, names, tls)


async def _serve(
    agents: Mapping[str, str],
    source_of: Callable[[str], Source],
    listening: socket.socket,
    names: tuple[str, ...],
    tls: ssl.SSLContext | None,
) -> None:
    bounded = BoundedListener(listening, LIMITS, is_behind_proxy=False)
    listener = bounded if tls is None else trio.SSLListener(bounded, tls)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async with AsyncExitStack() as opened:
            apps: dict[str, App] = {}
            for name in dict.fromkeys(agents.values()):
                tokens = [token for token, own in agents.items() if own == name]
                places = await opened.enter_async_context(open_places(source_of(name), len(tokens)))
                for token, place in zip(tokens, places, strict=True):
                    apps[token] = await _app(opened, place)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.serve_listeners, http_handler(Gate(apps, names), LIMITS), [listener])
                async for _ in signals:
                    break
                nursery.cancel_scope.cancel()


async def _app(opened: AsyncExitStack, place: Place) -> App:
    """Open the server of a place until `opened` closes."""
    server = server_of(place)
    app: App = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=False,
        stateless_http=False,  # without sessions, the calls of a client that has gone wait on
        max_request_body_size=LONGEST_REQUEST,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate has checked
    )
    manager = server.session_manager
    await opened.enter_async_context(manager.run())

    async def with_room(scope: Scope, receive: Receive, send: Send) -> None:
        await _make_room(manager)
        await app(scope, receive, send)

    return with_room


async def _make_room(manager: StreamableHTTPSessionManager) -> None:
    """End the session that has been idle longest, if the limit is reached.

    Clients that crash end none, and the SDK keeps each for half an hour: the agent would be locked out.
    """
    sessions = manager._server_instances
    if len(sessions) < MOST_SESSIONS:
        return
    idle = {one: scope.deadline for one, session in sessions.items() if (scope := session.idle_scope) is not None}
    oldest = min(idle, key=idle.__getitem__, default="")
    if idle.get(oldest, math.inf) < math.inf:
        await manager._discard_session(oldest, sessions[oldest])


TOKEN_BYTES = 32

SHORTEST_TOKEN = 32
"""Characters. A shorter one could be guessed."""

MOST_TOKENS = 64


def read_tokens(path: Path, name: str) -> Mapping[str, str]:
    """Return the agents by token. Without a file, make one with a new token for the agent `name`.

    An agent with several tokens has several places.

    Raises ConfigError, which never repeats a token.
    """
    where = shown(str(path))
    if not path.exists():
        try:
            write_private(path, f"{name} {secrets.token_urlsafe(TOKEN_BYTES)}\n")
        except OSError as error:
            raise ConfigError(f"{where}: the tokens cannot be written: {error.strerror}") from None
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise ConfigError(f"{where}: others can read these tokens; first run: chmod 600 {where}")
        text = path.read_text()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"{where}: the tokens cannot be read") from None
    agents: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if len(words) != 2:
            raise ConfigError(f"{where}, line {number}: must be a name and a token, such as: ada TOKEN")
        agent, token = words
        if wrong := wrong_name(agent):
            raise ConfigError(f"{where}, line {number}: {wrong}")
        if len(token) < SHORTEST_TOKEN or not token.isascii():
            raise ConfigError(f"{where}, line {number}: the token must have at least {SHORTEST_TOKEN} characters")
        if token in agents:
            raise ConfigError(f"{where}, line {number}: this token is already on another line")
        agents[token] = agent
    if not 1 <= len(agents) <= MOST_TOKENS:
        raise ConfigError(f"{where}: must have 1 to {MOST_TOKENS} tokens (got {len(agents)})")
    return agents
