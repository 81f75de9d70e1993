"""The report of a run: one small file, with the games that it opens beside it (pages.md)."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing
from html import unescape
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.cli.shared.output import json_text
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings import pool, rating_list
from bowerbird.harness.ratings.standings.head_to_head import HeadToHeads
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.text.cells import comparison_cells
from bowerbird.harness.ratings.standings.text.words import WORDS
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.placements import MatchResult, Outcome, Placement
from bowerbird.harness.report.report_data import report_data
from bowerbird.harness.report.report_page import Written, bot_files, chosen_games, pair_files, write_report
from bowerbird.harness.tournament.corrections import void_games
from tests.support.records.played_games import SEED, after, deal_set, header, play, spec_of
from tests.support.records.stored_runs import store_cup, store_run

LIMIT = 200_000
"""The most bytes of an ordinary report (pages.md)."""


def report(folder: Path, run: str, replays: int = 5) -> tuple[Written, Path]:
    path = folder / "report.html"
    with Store.open(folder / "x.db") as store:
        return write_report(store.run(run), path, replays=replays), path


def data_of(page: Path) -> dict[str, Any]:
    """Return the values that a report shows for the newest run in its database, with the links of tables."""
    assert page.exists()
    with Store.open(page.with_name("x.db")) as store:
        run = store.run()
        games, bots = run.games(), [bot.name for bot in run.bots()]
        data = json.loads(json.dumps(report_data(run, overview([run]))))
    pairs = [[bots.index(one), bots.index(other), file] for (one, other), file in pair_files(games).items()]
    return {**data, "pairs": pairs, "games": {str(bots.index(bot)): file for (bot,), file in bot_files(games).items()}}


def text_of(page: Path) -> str:
    """Return the text of a page as a reader sees it."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8"))).split())


@pytest.fixture
def run(tmp_path: Path) -> str:
    return store_run(tmp_path / "x.db", sets=range(2), variants=("euchre", "cut-throat"))


def test_a_report_asks_for_nothing_from_anywhere(tmp_path: Path, run: str) -> None:
    written, path = report(tmp_path, run)
    assert written.size == path.stat().st_size
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
        without = [game for game in store[run].game_ids() if game in everything]
        assert len(without) == len(store[run].game_ids()) - 5, "a game without a page is named, so that it can be had"


def test_the_report_of_every_variant_is_small_and_shows_what_standings_show(tmp_path: Path) -> None:
    assert_the_report_shows_what_standings_show(tmp_path, store_run(tmp_path / "x.db", sets=range(2)))
    assert (tmp_path / "report.html").stat().st_size < LIMIT


def test_the_report_of_ten_bots_shows_what_standings_show(tmp_path: Path, simulations: None) -> None:
    run = store_cup(tmp_path / "x.db", 10, ("two-handed", "seven-handed"))
    assert_the_report_shows_what_standings_show(tmp_path, run)


def assert_the_report_shows_what_standings_show(tmp_path: Path, fingerprint: str) -> None:
    """The same figures in the same words: each variant, all together and pooled (ratings.md, Ratings kept)."""
    path = tmp_path / "x.db"
    _, page = report(tmp_path, fingerprint)
    data = data_of(page)
    with Store.open(path) as store:
        run = store.run(fingerprint)
        text = "\n".join(standings_text(store, [run], full=True))
        document: Any = json.loads(json_text(standings_document([run])))
    overall, *scopes = data["scopes"]
    for scope in scopes:
        assert scope["titles"][:5] == ["#", "bot", "Elo", "95%", "LOS"]
        drawn = [row["rating"] for row in scope["rows"]]
        assert [[row[0], *row[2:]] for row in drawn] in [
            [[row[0], *row[2:]] for row in found] for found in tables_in(text, scope["titles"])
        ]
    shown = [*scopes, overall]  # the page begins with all variants, the terminal ends with them
    assert tables_in(text, data["titles"]["playing"]) == [[row["playing"] for row in scope["rows"]] for scope in shown]
    assert tables_in(text, data["titles"]["pooled"]) == [[row["figures"] for row in data["pooled"]["rows"]]]
    names = [bot["name"] for bot in data["bots"]]
    for scope in shown:
        found = document["variants"][scope["variant"]] if scope["variant"] else document["overall"]
        assert scope["sentence"] == found["basis"]
        assert scope["sentence"] in text
        for row, line in zip(scope["rows"], found["standings"], strict=True):
            cells = dict(zip(scope["titles"], row["rating"], strict=True))
            assert names[row["bot"]] == line["bot"] == cells["bot"] == row["playing"][0]
            assert cells["#"].partition("–")[0] == str(line["rank"])
            assert cells["#"].rpartition("–")[2] == str(line["last_rank"])
            assert cells["Elo"] == str(round(line["elo"]["value"]))
            assert row["span"] == [None if (end := line["elo"][one]) is None else round(end, 1) for one in ENDS]
            assert cells["won-drawn-lost"] == f"{line['wins']}-{line['draws']}-{line['losses']}"
            assert row["playing"][2:4] == [str(line["games"]), str(line["decisions"])]
            assert row["score"] == round(line["score"], 4)
        pairings = [[names[one], names[other], *wdl] for one, other, *wdl in scope["cross"]]
        assert pairings == [
            [one["bot"], one["opponent"], one["wins"], one["draws"], one["losses"]] for one in found["crosstable"]
        ]
    for row in data["pooled"]["rows"]:
        line = document["pooled"][names[row["bot"]]]
        assert row["figures"][5].partition(" ")[0] == ("-" if line["tau"] is None else str(round(line["tau"])))
        assert row["figures"][6] == str(line["variants"])
    words = text_of(page)
    for scope in shown:
        for row in scope["rows"]:
            for cells in (row["rating"], row["playing"]):
                assert " ".join(" ".join(cells).split()) in words, "the page shows every cell, row by row"
        assert scope["sentence"] in words
    ends = [line[-1] for line in data["curves"]["lines"]]
    ratings = {line["bot"]: round(line["elo"]["value"]) for line in document["overall"]["standings"]}
    assert ends == [ratings[name] for name in names], "one scale: the curves end where the table stands"


ENDS = ("value", "low", "high")


def tables_in(text: str, titles: list[str]) -> list[list[list[str]]]:
    """Return the rows of each table with these heads, cell by cell."""
    lines = text.split("\n")
    found = []
    for at, line in enumerate(lines):
        if re.split(r"\s{2,}", line.strip()) == titles:
            rows = takewhile(lambda row: len(re.split(r"\s{2,}", row.strip())) == len(titles), lines[at + 2 :])
            found.append([re.split(r"\s{2,}", row.strip()) for row in rows])
    return found


@pytest.mark.usefixtures("simulations")
def test_every_cell_opens_a_list_with_a_replay(tmp_path: Path) -> None:
    """Ten bots: each pair in each variant, and each bot in each variant (pages.md)."""
    fingerprint = store_cup(tmp_path / "x.db", 10, ("two-handed", "euchre", "seven-handed"))
    with Store.open(tmp_path / "x.db") as store:
        written = write_report(store.run(fingerprint), tmp_path / "report.html")
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
        writer.save_set(key, games, digest_of(map(result_of_record, games)))
        writer.end()
    written, path = report(tmp_path, run.fingerprint, replays=2)
    data = data_of(path)
    (fault,) = data["faults"]
    assert (fault["kind"], fault["game"], fault["detail"]) == ("CRASHED", bad.id, "exit status 3")
    link = rf'<a href="report-games/(game-[0-9]+.html)#hand={fault["hand"]}">{re.escape(bad.id)}</a>'
    found = re.search(link, path.read_text(encoding="utf-8"))
    assert found is not None, "a fault opens its replay"
    assert (written.folder / found[1]).exists()


def test_chosen_games_are_those_with_faults_then_some_of_each_line_up(tmp_path: Path) -> None:
    run = store_run(tmp_path / "x.db", sets=range(2))
    with Store.open(tmp_path / "x.db") as store:
        games = store[run].games()
    assert len(chosen_games(games, 21)) == 21
    assert len({game.variant for game in games if game.id in chosen_games(games, 21)}) == 21
    assert chosen_games(games, 10**6) == {game.id for game in games}
    assert chosen_games(games, 0) == frozenset()
    linked = [games[-1].id, games[-2].id]
    assert chosen_games(games, 2, linked) == set(linked), "those that sections link to come first"


def test_bots_that_never_met_are_said_not_to_be_comparable(tmp_path: Path, run: str, monkeypatch: Any) -> None:
    from bowerbird.harness.ratings.bradley_terry.connectivity import UnconnectedError

    def never_met(results: object, *, anchor: str, **_: object) -> None:
        raise UnconnectedError([["ann"], ["bob"]])

    for module, name in ((rating_list, "fit_observations"), (pool, "fit_observations")):
        monkeypatch.setattr(module, name, never_met)
    _, path = report(tmp_path, run)
    overall, *scopes = data_of(path)["scopes"]
    assert overall["sentence"].startswith("no ratings over all variants")
    for scope in scopes:
        assert scope["sentence"].startswith("no ratings: ")
        assert "never met" in scope["sentence"]
        assert all(row["rating"][2:5] == ["-"] * 3 and row["span"] is None for row in scope["rows"])


def test_processor_time_of_a_bot_that_is_not_in_the_run_is_left_out(tmp_path: Path, run: str) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection, connection:  # which does not check foreign keys
        connection.execute("INSERT INTO cpu VALUES (?, 'stranger', 5, 1)", [run])
    _, path = report(tmp_path, run, replays=0)
    assert [line[:2] for line in data_of(path)["cpu"]] == [[0, 300]]


def test_a_pair_has_a_page_with_its_head_to_head(tmp_path: Path) -> None:
    """The figures of `bowerbird standings --between`, by variant, and the opponents that both have met."""
    fingerprint = store_cup(tmp_path / "x.db", 4, ("two-handed", "euchre"))
    written, path = report(tmp_path, fingerprint, replays=0)
    with Store.open(tmp_path / "x.db") as store:
        compared = HeadToHeads(overview([store.run(fingerprint)])).between("bot-0", "bot-1")
    (file,) = [file for one, other, file in data_of(path)["pairs"] if (one, other) == (0, 1)]
    text = (written.folder / file).read_text(encoding="utf-8")
    assert '<h2 id="head-to-head">' in text
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", text)
    for one in compared.comparisons:
        expected = [escape(cell) for cell in comparison_cells(one)]
        at = cells.index(expected[0])
        assert cells[at : at + len(expected)] == expected
        cells = cells[at + len(expected) :]
    assert "Against the opponents that both met" in text
    assert f'title="{escape(WORDS["LOS"])}"' in text


def test_the_report_shows_places_and_every_match(tmp_path: Path) -> None:
    run = header("cup", bots=("ann", "bob", "eve"))
    key, games = deal_set("two-handed", 0, run, bots=("ann", "bob"))
    outcome = Outcome(
        places=(
            Placement(1, "ann", remark="won the final"),
            Placement(2, "bob", remark="lost the final"),
            Placement(3, "eve", remark="lost in the semi-finals"),
        ),
        matches=(
            MatchResult(1, "semi-finals", "ann", "", 0.0, 0, "ann", "bye"),
            MatchResult(1, "semi-finals", "bob", "eve", 1.0, 2, "bob", "better seed"),
            MatchResult(2, "final", "ann", "bob", 2.0, 2, "ann", "games"),
        ),
    )
    with Store.create(tmp_path / "x.db") as store, store.begin(run, SEED) as writer:
        writer.save_set(key, games, digest_of(map(result_of_record, games)))
        writer.end(outcome)
    _, path = report(tmp_path, run.fingerprint, replays=0)
    found = data_of(path)["outcome"]
    assert [row["cells"] for row in found["places"]] == [
        [str(one.place), one.bot, one.remark] for one in outcome.places
    ]
    assert [one["title"] for one in found["rounds"]] == ["semi-finals", "final"]
    assert found["rounds"][0]["matches"][0] == [0, None, None, None, 0, "bye"]
    assert found["rounds"][1]["matches"] == [[0, 1, "2", "0", 0, ""]]
    with Store.open(tmp_path / "x.db") as store:
        stored = store.run(run.fingerprint)
        first = "\n".join(standings_text(store, [stored]))
        full = "\n".join(standings_text(store, [stored], full=True))
        document: Any = json.loads(json_text(standings_document([stored])))
    assert first.index("places: 1 ann (won the final), 2 bob (lost the final)") < first.index("Elo")
    assert full.index("semi-finals") < full.index("Elo")
    assert "the better seed, since it was still tied after extra deal sets" in full
    assert [one["winner"] for one in document["matches"]] == ["ann", "bob", "ann"]
    assert [one["bot"] for one in document["places"]] == ["ann", "bob", "eve"]


def test_corrections_are_a_section_with_the_latest_first_and_no_markup_of_strangers(tmp_path: Path) -> None:
    run = store_run(tmp_path / "x.db", variants=("euchre",), sets=range(2))
    _, page = report(tmp_path, run)
    assert data_of(page)["corrections"] == []
    assert "see Corrections" not in page.read_text(encoding="utf-8")
    with Store.open(tmp_path / "x.db") as store:
        first = void_games(store.run(), ["euchre-0/ann+bob/0"], why="the disk was full", by="Ann").correction
        why = '<img src=x onerror="alert(1)"> & </script>'
        void_games(store.run(), ["euchre-0/ann+bob/1"], why=why, by="<b>Bob</b>")
    _, page = report(tmp_path, run)
    latest, oldest = data_of(page)["corrections"]
    assert (oldest["number"], oldest["by"], oldest["why"]) == (1, "Ann", "the disk was full")
    assert (oldest["sets"], oldest["commitment"], oldest["seed"]) == (["euchre-0/ann+bob/0"], first.commitment, None)
    assert oldest["count"] == "1 deal set taken out, 0 played again"
    assert (latest["number"], latest["why"]) == (2, why)
    text = page.read_text(encoding="utf-8")
    assert "2 corrections: see Corrections" in text
    assert "<img" not in text
    assert "<b>Bob" not in text
