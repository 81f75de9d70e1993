"""The analysis travels with the archive of its run, and what a stranger wrote into it is checked."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.extras.analysis.analysis_file import AS_IMPORTED, AnalysisFile, analysis_path, digest_of
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis
from bowerbird.harness.extras.analysis.travelling import file_beside
from bowerbird.harness.records.store.store import Store
from tests.support.records.stored_runs import store_run

Heard = Callable[..., str]


@pytest.fixture
def heard(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Heard:
    """Return a function that runs a command in a folder with x.db and returns all that it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))

    def heard(*arguments: str) -> str:
        capsys.readouterr()
        assert run(arguments) == 0
        said = capsys.readouterr()
        return said.out + said.err

    return heard


@pytest.fixture
def exported(heard: Heard) -> str:
    """Export an analysed run of x.db as run.tar.gz; return its fingerprint."""
    fingerprint = store_run(Path("x.db"), variants=("two-handed",))
    heard("analyse", "autumn", "--worlds", "4", "--db", "x.db")
    assert "run.analysis.jsonl.gz, the analysis of 4 games" in heard(
        "export", "autumn", "-o", "run.tar.gz", "--no-sign", "--db", "x.db"
    )
    return fingerprint


def figures(database: str) -> dict[str, GameAnalysis]:
    with Store.open(Path(database)) as store, AnalysisFile(Path(database)) as file:
        run = store.run()
        return file.latest_of_run(run.fingerprint, {game: digest_of(text) for game, text in run.record_texts()})


def rewrite(change: Callable[[dict[str, Any]], None]) -> None:
    """Change the first game in the exported figures."""
    path = file_beside(Path("run.tar.gz"))
    first, *others = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    game = json.loads(first)
    change(game)
    path.write_bytes(gzip.compress(f"{json.dumps(game)}\n".encode() + b"".join(others)))


def test_figures_that_travelled_are_shown_and_not_computed_again(
    heard: Heard, exported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "the analysis of 4 games, as it came" in heard("import", "run.tar.gz", "--db", "y.db")
    assert figures("y.db") == figures("x.db")
    here = json.loads(heard("analyse", "autumn", "--worlds", "4", "--db", "x.db", "--json", "-q"))

    def refuse(*_: object) -> None:
        raise AssertionError("it was computed again")

    monkeypatch.setattr("bowerbird.harness.extras.analysis.analysing.analysed", refuse)
    there = json.loads(heard("analyse", "autumn", "--worlds", "4", "--db", "y.db", "--json", "-q"))
    assert there["bots"] == here["bots"]
    assert any("4 games: figures as they came with the archive" in line for line in there["left_out"])
    heard("report", "autumn", "-o", "r.html", "--db", "y.db")
    assert 'id="analysis"' in Path("r.html").read_text(encoding="utf-8")


def test_the_same_figures_give_the_same_bytes_and_the_archive_is_that_of_the_run_alone(
    heard: Heard, exported: str
) -> None:
    archive, beside = Path("run.tar.gz").read_bytes(), file_beside(Path("run.tar.gz")).read_bytes()
    heard("import", "run.tar.gz", "--db", "y.db")
    heard("export", "autumn", "-o", "again.tar.gz", "--no-sign", "--db", "x.db")
    assert file_beside(Path("again.tar.gz")).read_bytes() == beside
    analysis_path(Path("x.db")).unlink()
    heard("export", "autumn", "-o", "bare.tar.gz", "--no-sign", "--db", "x.db")
    assert Path("bare.tar.gz").read_bytes() == archive
    assert not file_beside(Path("bare.tar.gz")).exists()


def test_figures_that_were_computed_here_stay(heard: Heard, exported: str) -> None:
    before = figures("x.db")

    def lie(game: dict[str, Any]) -> None:
        game["decisions"][0][9] += 1000

    rewrite(lie)
    heard("import", "run.tar.gz", "--db", "x.db")
    assert figures("x.db") == before


def test_figures_as_imported_give_way_to_those_that_are_computed_here(heard: Heard, exported: str) -> None:
    heard("import", "run.tar.gz", "--db", "y.db")
    with AnalysisFile(Path("y.db")) as file:
        judges = set(file.latest_judges(exported, _digests("y.db")).values())
        assert all(judge.endswith(AS_IMPORTED) for judge in judges)
        for game, found in figures("y.db").items():
            file.save(exported, game, _digests("y.db")[game], judges.copy().pop().removesuffix(AS_IMPORTED), found)
        assert not any(judge.endswith(AS_IMPORTED) for judge in file.latest_judges(exported, _digests("y.db")).values())


def _digests(database: str) -> dict[str, str]:
    with Store.open(Path(database)) as store:
        return {game: digest_of(text) for game, text in store.run().record_texts()}


def _of(kind: str, place: int, value: object) -> Callable[[dict[str, Any]], None]:
    def change(game: dict[str, Any]) -> None:
        game[kind][0][place] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _of("decisions", 1, 999),
        _of("decisions", 3, "somebody"),
        _of("decisions", 4, "a stage of its own"),
        _of("decisions", 5, "play 1\x1b[2J"),
        _of("decisions", 9, 0.5),
        _of("decisions", 9, True),
        _of("decisions", 11, []),
        _of("hands", 4, 10**6),
        _of("hands", 0, 77),
        lambda game: game.pop("judge"),
        lambda game: game["hands"].append([1, 2]),
    ],
)
def test_figures_that_cannot_be_are_left_out_as_a_whole_and_the_run_is_stored(
    heard: Heard, exported: str, change: Callable[[dict[str, Any]], None]
) -> None:
    rewrite(change)
    said = " ".join(heard("import", "run.tar.gz", "--db", "y.db").split())
    assert "line 1: is not the analysis of a game of this run" in said
    assert "this analysis was left out" in said
    with Store.open(Path("y.db")) as store:
        assert store.run().row.games > 0
    assert not analysis_path(Path("y.db")).exists()


@pytest.mark.parametrize(
    "data", [b"", b"no gzip", gzip.compress(b"{}", mtime=0)], ids=["empty", "no gzip", "no figures"]
)
def test_a_damaged_file_is_left_out(heard: Heard, exported: str, data: bytes) -> None:
    file_beside(Path("run.tar.gz")).write_bytes(data)
    said = " ".join(heard("import", "run.tar.gz", "--db", "y.db").split())
    assert "this analysis was left out" in said


def test_tables_have_a_row_for_each_decision_and_each_hand_of_a_seat(heard: Heard, exported: str) -> None:
    heard("analyse", "autumn", "--worlds", "4", "--db", "x.db", "--tables", "out", "-q")
    found = figures("x.db")
    with Path("out/losses.csv").open(encoding="utf-8", newline="") as file:
        losses = list(csv.DictReader(file))
    with Path("out/pars.csv").open(encoding="utf-8", newline="") as file:
        pars = list(csv.DictReader(file))
    assert len(losses) == sum(len(one.decisions) for one in found.values())
    assert len(pars) == sum(len(one.hands) for one in found.values())
    assert round(1000 * sum(float(row["loss"]) for row in losses)) == sum(
        decision.loss for one in found.values() for decision in one.decisions
    )
    for row in losses:
        assert {row["token"], row["best"]} <= set(json.loads(row["worths"]))
        assert row["judge"].endswith("4 worlds")
