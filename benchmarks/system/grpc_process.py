"""Bare gRPC: round trips per second of a message to a bot and its answer, without a referee.

`python -m benchmarks.system.grpc_process MODE SECONDS VARIANT` is the server: gRPC's synchronous one, on a Unix
socket. It starts its clients as processes, as the referee starts bots, and prints the rate. Neither side decodes
anything; the bytes come from a real game (`messages`), in order.

    bare         one client; the handler writes and reads in turn
    two          two clients that are asked in turn, like two bots at one table; their handlers pass a baton
    bridge       two clients in turn, through the referee's own server and trio, but without a referee
"""

from __future__ import annotations

import json
import math
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import grpc
import trio

from benchmarks.system.messages import conversation
from bowerbird.harness.referee.connection.link_stream import LinkStream
from bowerbird.harness.referee.connection.local_server import LocalServer
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.seat_door import PLAY, SERVICE
from bowerbird.harness.referee.connection.stream import Received, StreamEvent
from bowerbird.harness.sdk.grpc_stream import CHANNEL_OPTIONS as CLIENT_OPTIONS
from bowerbird.seat.v1 import seat_pb2

SERVER_OPTIONS = (
    ("grpc.http2.bdp_probe", 0),
    ("grpc.experimental.tcp_max_read_buffer_size", 8192),
    ("grpc.so_reuseport", 0),
    ("grpc.per_message_decompression", 0),
    ("grpc.http2.max_ping_strikes", 0),
)
"""The options of gRPC's server that affect its speed, as the referee set them when it used that server."""

TOKEN = "token"
WARM_UP_S = 0.5
PATIENCE_S = 30.0


class Meter:
    """A counter of round trips that runs until the time is up."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begin = self._until = math.inf
        self._count = 0
        self.rate = 0.0

    def tick(self) -> bool:
        """Count a round trip. Return False if it was the last."""
        now = time.perf_counter()
        if self._begin == math.inf:
            self._begin = now + WARM_UP_S
        elif now >= self._begin and self._until == math.inf:
            self._begin, self._until, self._count = now, now + self.seconds, 0
        elif now >= self._until:
            self.rate = (self._count + 1) / (now - self._begin)
            return False
        self._count += 1
        return True


def serve(mode: str, seconds: float, variant: str) -> float:
    """Measure for `seconds`. Return the round trips per second."""
    said = conversation(variant)
    meter = Meter(seconds)
    with tempfile.TemporaryDirectory() as folder:
        if mode == "bridge":
            return trio.run(_bridge, f"unix:{folder}", meter, said, variant)
        address = f"unix:{folder}/1"
        clients = 1 if mode == "bare" else 2
        handler = _alone(meter, said) if mode == "bare" else _in_turn(meter, said, clients)
        return _serve_bare(address, clients, handler, meter, variant)


Handler = Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]
Game = list[tuple[bytes, bytes]]


def _serve_bare(address: str, clients: int, handler: Handler, meter: Meter, variant: str) -> float:
    done = threading.Event()

    def play(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        context.send_initial_metadata(())
        next(requests)
        yield from handler(requests, context)
        done.set()

    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {"Play": grpc.stream_stream_rpc_method_handler(play)}
    handlers = [grpc.method_handlers_generic_handler(SERVICE, methods)]
    server = grpc.server(ThreadPoolExecutor(clients), handlers=handlers, options=SERVER_OPTIONS)
    server.add_insecure_port(address)
    server.start()
    with Clients([address] * clients, variant):
        if not done.wait(PATIENCE_S + meter.seconds):
            raise TimeoutError("the clients did not answer")
    server.stop(0).wait()
    return meter.rate


def _alone(meter: Meter, said: Game) -> Handler:
    def handler(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        for question, _ in cycle(said):
            yield question
            next(requests)
            if not meter.tick():
                return

    return handler


def _in_turn(meter: Meter, said: Game, clients: int) -> Handler:
    batons: list[queue.SimpleQueue[bool]] = [queue.SimpleQueue() for _ in range(clients)]
    batons[0].put(True)
    places = iter(range(clients))

    def handler(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        place = next(places)
        mine, following = batons[place], batons[(place + 1) % clients]
        for question, _ in cycle(said):
            if not mine.get():
                following.put(False)
                return
            yield question
            next(requests)
            following.put(meter.tick())

    return handler


async def _bridge(folder: str, meter: Meter, said: Game, variant: str) -> float:
    """Measure two servers with one stream each, because the referee has one for each process."""
    lines = [_BridgeEnd(f"{folder}/{number}") for number in range(2)]
    async with trio.open_nursery() as nursery:
        for line in lines:
            nursery.start_soon(line.server.serve)
        with Clients([line.server.target for line in lines], variant), trio.fail_after(PATIENCE_S + meter.seconds):
            for line in lines:
                await line.connected.wait()
            for number, (question, _) in enumerate(cycle(said)):
                line = lines[number % 2]
                line.link.send(question)
                await line.events.receive()
                line.link.event_handled()
                if not meter.tick():
                    break
        for line in lines:
            await line.server.stop()
    return meter.rate


class _BridgeEnd:
    """The referee's side of one stream."""

    def __init__(self, address: str) -> None:
        self.connected = trio.Event()
        self._send, self.events = trio.open_memory_channel[StreamEvent](math.inf)
        self.server = LocalServer(
            address, TOKEN, self._connect, self._send.send_nowait, mailbox=Mailbox().open(), silence_s=PATIENCE_S
        )
        self.link: LinkStream

    def _connect(self, link: LinkStream, _: Received) -> None:
        self.link = link
        self.connected.set()


class Clients:
    """The client processes, ended when the `with` block ends."""

    def __init__(self, addresses: list[str], variant: str) -> None:
        client = [sys.executable, "-m", "benchmarks.system.grpc_process", "client"]
        self._commands = [[*client, address, variant] for address in addresses]
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> None:
        self._processes = [subprocess.Popen(command, stdin=subprocess.DEVNULL) for command in self._commands]

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


def answer(address: str, variant: str) -> None:
    """Run a client: answer each message with the next answer of the game, until the stream ends."""
    outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    hello = seat_pb2.PlayRequest(hello=seat_pb2.Hello(token=TOKEN, protocol_versions=[1]))
    outbox.put(hello.SerializeToString())
    answers = cycle([reply for _, reply in conversation(variant)])
    with grpc.insecure_channel(address, options=CLIENT_OPTIONS) as channel:
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(PLAY)
        try:
            for _ in play(iter(outbox.get, None)):
                outbox.put(next(answers))
        except grpc.RpcError:
            return  # the server has ended the measurement


def main() -> None:
    """Run as server or client (see the module)."""
    if sys.argv[1] == "client":
        answer(sys.argv[2], sys.argv[3])
    else:
        print(json.dumps({"rate": serve(sys.argv[1], float(sys.argv[2]), sys.argv[3])}))


if __name__ == "__main__":
    main()
