"""The start-up time of bots, several at once, with only a server that welcomes them."""

from __future__ import annotations

import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import grpc

from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.endpoint import PROTOCOL_VERSION
from bowerbird.harness.referee.connection.seat_door import SERVICE, SOCKET_MODE
from bowerbird.harness.referee.isolation.launch import Tier
from bowerbird.harness.referee.isolation.seccomp import passing_filter
from bowerbird.harness.referee.spec import BotSpec

DEADLINE_S = 60


def time_to_start(bot: BotSpec, processes: int, tier: Tier) -> int:
    """Return the nanoseconds from the start of the first process until the last one is Ready.

    They start as under the referee, with the same isolation. The server is ready before the first of them starts.
    """
    ready: queue.SimpleQueue[int] = queue.SimpleQueue()
    over = threading.Event()

    def greet(requests: Iterator[bytes], _context: grpc.ServicerContext) -> Iterator[bytes]:
        next(requests)
        yield messages.welcome(
            version=PROTOCOL_VERSION,
            max_tables=1,
            max_batch=1,
            features=(),
            startup_ms=DEADLINE_S * 1000,
        )
        next(requests)
        ready.put(time.monotonic_ns())
        over.wait()
        yield messages.goodbye("FINISHED", grace_ms=DEADLINE_S * 1000)

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = grpc.server(
            stack.enter_context(ThreadPoolExecutor(processes)),
            handlers=[
                grpc.method_handlers_generic_handler(SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(greet)})
            ],
        )
        server.add_insecure_port(f"unix:{folder}/1")
        (folder / "1").chmod(SOCKET_MODE)
        server.start()
        stack.callback(lambda: server.stop(0).wait(DEADLINE_S))
        seat = {
            "BOWERBIRD_ADDRESS": f"unix:{folder}/1",
            "BOWERBIRD_TOKEN": "any",
            "BOWERBIRD_PROTOCOLS": str(PROTOCOL_VERSION),
        }
        launches = [tier.launch(bot, seat) for _ in range(processes)]
        stack.callback(over.set)
        began = time.monotonic_ns()
        for launch in launches:
            with passing_filter(launch.argv, memory_is_bounded=False) as (argv, descriptors):
                process = subprocess.Popen(
                    argv,
                    cwd=launch.cwd,
                    env=dict(launch.environment),
                    pass_fds=descriptors,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            stack.callback(process.wait, DEADLINE_S)
            stack.callback(process.kill)
        for _ in launches:
            last = ready.get(timeout=DEADLINE_S)
    return last - began
