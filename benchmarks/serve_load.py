"""Many browsers on the pages of a run in play: memory, page times, and how much they slow down the run.

    make bench ARGS="serve --browsers 200 --sets 1000"

Plays a match twice, without pages and with them, and prints the decisions a second of both. The time at the end, when
the browsers get the last change, is not counted.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from statistics import quantiles

from bowerbird.harness.records.store.store import Store

ENTRY = "from bowerbird.harness.cli.entry import main; main()"
_STORED = re.compile(r"(\d+) of \d+ deal sets")
"""The line that says how many deal sets are stored."""


def main() -> None:
    """Run the benchmark and print its figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browsers", type=int, default=200)
    parser.add_argument("--sets", type=int, default=1000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = _match(folder / "alone.db", chosen.sets)
        beside = _match(folder / "beside.db", chosen.sets, browsers=chosen.browsers)
        print(json.dumps({"alone": alone, "beside": beside}, indent=2))


def _match(db: Path, sets: int, browsers: int = 0) -> dict[str, object]:
    command = [sys.executable, "-c", ENTRY, "match", "greedy", "random", "--variant", "euchre", "--db", str(db)]
    serve = ["--serve", "127.0.0.1:0"] if browsers else []
    with subprocess.Popen(
        [*command, "--sets", str(sets), *serve], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr is not None
        load = None
        stored: list[tuple[float, int]] = []
        for line in iter(run.stderr.readline, ""):
            if line.startswith("the pages: "):
                load = _Load(int(line.split()[2].rstrip("/").rpartition(":")[2]), browsers)
            elif match := _STORED.match(line):
                stored.append((time.monotonic(), int(match[1])))
        figures = load.figures() if load is not None else {}
    with Store.open(db) as store:
        decisions = sum(game.decisions for game in store.run().games())
    (began, before), (ended, after) = stored[0], stored[-1]
    rate = decisions / sets * (after - before) / (ended - began)
    return {"decisions": decisions, "decisions_a_second": round(rate), **figures}


class _Load:
    """Browsers that are notified of changes and fetch the page again after each."""

    def __init__(self, port: int, browsers: int) -> None:
        self._port = port
        self._times: list[float] = []
        self._metrics = ""
        for _ in range(browsers):
            threading.Thread(target=self._browse, daemon=True).start()
        threading.Thread(target=self._measure, daemon=True).start()

    def _browse(self) -> None:
        with suppress(OSError, http.client.HTTPException), closing(self._connection()) as stream:
            stream.request("GET", "/events")
            answer = stream.getresponse()
            while line := answer.readline():
                if line.startswith(b"data:"):
                    began = time.monotonic()
                    with closing(self._connection()) as page:
                        page.request("GET", self._page())
                        page.getresponse().read()
                    self._times.append(time.monotonic() - began)

    def _page(self) -> str:
        return "/"

    def _measure(self) -> None:
        with suppress(OSError, http.client.HTTPException):
            while True:
                time.sleep(1)
                with closing(self._connection()) as page:
                    page.request("GET", "/metrics")
                    self._metrics = page.getresponse().read().decode()

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)

    def figures(self) -> dict[str, object]:
        """Return the measurements."""
        values = dict(line.rsplit(" ", 1) for line in self._metrics.splitlines() if not line.startswith("#"))
        memory = int(values.get("bowerbird_memory_bytes_most", "0"))
        times = sorted(self._times)
        return {
            "pages_fetched": len(times),
            "p50_ms": round(1000 * quantiles(times, n=100)[49]) if len(times) > 1 else None,
            "p99_ms": round(1000 * quantiles(times, n=100)[98]) if len(times) > 1 else None,
            "memory_mb": round(memory / 1e6, 1),
            "streams": values.get("bowerbird_streams_open"),
        }
