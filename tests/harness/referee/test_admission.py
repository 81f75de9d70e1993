"""Admission of remote bots: who is accepted, refused or taken back, over real TLS connections in this process."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
from contextlib import AbstractAsyncContextManager
from functools import partial

import grpc
import pytest
import trio
import trio.testing

from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.participant import NeverStartedError
from bowerbird.harness.referee.remote import admission as admission_module
from bowerbird.harness.referee.remote import remote_server
from bowerbird.harness.referee.remote import remote_session as remote_session_module
from bowerbird.harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.harness.referee.remote.remote_server import MAX_FIRST_BYTES
from bowerbird.harness.wire.encode import table_closed
from bowerbird.seat.v1 import seat_pb2
from tests.support.command.stranger import PREFACE, SETTINGS, frame
from tests.support.deadline import DEADLINE_S
from tests.support.referee.callers import AdmissionHost, open_admission

SETTINGS_THAT_TAKE_LONG = frame(SETTINGS, 0, 0, bytes(6 * 1000))[:9]
"""The head of a frame of settings, whose 6,000 bytes are still to come."""

LONG_RECORD = b"\x16\x03\x01\x20\x00"
"""The head of a record of a TLS handshake, whose 8,192 bytes are still to come."""


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
    assert await host.admission.gather(DEADLINE_S) == ()


async def test_a_token_is_spent_when_its_bot_sits_down(host: AdmissionHost) -> None:
    """faults.md row 12."""
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
async def test_a_stranger_is_refused_and_told(host: AdmissionHost, first: str) -> None:
    caller = host.caller()
    if first == "nothing":
        caller.say(ready=seat_pb2.Ready())
    else:
        caller.hello("wrong")
    code, sentence = await caller.refusal()
    assert code == ("PROTOCOL" if first == "nothing" else "TOKEN")
    await host.until_told(f"was turned away: {sentence}")


async def test_a_clock_that_is_too_fast_for_a_bot_is_told_before_the_first_game(host: AdmissionHost) -> None:
    caller = host.caller()
    caller.hello(host.tokens()[0], min_decision_ms=60_001)
    sentence = "the bot needs at least 60001 ms for each decision, and the clock of this run gives 60000 ms"
    assert await caller.refusal() == ("STARTUP", sentence)
    await host.until_told(f"was turned away: {sentence}")
    caller = host.caller()
    caller.hello(host.tokens()[0], min_decision_ms=60_000)
    assert (await caller.hear()).welcome.awaits_ready


async def test_another_protocol_version_is_refused_and_the_token_kept(host: AdmissionHost) -> None:
    token = host.tokens()[0]
    caller = host.caller()
    caller.hello(token, version=9)
    assert await caller.refusal() == ("VERSION", "the referee speaks protocol version 1, the bot 9")
    await host.caller().come_in(token)


async def test_a_token_opens_no_second_stream_while_the_first_stands(host: AdmissionHost) -> None:
    """faults.md row 13."""
    await host.caller().come_in(host.tokens()[0])
    await host.until_told("bot ada is here")
    for token in host.tokens():
        second = host.caller()
        second.hello(token)
        assert await second.refusal() == ("TOKEN", "bot ada is already connected, and may have only one connection")
    assert host.admission.invitations["ada"].has_free_session


async def test_a_bot_that_lost_its_welcome_comes_again_with_its_token(host: AdmissionHost) -> None:
    """It has no secret, and the referee may believe that its first stream is still open."""
    token = host.tokens()[0]
    lost = host.caller()
    lost.hello(token)
    assert (await lost.hear()).welcome.awaits_ready
    [theirs] = host.admission._server._connections.values()
    await host.caller().come_in(token)
    assert theirs.scope.deadline <= trio.current_time() + remote_server.CLOSING_S, "a dead connection must not stay"
    assert await lost.refusal() == ("SESSION_OVER", "another stream has taken over the session of this bot")
    await host.until_told("bot ada is here")
    assert not any("is gone" in line for line in host.told)


async def test_a_broken_session_is_resumed_with_its_secret_alone(host: AdmissionHost) -> None:
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
    assert await thief.refusal() == ("SESSION_OVER", "this session is over")
    second = host.caller()
    welcome = await second.come_back(secret)
    assert welcome.session_secret not in ("", secret), "each Welcome has a secret of its own"
    assert not welcome.awaits_ready
    assert welcome.startup_ms == 0
    assert (await second.hear()).goodbye.grace_ms == 17, "messages sent meanwhile must be repeated"
    await host.until_told("bot ada is back")


async def test_the_right_secret_takes_over_a_stream_that_stands(host: AdmissionHost) -> None:
    """Only the bot knows that its connection is broken if the referee does not see it."""
    first = host.caller()
    secret = (await first.come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    second = host.caller()
    welcome = await second.come_back(secret)
    assert not welcome.awaits_ready
    error = await first.error()
    assert error.code == seat_pb2.ERROR_CODE_SESSION_OVER
    assert not error.retryable, "two processes would evict each other for ever"
    assert host.admission.invitations["ada"].has_free_session
    [theirs] = [one for one in host.admission._server._connections.values() if one.scope.deadline != float("inf")]
    assert theirs.scope.deadline <= trio.current_time() + remote_server.CLOSING_S, "a dead connection must not stay"


async def test_a_wrong_secret_ends_nobodys_stream(host: AdmissionHost) -> None:
    first = host.caller()
    secret = (await first.come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    for guess in ("guess", secret[:-1], secret + "x", secret.swapcase()):
        thief = host.caller()
        thief.hello(secret=guess)
        assert await thief.refusal() == ("SESSION_OVER", "this session is over")
    assert host.admission.invitations["ada"].has_free_session
    host.admission.invitations["ada"].session.connection.send(messages.ping(7))  # type: ignore[union-attr]  # it is free
    assert (await first.hear()).ping.ping_id == 7


async def test_the_last_secret_works_until_the_bot_has_said_something_on_its_new_stream(host: AdmissionHost) -> None:
    """A Welcome that is lost takes its secret with it."""
    first = host.caller()
    old = (await first.come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    second = host.caller()
    lost = (await second.come_back(old)).session_secret
    third = host.caller()
    new = (await third.come_back(old)).session_secret
    assert len({old, lost, new}) == 3
    third.say(pong=seat_pb2.Pong(ping_id=1))
    session = host.admission.invitations["ada"].session
    assert session is not None
    while session.knows(old):
        await trio.sleep(0.01)
    for spent in (old, lost):
        thief = host.caller()
        thief.hello(secret=spent)
        assert await thief.refusal() == ("SESSION_OVER", "this session is over")
    await host.caller().come_back(new)


async def test_a_hello_that_arrives_after_a_newer_one_costs_the_bot_nothing(host: AdmissionHost) -> None:
    """The network may hold it back, and deliver it after the bot has given up that stream and greeted again."""
    old = (await host.caller().come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    bot = host.caller()
    new = (await bot.come_back(old)).session_secret
    late = host.caller()
    await late.come_back(old)
    error = await bot.error()
    assert (error.code, error.retryable) == (seat_pb2.ERROR_CODE_SESSION_OVER, True)
    again = host.caller()
    await again.come_back(new)
    assert (await late.error()).retryable, "nobody has said anything yet: either may be the bot"
    again.say(pong=seat_pb2.Pong(ping_id=1))
    session = host.admission.invitations["ada"].session
    assert session is not None
    while session.knows(old) or session.knows(new):
        await trio.sleep(0.01)
    latest = host.caller()
    latest.hello(secret=old)
    assert await latest.refusal() == ("SESSION_OVER", "this session is over")
    assert host.admission.invitations["ada"].has_free_session


async def test_a_first_hello_that_arrives_after_a_newer_one_costs_the_bot_nothing(host: AdmissionHost) -> None:
    token = host.tokens()[0]
    bot = host.caller()
    bot.hello(token)
    secret = (await bot.hear()).welcome.session_secret
    late = host.caller()
    late.hello(token)
    assert (await late.hear()).welcome.awaits_ready
    error = await bot.error()
    assert (error.code, error.retryable) == (seat_pb2.ERROR_CODE_SESSION_OVER, True)
    again = host.caller()
    assert (await again.come_back(secret)).awaits_ready
    again.say(ready=seat_pb2.Ready())
    await host.until_told("bot ada is here")
    assert not any("is gone" in line for line in host.told)


async def test_a_ready_that_was_lost_is_asked_for_again(host: AdmissionHost) -> None:
    first = host.caller()
    first.hello(host.tokens()[0])
    welcome = (await first.hear()).welcome
    assert welcome.awaits_ready
    second = host.caller()
    again = await second.come_back(welcome.session_secret)
    assert again.awaits_ready
    assert 0 < again.startup_ms <= welcome.startup_ms, "the start-up clock runs on"
    second.say(ready=seat_pb2.Ready())
    await host.until_told("bot ada is here")
    assert not (await host.caller().come_back(again.session_secret)).awaits_ready


async def test_more_takeovers_than_a_bad_network_makes_must_wait(host: AdmissionHost) -> None:
    secret = (await host.caller().come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    for _ in range(remote_session_module.MAX_TAKEOVERS):
        secret = (await host.caller().come_back(secret)).session_secret
    hasty = host.caller()
    hasty.hello(secret=secret)
    error = await hasty.error()
    assert error.code == seat_pb2.ERROR_CODE_BUSY
    assert error.retryable
    assert 0 < error.retry_after_ms <= 1000 * remote_session_module.TAKEOVER_WINDOW_S
    assert host.admission.invitations["ada"].has_free_session, "the stream that stands must stay"


async def test_a_goodbye_that_was_lost_with_the_connection_is_said_again(certificate: Certificate) -> None:
    """A bot that comes back with it is not told that its session is wrong."""
    async with open_admission(certificate) as host:
        first = host.caller()
        secret = (await first.come_in(host.tokens()[0])).session_secret
        call = host.admission.participant("ada")
        await call.join()
        first.vanish()
        await host.until_told("bot ada has lost its connection")
        assert call.connection is not None
        closed = table_closed(table_id="t", ranks=(1, 2), scores=(10, 4), games=(), ended="target")
        call.connection.send(closed.SerializeToString())
        await call.leave("FINISHED")
        for _ in ("and that may be lost", "once more"):
            again = host.caller()
            again.hello(secret=secret)
            assert (await again.hear()).welcome.session_secret
            assert (await again.hear()).table_closed.table_id == "t", "it was lost, too"
            assert (await again.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_FINISHED
            assert await again.has_ended()
    assert not any("is gone" in line for line in host.told), "the bot was dismissed"


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
    assert await stale.refusal() == ("SESSION_OVER", "this session is over")
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
    """faults.md row 14: if there are too many, the oldest one is cut off."""
    monkeypatch.setattr(remote_server, "MAX_UNAUTHENTICATED", 3)
    monkeypatch.setattr(remote_server, "UNAUTHENTICATED_S", 1000.0)
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
    assert any(remote_server.DISPLACED in line for line in host.told)
    assert not any(remote_server.NO_HELLO_IN_TIME in line for line in host.told), "it was a flood, no slow bot"


async def test_a_stranger_has_little_time(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_server, "UNAUTHENTICATED_S", 0.2)
    async with open_admission(certificate) as host:
        with await trio.to_thread.run_sync(host.connect):
            await host.until_told("was turned away: no Hello came in time")


def trickle(stranger: socket.socket) -> None:
    """Send byte after byte of a frame that never ends, until the referee closes the connection."""
    with stranger, contextlib.suppress(OSError):
        while True:
            stranger.sendall(b"\0")
            if select.select([stranger], [], [], 0.02)[0] and not stranger.recv(1024):
                return


@pytest.mark.parametrize(
    ("stage", "limit", "sentence"),
    [
        ("handshake", "HANDSHAKE_S", "no TLS handshake within 2 s"),
        ("hello", "UNAUTHENTICATED_S", "no Hello came in time"),
    ],
)
async def test_bytes_that_trickle_in_gain_no_time(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch, stage: str, limit: str, sentence: str
) -> None:
    monkeypatch.setattr(remote_server, limit, 0.5)
    async with open_admission(certificate) as host:
        name, _, port = host.address.rpartition(":")
        connect = host.connect if stage == "hello" else partial(socket.create_connection, (name, int(port)))
        stranger = await trio.to_thread.run_sync(connect)
        stranger.sendall(PREFACE + SETTINGS_THAT_TAKE_LONG if stage == "hello" else LONG_RECORD)
        with trio.fail_after(DEADLINE_S):
            await trio.to_thread.run_sync(trickle, stranger)
            await host.until_told(f"was turned away: {sentence}")


async def test_strangers_do_not_fill_the_screen(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission_module, "MAX_REPORTED", 0)
    async with open_admission(certificate) as host:
        for _ in range(3):
            caller = host.caller()
            caller.hello("wrong")
            await caller.refusal()
    assert host.told == [admission_module.TOO_MANY]


async def test_reasons_that_differ_in_their_numbers_alone_are_told_once(host: AdmissionHost) -> None:
    """faults.md row 46."""
    for version in (9, 10, 11):
        caller = host.caller()
        caller.hello("wrong", version=version)
        assert await caller.refusal() == ("VERSION", f"the referee speaks protocol version 1, the bot {version}")
    caller = host.caller()
    caller.hello("wrong")
    await caller.refusal()
    await host.until_told("this token is not known here")
    assert len(host.told) == 2


async def test_a_bot_that_comes_and_goes_does_not_fill_the_screen(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission_module, "MAX_REPORTED", 3)
    async with open_admission(certificate) as host:
        caller = host.caller()
        secret = (await caller.come_in(host.tokens()[0])).session_secret
        await host.until_told("bot ada is here")
        for _ in range(4):
            caller = host.caller()
            secret = (await caller.come_back(secret)).session_secret
        assert len(host.told) == 4
        assert host.told[-1] == "bot ada connects and disconnects often: this is no longer reported"
        await host.caller().come_in(host.tokens("grace")[0])
        await host.until_told("bot grace is here")


async def test_those_who_wait_are_told_when_the_run_is_over(host: AdmissionHost) -> None:
    caller = host.caller()
    await caller.come_in(host.tokens()[0])
    await host.until_told("bot ada is here")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.admission.close, "INTERRUPTED")
        assert (await caller.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_INTERRUPTED
        caller.vanish()


async def test_variants_are_listed_to_holders_of_a_token(host: AdmissionHost) -> None:
    channel = grpc.secure_channel(host.address, grpc.ssl_channel_credentials(host.certificate.trust))
    ask = channel.unary_unary(
        "/bowerbird.seat.v1.SeatService/ListVariants",
        request_serializer=seat_pb2.ListVariantsRequest.SerializeToString,
        response_deserializer=seat_pb2.ListVariantsResponse.FromString,
    )
    request = seat_pb2.ListVariantsRequest(token=host.tokens()[1], names=["buck"])
    listed = await trio.to_thread.run_sync(lambda: ask(request, timeout=DEADLINE_S))
    with pytest.raises(grpc.RpcError, match="this token is not known here"):
        await trio.to_thread.run_sync(lambda: ask(seat_pb2.ListVariantsRequest(), timeout=DEADLINE_S))
    channel.close()
    assert [variant.name for variant in listed.variants] == ["buck"]
    await host.caller().come_in(host.tokens()[1])


# TLS.


async def test_what_comes_with_the_end_of_the_handshake_is_read(host: AdmissionHost) -> None:
    """A client may send its preface together with the last words of its handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=host.certificate.trust.decode())
    context.set_alpn_protocols(["h2"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    name, _, port = host.address.rpartition(":")

    def greet() -> bytes:
        with socket.create_connection((name, int(port)), DEADLINE_S) as client:
            while True:
                with contextlib.suppress(ssl.SSLWantReadError):
                    tls.do_handshake()
                    break
                client.sendall(outgoing.read())
                incoming.write(client.recv(65536))
            tls.write(PREFACE + frame(SETTINGS, 0, 0, b""))
            client.sendall(outgoing.read())
            said = b""
            while frame(SETTINGS, 1, 0, b"") not in said:
                incoming.write(client.recv(65536))
                with contextlib.suppress(ssl.SSLWantReadError):
                    said += tls.read(65536)
            return said

    assert await trio.to_thread.run_sync(greet)


async def test_a_bot_gets_all_that_its_socket_does_not_take_at_once(host: AdmissionHost) -> None:
    caller = host.caller()
    await caller.come_in(host.tokens()[0])
    await host.until_told("bot ada is here")
    session = host.admission.invitations["ada"].session
    assert session is not None
    sentences = [f"{number} " + "x" * 900_000 for number in range(20)]
    for sentence in sentences:
        said = seat_pb2.PlayResponse(error=seat_pb2.Error(message=sentence))
        session.connection.send(said.SerializeToString())
    with trio.fail_after(DEADLINE_S):
        assert [(await caller.hear()).error.message for _ in sentences] == sentences


# Connections that are no longer needed, and bots that mean harm.


def lasting(host: AdmissionHost) -> int:
    """Return how many connections may stay without limit."""
    return sum(one.scope.deadline == float("inf") for one in host.admission._server._connections.values())


async def test_a_bot_keeps_one_connection_however_often_it_comes_back(host: AdmissionHost) -> None:
    """A bot that ends its stream but keeps the connection must not use up the host's file descriptors."""
    first = host.caller()
    secret = (await first.come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    caller = first
    for _ in range(8):
        host.told.clear()
        caller.half_close()
        await host.until_told("bot ada has lost its connection")
        caller = host.caller()
        secret = (await caller.come_back(secret)).session_secret
    assert lasting(host) == 1


async def test_a_token_that_says_hello_again_and_again_holds_few_connections(host: AdmissionHost) -> None:
    """Until its bot is ready a token takes over from itself, and each connection may stay to read that it is over."""
    token = host.tokens()[0]
    for _ in range(3 * remote_server.MAX_ADMITTED):
        caller = host.caller()
        caller.hello(token)
        assert (await caller.hear()).welcome.awaits_ready
    while len(host.admission._server._connections) > remote_server.MAX_ADMITTED:
        await trio.sleep(0.01)
    caller.say(ready=seat_pb2.Ready())
    await host.until_told("bot ada is here")


async def test_a_lost_goodbye_keeps_no_connection(certificate: Certificate) -> None:
    async with open_admission(certificate) as host:
        first = host.caller()
        secret = (await first.come_in(host.tokens()[0])).session_secret
        call = host.admission.participant("ada")
        await call.join()
        await call.leave("FINISHED")
        for _ in range(4):
            again = host.caller()
            again.hello(secret=secret)
            assert (await again.hear()).welcome.session_secret
            assert (await again.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_FINISHED
        await trio.testing.wait_all_tasks_blocked()
        assert lasting(host) == 0


async def test_a_connection_may_be_used_for_the_next_stream_of_its_bot(host: AdmissionHost) -> None:
    """It closes soon after a stream, unless another one follows."""
    first = host.caller()
    secret = (await first.come_in(host.tokens()[0])).session_secret
    await host.until_told("bot ada is here")
    first.half_close()
    await host.until_told("bot ada has lost its connection")
    assert lasting(host) == 0
    second = host.caller(on=first)
    await second.come_back(secret)
    assert len(host.admission._server._connections) == 1
    assert lasting(host) == 1


async def test_a_stranger_cannot_write_a_book_on_the_organisers_screen(host: AdmissionHost) -> None:
    """The version is checked before the token."""
    caller = host.caller()
    able = seat_pb2.Hello(token="x", protocol_versions=range(2, 2_000))
    caller.say(hello=able)
    sentence = "the referee speaks protocol version 1, the bot 2, 3, 4, 5, 6, 7, 8, 9 and 1990 others"
    assert await caller.refusal() == ("VERSION", sentence)
    await host.until_told(sentence)


async def test_what_a_bot_reports_is_one_printable_line(host: AdmissionHost) -> None:
    caller = host.caller()
    await caller.come_in(host.tokens()[0])
    await host.until_told("bot ada is here")
    caller.say(bot_fault=seat_pb2.BotFault(message="\x1b[2J\nbot grace is gone" + "x" * 60_000))
    _, sentence = await caller.refusal()
    assert sentence.startswith(r"reported a failure of its own: \u001b[2J\nbot grace is gonexxx")
    await host.until_told("bot ada is gone")
    assert all(line.isprintable() and len(line) < 300 for line in host.told)


async def test_a_variant_that_is_asked_for_ten_thousand_times_is_listed_once(host: AdmissionHost) -> None:
    """A request of 128 KiB would make an answer of 88 MB, and any bot of the run may ask."""
    caller = host.caller()
    await caller.come_in(host.tokens()[0])
    request = seat_pb2.ListVariantsRequest(token=host.tokens()[0], names=["buck", "euchre"] * 5_000)
    listed = await trio.to_thread.run_sync(caller.list_variants, request)
    assert [variant.name for variant in listed.variants] == ["buck", "euchre"]
    request = seat_pb2.ListVariantsRequest(token=host.tokens()[0], names=["x" * 100_000])
    with pytest.raises(grpc.RpcError) as unknown:
        await trio.to_thread.run_sync(caller.list_variants, request)
    assert unknown.value.code() is grpc.StatusCode.NOT_FOUND


async def test_a_stranger_drives_out_no_caller_from_another_address(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_server, "MAX_UNAUTHENTICATED", 3)
    async with open_admission(certificate) as host:
        with contextlib.ExitStack() as open_connections:
            bot = await trio.to_thread.run_sync(host.connect)
            open_connections.enter_context(bot)
            connected = set(host.admission._server._connections)
            strangers = []
            for _ in range(8):
                made = await trio.to_thread.run_sync(host.connect, "127.0.0.2")
                strangers.append(open_connections.enter_context(made))
            while await trio.to_thread.run_sync(strangers[0].recv, 1024):
                pass  # the server's first message, then the end
            assert connected <= set(host.admission._server._connections)


async def test_a_stranger_cannot_fill_the_memory(certificate: Certificate) -> None:
    """A message may be longer than what a client may send before its Hello."""
    async with open_admission(certificate) as host:
        stranger = host.caller()
        stranger.say(hello=seat_pb2.Hello(token="x" * (MAX_FIRST_BYTES + 1)))
        with pytest.raises(grpc.RpcError):
            await stranger.hear()
        await host.until_told("was turned away: it sent too much before its Hello")
        bot = host.caller()
        await bot.come_in(host.tokens()[0])
        await host.until_told("bot ada is here")
        for _ in range(3):
            bot.say(decisions=seat_pb2.Decisions(decisions=[seat_pb2.Decision(note="x" * 50_000)]))
        while (session := host.admission.invitations["ada"].session) is None or session._ignored < 3:
            await trio.sleep(0.01)
        assert session.is_free
