"""Admission of remote bots: who is accepted, refused or taken back, over real TLS connections in this process."""

from __future__ import annotations

import contextlib
import socket
from contextlib import AbstractAsyncContextManager

import grpc
import pytest
import trio

from harness.records.values.game_record import TimeControl
from harness.referee.connection import messages
from harness.referee.connection.participant import NeverStartedError
from harness.referee.remote import admission as admission_module
from harness.referee.remote import tls_proxy as tls_proxy_module
from harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.seat.v1 import seat_pb2
from tests.support.referee.callers import LIMIT_S, AdmissionHost, open_admission


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return self_signed(["127.0.0.1"])


@pytest.fixture
def host(certificate: Certificate) -> AbstractAsyncContextManager[AdmissionHost]:
    """Return an admission with two remote bots."""
    return open_admission(certificate)


async def test_a_bot_is_welcomed_with_what_the_run_allows(host: AdmissionHost) -> None:
    welcome = await host.caller().come_in(host.tokens()[0])
    assert (welcome.limits.max_tables, welcome.limits.max_batch) == (5, 4)
    assert welcome.session_secret
    assert welcome.resume_ms == 60_020, "one decision: its budget, the bank, the margin"


async def test_a_bot_that_cannot_resume_gets_no_secret(host: AdmissionHost) -> None:
    welcome = await host.caller().come_in(host.tokens()[0], resume=False)
    assert (welcome.session_secret, welcome.resume_ms) == ("", 0)


async def test_the_run_waits_for_all_and_names_who_is_missing(host: AdmissionHost) -> None:
    await host.caller().come_in(host.tokens("ada")[0])
    await host.until_told("bot ada is here")
    assert await host.admission.gather(0.05) == ("grace",)
    await host.caller().come_in(host.tokens("grace")[0])
    assert await host.admission.gather(LIMIT_S) == ()


async def test_a_token_is_spent_when_its_bot_sits_down(host: AdmissionHost) -> None:
    """FAULTS.md 12."""
    token, spare = host.tokens()
    first = host.caller()
    await first.come_in(token, resume=False)
    first.vanish()
    await host.until_told("bot ada is gone")
    second = host.caller()
    await second.come_in(token, resume=False)
    await host.admission.participant("ada").join()
    host.told.clear()
    second.vanish()
    await host.until_told("bot ada is gone")
    third = host.caller()
    third.hello(token)
    assert await third.refusal() == ("TOKEN", "this token was used before")
    fourth = host.caller()
    await fourth.come_in(spare)


@pytest.mark.parametrize("first", ["nothing", "wrong"])
async def test_a_wrong_token_is_refused_and_told(host: AdmissionHost, first: str) -> None:
    caller = host.caller()
    if first == "nothing":
        caller.say(ready=seat_pb2.Ready())
    else:
        caller.hello("wrong")
    code, sentence = await caller.refusal()
    assert code == "TOKEN"
    await host.until_told(f"was turned away: {sentence}")


async def test_another_protocol_version_is_refused_and_the_token_kept(host: AdmissionHost) -> None:
    token = host.tokens()[0]
    caller = host.caller()
    caller.hello(token, version=9)
    assert await caller.refusal() == ("VERSION", "the referee speaks protocol version 1, the bot 9")
    await host.caller().come_in(token)


async def test_a_bot_has_one_connection(host: AdmissionHost) -> None:
    """FAULTS.md 13: neither its token nor its secret opens a second one while the first stands."""
    welcome = await host.caller().come_in(host.tokens()[0])
    for token, secret in ((host.tokens()[0], ""), (host.tokens()[1], ""), ("", welcome.session_secret)):
        second = host.caller()
        second.hello(token, secret)
        code, sentence = await second.refusal()
        assert code == ("SESSION" if secret else "TOKEN")
        assert "bot ada is connected" in sentence
    assert host.admission.invitations["ada"].has_free_session


async def test_a_broken_session_is_taken_up_with_its_secret_alone(host: AdmissionHost) -> None:
    first = host.caller()
    secret = (await first.come_in(host.tokens()[0])).session_secret
    call = host.admission.participant("ada")
    await call.join()
    assert call.connection is not None
    first.vanish()
    await host.until_told("bot ada has lost its connection")
    call.connection.send(messages.goodbye("FINISHED", 17))
    thief = host.caller()
    thief.hello(secret="guess")
    assert await thief.refusal() == ("SESSION", "this session is over")
    second = host.caller()
    second.hello(secret=secret)
    assert (await second.hear()).welcome.session_secret == secret
    assert (await second.hear()).goodbye.grace_ms == 17, "messages sent meanwhile must be repeated"
    await host.until_told("bot ada is back")


@pytest.mark.skipif(not hasattr(socket, "TCP_KEEPIDLE"), reason="this system cannot say how soon it asks")
async def test_a_goodbye_that_was_lost_with_the_connection_is_said_again(certificate: Certificate) -> None:
    """A bot that comes back for it is not told that its session is wrong."""
    async with open_admission(certificate) as host:
        first = host.caller()
        secret = (await first.come_in(host.tokens()[0])).session_secret
        call = host.admission.participant("ada")
        await call.join()
        first.vanish()
        await host.until_told("bot ada has lost its connection")
        await call.leave("FINISHED")
        for _ in ("and that may be lost", "once more"):
            again = host.caller()
            again.hello(secret=secret)
            assert (await again.hear()).welcome.session_secret == secret
            assert (await again.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_FINISHED
            assert await again.has_ended()
    assert not any("is gone" in line for line in host.told), "the bot was dismissed"


async def test_a_bot_that_says_its_connection_is_broken_has_it_looked_at(host: AdmissionHost) -> None:
    """A silently dead path would be found too late: no pings are sent while a decision is open."""
    first = host.caller()
    secret = (await first.come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    [ours] = [one.stream for one in host.admission._proxy._connections.values()]
    assert not ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    second = host.caller()
    second.hello(secret=secret)
    assert (await second.refusal())[0] == "SESSION"
    assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 1
    assert host.admission.invitations["ada"].has_free_session, "the old connection answers, so it must be kept"


async def test_a_process_that_was_started_anew_ends_the_session_of_the_old_one(host: AdmissionHost) -> None:
    first = host.caller()
    secret = (await first.come_in(host.tokens()[0])).session_secret
    call = host.admission.participant("ada")
    await call.join()
    assert call.connection is not None
    first.vanish()
    await host.until_told("bot ada has lost its connection")
    await host.caller().come_in(host.tokens()[1])
    await call.connection.is_over.wait()
    stale = host.caller()
    stale.hello(secret=secret)
    assert await stale.refusal() == ("SESSION", "this session is over")
    await host.admission.participant("ada").join()


async def test_a_bot_that_does_not_get_ready_is_sent_away_and_may_come_again(certificate: Certificate) -> None:
    async with open_admission(certificate, TimeControl(startup_ms=300)) as host:
        token = host.tokens()[0]
        slow = host.caller()
        slow.hello(token)
        await slow.hear()
        assert await slow.refusal() == ("STARTUP", "did not say Ready within 300 ms")
        await host.until_told("bot ada is gone (did not say Ready within 300 ms)")
        await host.caller().come_in(token)


async def test_a_call_that_nobody_answers_ends_with_the_start_up_clock(certificate: Certificate) -> None:
    async with open_admission(certificate, TimeControl(startup_ms=50)) as host:
        with pytest.raises(NeverStartedError, match="did not dial in within 50 ms"):
            await host.admission.participant("ada").join()


async def test_strangers_take_no_place_from_a_bot(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    """FAULTS.md 14: if there are too many, the oldest one is cut off."""
    monkeypatch.setattr(tls_proxy_module, "MAX_UNAUTHENTICATED", 3)
    async with open_admission(certificate) as host:
        with contextlib.ExitStack() as open_connections:
            strangers = []
            for _ in range(6):
                made = await trio.to_thread.run_sync(host.connect)
                strangers.append(open_connections.enter_context(made))
            await host.caller().come_in(host.tokens()[0])
            await host.until_told("bot ada is here")
            for _ in range(4):
                made = await trio.to_thread.run_sync(host.connect)
                strangers.append(open_connections.enter_context(made))
            oldest = strangers[0]
            while await trio.to_thread.run_sync(oldest.recv, 1024):
                pass  # the server's first message, then the end
            assert host.admission.invitations["ada"].has_free_session, "an admitted bot must not be cut off"
    assert any("no Hello came in time" in line for line in host.told)


async def test_a_stranger_has_little_time(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tls_proxy_module, "UNAUTHENTICATED_S", 0.2)
    async with open_admission(certificate) as host:
        with await trio.to_thread.run_sync(host.connect):
            await host.until_told("was turned away: no Hello came in time")


async def test_strangers_do_not_fill_the_screen(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission_module, "MAX_REPORTED", 0)
    async with open_admission(certificate) as host:
        for _ in range(3):
            caller = host.caller()
            caller.hello("wrong")
            await caller.refusal()
    assert host.told == [admission_module.TOO_MANY]


async def test_those_who_wait_are_told_when_the_run_is_over(host: AdmissionHost) -> None:
    caller = host.caller()
    await caller.come_in(host.tokens()[0])
    await host.until_told("bot ada is here")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.admission.close, "INTERRUPTED")
        assert (await caller.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_INTERRUPTED
        caller.vanish()


async def test_variants_are_listed_to_whoever_asks(host: AdmissionHost) -> None:
    channel = grpc.secure_channel(host.address, grpc.ssl_channel_credentials(host.certificate.trust))
    ask = channel.unary_unary(
        "/bowerbird.seat.v1.SeatService/ListVariants",
        request_serializer=seat_pb2.ListVariantsRequest.SerializeToString,
        response_deserializer=seat_pb2.ListVariantsResponse.FromString,
    )
    listed = await trio.to_thread.run_sync(lambda: ask(seat_pb2.ListVariantsRequest(), timeout=LIMIT_S))
    channel.close()
    assert any(variant.name == "euchre" for variant in listed.variants)
