"""From the round after its withdrawal a Swiss no longer pairs a bot, whenever it was withdrawn (tournament-file.md)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio

from bowerbird.harness.cli.display.leaderboard_file import csv_lines
from bowerbird.harness.cli.display.standings import outcome_lines
from bowerbird.harness.cli.dry_run import print_dry_run
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.store.run_members import run_digest
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.faults import RESIGNED, Incident
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.spec import OnGame, OnVoid, TableSpec
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.corrections import reinstate_bot, withdraw_bot
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run
from bowerbird.harness.tournament.playing.runner import unwrapped_errors
from tests.support.records.archives import exported, imported
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.corrected_runs import BY, WHY
from tests.support.tournament.table_players import LocalTables

BOTS = ("ann", "bob", "last-cid", "last-dan", "eve", "last-fay", "gil")
ROUNDS = 4


@pytest.fixture
def plan(yard: Yard) -> Plan:
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in BOTS)
    lines = ('seed = "leaves"', 'format = "swiss"', 'unit = "deals"', "sets = 1", f"rounds = {ROUNDS}")
    variant = '[[variant]]\nname = "two-handed"\n'
    return make_plan(load_tournament(yard.tournament(*lines, "max_faults = 1", variants=variant, bots=text)))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "x.db")


class Tables(LocalTables):
    """Real games. `faults` are the bots with one fault too many in a game of this number; `stop` ends the play."""

    def __init__(self, plan: Plan, gone: Sequence[str], faults: dict[int, str], stop: int) -> None:
        self.gone = set(gone)
        super().__init__(plan.file.bots, withdrawn=self.gone)
        self._faults, self._stop = faults, stop
        self.run: Run | None = None
        self.scope = trio.CancelScope()

    async def play_tables(self, tables: Sequence[TableSpec], on_game: OnGame, on_void: OnVoid) -> None:
        for table in tables:
            if len(self.played) == self._stop:
                self.scope.cancel()
                await trio.lowlevel.checkpoint()
            bot = self._faults.get(len(self.played))
            if bot is not None:
                assert self.run is not None
                for number in range(2):
                    name, games = f"{table.game_id}/{number}", (table.game_id,)
                    self.run.on_ledger_entry(Incident(name, bot, 0, RESIGNED, "it gave up", games))
            await super().play_tables([table], on_game, on_void)
            if bot is not None:
                self.gone.add(bot)


def play(plan: Plan, store: Store, faults: dict[int, str] | None = None, *, stop: int = 10**6) -> Tables:
    """Play on; return the tables."""
    with store.begin(plan.header, plan.seed) as writer:
        stored = store[plan.header.fingerprint]
        ledger = FaultLedger(plan.file.limits, stored.conduct())
        gone = [bot.name for bot in plan.file.bots if ledger.withdrawn(bot.name) is not None]
        tables = Tables(plan, gone, faults or {}, stop)
        tables.run = run = Run(plan, stored, writer, lambda _: None)

        async def some() -> None:
            with tables.scope:
                await run.play(tables)

        with unwrapped_errors():
            trio.run(some)
    return tables


def there(run: StoredRun) -> list[set[str]]:
    """Return by round who played a match or had the bye."""
    rounds: list[set[str]] = [set() for _ in range(ROUNDS)]
    for match in run.matches():
        rounds[match.round - 1] |= {match.bot, match.opponent} - {""}
    return rounds


def shown(run: StoredRun) -> list[str]:
    """Return the standings, the places and the matches as text."""
    return [*csv_lines(overview([run])), *outcome_lines(run, None)]


GAMES_OF_A_ROUND = 6
"""Three matches of a deal set with two games each; the seventh bot has the bye."""


def test_a_bot_that_falls_in_the_last_game_of_a_round_is_not_paired_in_the_next(plan: Plan, store: Store) -> None:
    """Nothing stored about the round's games says so: all of them were played."""
    fallen = play(plan, store, stop=GAMES_OF_A_ROUND).played[-1].split("/")[2].split("+")[0]
    again = Store.create(store.path.with_name("again.db"))
    play(plan, again, {GAMES_OF_A_ROUND - 1: fallen})
    run = again.run()
    assert run.row.ended is not None
    assert there(run) == [set(BOTS), *[set(BOTS) - {fallen}] * (ROUNDS - 1)]
    assert run.unpaired() == dict.fromkeys(range(2, ROUNDS + 1), frozenset({fallen}))
    assert all(game.rated for game in run.results()), "no walkover was needed"
    assert verify_run(run, digest_of) == []
    imported(again.path.with_name("other.db"), exported(again.path, run.fingerprint))
    with Store.open(again.path.with_name("other.db")) as other:
        assert there(other.run()) == there(run)
        assert other.run().unpaired() == run.unpaired()
        assert shown(other.run()) == shown(run)
        assert verify_run(other.run(), digest_of) == []


@pytest.mark.parametrize("stop", [GAMES_OF_A_ROUND + 3, 2 * GAMES_OF_A_ROUND, 10**6])
def test_who_was_not_paired_travels_with_an_unfinished_run_and_with_what_is_added_to_it(
    plan: Plan, store: Store, tmp_path: Path, stop: int
) -> None:
    play(plan, store, stop=GAMES_OF_A_ROUND)
    withdraw_bot(store.run(), "ann", why=WHY, by=BY)
    play(plan, store, stop=stop)
    part = exported(store.path, store.run().fingerprint)
    copy = tmp_path / "copy.db"
    imported(copy, part)
    with Store.open(copy) as other:
        assert other.run().unpaired() == store.run().unpaired() != {}
        assert shown(other.run()) == shown(store.run())
    play(plan, store)
    imported(copy, exported(store.path, store.run().fingerprint))
    with Store.open(copy) as other:
        assert other.run().unpaired() == store.run().unpaired()
        assert shown(other.run()) == shown(store.run())


def test_a_copy_that_is_told_of_a_bot_that_is_back_forgets_that_it_was_not_paired(
    plan: Plan, store: Store, tmp_path: Path
) -> None:
    play(plan, store, stop=GAMES_OF_A_ROUND)
    withdraw_bot(store.run(), "ann", why=WHY, by=BY)
    play(plan, store)
    copy = tmp_path / "copy.db"
    imported(copy, exported(store.path, store.run().fingerprint))
    reinstate_bot(store.run(), "ann", why=WHY, by=BY)
    play(plan, store)
    imported(copy, exported(store.path, store.run().fingerprint))
    with Store.open(copy) as other:
        assert other.run().unpaired() == store.run().unpaired() == {}
        assert shown(other.run()) == shown(store.run())


def test_a_run_whose_digest_an_earlier_version_computed_verifies(plan: Plan, store: Store) -> None:
    """That version's archives did not state who was not paired, and the digest is the archive's own."""
    play(plan, store, stop=GAMES_OF_A_ROUND)
    withdraw_bot(store.run(), "ann", why=WHY, by=BY)
    play(plan, store)
    run = store.run()
    earlier = run_digest(run, with_unpaired=False)
    assert earlier != run_digest(run)
    with closing(sqlite3.connect(store.path)) as writing, writing:
        writing.execute("UPDATE run SET digest = ?", [earlier])
    assert verify_run(store.run(), digest_of) == []


@pytest.mark.parametrize("stop", range(GAMES_OF_A_ROUND, 3 * GAMES_OF_A_ROUND))
def test_a_resumed_swiss_has_the_pairs_that_it_had(plan: Plan, store: Store, stop: int) -> None:
    """It is interrupted anywhere in the second and third round, after a bot fell at the end of the first."""
    fallen = play(plan, Store.create(store.path.with_name("y.db")), stop=GAMES_OF_A_ROUND).played[-1]
    bot = fallen.split("/")[2].split("+")[0]
    play(plan, store, {GAMES_OF_A_ROUND - 1: bot}, stop=stop)
    play(plan, store)
    run = store.run()
    assert there(run) == [set(BOTS), *[set(BOTS) - {bot}] * (ROUNDS - 1)]
    assert verify_run(run, digest_of) == []


def test_a_bot_that_is_taken_out_between_two_rounds_is_not_paired_in_the_next(plan: Plan, store: Store) -> None:
    play(plan, store, stop=GAMES_OF_A_ROUND)
    withdraw_bot(store.run(), "ann", why=WHY, by=BY)
    play(plan, store)
    assert there(store.run()) == [set(BOTS), *[set(BOTS) - {"ann"}] * (ROUNDS - 1)]
    assert store.run().unplayed_games() == 0
    assert verify_run(store.run(), digest_of) == []


def test_a_bot_that_is_taken_out_in_a_round_loses_its_match_and_is_not_paired_again(plan: Plan, store: Store) -> None:
    play(plan, store, stop=GAMES_OF_A_ROUND + 2)
    begun = {bot for key in store.run().stored_sets() if key.number for bot in key.lineup.split("+")}
    out = next(bot for bot in BOTS if bot not in begun)
    withdraw_bot(store.run(), out, why=WHY, by=BY)
    play(plan, store)
    assert there(store.run())[1:] == [set(BOTS), *[set(BOTS) - {out}] * (ROUNDS - 2)]
    assert verify_run(store.run(), digest_of) == []


def test_a_bot_that_was_out_before_the_first_round_has_a_place_and_no_match(plan: Plan, store: Store) -> None:
    play(plan, store, stop=0)
    withdraw_bot(store.run(), "ann", why=WHY, by=BY)
    play(plan, store)
    assert there(store.run()) == [set(BOTS) - {"ann"}] * ROUNDS
    assert {place.bot: place.points for place in store.run().placements()}["ann"] == 0
    assert verify_run(store.run(), digest_of) == []


def test_rounds_that_were_paired_without_a_bot_are_paired_anew_when_it_is_back(plan: Plan, store: Store) -> None:
    play(plan, store, stop=GAMES_OF_A_ROUND)
    withdraw_bot(store.run(), "ann", why=WHY, by=BY)
    play(plan, store)
    first = {key: text for key, text in store.run().record_texts() if key.split("/")[3] == "0"}
    made = reinstate_bot(store.run(), "ann", why=WHY, by=BY)
    assert {key.number for key in made.correction.sets} == {64, 128, 192}
    assert store.run().unpaired() == {}
    play(plan, store)
    assert there(store.run()) == [set(BOTS)] * ROUNDS
    assert first.items() <= dict(store.run().record_texts()).items()
    assert verify_run(store.run(), digest_of) == []


def test_a_dry_run_of_the_rest_pairs_as_the_run_will(
    plan: Plan, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    play(plan, store, stop=GAMES_OF_A_ROUND)
    withdraw_bot(store.run(), "ann", why=WHY, by=BY)
    print_dry_run(plan.file, store.path, resume=True, as_json=False)
    assert "ann" not in capsys.readouterr().out
    assert store.run().unpaired() == {}, "it only looks"
