"""Admission with tokens that hold for many runs, over real TLS connections in this process."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import pytest

from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection.stream import ProcessReplaced, StreamEvent
from bowerbird.harness.referee.remote.admission import FoundToken
from bowerbird.harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.harness.referee.remote.remote_server import CLOSED_BY_CLIENT, HANDSHAKES_BURST, TLS_HANDSHAKE
from bowerbird.harness.referee.remote.remote_session import RemoteSession
from bowerbird.harness.wire.encode import decision_requests
from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S
from tests.support.referee.callers import AdmissionHost, open_admission

ADA, GRACE = ("ada-0", "ada-1", "ada-2"), ("grace-0",)
OUTSIDER, REVOKED = "barbara-0", "ada-old"


class FixedTokens:
    """The standing tokens of three bots, two of which play in the run."""

    def __init__(self) -> None:
        self._tokens: Mapping[str, tuple[str, ...]] = {"ada": ADA, "grace": GRACE, "barbara": (OUTSIDER,)}

    def tokens(self, name: str) -> tuple[str, ...]:
        return self._tokens.get(name, ())

    def find(self, token: str) -> FoundToken | None:
        if token == REVOKED:
            return FoundToken("ada", "the invitation of bot ada was revoked; ask the organiser for a new one")
        return next((FoundToken(name) for name, tokens in self._tokens.items() if token in tokens), None)


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return self_signed(["127.0.0.1"])


@pytest.fixture
def host(certificate: Certificate) -> AbstractAsyncContextManager[AdmissionHost]:
    """Return an admission with two remote bots of a season."""
    return open_admission(certificate, standing=FixedTokens())


def session_of(host: AdmissionHost, bot: str = "ada") -> RemoteSession:
    session = host.admission.invitations[bot].session
    assert session is not None, host.told
    return session


async def test_a_token_is_never_spent(host: AdmissionHost) -> None:
    for _ in range(3):
        host.told.clear()
        caller = host.caller()
        await caller.come_in(ADA[0], resume=False)
        await host.until_told("bot ada is here")
        await host.admission.participant("ada").join()
        caller.vanish()
        await host.until_told("bot ada is gone")


async def test_a_revoked_token_is_refused_with_a_sentence(host: AdmissionHost) -> None:
    caller = host.caller()
    caller.hello(REVOKED)
    sentence = "the invitation of bot ada was revoked; ask the organiser for a new one"
    assert await caller.refusal() == ("TOKEN", sentence)
    await host.until_told(f"was turned away: {sentence}")


async def test_an_unknown_token_is_refused(host: AdmissionHost) -> None:
    caller = host.caller()
    caller.hello("guess")
    assert await caller.refusal() == ("TOKEN", "this token is not known here")


async def test_a_bot_of_another_run_is_told_to_wait_and_named(host: AdmissionHost) -> None:
    caller = host.caller()
    caller.hello(OUTSIDER)
    error = await caller.error()
    assert (error.code, error.retryable) == (seat_pb2.ERROR_CODE_BUSY, True)
    assert error.retry_after_ms > 0
    assert error.message == "bot barbara does not play in this run; it may join when another one begins"
    assert host.outsiders == ["barbara"]


async def test_those_who_are_away_are_waited_for_a_moment_only(host: AdmissionHost) -> None:
    await host.caller().come_in(ADA[0])
    await host.until_told("bot ada is here")
    assert await host.admission.gather(1e6, away={"grace"}, grace_s=0.01) == ("grace",)
    await host.caller().come_in(GRACE[0])
    await host.until_told("bot grace is here")
    assert await host.admission.gather(DEADLINE_S, away={"grace"}, grace_s=0.01) == ()


async def test_a_bot_that_is_expected_is_waited_for_beyond_the_grace_of_others(host: AdmissionHost) -> None:
    assert await host.admission.gather(0.05, away={"grace"}, grace_s=0.01) == ("ada", "grace")


async def test_bots_are_told_why_they_are_sent_away(host: AdmissionHost) -> None:
    caller = host.caller()
    await caller.come_in(ADA[0])
    await host.until_told("bot ada is here")
    host.admission.tell("come again")
    error = (await caller.hear()).error
    assert (error.message, error.fatal) == ("come again", False)


# Several processes of one bot.


async def test_a_second_process_waits_in_reserve_and_a_token_is_for_one(host: AdmissionHost) -> None:
    await host.caller().come_in(ADA[0])
    await host.until_told("bot ada is here")
    await host.caller().come_in(ADA[1])
    await host.until_told("bot ada has another process in reserve")
    for token in ADA[:2]:
        third = host.caller()
        third.hello(token)
        sentence = "a process with this token is already connected; start each process with a token of its own"
        assert await third.refusal() == ("TOKEN", sentence)
    assert session_of(host).token == ADA[0]


async def test_a_process_in_reserve_plays_if_the_other_leaves_before_the_first_game(host: AdmissionHost) -> None:
    first = host.caller()
    await first.come_in(ADA[0])
    await host.until_told("bot ada is here")
    await host.caller().come_in(ADA[1])
    await host.until_told("in reserve")
    host.told.clear()
    first.vanish()
    await host.until_told("bot ada is here")
    assert session_of(host).token == ADA[1]
    await host.admission.participant("ada").join()


async def test_a_process_that_is_ready_first_plays(host: AdmissionHost) -> None:
    slow = host.caller()
    slow.hello(ADA[0])
    assert (await slow.hear()).welcome.awaits_ready
    await host.caller().come_in(ADA[1])
    await host.until_told("bot ada is here")
    assert host.admission.invitations["ada"].has_free_session
    slow.say(ready=seat_pb2.Ready())
    await host.until_told("in reserve")


@pytest.mark.parametrize("token", [ADA[0], ADA[1]], ids=["the same token", "another token"])
async def test_another_process_continues_the_session_of_one_that_is_lost(host: AdmissionHost, token: str) -> None:
    """It may have waited in reserve, or be started now; its events go where the lost process's events went."""
    first = host.caller()
    secret = (await first.come_in(ADA[0])).session_secret
    call = host.admission.participant("ada")
    await call.join()
    heard: list[StreamEvent] = []
    call.listen(heard.append)
    assert call.connection is not None
    call.connection.send_request(decision_requests((), 60_000), {"t"})
    assert (await first.hear()).WhichOneof("message") == "decision_requests"
    if token == ADA[0]:
        first.vanish()
        await host.until_told("bot ada has lost its connection")
    second = host.caller()
    await second.come_in(token)
    if token == ADA[1]:
        await host.until_told("in reserve")
        first.vanish()
    await host.until_told("another process of bot ada takes its seats")
    assert not call.connection.is_over.is_set(), "no game is lost"
    assert heard == [ProcessReplaced()]
    call.connection.send(decision_requests((), 1))
    assert (await second.hear()).decision_requests.deadline_ms == 1, "nothing is repeated that it cannot know"
    second.say(decisions=seat_pb2.Decisions(decisions=[seat_pb2.Decision(table_id="t")]))
    while len(heard) < 2:
        await host.admission._clock.wait_for(call.connection.is_over, 0.01)
    stale = host.caller()
    stale.hello(secret=secret)
    assert await stale.refusal() == ("SESSION_OVER", "this session is over")
    assert not any("is gone" in line for line in host.told)


async def test_a_process_that_has_taken_seats_may_lose_its_connection_and_return(host: AdmissionHost) -> None:
    first, second = host.caller(), host.caller()
    await first.come_in(ADA[0])
    call = host.admission.participant("ada")
    await call.join()
    secret = (await second.come_in(ADA[1])).session_secret
    await host.until_told("in reserve")
    first.vanish()
    await host.until_told("takes its seats")
    host.told.clear()
    second.vanish()
    await host.until_told("bot ada has lost its connection")
    assert call.connection is not None
    await host.caller().come_back(secret)
    assert call.connection.is_connected


async def test_a_process_that_cannot_do_the_same_takes_no_seats(certificate: Certificate) -> None:
    """The tables were opened for what the first one can do. It has its time to return; then it is the other one's
    turn."""
    async with open_admission(
        certificate, TimeControl(per_decision_ms=500, bank_ms=0, margin_ms=0), FixedTokens()
    ) as host:
        first, second = host.caller(), host.caller()
        await first.come_in(ADA[0])
        call = host.admission.participant("ada")
        await call.join()
        able = seat_pb2.Capabilities(max_tables=64, max_batch=5, resume=True)
        second.say(hello=seat_pb2.Hello(token=ADA[1], protocol_versions=[1], capabilities=able))
        await second.hear()
        second.say(ready=seat_pb2.Ready())
        await host.until_told("in reserve")
        first.vanish()
        assert call.connection is not None
        await call.connection.is_over.wait()
        await host.admission.participant("ada").join()
        assert session_of(host).token == ADA[1]
        assert not any("takes its seats" in line for line in host.told)


async def test_all_processes_are_told_that_the_run_is_over(host: AdmissionHost) -> None:
    callers = []
    for token in ADA[:2]:
        callers.append(host.caller())
        await callers[-1].come_in(token)
    await host.until_told("in reserve")
    await host.admission.close("FINISHED")
    for caller in callers:
        assert (await caller.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_FINISHED


async def test_every_process_of_a_bot_keeps_its_connection(host: AdmissionHost) -> None:
    """The limit is one connection for each process: those in reserve must not close the one that plays."""
    callers = [host.caller() for _ in ADA]
    for caller, token in zip(callers, ADA, strict=True):
        await caller.come_in(token)
    await host.until_told("in reserve")
    while len(host.admission.invitations["ada"].reserves) < 2:
        await host.until_told("in reserve")
    assert [session.connection.is_connected for session in host.admission.invitations["ada"].sessions] == [True] * 3


@pytest.mark.skipif(not CLOSED_BY_CLIENT, reason="this system does not tell that a client has left")
async def test_what_a_bot_left_behind_while_nobody_accepted_costs_it_nothing(host: AdmissionHost) -> None:
    """It dials again and again between two runs. All of that is accepted when the next one begins."""
    name, _, port = host.address.rpartition(":")
    for _ in range(3 * int(HANDSHAKES_BURST)):
        with socket.create_connection((name, int(port)), DEADLINE_S) as given_up:
            given_up.sendall(TLS_HANDSHAKE + b"\x03\x01\x02\x00")
    await host.caller().come_in(ADA[0])
    await host.until_told("bot ada is here")
    assert not any("was turned away" in line for line in host.told)
