"""Settings of a whole process. Its entry point applies them; importing this module changes nothing."""

import atexit
import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

COLLECT_AFTER = 10_000
"""Net allocations after which Python collects the youngest generation; its own default is 700.

With 700, the imports for one match trigger a hundred collections, which take an eighth of the time although all objects
stay. While bots play, a collection runs every few dozen decisions and frees almost nothing.
"""

GRPC_VARIABLE = "GRPC_EXPERIMENTS"
GRPC_EXPERIMENTS = "-event_engine_client,-event_engine_listener"
"""A setting that turns off gRPC's own polling threads, so that the thread that waits for a message polls for it.

By default, gRPC's threads hand each message to the waiting thread, which can double the cost of a short message.
"""

BLAS_VARIABLE = "OPENBLAS_NUM_THREADS"
BLAS_THREADS = "1"
"""The number of threads of OpenBLAS, of which numpy and scipy each have a copy; by default one for each core.

Our matrix products are small. Other threads find no work and spin while they wait, which costs half a second of
processor time in each command that rates bots.
"""


def configure_garbage_collection() -> None:
    """Collect garbage rarely for the rest of this process, and not at exit.

    At exit, Python looks through all objects again, which takes a tenth of a second once scipy is imported, although
    the system frees the memory at once. Do not use this in a bot's process: if its author left a file open in a cycle
    of objects, only that collection writes the file to the end.
    """
    gc.set_threshold(COLLECT_AFTER)
    atexit.register(gc.freeze)


def configure_linear_algebra() -> None:
    """Let numpy and scipy compute in one thread. An existing value in the environment is kept.

    Call it before numpy is imported, whose library reads the variable then.
    """
    os.environ.setdefault(BLAS_VARIABLE, BLAS_THREADS)


def configure_grpc() -> None:
    """Let waiting threads poll for gRPC. An existing value in the environment is kept.

    Call it before grpc is imported, which reads the variable then.
    """
    os.environ.setdefault(GRPC_VARIABLE, GRPC_EXPERIMENTS)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Block SIGINT, so that processes started here inherit the block and Ctrl-C affects only this process."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
