"""The report of a run: one small file, with the games that it opens beside it (pages.md)."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from harness.cli.display.standings import standings_document, standings_text
from harness.cli.shared.output import json_text
from harness.ratings.elo.live_ratings import rate
from harness.ratings.pairs import result_of_record
from harness.ratings.standings import rating_list
from harness.records.store.store import Store
from harness.report.report_page import Written, chosen_games, write_report
from tests.support.records.played_games import SEED, after, deal_set, header, play, spec_of
from tests.support.records.stored_runs import store_cup, store_run

LIMIT = 200_000
"""The most bytes of an ordinary report (pages.md)."""


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
    assert all((written.folder / file).exists() for file in data["games"].values())
    (page,) = [written.folder / file for _, _, file in data["pairs"]]
    listed = re.findall(r'href="([^"]*)"', page.read_text(encoding="utf-8"))
    games = [link for link in listed if link.startswith("game-")]
    assert len(games) == 5
    for link in listed:
        if not link.startswith(("data:", "#")):
            assert (written.folder / link).exists(), link
    game = (written.folder / games[0]).read_text(encoding="utf-8")
    assert not re.search(r'(?:href|src)="[^":]+\.(?:css|js)"', game), "a replay needs no other file"
    with Store.open(tmp_path / "x.db") as store:
        everything = page.read_text(encoding="utf-8")
        without = [game for game in store.game_ids(run) if game in everything]
        assert len(without) == len(store.game_ids(run)) - 5, "a game without a page is named, so that it can be had"


@pytest.mark.parametrize("bots", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_the_report_shows_what_standings_show(tmp_path: Path, bots: int) -> None:
    """The same figures in the same words: each variant, all together and pooled (ratings.md, Ratings kept)."""
    path = tmp_path / "x.db"
    fingerprint = store_run(path, sets=range(2)) if bots == 2 else store_cup(path, bots, ("two-handed", "seven-handed"))
    _, page = report(tmp_path, fingerprint, replays=0)
    data = data_of(page)
    with Store.open(path) as store:
        text = "\n".join(standings_text(store, store.run(fingerprint)))
        document: Any = json.loads(json_text(standings_document(store, store.run(fingerprint))))
    shown = [*data["scopes"][1:], data["scopes"][0]]  # the page begins with all variants, the terminal ends with them
    assert tables_in(text, data["titles"]["rating"]) == [[row["rating"] for row in scope["rows"]] for scope in shown]
    assert tables_in(text, data["titles"]["playing"]) == [[row["playing"] for row in scope["rows"]] for scope in shown]
    assert tables_in(text, data["titles"]["pooled"]) == [[row["figures"] for row in data["pooled"]["rows"]]]
    names = [bot["name"] for bot in data["bots"]]
    for scope in shown:
        found = document["variants"][scope["variant"]] if scope["variant"] else document["overall"]
        assert scope["sentence"] == found["basis"]
        assert scope["sentence"] in text
        for row, line in zip(scope["rows"], found["standings"], strict=True):
            assert names[row["bot"]] == line["bot"] == row["rating"][1] == row["playing"][0]
            assert row["rating"][0] == str(line["rank"])
            assert row["rating"][2] == elo_text(line["elo"])
            assert row["span"] == [None if (end := line["elo"][one]) is None else round(end, 1) for one in ENDS]
            assert row["rating"][5] == str(round(line["rating"]))
            assert row["rating"][7] == f"{line['wins']}-{line['draws']}-{line['losses']}"
            assert row["playing"][2:4] == [str(line["games"]), str(line["decisions"])]
            assert row["score"] == round(line["score"], 4)
        pairings = [[names[one], names[other], *wdl] for one, other, *wdl in scope["cross"]]
        assert pairings == [
            [one["bot"], one["opponent"], one["wins"], one["draws"], one["losses"]] for one in found["crosstable"]
        ]
    for row in data["pooled"]["rows"]:
        line = document["pooled"][names[row["bot"]]]
        assert row["figures"][5] == ("-" if line["tau"] is None else str(round(line["tau"])))
        assert row["figures"][6] == str(line["variants"])
    ends = [line[-1] for line in data["curves"]["lines"]]
    live = {line["bot"]: round(line["rating"]) for line in document["overall"]["standings"]}
    assert ends == [live[name] for name in names]


ENDS = ("value", "low", "high")


def elo_text(elo: dict[str, float | None]) -> str:
    """Return a rating of `standings --json` as the report writes it."""
    value, se, low, high = (None if (part := elo[name]) is None else round(part) for name in ("value", "se", *ENDS[1:]))
    if value is not None:
        return "?" if se is None else str(value)
    return f">{low}" if low is not None else f"<{high}"


def tables_in(text: str, titles: list[str]) -> list[list[list[str]]]:
    """Return the rows of each table with these heads, cell by cell."""
    lines = text.split("\n")
    found = []
    for at, line in enumerate(lines):
        if re.split(r"\s{2,}", line.strip()) == titles:
            rows = takewhile(lambda row: len(re.split(r"\s{2,}", row.strip())) == len(titles), lines[at + 2 :])
            found.append([re.split(r"\s{2,}", row.strip()) for row in rows])
    return found


@pytest.mark.slow
def test_every_cell_opens_a_list_with_a_replay(tmp_path: Path) -> None:
    """Ten bots: each pair in each variant, and each bot in each variant (pages.md)."""
    fingerprint = store_cup(tmp_path / "x.db", 10, ("two-handed", "euchre", "seven-handed"))
    with Store.open(tmp_path / "x.db") as store:
        written = write_report(store, store.run(fingerprint), tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    pages = {(one, other): file for one, other, file in data["pairs"]}
    pages |= {(other, one): file for one, other, file in data["pairs"]}
    cells = [
        (scope["variant"], pages[one, other])
        for scope in data["scopes"]
        for one, other, *_ in scope["cross"]
        if scope["variant"]
    ]
    cells += [(scope["variant"], data["games"][str(row["bot"])]) for scope in data["scopes"] for row in scope["rows"]]
    assert len(cells) > 250
    texts = {file: (written.folder / file).read_text(encoding="utf-8") for _, file in cells}
    for variant, file in set(cells):
        section = texts[file].partition(f'<h2 id="{variant}">')[2].partition("<h2")[0] if variant else texts[file]
        game = re.search(r'href="(game-[0-9]+[.]html)"', section)
        assert game is not None, f"{file}#{variant} has no replay"
        assert (written.folder / game[1]).exists()


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
    from harness.ratings.bradley_terry.connectivity import UnconnectedError

    def never_met(results: object, *, anchor: str) -> None:
        raise UnconnectedError([["ann"], ["bob"]])

    monkeypatch.setattr(rating_list, "fit", never_met)
    _, path = report(tmp_path, run)
    scope = data_of(path)["scopes"][0]
    assert scope["sentence"].startswith("no ratings: ")
    assert "never met" in scope["sentence"]
    assert all(row["rating"][2:5] == ["-"] * 3 and row["span"] is None for row in scope["rows"])


def test_processor_time_of_a_bot_that_is_not_in_the_run_is_left_out(tmp_path: Path, run: str) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection, connection:  # which checks no foreign keys
        connection.execute("INSERT INTO cpu VALUES (?, 'stranger', 5, 1)", [run])
    _, path = report(tmp_path, run, replays=0)
    assert [line[:2] for line in data_of(path)["cpu"]] == [[0, 300]]
