"""The memory of the referee stays flat in a run of any length. Measures the run itself, without referee and store."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.annotations import NO_ANNOTATIONS
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.spec import BotSpec, OnGame, OnVoid, TableSpec
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.events import SetSaved, TournamentEvent
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.playing.run import Run
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.made_results import NothingStored
from tests.support.tournament.set_writers import ForgetfulWriter
from tests.support.tournament.table_players import LocalTables

BYTES = 32
"""Memory that a game may leave behind. An object kept for each game takes more: a GameResult alone has 112 bytes. A run
keeps less than 10 bytes a game here for its blocks of 64 sets."""

GAMES_MEASURED = 128
"""After this many games, a whole pass, the memory is measured, which takes some itself."""

VARIANTS = '[[variant]]\nname = "two-handed"\n'
BOTS = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{name}"\n' for name in "ab")


class MadeUp(LocalTables):
    """An executor that plays one game and reports it again and again with other bots, scores and ends.

    A job begins once the previous one is saved. `kept` then gets the number of games so far and the memory in use.
    """

    def __init__(self, bots: Sequence[BotSpec]) -> None:
        super().__init__(bots)
        self.unsaved = 0
        self.kept: list[tuple[int, int]] = []
        self._games = 0
        self._rng = random.Random(1)

    async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
        whole: GameRecord | None = None
        for job in jobs:
            whole = whole or self._game(job.tables()[0])
            self.unsaved = len(job.sets)
            for spec in job.tables():
                on_game(spec, self._made_up(whole, spec), NO_ANNOTATIONS)
            while self.unsaved:
                await trio.lowlevel.checkpoint()
            self._games += job.games
            if self._games % GAMES_MEASURED == 0:
                gc.collect()
                self.kept.append((self._games, tracemalloc.get_traced_memory()[0]))

    def _made_up(self, whole: GameRecord, spec: TableSpec) -> GameRecord:
        scores = (self._rng.randrange(1000), self._rng.randrange(1000))
        return replace(
            whole,
            id=spec.game_id,
            seats=tuple(self._identities[seat.bot] for seat in spec.seats),
            hands=(replace(whole.hands[-1], scores=scores),),
            result=replace(whole.result, ranks=(1, 2) if scores[0] > scores[1] else (2, 1)),
        )


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((), id="round-robin"),
        pytest.param(("stop = { decisions = 1000000000, every = 64 }",), id="stop-rule"),
        pytest.param(('format = "swiss"',), id="swiss"),
    ],
)
def test_what_a_run_keeps_does_not_grow_with_its_games(yard: Yard, tmp_path: Path, lines: tuple[str, ...]) -> None:
    """Measures the last third, when all one-time objects exist: numbers above 256, a whole pass."""
    text = yard.tournament('seed = "leaves"', "sets = 512", *lines, variants=VARIANTS, bots=BOTS)
    plan = make_plan(load_tournament(text))
    tables = MadeUp(plan.file.bots)

    def look(event: TournamentEvent) -> None:
        tables.unsaved -= isinstance(event, SetSaved)

    stored = NothingStored(Store.create(tmp_path / "one.db"), plan.header.fingerprint)
    gc.freeze()  # spares each collection the objects that already exist
    tracemalloc.start()
    try:
        trio.run(Run(plan, stored, ForgetfulWriter(), look).play, tables)
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    (first, early), (last, late) = tables.kept[len(tables.kept) * 2 // 3], tables.kept[-1]
    games = last - first
    assert late - early <= BYTES * games, f"a run keeps {(late - early) / games:.0f} bytes of each game"
