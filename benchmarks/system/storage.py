"""Parts (f) to (h): the engine, the store, verification and the rating of record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.system.figures import Figure, Round
from benchmarks.system.part import Part, Place, run_module
from bowerbird.engine import variant_names
from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import OptionValue
from bowerbird.harness.records.values.run import UNKNOWN_DIGEST, CompletedSet, RunHeader
from bowerbird.harness.records.verify.examiner import PoolExaminer
from bowerbird.harness.records.verify.game_checks import Difference
from bowerbird.harness.records.verify.verification import verify_file, verify_run
from tests.support.records.played_games import SEED, deal_set, header

GAMES = 10_000
SETS_STORED = 64
AT_ONCE = 32


def made_sets(variants: Sequence[str], run: RunHeader, options: dict[str, OptionValue]) -> Iterator[CompletedSet]:
    """Yield an endless series of deal sets of real games, played in this process."""
    number = 0
    while True:
        for variant in variants:
            yield CompletedSet(*deal_set(variant, number, run, options=options))
        number += 1


def seconds(work: Callable[[], object]) -> float:
    """Return the wall-clock seconds of a call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


class Engine(Part):
    """(f): the rules engine alone, random play (`benchmarks.engine_speed`), CPU time."""

    figures = (
        Figure("engine.playout", "f", "engine: playouts from anywhere in a hand", "decisions/s"),
        Figure("engine.games", "f", "engine: whole games with their shuffles", "decisions/s"),
    )

    def measure(self, place: Place) -> Round:
        options = ("--json", "--rounds", "1", "--seconds", "0.5")
        found = run_module("benchmarks", "engine", *options, place.variant)["variants"][place.variant]
        return {"engine.playout": found["playout"], "engine.games": found["decisions"]}


class Storing(Part):
    """(g): storing rated deal sets of two whole games, which are durable when the call returns."""

    figures = (
        Figure("store.one", "g", "store: a set in each transaction", "sets/s"),
        Figure("store.many", "g", f"store: {AT_ONCE} sets in each transaction", "sets/s"),
    )

    def prepare(self, place: Place) -> None:
        self.run = header("bench")
        source = made_sets([place.variant], self.run, {})
        self.sets = [next(source) for _ in range(SETS_STORED)]

    def measure(self, place: Place) -> Round:
        one, many = (place.folder / f"store-{name}.db" for name in ("one", "many"))
        return {"store.one": self._rate(one, 1), "store.many": self._rate(many, AT_ONCE)}

    def _rate(self, path: Path, at_once: int) -> float:
        with Store.create(path) as store, store.begin(self.run, SEED) as writer:

            def save() -> None:
                for first in range(0, len(self.sets), at_once):
                    writer.save_sets(self.sets[first : first + at_once], UNKNOWN_DIGEST)

            rate_ = len(self.sets) / seconds(save)
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        return rate_


class Checking(Part):
    """(h): the work of `bowerbird verify` and the rating of record, without starting the command, for 10,000 games."""

    figures = (
        Figure("verify", "h", f"verify {GAMES:,} games of one hand, all variants", "s"),
        Figure("verify.2", "h", "   with --jobs 2", "s", "verify"),
        Figure("refit", "h", "rating of record from the same, read and fitted", "s"),
    )

    def prepare(self, place: Place) -> None:
        self.path = place.folder / "games.db"
        self.run = store_games(self.path, GAMES)

    def measure(self, place: Place) -> Round:
        with Store.open(self.path) as store:
            differences: list[object] = []
            verified = seconds(lambda: differences.extend(self._checked(store, 1)))
            together = seconds(lambda: differences.extend(self._checked(store, 2)))
            fitted = seconds(lambda: fit(store[self.run].results()))
        if differences:
            raise RuntimeError(f"the games made here do not verify: {differences[0]}")
        return {"verify": verified, "verify.2": together, "refit": fitted}

    def _checked(self, store: Store, workers: int) -> list[Difference]:
        return [*verify_file(store), *verify_run(store[self.run], digest_of, examiner=PoolExaminer(workers))]


def store_games(path: Path, games: int) -> str:
    """Play and store `games` games of one hand each, taking all variants in turn. Return the run's fingerprint."""
    run = header("bench")
    source = made_sets(variant_names(), run, {"max_hands": 1})
    sets: list[CompletedSet] = []
    while sum(len(one.games) for one in sets) < games:
        sets.append(next(source))
    results = [result_of_record(game) for one in sets for game in one.games]
    with Store.create(path) as store, store.begin(run, SEED) as writer:
        writer.save_sets(sets, digest_of(results))
        writer.end()
    return run.fingerprint
