"""`bowerbird analyse`: what it shows, what it keeps, and what it may not do."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.extras.analysis.analysing import plan_of
from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile, analysis_path, digest_of
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis, Judging, analysed
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.replay.words import in_words
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.positions_file import read_positions
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.records.archives import exported, imported
from tests.support.records.stored_runs import store_run

Said = Callable[..., str]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Return a function that runs the command in a folder with x.db and returns what it prints; if refused, the
    sentence."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")

    def said(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        found = run(("analyse", *arguments, "--db", "x.db"))
        heard = capsys.readouterr()
        assert found == code, (arguments, heard)
        return heard.err if code else heard.out

    return said


@pytest.fixture
def stored(said: Said) -> str:
    return store_run(Path("x.db"), variants=("two-handed",))


def test_the_screen_has_80_columns_but_for_commands_to_copy_and_names_every_stage(said: Said, stored: str) -> None:
    text = said("autumn", "--worlds", "4")
    assert all(len(line) <= 80 for line in text.splitlines() if not line.lstrip().startswith("bowerbird "))
    for word in ("bidding", "exchange", "lead", "follow", "ending", "par", "ann", "bob"):
        assert word in text
    assert f"bowerbird replay {stored}/" in text
    asks = [line.split() for line in text.splitlines() if " ask " in line]
    assert asks, "each mistake has the command that asks a bot for it"
    assert all(words[:2] == ["bowerbird", "ask"] and words[3] == "BOT" and "--step" in words for words in asks)


def test_json_has_what_the_screen_has_and_parts_add_up(said: Said, stored: str) -> None:
    document = json.loads(said("autumn", "--worlds", "4", "--json"))
    assert document["run"] == stored
    assert {one["bot"] for one in document["bots"]} == {"ann", "bob"}
    for one in document["bots"]:
        par = one["par"]
        assert par["result"] == par["par"] - par["own"] + par["others"] + par["rest"]
        assert one["loss"]["mean"] == pytest.approx(sum(stage["mean"] for stage in one["stages"].values()))
        assert len(one["mistakes"]) <= 10
    assert sum(one["par"]["result"] for one in document["bots"]) == 0


def test_an_analysis_that_was_broken_off_goes_on_and_finds_the_same(
    said: Said, stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = said("autumn", "--worlds", "4", "--json")
    analysis_path(Path("x.db")).unlink()
    asked: list[str] = []

    def interrupted(record: GameRecord, judge: Judging, name: str) -> GameAnalysis:
        asked.append(record.id)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return analysed(record, judge, name)

    monkeypatch.setattr("bowerbird.harness.extras.analysis.analysing.analysed", interrupted)
    assert "2 of 4 games are analysed and kept" in said("autumn", "--worlds", "4", code=130)
    assert said("autumn", "--worlds", "4", "--json") == whole
    assert len(asked) == 5, "two games were not analysed again"
    said("autumn", "--worlds", "4")
    assert len(asked) == 5, "all is stored"


def test_figures_of_another_judge_stay_apart(said: Said, stored: str) -> None:
    four = said("autumn", "--worlds", "4", "--json")
    six = json.loads(said("autumn", "--worlds", "6", "--json"))
    assert six["judges"] != json.loads(four)["judges"]
    assert said("autumn", "--worlds", "4", "--json") == four


def test_a_run_that_is_not_complete_is_refused(said: Said) -> None:
    fingerprint = store_run(Path("x.db"), variants=("two-handed",), end=False)
    sentence = said("autumn", code=2)
    assert f"run {fingerprint} is not complete, and an analysis shows hidden cards" in sentence
    assert not analysis_path(Path("x.db")).exists()


def test_unknown_bots_and_games_are_refused_with_the_nearest_match(said: Said, stored: str) -> None:
    assert "did you mean 'ann'" in said("autumn", "anne", code=2)
    assert "no game 'zzz'" in said("autumn", "--game", "zzz", code=2)


def test_figures_of_games_that_do_not_count_are_not_shown(said: Said, stored: str) -> None:
    before = json.loads(said("autumn", "--worlds", "4", "--json"))
    with closing(sqlite3.connect("x.db")) as database:
        database.execute("UPDATE game SET ended = 'forfeit' WHERE variant = 'two-handed' AND rotation = 0")
        database.commit()
    after = json.loads(said("autumn", "--worlds", "4", "--json"))
    assert after["games"] == before["games"] - 1
    assert after["left_out"] == ["1 forfeited game left out, since a fault ended play"]


def test_a_single_game_shows_each_hand_with_its_par(said: Said, stored: str) -> None:
    text = said("autumn/two-handed-0/ann+bob/0/0", "--worlds", "4")
    assert "1 game, each decision judged" in text
    rows = [line.split() for line in text.partition("Points of each hand")[2].splitlines()[3:]]
    assert len(rows) == 2 * 3, "two sides of three hands"
    for *_, result, par, own, others, rest in rows:
        assert float(result) == pytest.approx(float(par) - float(own) + float(others) + float(rest), abs=1e-6)


def test_a_sample_has_whole_deal_sets_and_a_larger_one_contains_it(said: Said) -> None:
    fingerprint = store_run(Path("x.db"), variants=("two-handed", "euchre"), sets=range(6))
    with Store.open("x.db") as store:
        run = store[fingerprint]
        rows = {row.id: row for row in run.games()}
        every = plan_of(run, 4)
        few, more = (plan_of(run, 4, deals=deals) for deals in (3, 30))
        assert plan_of(run, 4, deals=10**6) == every
    assert few.judges.keys() < more.judges.keys() < every.judges.keys()
    for plan, deals in ((few, 3), (more, 30)):
        hands = sum(rows[game].hands for game in plan.judges)
        assert hands >= deals
        assert plan.left_out[0].startswith(f"a sample: {hands} of ")
        places = {(rows[game].entry, rows[game].set_number) for game in plan.judges}
        whole = {game for game in every.judges if (rows[game].entry, rows[game].set_number) in places}
        assert plan.judges.keys() == whole
    assert {rows[game].variant for game in more.judges} == {"two-handed", "euchre"}, "entries take turns"


def test_the_command_analyses_a_sample_and_says_so(said: Said, stored: str) -> None:
    document = json.loads(said("autumn", "--worlds", "4", "--deals", "1", "--json"))
    assert document["games"] > 0
    text = said("autumn", "--worlds", "4", "--deals", "1")
    assert f"{document['games']} game" in text
    assert "costs at least its cost less the ±" in " ".join(text.split())


def test_an_imported_run_is_analysed_as_it_came_and_says_so(said: Said, stored: str, tmp_path: Path) -> None:
    here = json.loads(said("autumn", "--worlds", "4", "--json"))
    archive = exported(tmp_path / "x.db", stored)
    for file in tmp_path.glob("x.*db*"):
        file.unlink()
    imported(tmp_path / "x.db", archive)
    there = json.loads(said("autumn", "--worlds", "4", "--json"))
    assert any("was imported" in sentence for sentence in there["left_out"])
    assert there["bots"] == here["bots"]


def test_a_file_that_is_not_ours_is_left_untouched(said: Said, stored: str) -> None:
    path = analysis_path(Path("x.db"))
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    assert "was left untouched" in said("autumn", code=2)
    assert path.read_bytes() == before


def test_the_costliest_positions_are_exported_with_their_records(said: Said, stored: str) -> None:
    said("autumn", "ann", "--worlds", "4", "--export", "positions.json", "-q")
    found = read_positions(Path("positions.json"))
    with Store.open("x.db") as store:
        texts = {store.record_text(game) for game in store[stored].game_ids()}
    assert found
    for one in found:
        assert one.record in texts
        assert one.remark.startswith("ann lost ")


def test_versions_are_compared_on_deals_that_both_played(said: Said, stored: str) -> None:
    document = json.loads(said("autumn", "--worlds", "4", "--compare", "ann", "bob", "--json"))
    back = json.loads(said("autumn", "--worlds", "4", "--compare", "bob", "ann", "--json"))
    assert document["deals"] > 0
    assert document["change"]["mean"] == pytest.approx(-back["change"]["mean"])
    assert [one["old_game"] for one in document["mended"]] == [one["new_game"] for one in back["broken"]]
    assert "that both played" in said("autumn", "--worlds", "4", "--compare", "ann", "bob")


def test_a_full_disk_is_said_and_the_same_command_goes_on_when_there_is_room(
    said: Said, stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = said("autumn", "--worlds", "4", "--json")
    analysis_path(Path("x.db")).unlink()
    saved: list[str] = []

    class Full(AnalysisFile):
        """A file that has no room after two games."""

        def save(self, run: str, game: str, record: str, judge: str, found: GameAnalysis) -> None:
            if len(saved) == 2:
                self._connection.execute("PRAGMA max_page_count = 1")  # no more than there are
            super().save(run, game, record, judge, found)
            saved.append(game)

    with monkeypatch.context() as patched:
        patched.setattr("bowerbird.harness.extras.analysis.analysis_file.AnalysisFile", Full)
        sentence = " ".join(said("autumn", "--worlds", "4", code=2).split())
    assert "database or disk is full while writing the figures of game" in sentence
    assert "what was stored before is untouched" in sentence
    with AnalysisFile(Path("x.db")) as file:
        assert file.analysed_games(stored) == set(saved)
    assert said("autumn", "--worlds", "4", "--json") == whole


@pytest.mark.parametrize(
    ("ended", "sentence"),
    [
        ("forfeit", "1 forfeited game left out, since a fault ended play"),
        ("withdrawn", "1 game of withdrawn bots left out, since nobody played"),
    ],
)
def test_each_kind_of_game_that_is_left_out_has_its_sentence(
    said: Said, stored: str, ended: str, sentence: str
) -> None:
    with closing(sqlite3.connect("x.db")) as database:
        database.execute("UPDATE game SET ended = ? WHERE variant = 'two-handed' AND rotation = 0", [ended])
        database.commit()
    document = json.loads(said("autumn", "--worlds", "4", "--json"))
    assert document["left_out"] == [sentence]
    assert document["games"] == 3


def test_a_run_of_which_nothing_can_be_judged_is_refused_with_each_reason(said: Said, stored: str) -> None:
    with closing(sqlite3.connect("x.db")) as database:
        database.execute("UPDATE game SET ended = CASE rotation WHEN 0 THEN 'forfeit' ELSE 'withdrawn' END")
        database.commit()
    sentence = said("autumn", code=2)
    assert "there is nothing to analyse" in sentence
    assert "forfeited" in sentence
    assert "withdrawn bots" in sentence


def test_figures_of_a_game_are_stored_whole_or_not_at_all(said: Said, stored: str) -> None:
    said("autumn", "--worlds", "4", "-q")
    with Store.open("x.db") as store, AnalysisFile(Path("x.db")) as file:
        (game, *_) = store[stored].game_ids()
        found = file.latest(game, digest_of(store.record_text(game)))
        assert found is not None
        with pytest.raises(StoreError, match="what was stored before is untouched"):
            file.save(stored, game, "digest", "another judge", replace(found, hands=found.hands * 2))
    with closing(sqlite3.connect(analysis_path(Path("x.db")))) as database:
        assert database.execute("SELECT count(*) FROM game WHERE judge = 'another judge'").fetchone() == (0,)
        orphans = "SELECT count(*) FROM decision WHERE game NOT IN (SELECT number FROM game)"
        assert database.execute(orphans).fetchone() == (0,)


def test_a_comparison_names_the_mistake_behind_each_deal_and_says_it_in_words(said: Said, stored: str) -> None:
    arguments = ("autumn", "--worlds", "4", "--compare", "ann", "bob")
    document = json.loads(said(*arguments, "--json"))
    text = " ".join(said(*arguments).split())
    assert any(deal["mistake"] for deal in [*document["mended"], *document["broken"]])
    for kind, when in (("mended", "before"), ("broken", "now")):
        for deal in document[kind]:
            mistake = deal["mistake"]
            if mistake is None:  # the other bot lost less than nothing, by chance
                continue
            loses = deal["old_game"] if kind == "mended" else deal["new_game"]
            assert mistake["game"] == loses
            assert (mistake["decision"]["hand"], mistake["decision"]["seat"]) == (deal["hand"], deal["seat"])
            made = mistake["decision"]
            assert f"{when}: {in_words(made['token'])}; champion {in_words(made['best'])} (step {made['step']})" in text


def test_the_screen_says_what_each_mistake_was_and_what_the_seat_saw(said: Said, stored: str) -> None:
    text = " ".join(said("autumn", "ann", "--worlds", "4").split())
    document = json.loads(said("autumn", "ann", "--worlds", "4", "--json"))
    (profile,) = document["bots"]
    assert profile["mistakes"]
    for mistake in profile["mistakes"]:
        made = mistake["decision"]
        assert f"{in_words(made['token'])}; champion {in_words(made['best'])} (seat {made['seat']}" in text
    assert text.count("; holds ") >= len(profile["mistakes"])
