"""A service behind a URL: one POST for each message, with its answer within a deadline."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bowerbird.bots.bridge.messages import MAX_ANSWER_BYTES, LateError, encoded
from bowerbird.sdk import BotFailedError

OK = 200
FIRST_REFUSAL = 300
QUOTED_BYTES = 80


@dataclass(frozen=True, slots=True)
class Address:
    """Where the service is. `token` is never shown."""

    scheme: str
    host: str
    port: int
    path: str
    token: str = field(default="", repr=False)

    @classmethod
    def of(cls, url: str, token: str = "") -> Address:
        """Return the address of a URL. Raises ValueError with a sentence for people."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not the address of a service; must be http://HOST:PORT/PATH, or https")
        if parts.username is not None or parts.password is not None:
            raise ValueError("the URL contains a password, which everyone would see; use --token-variable")
        if not (token.isascii() and token.isprintable()):
            raise ValueError("the token has characters that are not allowed in a header")
        port = parts.port or (443 if parts.scheme == "https" else 80)
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        return cls(parts.scheme, parts.hostname, port, path, token)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"


class Endpoint:
    """A service. Use it in one thread. The connection is kept between messages if the service keeps it."""

    def __init__(self, address: Address, socket_path: str = "") -> None:
        """Store the address. The first message connects, to the Unix socket at `socket_path` if there is one."""
        self.who = f"the service at {address}"
        self._address = address
        self._socket_path = socket_path
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, message: Mapping[str, object], deadline: float, warn_at: float, warning: str) -> bytes:
        """Post a message and return the answer's body. Raises BotFailedError or LateError."""
        warner = _Timer(warn_at, lambda: _warn(warning)) if warning else None
        try:
            status, reason, body = self._post(message, deadline)
        finally:
            if warner is not None:
                warner.cancel()
        if status != OK:
            raise BotFailedError(f"{self.who} answered {_status(status, reason)}: {_quoted(body)}")
        return body

    def tell(self, message: Mapping[str, object], deadline: float) -> None:
        """Post a message and ignore the answer's body. Raises BotFailedError."""
        try:
            status, reason, body = self._post(message, deadline)
        except LateError:
            raise BotFailedError(f"{self.who} does not answer {message['type']}") from None
        if not OK <= status < FIRST_REFUSAL:
            raise BotFailedError(
                f"{self.who} answered {message['type']} with {_status(status, reason)}: {_quoted(body)}"
            )

    def close(self, _deadline: float) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _post(self, message: Mapping[str, object], deadline: float) -> tuple[int, str, bytes]:
        """Return status, reason and body. If the service has closed a kept connection, it is replaced once."""
        is_kept = self._connection is not None
        try:
            return self._post_once(message, deadline)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
            self.close(deadline)
            if not is_kept:
                raise self._failure(error) from None
        try:
            return self._post_once(message, deadline)
        except (OSError, http.client.HTTPException) as error:
            raise self._failure(error) from None

    def _post_once(self, message: Mapping[str, object], deadline: float) -> tuple[int, str, bytes]:
        is_late = threading.Event()
        timer = None
        try:
            connection = self._connected(deadline)
            timer = _Timer(deadline, lambda: _cut_off(connection, is_late))
            connection.request("POST", self._address.path, encoded(message), self._headers())
            response = connection.getresponse()
            body = response.read(MAX_ANSWER_BYTES + 1)
            if len(body) > MAX_ANSWER_BYTES:
                raise BotFailedError(f"{self.who} answered with more than {MAX_ANSWER_BYTES:,} bytes")
            if response.length:
                raise http.client.IncompleteRead(body, response.length)
            if not response.isclosed():
                response.read()
        except BaseException as error:
            self.close(deadline)
            if is_late.is_set() or isinstance(error, TimeoutError):
                raise LateError from None
            if isinstance(
                error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError, BotFailedError)
            ):
                raise
            if isinstance(error, (OSError, http.client.HTTPException)):
                raise self._failure(error) from None
            raise
        finally:
            if timer is not None:
                timer.cancel()
        if response.will_close:
            self.close(deadline)
        return response.status, response.reason, body

    def _connected(self, deadline: float) -> http.client.HTTPConnection:
        """Return a connection. Raises OSError, or TimeoutError after the deadline."""
        if self._connection is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            connection = self._connection = self._new_connection(left)
            connection.connect()
        assert self._connection is not None, "it was made above"
        if self._connection.sock is not None:
            self._connection.sock.settimeout(max(0.001, deadline - time.monotonic()))
        return self._connection

    def _new_connection(self, timeout_s: float) -> http.client.HTTPConnection:
        """Return a connection that is not open yet."""
        if self._socket_path:
            return _ThroughSocket(self._address, self._socket_path, timeout_s)
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        return kind(self._address.host, self._address.port, timeout=timeout_s)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._address.token:
            headers["Authorization"] = f"Bearer {self._address.token}"
        return headers

    def _failure(self, error: Exception) -> BotFailedError:
        match error:
            case http.client.IncompleteRead():
                why = "broke off its answer"
            case http.client.RemoteDisconnected() | ConnectionResetError() | BrokenPipeError():
                why = "closed the connection without an answer"
            case http.client.HTTPException():
                why = "sent an answer that is not HTTP"
            case socket.gaierror():
                why = "has a name that cannot be resolved"
            case OSError():
                why = f"cannot be reached: {error.strerror or type(error).__name__}"
            case _:
                why = f"failed: {type(error).__name__}"
        return BotFailedError(f"{self.who} {why}")


class _ThroughSocket(http.client.HTTPConnection):
    """A connection to a service through a Unix socket, with TLS to the service itself if its address is https."""

    def __init__(self, address: Address, path: str, timeout_s: float) -> None:
        super().__init__(address.host, address.port, timeout=timeout_s)
        self._tls = ssl.create_default_context() if address.scheme == "https" else None
        self._path = path
        if self._tls is not None:
            self.default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        """Connect to the socket. Raises OSError."""
        plain = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            plain.settimeout(self.timeout)
            plain.connect(self._path)
            self.sock = plain if self._tls is None else self._tls.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise


class _Timer:
    """A timer that calls a function at a time of `time.monotonic`, in its own thread, unless it is cancelled first."""

    def __init__(self, at: float, call: Callable[[], None]) -> None:
        self._timer = threading.Timer(max(0.0, at - time.monotonic()), call)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        self._timer.cancel()


def _cut_off(connection: http.client.HTTPConnection, is_late: threading.Event) -> None:
    """End a request at its deadline, since a service might send a byte a second forever."""
    is_late.set()
    if connection.sock is not None:
        with contextlib.suppress(OSError):  # it is closed already
            connection.sock.shutdown(socket.SHUT_RDWR)


def _warn(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def _status(status: int, reason: str) -> str:
    return f"{status} {ascii(reason[:40])[1:-1]}".rstrip()


def _quoted(body: bytes) -> str:
    return ascii(body[:QUOTED_BYTES].decode("utf-8", "replace"))
