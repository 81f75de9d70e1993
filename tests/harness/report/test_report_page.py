"""The report of a run: one small file, and beside it the games that it opens (CLI.md, Pages)."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from played_games import SEED, after, deal_set, header, play, spec_of
from stored_runs import store_run

from harness.ratings.elo import result_of_record
from harness.ratings.fit import fit
from harness.ratings.ladder import rate
from harness.records.store import Store
from harness.report.report_page import Written, chosen_games, write_report

LIMIT = 200_000
"""Bytes that an ordinary report may have (CLI.md, Pages)."""


def report(folder: Path, run: str, replays: int = 5) -> tuple[Written, Path]:
    path = folder / "report.html"
    with Store.open(folder / "x.db") as store:
        return write_report(store, store.run(run), path, replays=replays), path


def data_of(page: Path) -> dict[str, Any]:
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return dict(json.loads(found.group(1)))


@pytest.fixture
def run(tmp_path: Path) -> str:
    return store_run(tmp_path / "x.db", sets=range(2))


def test_a_report_is_small_and_asks_for_nothing_from_anywhere(tmp_path: Path, run: str) -> None:
    written, path = report(tmp_path, run)
    assert written.size == path.stat().st_size < LIMIT
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?!data:)[a-z]+:|url\(|@import|https?://""", text)


def test_everything_that_it_links_to_lies_beside_it(tmp_path: Path, run: str) -> None:
    written, path = report(tmp_path, run)
    data = data_of(path)
    assert written.replays == 5
    assert [cell[:2] for cell in data["pairs"]] == [[0, 1]]
    (page,) = [written.folder / file for _, _, file in data["pairs"]]
    listed = re.findall(r'href="([^"]*)"', page.read_text(encoding="utf-8"))
    games = [link for link in listed if link.startswith("game-")]
    assert len(games) == 5
    for link in listed:
        if not link.startswith("data:"):
            assert (written.folder / link).exists(), link
    game = (written.folder / games[0]).read_text(encoding="utf-8")
    assets = {"page.css", "replay.css", "layout.js", "replay.js"}
    assert set(re.findall(r'(?:href|src)="([^":]+\.(?:css|js))"', game)) == assets
    with Store.open(tmp_path / "x.db") as store:
        everything = page.read_text(encoding="utf-8")
        without = [game for game in store.game_ids(run) if game in everything]
        assert len(without) == len(store.game_ids(run)) - 5, "a game without a page is named, so that it can be had"


def test_ratings_are_those_of_record(tmp_path: Path, run: str) -> None:
    _, path = report(tmp_path, run)
    data = data_of(path)
    with Store.open(tmp_path / "x.db") as store:
        fitted = fit(store.results(run))
        standings = {line.bot: line for line in store.standings(run)}
    scope = data["scopes"][0]
    assert scope["variant"] == ""
    for row in scope["rows"]:
        bot = data["bots"][row["bot"]]["name"]
        assert row["rating"][0] == round(fitted.rating(bot).value, 1)
        assert row["rating"][1:] == [round(end, 1) for end in fitted.rating(bot).interval()]
        line = standings[bot]
        assert row["wdl"] == [line.wins, line.draws, line.losses]
    ends = [line[-1] for line in data["curves"]["lines"]]
    assert ends == [round(standings[bot["name"]].rating or 0) for bot in data["bots"]]


def test_faults_are_told_and_their_games_have_replays(tmp_path: Path) -> None:
    run = header()
    key, games = deal_set("buck", 0, run)
    bad = play(spec_of("buck", ("ann", "bob") * 2, on_fault="substitute"), random.Random(1), after(9, 1, "CRASHED"))
    games = (bad, *games[1:])
    with Store.create(tmp_path / "x.db") as store, store.begin(run, SEED) as writer:
        writer.save_set(key, games, rate(map(result_of_record, games)))
        writer.end()
    written, path = report(tmp_path, run.fingerprint, replays=2)
    data = data_of(path)
    (fault,) = data["faults"]
    assert (fault["kind"], fault["game"], fault["detail"]) == ("CRASHED", bad.id, "exit status 3")
    assert (written.folder / data["replays"][bad.id]).exists()


def test_chosen_games_are_those_with_faults_then_some_of_each_line_up(tmp_path: Path, run: str) -> None:
    with Store.open(tmp_path / "x.db") as store:
        games = store.games(run)
    assert len(chosen_games(games, 21)) == 21
    assert len({game.variant for game in games if game.id in chosen_games(games, 21)}) == 21
    assert chosen_games(games, 10**6) == {game.id for game in games}
    assert chosen_games(games, 0) == frozenset()


def test_bots_that_never_met_are_said_not_to_be_comparable(tmp_path: Path, run: str, monkeypatch: Any) -> None:
    from harness.ratings.errors import UnconnectedError
    from harness.report import report_data

    def never_met(results: object) -> None:
        raise UnconnectedError([["ann"], ["bob"]])

    monkeypatch.setattr(report_data, "fit", never_met)
    _, path = report(tmp_path, run)
    scope = data_of(path)["scopes"][0]
    assert "never met" in scope["remark"]
    assert all(row["rating"] is None for row in scope["rows"])
