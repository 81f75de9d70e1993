"""A round is waited for, and taken only with the right signature, whatever a server does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from bowerbird.harness.extras.drand import fetching
from bowerbird.harness.extras.drand.fetching import NoRoundError, fetch_signature, read_answer
from bowerbird.harness.extras.drand.rounds import QUICKNET_ADDRESSES, Round, is_address
from bowerbird.harness.extras.drand.waiting import LONGEST_WAIT_S, LOOK_S, awaited_beacon
from bowerbird.harness.referee.remote.certificate import self_signed
from tests.support.fake_drand import (
    DOWN,
    ENDLESS,
    GARBAGE,
    OTHER_ROUND,
    REDIRECT,
    SLOW,
    UNSIGNED,
    FakeDrand,
    fake_drand,
    own_chain,
    signature,
)

ROUND = Round(own_chain(), 7)


@pytest.fixture
def drand() -> Iterator[FakeDrand]:
    """Return a server of the chain."""
    with fake_drand() as served:
        yield served


def test_a_served_round_is_taken(drand: FakeDrand) -> None:
    assert fetch_signature(ROUND, f"{drand.url}/chain/") == signature(7)
    assert drand.asked == [7]


def test_over_https_a_round_is_taken_from_a_server_that_the_system_trusts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = self_signed(["127.0.0.1"])
    with fake_drand(certificate.server_context()) as drand:
        with pytest.raises(NoRoundError, match="its certificate is invalid or its TLS is faulty"):
            fetch_signature(ROUND, drand.url)
        assert not drand.asked
        trusted = tmp_path / "trusted.pem"
        trusted.write_bytes(certificate.trust)
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        assert fetch_signature(ROUND, drand.url) == signature(7)


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        (DOWN, "it answers with status 503"),
        (REDIRECT, "it answers with status 302"),
        (UNSIGNED, "its signature is wrong"),
        (OTHER_ROUND, "its answer is another round"),
        (GARBAGE, "its answer is not a round of drand"),
        (ENDLESS, "its answer has more than 65536 bytes"),
        (SLOW, "no complete answer came within 0.5 s"),
    ],
)
def test_a_wrong_answer_is_not_taken(
    drand: FakeDrand, monkeypatch: pytest.MonkeyPatch, way: str, sentence: str
) -> None:
    if way == SLOW:
        monkeypatch.setattr(fetching, "TRY_S", 0.5)
    drand.way = way
    with pytest.raises(NoRoundError, match=sentence):
        fetch_signature(ROUND, drand.url)
    assert drand.asked == [7], "a redirect is not followed"


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "http://a..b", "http://[::1]:1"])
def test_an_address_that_nobody_serves_is_said(address: str) -> None:
    with pytest.raises(NoRoundError, match="it cannot be reached"):
        fetch_signature(ROUND, address)


def test_a_server_without_tls_is_not_taken_for_one_with_it(drand: FakeDrand) -> None:
    with pytest.raises(NoRoundError, match="TLS"):
        fetch_signature(ROUND, drand.url.replace("http:", "https:"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[7]",
        b"{}",
        b'{"round": "7", "signature": "a"}',
        b'{"round": true, "signature": "a"}',
        b'{"round": 7.0, "signature": "a"}',
        b'{"round": 7, "signature": 1}',
        b"\xff",
        b"[" * 60_000,
        b"1" * 60_000,
    ],
    ids=range(11),
)
def test_an_answer_that_is_no_round_is_refused(body: bytes) -> None:
    with pytest.raises(NoRoundError, match="not a round of drand"):
        read_answer(body, 7)


class Clock:
    """Its own clock: sleeping moves it."""

    def __init__(self, moment: float) -> None:
        self.moment = moment
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += seconds

    def now(self) -> float:
        return self.moment


def test_no_address_is_asked_before_the_round_and_each_in_turn_until_one_has_it() -> None:
    clock = Clock(ROUND.moment - 10.5)
    asked: list[tuple[float, str]] = []
    said: list[str] = []

    def fetch(_round: Round, address: str) -> str:
        asked.append((clock.moment - ROUND.moment, address))
        if len(asked) < 4:
            raise NoRoundError("it cannot be reached")
        return signature(7)

    beacon = awaited_beacon(
        ROUND,
        lambda: ["http://one.example/chain", "http://two.example"],
        said.append,
        fetch=fetch,
        sleep=clock.sleep,
        now=clock.now,
    )
    assert beacon == ROUND.beacon(signature(7))
    assert [address for _, address in asked] == ["http://one.example/chain", "http://two.example"] * 2
    assert [moment for moment, _ in asked] == [0, 0, 2, 2]
    assert said == [
        f"{ROUND.title} is not available yet; asking again "
        "(one.example: it cannot be reached; two.example: it cannot be reached)"
    ]


def test_it_never_ends_without_the_round_and_waits_longer_each_time_up_to_a_limit() -> None:
    clock = Clock(ROUND.moment)
    tries: list[float] = []

    def fetch(_round: Round, _address: str) -> str:
        tries.append(clock.moment)
        if len(tries) == 50:
            raise KeyboardInterrupt
        raise NoRoundError("its signature is wrong")

    with pytest.raises(KeyboardInterrupt):
        awaited_beacon(ROUND, lambda: ["http://one"], lambda _: None, fetch=fetch, sleep=clock.sleep, now=clock.now)
    waits = [after - before for before, after in pairwise(tries)]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_WAIT_S
    assert max(clock.slept) <= LOOK_S


def test_a_clock_that_is_set_back_is_waited_for_again() -> None:
    clock = Clock(ROUND.moment - 2)
    moved = iter([ROUND.moment - 5.0])
    asked: list[float] = []

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        clock.moment = next(moved, clock.moment)

    def fetch(_round: Round, _address: str) -> str:
        asked.append(clock.moment)
        return signature(7)

    awaited_beacon(ROUND, lambda: ["http://one"], lambda _: None, fetch=fetch, sleep=sleep, now=clock.now)
    assert asked[0] >= ROUND.moment


@pytest.mark.parametrize("text", [*QUICKNET_ADDRESSES, "http://127.0.0.1:8080", "https://example.org/chain/"])
def test_addresses_are_of_http(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.drand.sh",
        "ftp://example.org",
        "https://",
        "https://a b",
        "https://example.org/?x=1",
        "https://example.org/#x",
        "https://me:secret@example.org",
        "https://example.org:99999",
        "https://example.org/\r\nX: 1",
        "https://exämple.org",
    ],
)
def test_other_texts_are_no_addresses(text: str) -> None:
    assert not is_address(text)
