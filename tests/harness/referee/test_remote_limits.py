"""What strangers may do before a bot is admitted: places, rates and HTTP/2 frames."""

from __future__ import annotations

import errno
import itertools
import socket

import pytest
import trio

from bowerbird.harness.http2.server import HEADERS_TOO_LARGE, MAX_CONTINUATIONS, MAX_HEADER_BLOCK, ServerConnection
from bowerbird.harness.rate_limit import AddressRateLimit, RateLimit, network_of
from bowerbird.harness.referee.remote import acceptor as acceptor_module
from bowerbird.harness.referee.remote import remote_server as guard
from bowerbird.harness.referee.remote.acceptor import Accepted, Acceptor, Places
from bowerbird.harness.referee.remote.remote_server import FrameGuard
from tests.support.command.stranger import CONTINUATION, DATA, HEADERS, PLAY, PREFACE, SETTINGS, call, frame
from tests.support.deadline import DEADLINE_S

RST_STREAM, PING = 0x3, 0x6


# Places and rates.


def test_one_place_too_many_displaces_the_oldest_of_the_address_that_has_most() -> None:
    places = Places[str](3)
    assert [places.add(item, item[0]) for item in ("a1", "b1", "b2")] == [None, None, None]
    assert places.add("b3", "b") == "b1"
    assert places.add("c1", "c") == "b2"
    places.remove("a1", "a")
    places.remove("b1", "b")
    assert places.add("c2", "c") is None, "a1 has left its place, and b1 had none"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_a_network_of_ipv6_counts_as_one_address(host: str, address: str) -> None:
    assert network_of(host) == address


def test_a_rate_allows_a_burst_and_then_its_average() -> None:
    rate = RateLimit(per_s=2.0, burst=3)
    assert [rate.take(10.0) for _ in range(4)] == [True, True, True, False]
    assert [rate.take(10.5) for _ in range(2)] == [True, False]
    assert [rate.take(100.0) for _ in range(4)] == [True, True, True, False]


def test_what_is_read_beyond_a_rate_must_wait() -> None:
    rate = RateLimit(per_s=10.0, burst=1)
    assert [rate.wait_s(1.0) for _ in range(3)] == pytest.approx([0.0, 0.1, 0.2])


def test_each_address_has_a_rate_of_its_own() -> None:
    rate = AddressRateLimit(per_s=1.0, burst=3.0)
    assert [rate.take("a", 0.0) for _ in range(4)] == [True, True, True, False]
    assert rate.take("b", 0.0)
    assert rate.take("a", 1.0)
    assert not rate.take("a", 1.5)


def test_what_is_refused_to_one_address_is_not_taken_from_others() -> None:
    rate = AddressRateLimit(per_s=1.0, burst=2.0, per_s_in_all=3.0)
    assert [rate.take("flood", 1.0) for _ in range(100)].count(True) == 2
    assert [rate.take("flood", 2.0) for _ in range(100)].count(True) == 1
    assert rate.take("bot", 2.0), "the other one of the two in this second"


# Frames.


class Guarded:
    """A guard of one connection, and what is read there."""

    def __init__(self) -> None:
        self._http2 = ServerConnection(2)
        self._guard = FrameGuard()
        assert self.take(PREFACE + frame(SETTINGS, 0, 0, b"")) == ""

    def admit(self) -> None:
        self._guard.admit()

    def take(self, *pieces: bytes, at: float = 1.0) -> str:
        """Read these pieces, one at a time; return the first complaint."""
        for piece in pieces:
            self._http2.receive(piece)
            wrong = self._guard.judge(len(piece), self._http2.frames, self._http2.openings, int(at * 1e9))
            if wrong or self._http2.error is not None:
                return wrong or str(self._http2.error)
        return ""


def opening(number: int) -> bytes:
    """Return the frames of a call that is given up at once."""
    return call(number, PLAY) + frame(RST_STREAM, 0, number, bytes(4))


def test_streams_are_counted_however_their_frames_are_cut() -> None:
    said = b"".join(opening(number) for number in range(1, 2 * guard.MAX_FIRST_STREAMS, 2))
    one_more = opening(2 * guard.MAX_FIRST_STREAMS + 1)
    for size in (1, 2, 8, 9, 10, 33, len(said)):
        made = Guarded()
        assert made.take(*(said[start : start + size] for start in range(0, len(said), size))) == ""
        assert made.take(one_more) == "it opened too many streams", f"pieces of {size} bytes"


@pytest.mark.parametrize("is_admitted", [False, True])
@pytest.mark.parametrize(
    "frames",
    [
        (frame(HEADERS, 0, 1, b""), *[frame(CONTINUATION, 0, 1, b"")] * (MAX_CONTINUATIONS + 1)),
        (frame(HEADERS, 0, 1, bytes(MAX_HEADER_BLOCK)), frame(CONTINUATION, 0, 1, b"x")),
    ],
)
def test_headers_have_a_limit(frames: tuple[bytes, ...], *, is_admitted: bool) -> None:
    """faults.md row 33."""
    made = Guarded()
    if is_admitted:
        made.admit()
    assert made.take(*frames[:-1]) == ""
    assert made.take(frames[-1]) == HEADERS_TOO_LARGE


def test_a_frame_that_is_too_long_is_refused_by_its_head() -> None:
    """Nothing of its block has come yet."""
    assert "16385 bytes" in Guarded().take(frame(HEADERS, 0, 1, bytes(16385))[:9])


def test_a_stranger_opens_few_streams_and_a_bot_one_after_each_break() -> None:
    stranger, bot = Guarded(), Guarded()
    numbers = itertools.count(1, 2)
    assert stranger.take(*(opening(next(numbers)) for _ in range(guard.MAX_FIRST_STREAMS))) == ""
    assert "too many streams" in stranger.take(opening(next(numbers)), at=1000.0), "time does not help a stranger"
    bot.admit()
    numbers = itertools.count(1, 2)
    for second in range(600):
        assert bot.take(*(opening(next(numbers)) for _ in range(4)), at=float(second)) == ""
    flood = (opening(next(numbers)) for _ in range(guard.STREAMS_BURST + 1))
    assert "too many streams" in bot.take(*flood, at=600.0)


def test_a_stranger_sends_little() -> None:
    stranger, bot = Guarded(), Guarded()
    bot.admit()
    piece = frame(DATA, 0, 1, bytes(16000))
    pieces = guard.MAX_FIRST_BYTES // len(piece)
    for made in (stranger, bot):
        assert made.take(call(1, PLAY), *[piece] * pieces) == ""
    assert stranger.take(piece) == guard.TOO_MUCH
    assert bot.take(piece, at=2.0) != guard.TOO_MUCH


def test_empty_frames_have_a_limit() -> None:
    ping = frame(PING, 0, 0, bytes(8))
    stranger, bot = Guarded(), Guarded()
    assert "too many HTTP/2 frames" in stranger.take(ping * guard.MAX_FIRST_FRAMES)
    bot.admit()
    for second in range(10):
        assert bot.take(ping * 10_000, at=float(second)) == ""
    assert "too many HTTP/2 frames" in bot.take(ping * (guard.FRAMES_BURST + 1), at=10.0)


def test_what_is_read_of_one_client_has_a_rate() -> None:
    made = FrameGuard()
    for _ in range(guard.CHUNKS_BURST):
        made.judge(1, 0, 0, 0)
        assert made.pause_s == 0
    made.judge(1, 0, 0, 0)
    assert made.pause_s > 0


# Connections that have not said anything.


class Accepting:
    """An acceptor on a port of this machine, and what it passed on and refused."""

    def __init__(self, *known: str) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.ready: list[Accepted] = []
        self.refused: list[tuple[str, str]] = []
        self.news = trio.Event()
        self.acceptor = Acceptor(is_known=known.__contains__, on_ready=self._ready, on_refused=self._refused)

    def _ready(self, accepted: Accepted) -> None:
        self.ready.append(accepted)
        accepted.socket.close()
        self.news.set()

    def _refused(self, peer: str, sentence: str) -> None:
        self.refused.append((peer, sentence))
        self.news.set()

    def dial(self, source: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection(self.address, 10, source_address=(source, 0))

    async def until(self, ready: int, refused: int) -> None:
        with trio.fail_after(DEADLINE_S):
            while (len(self.ready), len(self.refused)) != (ready, refused):
                await self.news.wait()
                self.news = trio.Event()


async def test_silent_connections_displace_only_those_of_their_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """faults.md row 39."""
    monkeypatch.setattr(acceptor_module, "MAX_SILENT", 3)
    here = Accepting("127.0.0.3")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(here.acceptor.run, here.listener)
        with here.dial("127.0.0.1") as bot, here.dial("127.0.0.3") as known:
            flood = [here.dial("127.0.0.2") for _ in range(10)]
            await here.until(0, 8)
            bot.sendall(b"\x16")
            known.sendall(b"\x16")
            flood[-1].sendall(b"\x16")
            await here.until(3, 8)
            for one in flood:
                one.close()
        nursery.cancel_scope.cancel()
    assert {sentence for _, sentence in here.refused} == {acceptor_module.CROWD}
    assert all(peer.startswith("127.0.0.2:") for peer, _ in here.refused)
    assert [one.is_known for one in here.ready].count(True) == 1


async def test_a_silent_connection_has_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceptor_module, "HANDSHAKE_S", 0.1)
    here = Accepting()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(here.acceptor.run, here.listener)
        with here.dial() as silent:
            await here.until(0, 1)
            assert await trio.to_thread.run_sync(silent.recv, 1) == b"", "the referee closes it"
        nursery.cancel_scope.cancel()
    assert here.refused[0][1] == acceptor_module.NO_HANDSHAKE


class _NoDescriptors:
    """A listening socket whose first calls of `accept` fail."""

    def __init__(self, listener: socket.socket, failures: int) -> None:
        self._listener = listener
        self.failures = failures

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return self._listener.accept()


async def test_an_acceptor_without_descriptors_says_so_waits_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Accepting()
    failing = _NoDescriptors(here.listener, 2)
    accept_all = Acceptor._accept_all
    monkeypatch.setattr(Acceptor, "_accept_all", lambda self, _listener: accept_all(self, failing))  # type: ignore[arg-type]  # it accepts
    async with trio.open_nursery() as nursery:
        nursery.start_soon(here.acceptor.run, here.listener)
        with here.dial() as bot:
            bot.sendall(b"\x16")
            await here.until(1, 2)
        nursery.cancel_scope.cancel()
    assert here.refused == [("somebody", acceptor_module.OUT_OF_DESCRIPTORS)] * 2
