"""`bowerbird analyse`: what it shows, what it keeps, and what it may not do."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.extras.analysis.analysis_file import analysis_path
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis, Judging, analysed
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.positions_file import read_positions
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.records.archives import exported, imported
from tests.support.records.stored_runs import store_run

Said = Callable[..., str]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Return what runs the command in a folder with x.db, and returns what it prints; of a refusal the sentence."""
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
    assert all(len(line) <= 80 for line in text.splitlines() if "replay" not in line)
    for word in ("bidding", "exchange", "lead", "follow", "ending", "par", "ann", "bob"):
        assert word in text
    assert f"bowerbird replay {stored}/" in text


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
