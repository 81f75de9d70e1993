"""Fetches a round of drand from one address with a single request, limited in time and size and without redirects.

Only the signature decides whether an answer is right, so the address may be anyone's, and `http://` is enough.
"""

from __future__ import annotations

import io
import ssl
from http.client import HTTPException, HTTPResponse
from socket import socket
from typing import cast
from urllib.parse import urlsplit

import trio

from bowerbird.harness.extras.drand.rounds import Round
from bowerbird.harness.extras.drand.signature import is_signed
from bowerbird.harness.records.text.bounded_json import load_json

TRY_S = 10.0
"""How long one request may take, including the DNS lookup."""

MAX_ANSWER = 1 << 16
"""The maximum size of an answer with its header, in bytes. A round takes a few hundred."""


class NoRoundError(Exception):
    """An attempt failed. The text is a few words of ours, without anything that the server sent."""


def fetch_signature(round_: Round, address: str) -> str:
    """Return the signature of a round from an address, after checking it.

    Raises NoRoundError if there is none, and KeyboardInterrupt after Ctrl-C. Needs the extra `beacon`.
    """
    signature = read_answer(_body(trio.run(_answer, address, round_.number)), round_.number)
    if not is_signed(round_, signature):
        raise NoRoundError("its signature is wrong")
    return signature


def read_answer(body: bytes, number: int) -> str:
    """Return the signature in drand's answer about round `number`. Raises NoRoundError."""
    try:
        answer = load_json(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise NoRoundError("its answer is not a round of drand")
    found, signature = answer.get("round"), answer.get("signature")
    if type(found) is not int or not isinstance(signature, str):
        raise NoRoundError("its answer is not a round of drand")
    if found != number:
        raise NoRoundError("its answer is another round")
    return signature


async def _answer(address: str, number: int) -> bytes:
    """Return everything that a server sends. Raises NoRoundError."""
    try:
        with trio.fail_after(TRY_S):
            return await _exchange(address, number)
    except trio.TooSlowError:
        raise NoRoundError(f"no complete answer came within {TRY_S:g} s") from None
    except ssl.SSLError:
        raise NoRoundError("its certificate is invalid or its TLS is faulty") from None
    except (OSError, ValueError):  # ValueError: an impossible host name
        raise NoRoundError("it cannot be reached") from None
    except trio.BrokenResourceError as error:
        is_tls = isinstance(error.__cause__, ssl.SSLError)
        why = "its certificate is invalid or its TLS is faulty" if is_tls else "the connection broke"
        raise NoRoundError(why) from None


async def _exchange(address: str, number: int) -> bytes:
    url = urlsplit(address)
    assert url.hostname is not None  # it `is_address`
    is_tls = url.scheme == "https"
    port = url.port or (443 if is_tls else 80)
    stream: trio.abc.Stream
    if is_tls:
        stream = await trio.open_ssl_over_tcp_stream(url.hostname, port, https_compatible=True)
    else:
        stream = await trio.open_tcp_stream(url.hostname, port)
    request = (
        f"GET {url.path.rstrip('/')}/public/{number} HTTP/1.1\r\nHost: {url.netloc}\r\nUser-Agent: bowerbird\r\n"
        "Accept: application/json\r\nConnection: close\r\n\r\n"
    )
    try:
        await stream.send_all(request.encode("ascii"))
        received = bytearray()
        while part := await stream.receive_some(MAX_ANSWER):
            received += part
            if len(received) > MAX_ANSWER:
                raise NoRoundError(f"its answer has more than {MAX_ANSWER} bytes")
        return bytes(received)
    finally:
        await trio.aclose_forcefully(stream)


class _Received:
    """Received bytes, in place of the socket from which the standard library reads an answer."""

    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, _mode: str) -> io.BytesIO:
        """Return the received bytes as a file."""
        return io.BytesIO(self._received)


def _body(received: bytes) -> bytes:
    """Return the body of a complete HTTP answer. Raises NoRoundError unless its status is 200."""
    response = HTTPResponse(cast(socket, _Received(received)), method="GET")
    try:
        response.begin()
        if response.status != 200:
            raise NoRoundError(f"it answers with status {response.status}")
        return response.read()
    except (HTTPException, ValueError):
        raise NoRoundError("its answer is not HTTP") from None
