"""Spectators of a run, for `make bench ARGS="--watchers 10"`: `python -m benchmarks.system.watching 10`.

Each watches one table after another until the run ends. The program prints as JSON how many `updates` they got in
total, and how many `processors` this process used while they watched.
"""

from __future__ import annotations

import json
import sys
import threading
import time

from bowerbird.spectator import NotFoundError, RunGoneError, WatchClient, WatchError, connect, running

START_S = 60.0
LOOK_S = 0.5
"""The time that a spectator waits before it looks for the next table."""


class Spectators:
    """Threads that watch tables, spread over those in play."""

    def __init__(self, client: WatchClient, number: int) -> None:
        self._client = client
        self._number = number
        self.updates = 0
        self._lock = threading.Lock()

    def run(self) -> None:
        """Watch until the run ends."""
        threads = [threading.Thread(target=self._watch, args=(place,)) for place in range(self._number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _watch(self, place: int) -> None:
        try:
            while True:
                tables = self._client.tables()
                if tables:
                    self._watch_table(tables[place * len(tables) // self._number].game)
                time.sleep(LOOK_S)
        except RunGoneError:
            return

    def _watch_table(self, game: str) -> None:
        try:
            for _ in self._client.watch_table(game):
                with self._lock:
                    self.updates += 1
        except NotFoundError:
            return  # it has ended in the meantime


def main() -> None:
    """Watch the only run in this runtime folder."""
    deadline = time.monotonic() + START_S
    while not (found := running()):
        if time.monotonic() > deadline:
            sys.exit("there is no run to watch")
        time.sleep(0.05)
    with connect(found[0]) as client:
        spectators = Spectators(client, int(sys.argv[1]))
        began, used = time.perf_counter(), time.process_time()
        try:
            spectators.run()
        except WatchError as error:
            sys.exit(str(error))
    processors = (time.process_time() - used) / (time.perf_counter() - began)
    print(json.dumps({"updates": spectators.updates, "processors": processors}))


if __name__ == "__main__":
    main()
