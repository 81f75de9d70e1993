"""Plays a tournament in this process and measures it once all tables are in use.

    python -m benchmarks.system.tournament_process JSON FOLDER

The start of the processes, the first moments, and the end with its few remaining tables are not counted. SIGTERM ends
the run after the measured seconds. Everything else is as in `bowerbird tournament`: rules, views, records, store,
ratings.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.machine import ROOT
from benchmarks.processes import cpu_seconds, descendants
from bowerbird.harness.process_settings import configure_garbage_collection
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.referee.game.clock import MessageClock
from bowerbird.harness.tournament.config.tournament_file import quick_match
from bowerbird.harness.tournament.events import SetSaved, TournamentEvent
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

SETS = 4000
"""More deal sets than can be played in the available time."""

START_S = 60.0
"""Deadline of the first deal set, in seconds."""

WARM_UP_S = 1.0


@dataclass(frozen=True, slots=True)
class Match:
    """A match to play. `bots` are paths; `max_hands` 0 means whole games; `seconds` is the length of the measurement.

    `arguments` are appended to the command of each bot.

    Bots work on `slots` requests at once; 0 means one for each core, the default of a tournament. With `watch` the
    watch service runs, and `watchers` spectators in a separate process each watch a table, game after game. Another
    process keeps `busy` processors busy during the match.
    """

    bots: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    variant: str = "euchre"
    tables: int = 64
    instances: str = "shared"
    isolation: str = "none"
    jobs: int = 1
    max_hands: int = 0
    slots: int = 0
    seconds: float = 4.0
    watch: bool = False
    watchers: int = 0
    busy: float = 0.0

    def settings(self) -> dict[str, object]:
        """Return the keys of [tournament]."""
        named = {"max_hands": self.max_hands, "slots": self.slots}
        given = {key: value for key, value in named.items() if value}
        return {"tables": self.tables, "instances": self.instances, "isolation": self.isolation, **given}


@dataclass(frozen=True, slots=True)
class Rates:
    """The measured rates, per second unless stated otherwise.

    `decisions` are the decisions that bots answered; with several workers, only the ones in stored games. `actions` are
    all actions in stored games, including forced ones. CPU time is in microseconds for each decision, for this process
    (`own_cpu`) and its descendants (`other_cpu`); both are 0 with several workers. `watching` is the number of
    processors that the spectators used.
    """

    decisions: float
    messages: float
    actions: float
    own_cpu: float
    other_cpu: float
    watching: float = 0.0


class Tap:
    """A counter of answers, at the point where each message of answers is charged to the clock."""

    def __init__(self) -> None:
        """Start at 0; counting starts with `open`."""
        self.messages = 0
        self.decisions = 0

    def open(self) -> None:
        """Count in every session of this process."""
        charge: Callable[[MessageClock, int, int], int] = MessageClock.part

        def counted(clock: MessageClock, decisions: int, now: int) -> int:
            self.messages += 1
            self.decisions += decisions
            return charge(clock, decisions, now)

        setattr(MessageClock, "part", counted)  # noqa: B010  # a hook would cost time when it is not measured


@dataclass(frozen=True, slots=True)
class _Sample:
    """The counters at one moment."""

    at: float
    decisions: int
    messages: int
    actions: int
    own_cpu: float
    other_cpu: float


class Meter:
    """A meter that samples a running tournament twice, from a separate thread, and then ends the run."""

    def __init__(self, seconds: float, also: Callable[[TournamentEvent], None] = lambda _: None) -> None:
        """Measure for `seconds`; `also` is called for each stored deal set, in the main thread."""
        self._seconds = seconds
        self._tap = Tap()
        self._actions = 0
        self._begun = threading.Event()
        self._also = also
        self._samples: list[_Sample] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def open(self) -> None:
        """Start counting, and wait for the first deal set."""
        self._tap.open()
        self._thread.start()

    def note(self, event: TournamentEvent) -> None:
        """Handle an event of the tournament."""
        if isinstance(event, SetSaved):
            self._actions += sum(result.decisions for result in event.results)
            self._begun.set()
            self._also(event)

    def _watch(self) -> None:
        if self._begun.wait(START_S):
            time.sleep(WARM_UP_S)
            self._samples.append(self._sample())
            time.sleep(self._seconds)
            self._samples.append(self._sample())
        os.kill(os.getpid(), signal.SIGTERM)

    def sampled(self) -> None:
        """Record more at each sample; a subclass may override this."""

    def _sample(self) -> _Sample:
        self.sampled()
        others = cpu_seconds(descendants(os.getpid()))
        return _Sample(
            time.perf_counter(), self._tap.decisions, self._tap.messages, self._actions, time.process_time(), others
        )

    def rates(self) -> Rates:
        """Return the rates. Raises RuntimeError if the run ended too soon or never started."""
        if len(self._samples) < 2:
            raise RuntimeError("the run ended before it could be measured")
        first, last = self._samples
        seconds = last.at - first.at
        decisions = last.decisions - first.decisions
        return Rates(
            decisions=decisions / seconds,
            messages=(last.messages - first.messages) / seconds,
            actions=(last.actions - first.actions) / seconds,
            own_cpu=(last.own_cpu - first.own_cpu) / decisions * 1e6 if decisions else 0.0,
            other_cpu=(last.other_cpu - first.other_cpu) / decisions * 1e6 if decisions else 0.0,
        )


def play(match: Match, meter: Meter, place: Path | None = None) -> Rates:
    """Play until the meter has measured. `place` is the folder of the database; rates are valid only on a real disk."""
    file = quick_match(
        match.bots, {match.variant: {}}, sets=SETS, seed="bench", name="bench", settings=match.settings()
    )
    bots = [replace(bot, command=(*bot.command, *match.arguments)) for bot in file.bots]
    file = replace(file, bots=tuple(bots))
    with tempfile.TemporaryDirectory(dir=place) as name:
        folder = Path(name)
        database = folder / "bench.db"
        os.environ["XDG_RUNTIME_DIR"] = name  # so that no other run is watched by mistake
        meter.open()
        found: Rates | None = None
        with Store.create(database) as store, busy(match.busy), watching(match.watchers) as watched:
            try:
                play_tournament(
                    make_plan(file),
                    store,
                    meter.note,
                    RunOptions(workers=match.jobs, watch=match.watch),
                )
            except KeyboardInterrupt:
                found = meter.rates()
        if found is None:
            raise RuntimeError(f"all {SETS} deal sets ended before they were measured")
        if not found.decisions:
            found = replace(found, decisions=found.actions * answered_share(database))
        return replace(found, watching=watched.get("processors", 0.0))


@contextmanager
def busy(processors: float) -> Iterator[None]:
    """During the block, let another process keep `processors` busy (`benchmarks.system.busy`)."""
    if not processors:
        yield
        return
    with subprocess.Popen([sys.executable, "-m", "benchmarks.system.busy", str(processors)], cwd=ROOT) as process:
        try:
            yield
        finally:
            process.kill()


@contextmanager
def watching(watchers: int) -> Iterator[Mapping[str, float]]:
    """Let spectators watch during the block (`benchmarks.system.watching`). Fail if they see nothing.

    Yield a mapping that contains their output after the block.
    """
    seen: dict[str, float] = {}
    if not watchers:
        yield seen
        return
    command = [sys.executable, "-m", "benchmarks.system.watching", str(watchers)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield seen
    finally:
        said, _ = process.communicate(timeout=START_S)
        seen |= json.loads(said) if process.returncode == 0 else {}
        if not seen.get("updates"):
            raise RuntimeError(f"{watchers} spectators said {said!r}, exit code {process.returncode}")


def answered_share(database: Path) -> float:
    """Return the share of actions in a database that bots decided."""
    with closing(sqlite3.connect(database)) as connection:
        (answered,) = connection.execute("SELECT SUM(decisions) FROM seat").fetchone()
        (made,) = connection.execute("SELECT SUM(decisions) FROM game").fetchone()
    return float(answered / made)


def main() -> None:
    """Play the match in the first argument (JSON), store it in the folder named by the second, and print the rates."""
    configure_garbage_collection()
    asked = json.loads(sys.argv[1])
    match = Match(**{**asked, "bots": tuple(asked["bots"]), "arguments": tuple(asked["arguments"])})
    print(json.dumps(asdict(play(match, Meter(match.seconds), Path(sys.argv[2])))))


if __name__ == "__main__":
    main()
