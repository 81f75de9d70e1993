"""A process that keeps part of a processor busy until it is killed: `python -m benchmarks.system.busy 0.25`.

It represents spectators on the same machine: it shows what spectators cost a run by their own use of the processor.
"""

from __future__ import annotations

import sys
import time

SLICE_S = 0.002
"""About the time that a spectator works at a stretch."""


def spin(processors: float) -> None:
    """Use `processors`, at most 1, for ever: spin and rest in turn. Each rest compensates for the turns before it."""
    began, used = time.perf_counter(), time.process_time()
    while True:
        turn = time.process_time() + SLICE_S
        while time.process_time() < turn:
            pass
        due = (time.process_time() - used) / processors
        time.sleep(max(0.0, began + due - time.perf_counter()))


if __name__ == "__main__":
    spin(min(1.0, float(sys.argv[1])))
