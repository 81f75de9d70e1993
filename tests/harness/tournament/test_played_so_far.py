"""How much of each variant an unfinished run has played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
import trio
import trio.testing

from bowerbird.harness.cli.display.standings import head_lines
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.referee.spec import OnGame, OnVoid
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.events import RatingsFitted, SetSaved, TournamentEvent
from bowerbird.harness.tournament.formats.catalogue import extent
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.played_so_far import planned_sets, played_so_far, without_a_game
from bowerbird.harness.tournament.playing.run import LEAST_PAUSE_S, PAUSES, Run, fitted_now, pause_s
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import InterruptedTables, LocalTables

VARIANTS = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n[[variant]]\nname = "two-handed"\n'
BOTS = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{name}"\n' for name in ("a", "b", "c"))


@pytest.mark.parametrize(
    "lines",
    [
        ("sets = 7",),
        ("sets = 7", 'format = "gauntlet"', 'challengers = ["b"]'),
        ("sets = 7", "stop = { decisions = 1000 }"),
    ],
)
def test_planned_sets_are_those_of_the_run(yard: Yard, lines: tuple[str, ...]) -> None:
    file = load_tournament(yard.tournament(*lines, variants=VARIANTS, bots=BOTS))
    planned, at_most = planned_sets(resolved_text(file), [bot.name for bot in file.bots])
    assert planned == {entry.variant: 7 * len(entry.lineups) for entry in file.variants}
    assert sum(planned.values()) == extent(file).sets
    assert bool(at_most) == (file.stop is not None)


def test_planned_sets_of_a_swiss_are_those_of_its_rounds(yard: Yard) -> None:
    variants = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "two-handed"\n'
    file = load_tournament(yard.tournament('format = "swiss"', "sets = 3", "rounds = 2", variants=variants, bots=BOTS))
    planned, _ = planned_sets(resolved_text(file), [bot.name for bot in file.bots])
    assert planned == {"euchre": 6, "two-handed": 6}
    assert sum(planned.values()) == extent(file).sets


@pytest.mark.parametrize(
    "config", ["", "name", "[tournament]\nsets = 1\n", '[tournament]\nformat = "swiss"\nvariant = 3\n']
)
def test_of_a_copy_of_another_program_nothing_is_known(config: str) -> None:
    assert planned_sets(config, ["a", "b"]) == ({}, "")


@pytest.mark.parametrize("pause", [(0.0, LEAST_PAUSE_S), (1.0, PAUSES)])
def test_a_fit_that_takes_long_comes_seldom(pause: tuple[float, float]) -> None:
    assert pause_s(pause[0]) == pause[1]


def unfinished(yard: Yard, plan: Plan, store: Store, after: int) -> StoredRun:
    """Play a run and interrupt it after this many games."""
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, lambda _: None)

        async def play_on() -> None:
            with trio.CancelScope() as scope:
                await run.play(InterruptedTables(plan.file.bots, after, scope.cancel))

        trio.run(play_on)
    return store.run(plan.header.fingerprint)


def test_an_unfinished_run_says_how_far_each_variant_is(yard: Yard) -> None:
    plan = make_plan(load_tournament(yard.tournament("sets = 2", variants=VARIANTS, bots=BOTS)))
    with Store.create(yard.folder / "one.db") as store:
        run = unfinished(yard, plan, store, 9)
        stored = Counter(key.entry.rpartition("-")[0] for key in run.stored_sets())
        words = ", ".join(f"{entry.variant} {stored[entry.variant]} of 6" for entry in plan.file.variants)
        assert played_so_far(run) == f"played so far: {words} deal sets"
        assert played_so_far(run) in head_lines([run])
        with store.begin(plan.header, plan.seed) as writer:
            trio.run(Run(plan, store[run.fingerprint], writer, lambda _: None).play, LocalTables(plan.file.bots))
        assert played_so_far(store.run(run.fingerprint)) == ""


def test_an_unfinished_run_names_the_bots_without_a_game(yard: Yard) -> None:
    """Its table shows only bots that have played."""
    plan = make_plan(load_tournament(yard.tournament("sets = 2", variants=VARIANTS, bots=BOTS)))
    with Store.create(yard.folder / "one.db") as store:
        run = unfinished(yard, plan, store, 3)
        playing = {bot for game in run.results() for bot in game.bots}
        waiting = [bot.name for bot in run.bots() if bot.name not in playing]
        assert waiting, "with three games some bot of three has not played"
        assert without_a_game(run) == f"no game yet: {', '.join(waiting)}"
        assert without_a_game(run) in head_lines([run])
        with store.begin(plan.header, plan.seed) as writer:
            trio.run(Run(plan, store[run.fingerprint], writer, lambda _: None).play, LocalTables(plan.file.bots))
        assert without_a_game(store.run(run.fingerprint)) == ""


def test_the_ratings_shown_during_play_are_those_of_the_table(yard: Yard) -> None:
    """One scale: the events have what the standings of the deal sets so far have."""
    yard.bot("last")
    bots = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/last"\n'
    plan = make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 3", variants=VARIANTS, bots=bots)))
    clock = trio.testing.MockClock()
    events: list[TournamentEvent] = []

    class Waiting(LocalTables):
        async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
            await super().play_jobs(jobs, on_game, on_void)
            while not any(isinstance(event, RatingsFitted) for event in events):
                clock.jump(LEAST_PAUSE_S)
                await trio.testing.wait_all_tasks_blocked()

    with Store.create(yard.folder / "one.db") as store:
        with store.begin(plan.header, plan.seed) as writer:
            run = Run(plan, store[plan.header.fingerprint], writer, events.append)
            trio.run(run.play, Waiting(plan.file.bots), clock=clock)
        fitted = next(event for event in events if isinstance(event, RatingsFitted))
        assert fitted.sets >= 1
        now, _ = fitted_now(store.run(plan.header.fingerprint), plan.header.config)
        assert store_record_ratings(store.run(plan.header.fingerprint))
        assert sorted(now.ratings, key=repr) == sorted(store[plan.header.fingerprint].record_ratings(), key=repr)
        assert now.games["", "alpha"] == len(store[plan.header.fingerprint].results())


@pytest.mark.parametrize("wanted", [True, False])
def test_ratings_that_nobody_reads_are_not_fitted(yard: Yard, wanted: bool) -> None:
    yard.bot("last")
    bots = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/last"\n'
    plan = make_plan(load_tournament(yard.tournament('seed = "leaves"', "sets = 3", variants=VARIANTS, bots=bots)))
    clock = trio.testing.MockClock()
    events: list[TournamentEvent] = []

    class Waiting(LocalTables):
        async def play_jobs(self, jobs: Iterable[Job], on_game: OnGame, on_void: OnVoid) -> None:
            await super().play_jobs(jobs, on_game, on_void)
            turns = 0
            while turns < 3 or (wanted and not any(isinstance(event, RatingsFitted) for event in events)):
                clock.jump(LEAST_PAUSE_S)
                await trio.testing.wait_all_tasks_blocked()
                turns += 1

    with Store.create(yard.folder / "one.db") as store, store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], writer, events.append, interim_ratings=wanted)
        trio.run(run.play, Waiting(plan.file.bots), clock=clock)
    assert any(isinstance(event, RatingsFitted) for event in events) is wanted
    assert any(isinstance(event, SetSaved) for event in events)
