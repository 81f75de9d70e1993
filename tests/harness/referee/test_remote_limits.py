"""What strangers may do before a bot is admitted: places, rates and HTTP/2 frames."""

from __future__ import annotations

import errno
import socket

import pytest
import trio

from bowerbird.harness.networks import network_of
from bowerbird.harness.rate_limit import AddressRateLimit, RateLimit
from bowerbird.harness.referee.remote import acceptor as acceptor_module
from bowerbird.harness.referee.remote import frame_guard as guard
from bowerbird.harness.referee.remote.acceptor import Accepted, Acceptor
from bowerbird.harness.referee.remote.frame_guard import FrameGuard
from bowerbird.harness.referee.remote.places import Places
from tests.support.command.stranger import CONTINUATION, DATA, END_HEADERS, HEADERS, PREFACE, SETTINGS, frame
from tests.support.deadline import DEADLINE_S

PING = 0x6


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


def checked(guarded: FrameGuard, *frames: bytes, at: float = 1.0) -> str:
    """Pass frames to a guard one at a time; return the first complaint."""
    return next((wrong for one in frames if (wrong := guarded.check(one, at))), "")


def greeted() -> FrameGuard:
    made = FrameGuard()
    assert checked(made, PREFACE, frame(SETTINGS, 0, 0, b"")) == ""
    return made


def test_the_frames_of_a_bot_pass_however_they_are_cut() -> None:
    said = PREFACE + frame(SETTINGS, 0, 0, bytes(6)) + frame(HEADERS, END_HEADERS, 1, bytes(200))
    said += b"".join(frame(DATA, 0, 1, bytes(size)) for size in (0, 1, 300, 16384))
    for size in (1, 2, 8, 9, 10, 23, 24, 25, 33, 1000, len(said)):
        made = FrameGuard()
        assert checked(made, *(said[start : start + size] for start in range(0, len(said), size))) == ""
        assert "too many streams" in checked(made, *[frame(HEADERS, END_HEADERS, 3, b"")] * guard.MAX_FIRST_STREAMS), (
            f"pieces of {size} bytes: the guard has lost its place"
        )


@pytest.mark.parametrize("is_admitted", [False, True])
@pytest.mark.parametrize(
    "frames",
    [
        (frame(HEADERS, 0, 1, b""), *[frame(CONTINUATION, 0, 1, b"")] * (guard.MAX_CONTINUATIONS + 1)),
        (frame(HEADERS, 0, 1, bytes(16384)), frame(CONTINUATION, 0, 1, b"x")),
        (frame(HEADERS, END_HEADERS, 1, bytes(16385)),),
    ],
)
def test_headers_have_a_limit(frames: tuple[bytes, ...], *, is_admitted: bool) -> None:
    made = greeted()
    if is_admitted:
        made.admit()
    assert checked(made, *frames[:-1]) == ""
    assert "its HTTP/2 headers are larger" in checked(made, frames[-1])


def test_a_header_block_is_refused_by_the_head_of_its_frame() -> None:
    """Nothing of the block has come yet."""
    assert "its HTTP/2 headers are larger" in greeted().check(frame(HEADERS, 0, 1, bytes(16385))[:9], 1.0)


def test_a_stranger_opens_few_streams_and_a_bot_one_after_each_break() -> None:
    call = frame(HEADERS, END_HEADERS, 1, b"")
    stranger, bot = greeted(), greeted()
    assert checked(stranger, *[call] * guard.MAX_FIRST_STREAMS) == ""
    assert "too many streams" in checked(stranger, call, at=1000.0), "time does not help a stranger"
    bot.admit()
    for second in range(600):
        assert checked(bot, *[call] * 4, at=float(second)) == ""
    assert "too many streams" in checked(bot, *[call] * (guard.STREAMS_BURST + 1), at=600.0)


def test_empty_frames_have_a_limit() -> None:
    stranger, bot = greeted(), greeted()
    assert "too many HTTP/2 frames" in stranger.check(frame(PING, 0, 0, bytes(8)) * guard.MAX_FIRST_FRAMES, 1.0)
    bot.admit()
    for second in range(10):
        assert bot.check(frame(DATA, 0, 1, b"") * 10_000, float(second)) == ""
    assert "too many HTTP/2 frames" in bot.check(frame(DATA, 0, 1, b"") * (guard.FRAMES_BURST + 1), 10.0)


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
