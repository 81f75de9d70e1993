"""Admission in this process, and bots that connect to it over TLS; for the tests of remote bots."""

from __future__ import annotations

import queue
import socket
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
import trio

from bowerbird.harness.records.values.game_record import REMOTE, TimeControl
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.stream import STATUS
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.remote.admission import Admission, StandingTokens, TlsListener
from bowerbird.harness.referee.remote.certificate import Certificate
from bowerbird.harness.referee.spec import BotSpec, FaultLimits
from bowerbird.seat.v1 import seat_pb2, seat_pb2_grpc
from tests.support.deadline import DEADLINE_S

TIME = TimeControl(per_decision_ms=60_000, bank_ms=0, startup_ms=20_000)


def remote_bot(name: str) -> BotSpec:
    return BotSpec(
        name=name,
        version="1",
        author="",
        command=(),
        cwd=Path(),
        build=(),
        environment={},
        variants=("*",),
        tables=8,
        memory_mb=0,
        read=(),
        source=Path("cup.toml"),
        fingerprint=REMOTE,
        remote=True,
    )


class Caller:
    """A remote bot's side of a TLS connection, driven by the test."""

    def __init__(self, address: str, trust: bytes, on: Caller | None = None) -> None:
        """Open a stream, over a new connection or over the connection of the caller `on`."""
        options = (("grpc.use_local_subchannel_pool", 1),)
        self._channel: grpc.Channel = (
            grpc.secure_channel(address, grpc.ssl_channel_credentials(trust), options=options)
            if on is None
            else on._channel
        )
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play: grpc.StreamStreamMultiCallable[bytes, seat_pb2.PlayResponse] = self._channel.stream_stream(
            "/bowerbird.seat.v1.SeatService/Play", response_deserializer=seat_pb2.PlayResponse.FromString
        )
        self._call = play(iter(self._outbox.get, None), timeout=DEADLINE_S)

    def say(self, **message: object) -> None:
        self._outbox.put(seat_pb2.PlayRequest(**message).SerializeToString())  # type: ignore[arg-type]  # one of its fields

    def hello(
        self, token: str = "", secret: str = "", *, resume: bool = True, version: int = 1, min_decision_ms: int = 0
    ) -> None:
        able = seat_pb2.Capabilities(max_tables=64, max_batch=4, resume=resume, min_decision_ms=min_decision_ms)
        self.say(
            hello=seat_pb2.Hello(token=token, session_secret=secret, protocol_versions=[version], capabilities=able)
        )

    async def hear(self) -> seat_pb2.PlayResponse:
        """Return the next message."""
        return await trio.to_thread.run_sync(next, self._call, abandon_on_cancel=True)

    async def has_ended(self) -> bool:
        """Wait for the next message; return whether the stream ended instead."""
        return await trio.to_thread.run_sync(next, self._call, None, abandon_on_cancel=True) is None

    async def error(self) -> seat_pb2.Error:
        """Wait for a fatal Error, and for the end of the stream with the status of its code."""
        error = (await self.hear()).error
        assert error.fatal
        code = seat_pb2.ErrorCode.Name(error.code).removeprefix("ERROR_CODE_")
        assert error.hint or code in ("STARTUP", "PROTOCOL")
        with pytest.raises(grpc.RpcError):
            await self.hear()
        assert (await trio.to_thread.run_sync(self._call.code)).name == STATUS[code].name
        assert await trio.to_thread.run_sync(self._call.details) == error.message
        return error

    async def refusal(self) -> tuple[str, str]:
        """Wait for a fatal Error and the end of the stream; return the code and the sentence of the Error."""
        error = await self.error()
        return seat_pb2.ErrorCode.Name(error.code).removeprefix("ERROR_CODE_"), error.message

    async def come_in(self, token: str, *, resume: bool = True) -> seat_pb2.Welcome:
        """Say Hello and, once welcomed, Ready; return the Welcome."""
        self.hello(token, resume=resume)
        welcome = (await self.hear()).welcome
        self.say(ready=seat_pb2.Ready())
        return welcome

    async def come_back(self, secret: str) -> seat_pb2.Welcome:
        """Say Hello with the secret of a session; return the Welcome."""
        self.hello(secret=secret)
        return (await self.hear()).welcome

    def list_variants(self, request: seat_pb2.ListVariantsRequest) -> seat_pb2.ListVariantsResponse:
        return seat_pb2_grpc.SeatServiceStub(self._channel).ListVariants(request, timeout=DEADLINE_S)

    def half_close(self) -> None:
        """End the stream, and keep the connection."""
        self._outbox.put(None)

    def vanish(self) -> None:
        """Break the connection."""
        self._outbox.put(None)
        self._channel.close()


class AdmissionHost:
    """An admission with two remote bots, the lines that it reported, and its callers."""

    def __init__(
        self,
        certificate: Certificate,
        time: TimeControl,
        standing: StandingTokens | None = None,
        required: Sequence[str] = (),
    ) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.certificate = certificate
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.told: list[str] = []
        self.news = trio.Event()
        self.callers: list[Caller] = []
        self.outsiders: list[str] = []
        self.admission = Admission(
            [remote_bot("ada"), remote_bot("grace")],
            TlsListener(self._listener, certificate.server_context()),
            tables=5,
            time=time,
            limits=FaultLimits(max_restarts=1, reconnect_ms=0),
            report=self._tell,
            required=required,
            standing=standing,
            on_outsider=self.outsiders.append,
        )

    def _tell(self, line: str) -> None:
        self.told.append(line)
        self.news.set()

    async def until_told(self, words: str) -> None:
        while not any(words in line for line in self.told):
            await self.news.wait()
            self.news = trio.Event()

    def tokens(self, bot: str = "ada") -> tuple[str, ...]:
        return self.admission.invitations[bot].tokens

    def caller(self, on: Caller | None = None) -> Caller:
        made = Caller(self.address, self.certificate.trust, on)
        self.callers.append(made)
        return made

    def connect(self, source: str = "127.0.0.1") -> ssl.SSLSocket:
        """Open a TLS connection from this address and say nothing."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=self.certificate.trust.decode())
        context.set_alpn_protocols(["h2"])
        host, _, port = self.address.rpartition(":")
        made = socket.create_connection((host, int(port)), DEADLINE_S, source_address=(source, 0))
        return context.wrap_socket(made, server_hostname=host)


@asynccontextmanager
async def open_admission(
    certificate: Certificate,
    time: TimeControl = TIME,
    standing: StandingTokens | None = None,
    *,
    required: Sequence[str] = (),
) -> AsyncIterator[AdmissionHost]:
    """Open an admission that accepts bots; break all callers' connections on leaving."""
    host = AdmissionHost(certificate, time, standing, required)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.admission.run, Mailbox().open(), RunningTime())
        try:
            yield host
        finally:
            for caller in host.callers:
                caller.vanish()
            nursery.cancel_scope.cancel()
