"""Who is let in, who is refused, who may come back: real TLS connections to a lobby in this process."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Awaitable, Callable

import grpc
import pytest
import trio
from callers import LIMIT_S, House, in_house

from harness.records.record import TimeControl
from harness.referee import gate as gate_module
from harness.referee import lobby as lobby_module
from harness.referee import messages
from harness.referee.certificate import Certificate, self_signed
from harness.referee.entrance import NeverStartedError
from harness.v1 import seat_pb2


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return self_signed(["127.0.0.1"])


Visit = Callable[[Callable[[House], Awaitable[None]]], House]


@pytest.fixture
def visit(certificate: Certificate) -> Visit:
    """Runs a body in a house of its own."""
    return lambda body: in_house(certificate, body)


def test_a_bot_is_welcomed_with_what_the_run_allows(visit: Visit) -> None:
    async def body(house: House) -> None:
        welcome = await house.caller().come_in(house.tokens()[0])
        assert (welcome.limits.max_tables, welcome.limits.max_batch) == (5, 4)
        assert welcome.session_secret
        assert welcome.resume_ms == 60_020, "one decision: its budget, the bank, the margin"

    visit(body)


def test_a_bot_that_cannot_resume_gets_no_secret(visit: Visit) -> None:
    async def body(house: House) -> None:
        welcome = await house.caller().come_in(house.tokens()[0], resume=False)
        assert (welcome.session_secret, welcome.resume_ms) == ("", 0)

    visit(body)


def test_the_run_waits_for_all_and_names_who_is_missing(visit: Visit) -> None:
    async def body(house: House) -> None:
        await house.caller().come_in(house.tokens("ada")[0])
        await house.until_told("bot ada is here")
        assert await house.lobby.gather(0.05) == ("grace",)
        await house.caller().come_in(house.tokens("grace")[0])
        assert await house.lobby.gather(LIMIT_S) == ()

    visit(body)


def test_a_token_is_spent_when_its_bot_sits_down(visit: Visit) -> None:
    """FAULTS.md 12."""

    async def body(house: House) -> None:
        token, spare = house.tokens()
        first = house.caller()
        await first.come_in(token, resume=False)
        first.vanish()
        await house.until_told("bot ada is gone")
        second = house.caller()
        await second.come_in(token, resume=False)
        await house.lobby.call("ada").come_in()
        house.told.clear()
        second.vanish()
        await house.until_told("bot ada is gone")
        third = house.caller()
        third.hello(token)
        assert await third.refusal() == ("TOKEN", "this token was used before")
        fourth = house.caller()
        await fourth.come_in(spare)

    visit(body)


@pytest.mark.parametrize("first", ["nothing", "wrong"])
def test_a_wrong_token_is_refused_and_told(visit: Visit, first: str) -> None:
    async def body(house: House) -> None:
        caller = house.caller()
        if first == "nothing":
            caller.say(ready=seat_pb2.Ready())
        else:
            caller.hello("wrong")
        code, sentence = await caller.refusal()
        assert code == "TOKEN"
        await house.until_told(f"was turned away: {sentence}")

    visit(body)


def test_another_protocol_version_is_refused_and_the_token_kept(visit: Visit) -> None:
    async def body(house: House) -> None:
        token = house.tokens()[0]
        caller = house.caller()
        caller.hello(token, version=9)
        assert await caller.refusal() == ("VERSION", "the referee speaks protocol version 1, the bot 9")
        await house.caller().come_in(token)

    visit(body)


def test_a_bot_has_one_connection(visit: Visit) -> None:
    """FAULTS.md 13: neither its token nor its secret opens a second one while the first stands."""

    async def body(house: House) -> None:
        welcome = await house.caller().come_in(house.tokens()[0])
        for token, secret in ((house.tokens()[0], ""), (house.tokens()[1], ""), ("", welcome.session_secret)):
            second = house.caller()
            second.hello(token, secret)
            code, sentence = await second.refusal()
            assert code == ("SESSION" if secret else "TOKEN")
            assert "bot ada is connected" in sentence
        assert house.lobby.desks["ada"].is_manned

    visit(body)


def test_a_broken_session_is_taken_up_with_its_secret_alone(visit: Visit) -> None:
    async def body(house: House) -> None:
        first = house.caller()
        secret = (await first.come_in(house.tokens()[0])).session_secret
        call = house.lobby.call("ada")
        await call.come_in()
        assert call.link is not None
        first.vanish()
        await house.until_told("bot ada has lost its connection")
        call.link.send(messages.goodbye("FINISHED", 17))
        thief = house.caller()
        thief.hello(secret="guess")
        assert await thief.refusal() == ("SESSION", "this session is over")
        second = house.caller()
        second.hello(secret=secret)
        assert (await second.hear()).welcome.session_secret == secret
        assert (await second.hear()).goodbye.grace_ms == 17, "what was said meanwhile is said again"
        await house.until_told("bot ada is back")

    visit(body)


@pytest.mark.skipif(not hasattr(socket, "TCP_KEEPIDLE"), reason="this system cannot say how soon it asks")
def test_a_goodbye_that_was_lost_with_the_connection_is_said_again(visit: Visit) -> None:
    """Whoever comes back for it is not told that something was wrong with its session."""

    async def body(house: House) -> None:
        first = house.caller()
        secret = (await first.come_in(house.tokens()[0])).session_secret
        call = house.lobby.call("ada")
        await call.come_in()
        first.vanish()
        await house.until_told("bot ada has lost its connection")
        await call.see_out("FINISHED")
        for _ in ("and that may be lost", "once more"):
            again = house.caller()
            again.hello(secret=secret)
            assert (await again.hear()).welcome.session_secret == secret
            assert (await again.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_FINISHED
            assert await again.has_ended()

    house = visit(body)
    assert not any("is gone" in line for line in house.told), "it was sent away"


def test_a_bot_that_says_its_connection_is_broken_has_it_looked_at(visit: Visit) -> None:
    """A path that is gone without a word would be found too late: nothing is pinged while a decision is open."""

    async def body(house: House) -> None:
        first = house.caller()
        secret = (await first.come_in(house.tokens()[0])).session_secret
        await house.until_told("bot ada is here")
        [ours] = [one.stream for one in house.lobby._gate._visits.values()]
        assert not ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        second = house.caller()
        second.hello(secret=secret)
        assert (await second.refusal())[0] == "SESSION"
        assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 1
        assert house.lobby.desks["ada"].is_manned, "the other end answers: it stands"

    visit(body)


def test_a_process_that_was_started_anew_ends_the_session_of_the_old_one(visit: Visit) -> None:
    async def body(house: House) -> None:
        first = house.caller()
        secret = (await first.come_in(house.tokens()[0])).session_secret
        call = house.lobby.call("ada")
        await call.come_in()
        assert call.link is not None
        first.vanish()
        await house.until_told("bot ada has lost its connection")
        await house.caller().come_in(house.tokens()[1])
        await call.link.over.wait()
        stale = house.caller()
        stale.hello(secret=secret)
        assert await stale.refusal() == ("SESSION", "this session is over")
        await house.lobby.call("ada").come_in()

    visit(body)


def test_a_bot_that_does_not_get_ready_is_sent_away_and_may_come_again(certificate: Certificate) -> None:
    async def body(house: House) -> None:
        token = house.tokens()[0]
        slow = house.caller()
        slow.hello(token)
        await slow.hear()
        assert await slow.refusal() == ("STARTUP", "did not say Ready within 300 ms")
        await house.until_told("bot ada is gone (did not say Ready within 300 ms)")
        await house.caller().come_in(token)

    in_house(certificate, body, TimeControl(startup_ms=300))


def test_a_call_that_nobody_answers_ends_with_the_start_up_clock(certificate: Certificate) -> None:
    async def body(house: House) -> None:
        with pytest.raises(NeverStartedError, match="did not dial in within 50 ms"):
            await house.lobby.call("ada").come_in()

    in_house(certificate, body, TimeControl(startup_ms=50))


def test_strangers_take_no_place_from_a_bot(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """FAULTS.md 14: when there are too many, the one that has been there longest is cut off."""
    monkeypatch.setattr(gate_module, "STRANGERS", 3)

    async def body(house: House) -> None:
        with contextlib.ExitStack() as open_connections:
            strangers = []
            for _ in range(6):
                made = await trio.to_thread.run_sync(house.connect)
                strangers.append(open_connections.enter_context(made))
            await house.caller().come_in(house.tokens()[0])
            await house.until_told("bot ada is here")
            for _ in range(4):
                made = await trio.to_thread.run_sync(house.connect)
                strangers.append(open_connections.enter_context(made))
            oldest = strangers[0]
            while await trio.to_thread.run_sync(oldest.recv, 1024):
                pass  # what the server said first; then the end
            assert house.lobby.desks["ada"].is_manned, "whoever is known is not cut off"

    house = visit(body)
    assert any("no Hello came in time" in line for line in house.told)


def test_a_stranger_has_little_time(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_module, "STRANGER_S", 0.2)

    async def body(house: House) -> None:
        with await trio.to_thread.run_sync(house.connect):
            await house.until_told("was turned away: no Hello came in time")

    visit(body)


def test_strangers_do_not_fill_the_screen(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "COMPLAINTS", 0)

    async def body(house: House) -> None:
        for _ in range(3):
            caller = house.caller()
            caller.hello("wrong")
            await caller.refusal()

    house = visit(body)
    assert house.told == [lobby_module.ENOUGH]


def test_those_who_wait_are_told_when_the_run_is_over(visit: Visit) -> None:
    async def body(house: House) -> None:
        caller = house.caller()
        await caller.come_in(house.tokens()[0])
        await house.until_told("bot ada is here")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(house.lobby.close, "INTERRUPTED")
            assert (await caller.hear()).goodbye.reason == seat_pb2.GOODBYE_REASON_INTERRUPTED
            caller.vanish()

    visit(body)


def test_variants_are_listed_to_whoever_asks(visit: Visit) -> None:
    async def body(house: House) -> None:
        channel = grpc.secure_channel(house.address, grpc.ssl_channel_credentials(house.certificate.trust))
        ask = channel.unary_unary(
            "/harness.v1.SeatService/ListVariants",
            request_serializer=seat_pb2.ListVariantsRequest.SerializeToString,
            response_deserializer=seat_pb2.ListVariantsResponse.FromString,
        )
        listed = await trio.to_thread.run_sync(lambda: ask(seat_pb2.ListVariantsRequest(), timeout=LIMIT_S))
        channel.close()
        assert any(variant.name == "euchre" for variant in listed.variants)

    visit(body)
