"""No reader keeps others from the pages, neither by watching tables nor with the addresses of a network."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bowerbird.harness.extras.serve.guard import READER, Guard, Served
from bowerbird.harness.extras.serve.limits import LOCAL, Limits, StreamPlaces
from bowerbird.harness.rate_limit import network_of
from tests.support.paths import ROOT


def test_no_request_waits_in_a_thread_that_pages_share() -> None:
    """Of the two waits without a limiter, one is for the server's own end and one for all pages together."""
    found = [
        f"{path.name}: {ast.unparse(call.args[0])}"
        for path in sorted((ROOT / "harness/extras/serve").glob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "trio.to_thread.run_sync"
        and "limiter" not in {word.arg for word in call.keywords}
    ]
    assert found == ["changes.py: live_runs", "server.py: sys.stdin.buffer.read"]


def test_a_reader_has_its_own_streams_and_leaves_the_others() -> None:
    places = StreamPlaces(6, 2)
    assert "too many live pages" in _refused(places, "192.0.2.1", 2)
    assert places.taken == 0, "places come back"
    with places.place("192.0.2.1"), places.place("192.0.2.1"), places.place("192.0.2.2"):
        assert not places.refusal("192.0.2.2")
        assert "too many live pages" in _refused(places, "127.0.0.1", 3)
        with places.place("192.0.2.3"), places.place("192.0.2.3"), places.place("192.0.2.4"):
            assert "Too many browsers" in places.refusal("192.0.2.5")
            with places.place("192.0.2.5") as is_taken:
                assert not is_taken


def _refused(places: StreamPlaces, reader: str, most: int) -> str:
    """Take `most` places for a reader, return why there is not another one, and give them back."""
    if not most:
        return places.refusal(reader)
    with places.place(reader) as is_taken:
        assert is_taken
        return _refused(places, reader, most - 1)


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("[2001:db8::1]:80", "[2001:db8::1]:80"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_a_network_counts_as_one_and_no_text_is_an_error(host: str, network: str) -> None:
    assert network_of(host) == network


def test_this_machine_is_local_in_every_form() -> None:
    assert {network_of(host) for host in ("127.0.0.1", "::1", "::ffff:127.0.0.1")} <= LOCAL


async def test_a_network_of_64_bits_has_the_rate_of_one_reader_also_behind_a_proxy() -> None:
    seen: list[Any] = []

    async def app(scope: Any, _receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
        seen.append(scope[READER])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    guard = Guard(app, Limits(burst=2), hosts=None, is_behind_proxy=True, prefix="", served=Served())
    statuses: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def receive() -> Any:
        return {"type": "http.request"}

    for number in range(3):
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": [(b"x-forwarded-for", f"2001:db8::{number + 1:x}".encode())],
        }
        await guard(scope, receive, send)
    assert statuses == [200, 200, 429]
    assert seen == ["2001:db8::/64"] * 2
