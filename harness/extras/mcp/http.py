"""Serves agents over streamable HTTP, with a place and a server for each token.

A request from a foreign web page, for another host or without a token does not reach a server. Clients can come and go.
The place stays, and a new client with the same token takes it over.
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
"""The maximum size of a request's body in bytes. A tool call has a few hundred."""

MOST_SESSIONS = 16
"""How many sessions one place may have at once. A further one ends the one that has been idle longest."""

WRONG_TOKENS_S, WRONG_TOKENS_BURST = 0.5, 20
"""How many requests with a wrong token an address may make, per second and at once."""

LIMITS = Limits(idle_s=120.0)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Gate:
    """A gate that lets a request through to the server of the agent whose token it has."""

    def __init__(self, apps: Mapping[str, App], names: tuple[str, ...]) -> None:
        """Store the servers by token, and the names of this host as they appear in the header Host.

        Only web pages send an Origin. An Origin on this machine, such as an inspector's, is allowed.
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
            app = PlainTextResponse(f"The address of MCP is {PATH}.\n", 404)
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

    agents: the agents' names by token. Tokens with the same name are the places of one agent.
    source_of: returns what an agent plays.
    names: the names of this host for clients.
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
        stateless_http=False,  # without sessions, the calls of a client that has left would go on waiting
        max_request_body_size=LONGEST_REQUEST,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # checked by the gate
    )
    manager = server.session_manager
    await opened.enter_async_context(manager.run())

    async def with_room(scope: Scope, receive: Receive, send: Send) -> None:
        await _make_room(manager)
        await app(scope, receive, send)

    return with_room


async def _make_room(manager: StreamableHTTPSessionManager) -> None:
    """End the session that has been idle longest, if the limit is reached.

    Clients that crash do not end their sessions, and the SDK keeps each for half an hour, so the agent would be locked
    out.
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
"""The minimum length of a token in characters. A shorter one could be guessed."""

MOST_TOKENS = 64


def read_tokens(path: Path, name: str) -> Mapping[str, str]:
    """Return the agents by token. If there is no file, make one with a new token for the agent `name`.

    An agent with several tokens has several places.

    Raises ConfigError, which never contains a token.
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
