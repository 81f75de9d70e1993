"""Settings of a whole process. Its entry point applies them; importing this module changes nothing."""

import atexit
import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

COLLECT_AFTER = 10_000
"""Net allocations after which Python collects the youngest generation; its own default is 700.

With 700, the import of one match triggers a hundred collections and spends an eighth of its time on them, although all
objects stay. While bots play, a collection runs every few dozen decisions and frees next to nothing.
"""

GRPC_VARIABLE = "GRPC_EXPERIMENTS"
GRPC_EXPERIMENTS = "-event_engine_client,-event_engine_listener"
"""Switches off gRPC's own polling threads, so that the thread that waits for a message polls for it.

By default those threads hand each message to the waiting thread; a short message then costs up to twice as much.
"""

BLAS_VARIABLE = "OPENBLAS_NUM_THREADS"
BLAS_THREADS = "1"
"""The threads of OpenBLAS, which numpy and scipy each bring a copy of; by default one for each core.

Our products are small. The other threads find no work, and spin while they wait for it: half a second of the processor
for each command that rates bots.
"""


def configure_garbage_collection() -> None:
    """Collect garbage rarely for the rest of this process, and not at its end.

    When it exits, Python looks through all objects again, a tenth of a second after scipy was imported, although the
    system takes the memory back at once. Not for a bot's process: a file that its author left open in a cycle of
    objects is written to the end by that collection alone.
    """
    gc.set_threshold(COLLECT_AFTER)
    atexit.register(gc.freeze)


def configure_linear_algebra() -> None:
    """Let numpy and scipy compute in one thread; a value that the environment holds already stays.

    Call it before numpy is imported, whose library reads the variable then.
    """
    os.environ.setdefault(BLAS_VARIABLE, BLAS_THREADS)


def configure_grpc() -> None:
    """Let waiting threads poll for gRPC; a value that the environment holds already stays.

    Call it before grpc is imported, which reads the variable then.
    """
    os.environ.setdefault(GRPC_VARIABLE, GRPC_EXPERIMENTS)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Block SIGINT, so that processes started here inherit the block: Ctrl-C is for this process only."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
