"""`bowerbird withdraw`: an organiser takes a bot out of a run, and takes it back (faults.md, Corrections)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.main import run as command
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.corrections import WITHDRAW, Correction, withdrawn_by_hand, wrong_corrections
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.corrections import reinstate_bot, withdraw_bot, withdrawn_bots
from bowerbird.harness.tournament.errors import CorrectionError, RunConflictError
from bowerbird.harness.tournament.events import GamePlayed
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run
from bowerbird.harness.tournament.playing.runner import unwrapped_errors
from tests.support.records.archives import exported, imported
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.corrected_runs import BY, WHY
from tests.support.tournament.table_players import InterruptedTables, LocalTables
from tests.support.tournament.voided_runs import EUCHRE, planned, play


@pytest.fixture
def plan(yard: Yard) -> Plan:
    return planned(yard)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "x.db")


@pytest.fixture
def begun(plan: Plan, store: Store) -> Store:
    """Play some games of the run until it is interrupted."""
    with store.begin(plan.header, plan.seed) as writer, unwrapped_errors():

        async def some() -> None:
            with trio.CancelScope() as scope:
                tables = InterruptedTables(plan.file.bots, 11, scope.cancel)
                await Run(plan, store[plan.header.fingerprint], writer, lambda _: None).play(tables)

        trio.run(some)
    return store


def withdraw(store: Store, bot: str) -> Correction:
    return withdraw_bot(store.run(), bot, why=WHY, by=BY).correction


def resume(plan: Plan, store: Store) -> LocalTables:
    """Play the rest, as referees do that know the bots' conduct so far; return the tables."""
    ledger = FaultLedger(FaultLimits(), store.run().conduct())
    gone = [bot.name for bot in plan.file.bots if ledger.withdrawn(bot.name) is not None]
    tables = LocalTables(plan.file.bots, withdrawn=gone)
    play(plan, store, tables)
    return tables


def test_a_bot_that_is_taken_out_misses_what_is_not_played_yet(plan: Plan, begun: Store, tmp_path: Path) -> None:
    counted = {game.id for game in begun.run().results()}
    assert counted, "the run was interrupted before its first deal set"
    made = withdraw(begun, "alpha")
    assert (made.kind, made.bot, made.sets, made.commitment) == (WITHDRAW, "alpha", (), "")
    assert withdrawn_bots(begun.run()) == ("alpha",)
    resume(plan, begun)
    run = begun.run()
    assert run.row.ended is not None
    assert {game.id for game in run.results() if game.rated} == counted, "what it played counts, and nothing else"
    missed = sum(not game.rated for game in run.results())
    sentence = f"alpha was withdrawn by {BY} ({WHY}): {missed} games not played"
    assert sentence in standings_text(begun, [run])
    assert any("bot alpha is withdrawn" in line for line in standings_text(begun, [run], full=True))
    assert verify_run(run) == []
    imported(tmp_path / "other.db", exported(begun.path, run.fingerprint))
    with Store.open(tmp_path / "other.db") as other:
        assert sentence in standings_text(other, [other.run()])


def test_a_bot_that_is_taken_back_plays_what_it_missed(plan: Plan, begun: Store) -> None:
    withdraw(begun, "alpha")
    resume(plan, begun)
    reinstate_bot(begun.run(), "alpha", why=WHY, by=BY)
    assert withdrawn_bots(begun.run()) == ()
    resume(plan, begun)
    assert all(game.rated for game in begun.run().results())
    assert begun.run().withdrawals() == []
    assert [one.kind for one in begun.run().corrections()] == ["withdraw", "reinstate"]


def test_a_complete_run_says_that_a_bot_was_taken_out_and_keeps_its_results(plan: Plan, store: Store) -> None:
    play(plan, store, LocalTables(plan.file.bots))
    before = store.run().results()
    withdraw(store, "alpha")
    resume(plan, store)
    assert store.run().row.ended is not None
    assert store.run().results() == before
    assert f"alpha was withdrawn by {BY} ({WHY}): 0 games not played" in standings_text(store, [store.run()])


def test_only_a_bot_of_the_run_is_taken_out_and_only_once(begun: Store) -> None:
    with pytest.raises(CorrectionError, match="alpha"):
        withdraw(begun, "alpah")
    withdraw(begun, "alpha")
    with pytest.raises(CorrectionError, match=r"'alpha' is already withdrawn in run .*; bowerbird reinstate undoes it"):
        withdraw(begun, "alpha")


def test_a_withdrawal_takes_no_deal_set_out(begun: Store) -> None:
    made = withdraw(begun, "alpha")
    key = begun.run().sets()[0][0]
    wrong = replace(made, sets=(key,), commitment="sha256:" + "0" * 64)
    assert "it has 1 deal set and the commitment" in wrong_corrections([wrong], ["alpha", "last"])
    assert withdrawn_by_hand([made]) == {"alpha": made}


def test_a_file_without_an_entrant_is_told_of_the_command(plan: Plan, yard: Yard) -> None:
    yard.bot("third")
    other = '[[bot]]\npath = "bots/last"\n[[bot]]\npath = "bots/third"\n'
    variants = f'{EUCHRE}[[variant]]\nname = "buck"\n'
    file = load_tournament(yard.tournament('seed = "leaves"', "sets = 3", variants=variants, bots=other))
    with pytest.raises(RunConflictError, match=r"bot 'alpha', .*'bowerbird withdraw \w+ alpha --why TEXT'"):
        check_resume(plan.header, make_plan(file).header)


def test_the_command_says_what_it_did_and_refuses_an_imported_run(
    begun: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    fingerprint = begun.run().fingerprint
    arguments = ("withdraw", fingerprint, "alpha", "--why", WHY, "--by", BY, "--yes", "--db")
    assert command([*arguments, str(begun.path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["correction"]["kind"], document["correction"]["bot"]) == ("withdraw", "alpha")
    imported(tmp_path / "other.db", exported(begun.path, fingerprint))
    with Store.open(tmp_path / "other.db") as other, pytest.raises(StoreError, match="was imported"):
        withdraw_bot(other.run(), "last", why=WHY, by=BY)
    assert command([*arguments, str(tmp_path / "other.db")]) == 2
    assert "was imported" in capsys.readouterr().err


def test_games_that_a_bot_misses_are_no_faults_on_any_screen(
    plan: Plan, begun: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    withdraw(begun, "alpha")
    ledger = FaultLedger(FaultLimits(), begun.run().conduct())
    gone = [bot.name for bot in plan.file.bots if ledger.withdrawn(bot.name) is not None]
    tables = LocalTables(plan.file.bots, withdrawn=gone)
    told = [event for event in play(plan, begun, tables) if isinstance(event, GamePlayed)]
    run = begun.run()
    missed = [game for game in run.games() if game.ended == WITHDRAWN]
    assert missed, "it missed games"
    assert all(not one.faults for one in told), "nothing happened in them"
    assert {one.game_id for one in told if one.missed_by} == {game.id for game in missed}
    assert {bot for one in told for bot in one.missed_by} == {"alpha"}
    assert command(["matches", run.fingerprint, "--faults", "--json", "--db", str(begun.path)]) == 0
    told_in_json = json.loads(capsys.readouterr().out)
    assert {game["ended"] for game in told_in_json} == {WITHDRAWN}, "JSON shows the records as they are"
    assert command(["matches", run.fingerprint, "--faults", "--db", str(begun.path)]) == 0
    said = capsys.readouterr()
    assert f"{len(missed)} games not played, since a bot was withdrawn" in said.out + said.err
    assert "RESIGNED" not in said.out + said.err
    sets = len({game.id.rpartition("/")[0] for game in missed})
    assert f"({sets} not played)" in "".join(standings_text(begun, [run]))
