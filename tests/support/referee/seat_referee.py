"""A referee for one bot process, driven by the test: it sends what the test says and keeps what the bot says.

A real gRPC server on a real socket, but without rules, clocks or other seats.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc

from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

TOKEN = "a-secret-of-one-process"


@dataclass(frozen=True)
class _Status:
    """How a stream ends."""

    code: grpc.StatusCode
    details: str


_OK = _Status(grpc.StatusCode.OK, "")


class SeatReferee:
    """A server of one stream at a time.

    `hear` waits for the bot's next message, `say` sends one, `end` closes the stream. `left_s` is the time that the bot
    gave its last call: infinite without a deadline.
    """

    def __init__(self, address: str, credentials: grpc.ServerCredentials | None = None) -> None:
        """Listen on a unix path or "localhost:0". The bot dials `address`."""
        self._heard: queue.SimpleQueue[seat_pb2.PlayRequest | None] = queue.SimpleQueue()
        self._to_say: queue.SimpleQueue[bytes | _Status] = queue.SimpleQueue()
        self.left_s = 0.0
        self._pool = ThreadPoolExecutor(max_workers=4)
        self._server = grpc.server(self._pool)
        handler: grpc.RpcMethodHandler[seat_pb2.PlayRequest, bytes] = grpc.stream_stream_rpc_method_handler(
            self._play, request_deserializer=seat_pb2.PlayRequest.FromString
        )
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("bowerbird.seat.v1.SeatService", {"Play": handler}),)
        )
        port = (
            self._server.add_insecure_port(address)
            if credentials is None
            else self._server.add_secure_port(address, credentials)
        )
        self.address = address if address.startswith("unix:") else f"localhost:{port}"
        self._server.start()

    def _play(self, requests: Iterator[seat_pb2.PlayRequest], context: grpc.ServicerContext) -> Iterator[bytes]:
        # What was not said before the bot left its last stream must not be said on this one.
        to_say = self._to_say = queue.SimpleQueue()
        context.add_callback(lambda: to_say.put(_OK))
        context.send_initial_metadata(())
        self.left_s = context.time_remaining()
        self._pool.submit(self._listen, requests)
        while isinstance(said := to_say.get(), bytes):
            yield said
        context.set_code(said.code)
        context.set_details(said.details)

    def _listen(self, requests: Iterator[seat_pb2.PlayRequest]) -> None:
        try:
            for request in requests:
                self._heard.put(request)
        except grpc.RpcError:
            pass  # the bot broke the stream instead of closing it; no more messages come in either case
        self._heard.put(None)

    def hear(self) -> seat_pb2.PlayRequest | None:
        """Return the bot's next message; None when it has closed its side."""
        return self._heard.get(timeout=DEADLINE_S)

    def hear_a(self, kind: str) -> seat_pb2.PlayRequest:
        """Return the bot's next message; fail if it is not of this kind."""
        request = self.hear()
        assert request is not None, f"the bot closed its side instead of saying {kind}"
        assert request.WhichOneof("message") == kind, f"wanted {kind}, heard {request}"
        return request

    def say(self, response: seat_pb2.PlayResponse | bytes) -> None:
        """Send a message."""
        self._to_say.put(response if isinstance(response, bytes) else response.SerializeToString())

    def welcome(self) -> seat_pb2.Hello:
        """Exchange the greeting, up to Ready; return the bot's Hello."""
        hello = self.hear_a("hello").hello
        self.say(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1, awaits_ready=True)))
        self.hear_a("ready")
        return hello

    def end(self, code: grpc.StatusCode = grpc.StatusCode.OK, details: str = "") -> None:
        """Close the stream from this side, as after a Goodbye, or with another status."""
        self._to_say.put(_Status(code, details))

    def refuse(self, error: seat_pb2.Error, code: grpc.StatusCode, details: str) -> None:
        """Send a last message and close the stream, even if the bot leaves it before it has closed."""
        to_say = self._to_say  # the bot's next stream has another one
        to_say.put(seat_pb2.PlayResponse(error=error).SerializeToString())
        to_say.put(_Status(code, details))

    def stop(self) -> None:
        """Cut off all connections, like a referee that is killed."""
        self._server.stop(0).wait(DEADLINE_S)
        self._to_say.put(_OK)
        self._pool.shutdown(wait=False)


@dataclass(frozen=True)
class Ended:
    """Exit status and output of a process that ended."""

    code: int
    stdout: str
    stderr: str


class BotProcess:
    """A bot as a child process in a clean environment."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], cwd: Path) -> None:
        clean = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=clean | dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def ended(self) -> Ended:
        """Wait for the end of the process."""
        stdout, stderr = self._process.communicate(timeout=DEADLINE_S)
        return Ended(self._process.returncode, stdout, stderr)

    def kill(self) -> None:
        """Kill the process if it still runs, and close its pipes."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate(timeout=DEADLINE_S)


@contextmanager
def started(
    command: Sequence[str], environment: Mapping[str, str] | None = None, *, cwd: Path = ROOT
) -> Iterator[BotProcess]:
    """Start a process; kill it on leaving."""
    process = BotProcess(command, environment or {}, cwd)
    try:
        yield process
    finally:
        process.kill()


@contextmanager
def refereed(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    cwd: Path = ROOT,
    address: str = "",
    credentials: grpc.ServerCredentials | None = None,
) -> Iterator[tuple[SeatReferee, BotProcess]]:
    """Start a referee and the bot process that connects to it; on a unix socket unless `address` is given."""
    # Socket paths must be short; a test's own folder may be too deep.
    with tempfile.TemporaryDirectory(prefix="seat-") as folder:
        referee = SeatReferee(address or f"unix:{folder}/s", credentials)
        dial = {"BOWERBIRD_ADDRESS": referee.address, "BOWERBIRD_TOKEN": TOKEN, "BOWERBIRD_PROTOCOLS": "1"}
        try:
            with started(command, dial | dict(environment or {}), cwd=cwd) as process:
                yield referee, process
        finally:
            referee.stop()


def python_bot(folder: Path, body: str) -> list[str]:
    """Return the command of a bot whose class `Mine` has this body."""
    source = folder / "mine.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    source.write_text(
        "from bowerbird.harness.sdk import RESIGN, Bot, Capabilities, run\n\n"
        f"class Mine(Bot):\n{lines}\n\nrun(Mine())\n",
        encoding="utf-8",
    )
    return [sys.executable, str(source)]
