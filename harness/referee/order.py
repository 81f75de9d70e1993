"""What the launcher process is told to start. No trio: an order may be given before that is imported (`ahead`)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from harness.referee.isolation import Launch
from harness.referee.log import Log


@dataclass(frozen=True, slots=True)
class Order:
    """A process that is to be started: the `number` by which the launcher knows it, and what is known of it here.

    `outputs` are the descriptors from which its stdout and stderr can be read; they belong to whoever has the order.
    """

    number: int
    log: Log
    memory_mb: int
    outputs: tuple[int, int]

    def give_up(self) -> None:
        """Nobody is going to read what it writes."""
        for end in self.outputs:
            os.close(end)


def request_line(request: Mapping[str, Any]) -> bytes:
    """A request as the launcher process reads it."""
    return json.dumps(request).encode() + b"\n"


@contextmanager
def ordering(number: int, launch: Launch, log: Log) -> Iterator[tuple[Order, bytes, tuple[int, int]]]:
    """An order, and what the launcher is to be sent: a line and two descriptors (`launcher_process`). Raises OSError.

    The order is given up if it cannot be sent.
    """
    out, their_out = os.pipe()
    try:
        err, their_err = os.pipe()
    except OSError:
        os.close(out)
        os.close(their_out)
        raise
    order = Order(number, log, launch.memory_mb, (out, err))
    request = {
        "start": number,
        "argv": list(launch.argv),
        "cwd": str(launch.cwd),
        "env": dict(launch.environment),
        "relays_signals": launch.relays_signals,
        "memory_mb": launch.memory_mb,
        "processes": launch.processes,
        "handed": launch.handed.hex(),
    }
    try:
        yield order, request_line(request), (their_out, their_err)
    except BaseException:
        order.give_up()
        raise
    finally:
        os.close(their_out)
        os.close(their_err)
