"""What a seat address serves without a Hello: health, reflection, variants, and a word to bots of the old protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trio
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from bowerbird.engine import variant_names
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection.messages import MAX_RESPONSE
from bowerbird.harness.referee.connection.seat_door import OUTDATED_SENTENCE
from bowerbird.harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.seat.v1 import seat_pb2, seat_pb2_grpc
from tests.support.deadline import DEADLINE_S
from tests.support.referee.callers import AdmissionHost, open_admission
from tests.support.referee.raw_client import PLAY, RawClient, call, dial
from tests.support.referee.raw_run import RawRun, play_raw
from tests.support.referee.seat_host import TOKEN, SeatHost, open_seat

SERVICE = "bowerbird.seat.v1.SeatService"
HEALTH = "grpc.health.v1.Health"
REFLECTION = "grpc.reflection.v1alpha.ServerReflection"
OLD_PLAY = "/harness.v1.SeatService/Play"


@dataclass(frozen=True)
class Address:
    """An address of a referee, a token that it knows, and a channel to it. `behind` is what listens there."""

    channel: grpc.Channel
    token: str
    behind: SeatHost | AdmissionHost

    def refusals(self) -> list[str]:
        """Return what the organiser is told about those who were turned away."""
        if isinstance(self.behind, SeatHost):
            return [self.behind.server.refused] if self.behind.server.refused else []
        return [line.partition(" was turned away: ")[2] for line in self.behind.told]

    async def left(self) -> None:
        """Close the channel, and wait until the referee has noticed."""
        self.channel.close()
        if isinstance(self.behind, AdmissionHost):
            while self.behind.admission._server._connections:
                await trio.sleep(0.005)


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return self_signed(["127.0.0.1"])


@pytest.fixture(params=["local", "hosted"])
def address(
    request: pytest.FixtureRequest, tmp_path: Path, certificate: Certificate
) -> AbstractAsyncContextManager[Address]:
    """Return the address of a local bot, or the one for hosted bots."""

    @asynccontextmanager
    async def local() -> AsyncIterator[Address]:
        async with open_seat(f"unix:{tmp_path}/seat") as host:
            with dial(host.server.target) as channel:
                yield Address(channel, TOKEN, host)

    @asynccontextmanager
    async def hosted() -> AsyncIterator[Address]:
        async with open_admission(certificate) as host:
            with dial(host.address, certificate.trust) as channel:
                yield Address(channel, host.tokens()[0], host)

    return local() if request.param == "local" else hosted()


def health(address: Address) -> Any:
    """Return the stub of the health service; its types do not know every method."""
    return health_pb2_grpc.HealthStub(address.channel)


async def failed(function: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    """Return the status and the words with which a call fails."""
    with pytest.raises(grpc.RpcError) as caught:
        await call(function)
    error = caught.value
    assert isinstance(error, grpc.Call)
    return error.code(), error.details() or ""


# Health.


@pytest.mark.parametrize("service", ["", SERVICE])
async def test_a_health_check_needs_no_token_and_troubles_nobody(address: Address, service: str) -> None:
    stub = health(address)
    request = health_pb2.HealthCheckRequest(service=service)
    answer = await call(lambda: stub.Check(request, timeout=DEADLINE_S))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    await address.left()
    assert address.refusals() == [], "a probe is no bot that was turned away"


async def test_the_health_of_something_else_is_not_known(address: Address) -> None:
    stub = health(address)
    request = health_pb2.HealthCheckRequest(service="harness.v1.SeatService")
    code, _ = await failed(lambda: stub.Check(request, timeout=DEADLINE_S))
    assert code == grpc.StatusCode.NOT_FOUND


async def test_the_health_of_everything_is_listed(address: Address) -> None:
    stub = health(address)
    request: Any = health_pb2.HealthListRequest()  # type: ignore[attr-defined]  # newer than its types
    listed = await call(lambda: stub.List(request, timeout=DEADLINE_S))
    assert {name: made.status for name, made in listed.statuses.items()} == dict.fromkeys(
        ("", SERVICE), health_pb2.HealthCheckResponse.SERVING
    )


async def test_health_cannot_be_watched(address: Address) -> None:
    """It would hold a thread of the referee for as long as a stranger likes."""
    stub = health(address)
    watch = stub.Watch(health_pb2.HealthCheckRequest(), timeout=DEADLINE_S)
    code, _ = await failed(lambda: next(watch))
    assert code == grpc.StatusCode.UNIMPLEMENTED


async def test_a_bot_may_probe_first_and_play_on_the_same_connection(address: Address) -> None:
    stub = health(address)
    await call(lambda: stub.Check(health_pb2.HealthCheckRequest(), timeout=DEADLINE_S))
    client = RawClient(address.channel)
    client.hello(address.token)
    if isinstance(address.behind, SeatHost):
        await address.behind.until(1)
    else:
        assert (await client.hear_a("welcome")).welcome.awaits_ready
    client.half_close()


# Reflection.


async def test_reflection_lists_the_services(address: Address) -> None:
    database = ProtoReflectionDescriptorDatabase(address.channel)
    assert set(await call(database.get_services)) == {SERVICE, HEALTH, REFLECTION}
    await address.left()
    assert address.refusals() == []


async def welcome_by_reflection(channel: grpc.Channel, token: str) -> Any:
    """Say Hello with messages made from what the address tells about itself, as grpcurl does; return the Welcome."""
    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    play = await call(lambda: pool.FindServiceByName(SERVICE).FindMethodByName("Play"))
    said, heard = GetMessageClass(play.input_type), GetMessageClass(play.output_type)
    assert said is not seat_pb2.PlayRequest
    hello: Any = said()
    hello.hello.token = token
    hello.hello.protocol_versions.append(1)
    speak: grpc.StreamStreamMultiCallable[Any, Any] = channel.stream_stream(
        PLAY, request_serializer=said.SerializeToString, response_deserializer=heard.FromString
    )
    stream = speak(iter([hello]), timeout=DEADLINE_S)
    answer = await call(lambda: next(stream))
    stream.cancel()
    return answer.welcome


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("where", ["local", "hosted"])
async def test_a_client_without_proto_files_greets_from_reflection_alone(
    tmp_path: Path, certificate: Certificate, where: str
) -> None:
    welcomes = []

    async def scenario(run: RawRun) -> None:
        card = await run.raw.invitation()
        with dial(card.target, card.trust) as channel:
            welcomes.append(await welcome_by_reflection(channel, card.token))
        run.raw.greeted.set()

    time = TimeControl(startup_ms=1000)
    await play_raw(scenario, tmp_path / "run", certificate if where == "hosted" else None, time)
    [welcome] = welcomes
    assert (welcome.protocol_version, welcome.awaits_ready) == (1, True)
    assert welcome.limits.max_response_bytes == MAX_RESPONSE


# The variants.


async def test_a_client_that_lists_the_variants_was_not_turned_away(address: Address) -> None:
    await call(list_variants(address, address.token, "euchre"))
    await address.left()
    assert address.refusals() == []


def list_variants(address: Address, token: str, *names: str) -> Callable[[], seat_pb2.ListVariantsResponse]:
    stub = seat_pb2_grpc.SeatServiceStub(address.channel)
    request = seat_pb2.ListVariantsRequest(token=token, names=names)
    return lambda: stub.ListVariants(request, timeout=DEADLINE_S)


async def test_the_variants_are_listed_to_who_has_a_token_which_stays_unused(address: Address) -> None:
    for _ in range(2):
        listed = await call(list_variants(address, address.token))
        assert [variant.name for variant in listed.variants] == list(variant_names())
    euchre = next(variant for variant in listed.variants if variant.name == "euchre")
    assert euchre.players == 4
    assert {option.name for option in euchre.options} >= {"target", "stick_dealer"}
    assert "trump" in euchre.description
    client = RawClient(address.channel)
    client.hello(address.token)
    if isinstance(address.behind, SeatHost):
        await address.behind.until(1)
    else:
        await client.hear_a("welcome")
    client.half_close()


async def test_variants_can_be_asked_for_by_name(address: Address) -> None:
    listed = await call(list_variants(address, address.token, "buck", "euchre"))
    assert [variant.name for variant in listed.variants] == ["buck", "euchre"]


@pytest.mark.parametrize("token", ["", "guessed"])
async def test_the_variants_are_for_bots_of_the_run(address: Address, token: str) -> None:
    code, why = await failed(list_variants(address, token))
    assert (code, why) == (grpc.StatusCode.UNAUTHENTICATED, "this token is not known here")


async def test_a_variant_that_does_not_exist_is_named_with_the_nearest_one(address: Address) -> None:
    code, why = await failed(list_variants(address, address.token, "euchr"))
    assert code == grpc.StatusCode.NOT_FOUND
    assert why == "unknown variant 'euchr', did you mean 'euchre'?"


# The protocol before.


async def test_a_bot_of_the_old_protocol_is_told_so_and_the_organiser_reads_it(address: Address) -> None:
    client = RawClient(address.channel, method=OLD_PLAY)
    assert await client.status() == grpc.StatusCode.UNIMPLEMENTED
    assert await call(client.call.details) == OUTDATED_SENTENCE
    if isinstance(address.behind, AdmissionHost):
        await address.behind.until_told("was turned away")
    assert address.refusals() == [OUTDATED_SENTENCE]


async def test_a_method_that_nobody_knows_is_unimplemented(address: Address) -> None:
    client = RawClient(address.channel, method="/bowerbird.seat.v9.SeatService/Play")
    assert await client.status() == grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.usefixtures("processes")
async def test_the_record_says_that_a_bot_speaks_the_old_protocol(tmp_path: Path) -> None:
    async def scenario(run: RawRun) -> None:
        client = await run.raw.dial(method=OLD_PLAY)
        assert await client.status() == grpc.StatusCode.UNIMPLEMENTED

    run = await play_raw(scenario, tmp_path / "run")
    details = {fault.detail for record in run.records for fault in record.faults}
    [detail] = details
    assert OUTDATED_SENTENCE in detail
