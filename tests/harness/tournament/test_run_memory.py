"""Issue 8: the memory of the referee is flat. What a run itself keeps, without the referee's tables and the store's."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace

import pytest
import trio
from bot_yard import Yard
from made_results import NothingStored
from table_players import LocalTables

from harness.records.incident import Incident
from harness.records.record import GameRecord
from harness.records.run import RatingTable, SetResult
from harness.referee.referee import OnGame
from harness.referee.spec import BotSpec, TableSpec
from harness.tournament.config import load_tournament
from harness.tournament.events import Event, SetSaved
from harness.tournament.job import Job
from harness.tournament.plan import make_plan
from harness.tournament.run import Run

BYTES = 32
"""A game may leave so much behind. Any object that is kept for each takes more, with the place that holds it: the
GameResult alone has 112 bytes. What a run has for each block of 64 sets comes to less than 10 bytes a game here."""

VARIANTS = '[[variant]]\nname = "two-handed"\n'
BOTS = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{name}"\n' for name in "ab")


class MadeUp(LocalTables):
    """An executor whose games are one game, told of other bots, with other scores and ends.

    A job begins when all of the one before is saved; then `kept` is told what memory is in use, after how many games.
    """

    def __init__(self, bots: Sequence[BotSpec]) -> None:
        super().__init__(bots)
        self.unsaved = 0
        self.kept: list[tuple[int, int]] = []
        self._games = 0
        self._rng = random.Random(1)

    async def play(self, jobs: Sequence[Job], on_game: OnGame) -> None:
        whole = self._game(jobs[0].tables()[0])
        for job in jobs:
            self.unsaved = len(job.sets)
            for spec in job.tables():
                on_game(spec, self._made_up(whole, spec), ())
            while self.unsaved:
                await trio.lowlevel.checkpoint()
            self._games += job.games
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


class ForgetfulWriter:
    """A store that keeps nothing."""

    def save_sets(
        self, sets: Sequence[SetResult], ratings: RatingTable, played_ms: int, incidents: Sequence[Incident]
    ) -> int:
        return len(sets)

    def end(self) -> None:
        pass


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((), id="round-robin"),
        pytest.param(("stop = { decisions = 1000000000, every = 64 }",), id="stop-rule"),
        pytest.param(('format = "swiss"',), id="swiss"),
    ],
)
def test_what_a_run_keeps_does_not_grow_with_its_games(yard: Yard, lines: tuple[str, ...]) -> None:
    """In the last third, when all that is there once is there: numbers above 256, a whole pass."""
    text = yard.tournament('seed = "leaves"', "sets = 512", *lines, variants=VARIANTS, bots=BOTS)
    plan = make_plan(load_tournament(text))
    tables = MadeUp(plan.file.bots)

    def look(event: Event) -> None:
        tables.unsaved -= isinstance(event, SetSaved)

    gc.freeze()  # what is there before need not be looked at whenever garbage is collected
    tracemalloc.start()
    try:
        trio.run(Run(plan, NothingStored(), ForgetfulWriter(), look).play, tables)
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    (first, early), (last, late) = tables.kept[len(tables.kept) * 2 // 3], tables.kept[-1]
    games = last - first
    assert late - early <= BYTES * games, f"a run keeps {(late - early) / games:.0f} bytes of each game"
