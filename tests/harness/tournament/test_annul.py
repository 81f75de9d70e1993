"""`bowerbird withdraw --annul`: a bot's finished games no longer count, and count again once it is back (faults.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.cli.main import run as command
from bowerbird.harness.cli.shared.output import json_text
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.archive.merge import RefusedError, merge_run
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.text.run_text import ArchivedRun
from bowerbird.harness.records.values.corrections import annulled_sets, disqualified
from bowerbird.harness.records.values.placements import ANNULLED, WALKOVER, Outcome
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.report.report_data import report_data
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.corrections import Corrected, reinstate_bot, void_games, withdraw_bot
from bowerbird.harness.tournament.errors import CorrectionError
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.played_so_far import nothing_left, played_so_far
from tests.support.records.archives import content, exported, imported
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.corrected_runs import BY, WHY
from tests.support.tournament.table_players import LocalTables
from tests.support.tournament.voided_runs import play

TWO_HANDED = '[[variant]]\nname = "two-handed"\n'
CUT_THROAT = '[[variant]]\nname = "cut-throat"\n'
BOTS = ("ann", "bob", "last-cid", "last-dan")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "x.db")


def entered(yard: Yard, *lines: str, bots: Iterable[str] = BOTS, variants: str = TWO_HANDED) -> Plan:
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in bots)
    wanted = ['seed = "leaves"', 'unit = "deals"', *lines]
    return make_plan(load_tournament(yard.tournament(*wanted, variants=variants, bots=text)))


def play_on(plan: Plan, store: Store) -> LocalTables:
    """Play what is left, as referees do that know the bots' conduct so far; return the tables."""
    gone: list[str] = []
    if any(run.fingerprint == plan.header.fingerprint for run in store.runs()):
        ledger = FaultLedger(plan.file.limits, store.run().conduct())
        gone = [bot.name for bot in plan.file.bots if ledger.withdrawn(bot.name) is not None]
    tables = LocalTables(plan.file.bots, withdrawn=gone)
    play(plan, store, tables)
    return tables


def annul(store: Store, bot: str) -> Corrected:
    return withdraw_bot(store.run(), bot, why=WHY, by=BY, annul=True)


def reinstate(store: Store, bot: str) -> Corrected:
    return reinstate_bot(store.run(), bot, why=WHY, by=BY)


def games_of(run: StoredRun) -> dict[str, str]:
    return dict(run.record_texts())


def with_bot(store: Store, bot: str) -> set[SetKey]:
    return {key for key in store.run().stored_sets() if bot in key.lineup.split("+")}


def test_annulled_games_count_nowhere_and_nothing_is_played_again(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 2")
    play_on(plan, store)
    taken = with_bot(store, "ann")
    made = annul(store, "ann").correction
    assert set(made.sets) == taken
    assert made.commitment == ""
    assert play_on(plan, store).played == []
    run = store.run()
    assert run.row.ended is not None
    assert with_bot(store, "ann") == set()
    assert verify_run(run, digest_of) == []
    sentence = f"ann was withdrawn by {BY} ({WHY}): 0 games not played, {len(taken)} deal sets annulled"
    for full in (False, True):
        lines = standings_text(store, [run], full=full)
        assert sentence in lines
    assert any(f"bot ann is withdrawn ({len(taken)} deal sets annulled)" in line for line in lines)
    document = json.loads(json_text(standings_document([run])))
    assert [one["annulled"] for one in document["withdrawn"]] == [len(taken)]
    remarks = report_data(run, overview([run]))["remarks"]
    assert isinstance(remarks, list)
    assert sentence in remarks


def test_what_is_annulled_is_not_waited_for(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 2")
    play_on(plan, store)
    annul(store, "ann")
    assert store.run().stored_sets()
    assert played_so_far(store.run()) == "nothing is left to play: resume the run to complete it"


def test_at_a_table_of_three_the_games_of_the_others_go_with_them(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 1", variants=CUT_THROAT)
    play_on(plan, store)
    before = games_of(store.run())
    annul(store, "ann")
    play_on(plan, store)
    left = {game for game in before if "ann" not in game.split("/")[2].split("+")}
    assert games_of(store.run()).keys() == left


def test_a_reinstated_bot_has_its_games_back_to_the_byte(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 2")
    play_on(plan, store)
    before = games_of(store.run())
    places = [(line.bot, line.score) for line in overview([store.run()]).overall.standings]
    annul(store, "ann")
    play_on(plan, store)
    back = reinstate(store, "ann")
    assert back.correction.sets == ()
    assert play_on(plan, store).played == []
    assert games_of(store.run()) == before
    assert [(line.bot, line.score) for line in overview([store.run()]).overall.standings] == places
    assert store.run().withdrawals() == []
    assert list(store.run().voided_games()) == []
    assert verify_run(store.run(), digest_of) == []


def test_a_deal_set_of_two_annulled_bots_counts_again_when_both_are_back(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 1")
    play_on(plan, store)
    before = games_of(store.run())
    annul(store, "ann")
    annul(store, "bob")
    shared = {key for key, bots in annulled_sets(store.run().corrections()).items() if bots == {"ann", "bob"}}
    assert shared
    reinstate(store, "ann")
    assert not shared & store.run().stored_sets()
    assert disqualified(store.run().corrections()) == {"bob"}
    reinstate(store, "bob")
    assert games_of(store.run()) == before
    play_on(plan, store)
    assert verify_run(store.run(), digest_of) == []


def test_every_game_of_a_run_can_be_annulled_and_its_screens_stand(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 1", bots=("ann", "bob"))
    play_on(plan, store)
    annul(store, "ann")
    play_on(plan, store)
    assert any("annulled" in line for line in standings_text(store, [store.run()]))
    json.loads(json_text(standings_document([store.run()])))
    assert verify_run(store.run(), digest_of) == []


def outcome_of(run: StoredRun) -> Outcome:
    return Outcome(run.row.stopped, tuple(run.placements()), tuple(run.matches()))


def test_later_rounds_of_a_swiss_stand_and_opponents_get_walkovers(yard: Yard, store: Store) -> None:
    plan = entered(yard, 'format = "swiss"', "sets = 1", "rounds = 3", bots=[*BOTS, "last-eve"])
    play_on(plan, store)
    before = outcome_of(store.run())
    annul(store, "ann")
    assert play_on(plan, store).played == []
    after = outcome_of(store.run())
    met = [
        [(one.round, one.bot, one.opponent) for one in outcome.matches if "ann" not in (one.bot, one.opponent)]
        for outcome in (before, after)
    ]
    assert met[0] == met[1]
    mine = [one for one in after.matches if "ann" in (one.bot, one.opponent)]
    assert mine
    assert all((one.decided_by, one.games) == (WALKOVER, 0) and one.winner != "ann" for one in mine)
    assert {place.bot: (place.points, place.byes) for place in after.places}["ann"] == (0.0, 0)
    assert verify_run(store.run(), digest_of) == []
    reinstate(store, "ann")
    assert play_on(plan, store).played == []
    assert outcome_of(store.run()) == before


def test_a_knockout_moves_up_past_a_winner_whose_games_are_annulled(yard: Yard, store: Store) -> None:
    plan = entered(yard, 'format = "knockout"', "sets = 1")
    play_on(plan, store)
    first, second, *others = (place.bot for place in store.run().placements())
    annul(store, first)
    assert play_on(plan, store).played == []
    run = store.run()
    assert [(place.place, place.bot) for place in run.placements()] == [
        (1, second),
        *((2, bot) for bot in others),
        (4, first),
    ]
    assert [one.decided_by for one in run.matches() if first in (one.bot, one.opponent)] == [ANNULLED, ANNULLED]
    assert verify_run(run, digest_of) == []


def test_an_archive_carries_annulled_sets_and_their_return(yard: Yard, store: Store, tmp_path: Path) -> None:
    plan = entered(yard, "sets = 1")
    play_on(plan, store)
    copy, run = tmp_path / "copy.db", plan.header.fingerprint
    imported(copy, exported(store.path, run))
    for decide in (annul, reinstate):
        decide(store, "ann")
        play_on(plan, store)
        imported(copy, exported(store.path, run))
        imported(tmp_path / f"{decide.__name__}.db", exported(store.path, run))
        for path in (copy, tmp_path / f"{decide.__name__}.db"):
            with Store.open(path) as other:
                assert games_of(other.run()) == games_of(store.run())
                assert len(list(other.run().voided_games())) == len(list(store.run().voided_games()))
                assert verify_run(other.run(), digest_of) == []
        with Store.open(copy) as other, pytest.raises(Exception, match="was imported"):
            annul(other, "bob")
    assert content(copy)["game"] == content(store.path)["game"]


def test_an_archive_with_an_annulled_set_among_its_results_is_refused(yard: Yard, store: Store, tmp_path: Path) -> None:
    plan = entered(yard, "sets = 1")
    play_on(plan, store)
    path = exported(store.path, plan.header.fingerprint)
    made = annul(store, "ann").correction
    with Store.create(tmp_path / "y.db") as other, open_archive(path) as archive:
        forged: ArchivedRun = replace(archive.run, corrections=(replace(made, games=0),), ended=None, seed=None)
        object.__setattr__(archive, "run", forged)
        with pytest.raises(RefusedError, match="it is among the results, but a correction annuls it"):
            merge_run(other, archive, digest_of)


def test_a_database_with_an_annulled_set_among_its_results_does_not_verify(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 1")
    play_on(plan, store)
    key = min(with_bot(store, "ann"))
    records = store.run().set_records(key)
    annul(store, "ann")
    with store.begin(plan.header, plan.seed) as writer:
        writer.save_set(key, records, digest_of(store.run().results()))
    assert any("it is among the results, but a correction annuls it" in str(one) for one in verify_run(store.run()))


def test_an_annulled_game_is_not_voided_and_says_what_has_it_count_again(yard: Yard, store: Store) -> None:
    plan = entered(yard, "sets = 1")
    play_on(plan, store)
    game = next(game for game in games_of(store.run()) if "ann" in game.split("/")[2].split("+"))
    annul(store, "ann")
    with pytest.raises(CorrectionError, match=r"correction 1 annulled it; bowerbird reinstate \w+ ann counts it"):
        void_games(store.run(), [game], why=WHY, by=BY)
    with pytest.raises(CorrectionError, match="; bowerbird reinstate undoes it; and none of its games counts"):
        annul(store, "ann")


def test_the_command_annuls_and_says_so(yard: Yard, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    plan = entered(yard, "sets = 1")
    play_on(plan, store)
    run = plan.header.fingerprint
    told = ["--why", WHY, "--by", BY, "--yes", "--db", str(store.path)]
    assert command(["withdraw", run, "ann", "--annul", *told]) == 0
    out = capsys.readouterr().out
    assert "they are annulled: nothing is played again" in " ".join(out.split())
    assert "commitment" not in out
    assert command(["matches", run, "--voided", "--db", str(store.path)]) == 0
    game = next(line.split()[0] for line in capsys.readouterr().out.splitlines() if "ann" in line and run in line)
    assert command(["replay", game, "--voided", "1", "--db", str(store.path)]) == 0
    assert "annulled the games of bot ann" in " ".join(capsys.readouterr().out.split())
    assert command(["reinstate", run, "ann", *told, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counting_again"]


def test_a_run_with_nothing_left_says_so_on_every_screen_until_it_is_resumed(
    yard: Yard, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = entered(yard, "sets = 1")
    play_on(plan, store)
    run, db, archive = plan.header.fingerprint, str(store.path), str(tmp_path / "x.tar.gz")
    told = ["--why", WHY, "--by", BY, "--yes", "--db", db]
    left = "nothing is left to play: resume the run to complete it"
    game = next(game for game in games_of(store.run()) if "ann" in game.split("/")[2].split("+"))

    def said(*arguments: str, code: int = 0) -> str:
        assert command(arguments) == code
        return " ".join("".join(capsys.readouterr()).split())

    assert "no game is left to play; to complete the run again" in said("withdraw", run, "ann", "--annul", *told)
    assert left in said("standings", run, "--db", db)
    [row] = json.loads(said("runs", "--json", "--db", db))
    assert row["games_due"] is None
    assert "is unfinished: the archive contains its games so far" in said("export", run, "-o", archive, "--db", db)
    assert "no longer counts, since its deal set is annulled" in said("replay", game, "--db", db, code=2)
    play_on(plan, store)
    assert "nothing is left" not in said("standings", run, "--db", db)
    assert "unfinished" not in said("export", run, "-o", archive, "--db", db)
    page = tmp_path / "report.html"
    said("report", run, "-o", str(page), "--db", db)
    text = page.read_text(encoding="utf-8")
    assert "Annulled deal sets are not played again" in text
    assert "not published yet" not in text, "an annulment has no seed"
    assert "are played again, dealt from a seed" not in text
    said("void", run, next(iter(games_of(store.run()))), *told)
    assert left not in said("standings", run, "--db", db)


def test_a_cup_that_was_complete_has_nothing_left_after_an_annulment(yard: Yard, store: Store) -> None:
    play_on(entered(yard, "sets = 1", 'format = "knockout"'), store)
    assert not nothing_left(store.run())
    annul(store, "ann")
    assert nothing_left(store.run())
    plan = entered(yard, "sets = 1", 'format = "knockout"')
    assert play_on(plan, store).played == []
