"""The figures on pages: marks at the decisions of a replay, a section in the report, nothing of other seats."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.cli.shared.marks import marks_of, sections_of
from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile, analysis_path, digest_of
from bowerbird.harness.extras.analysis.game_analysis import THOUSAND
from bowerbird.harness.extras.analysis.profile import Mistake
from bowerbird.harness.records.replay.replay import replay
from bowerbird.harness.records.replay.words import card_sign
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.report.marks import GameMarks
from bowerbird.harness.report.replay_data import replay_data
from tests.support.records.stored_runs import store_run


@pytest.fixture
def analysed(tmp_path: Path) -> Path:
    """Return a database with a run that was analysed."""
    path = tmp_path / "x.db"
    store_run(path, variants=("two-handed",))
    assert run(("analyse", "autumn", "--worlds", "4", "--db", str(path), "--json", "-q")) == 0
    return path


def test_every_judged_decision_of_a_game_has_a_mark_and_each_hand_one_costliest(analysed: Path) -> None:
    with Store.open(analysed) as store:
        record = store.record(store.run().game_ids()[0])
    with marks_of(analysed) as found:
        game = found(record)
    marks = game.decisions
    assert marks
    for hand in range(len(record.hands)):
        assert sum(mark.is_shown_in_time for mark in marks if mark.hand == hand) <= 1
    data = replay_data(record, marks=game)
    said = data["said_of"]
    assert isinstance(said, dict)
    assert len(said) == len(marks)
    actions = {f"{mark.hand}": record.hands[mark.hand].actions[mark.action] for mark in marks}
    assert all(action.partition(" ")[0].isdecimal() for action in actions.values())


def test_a_page_with_what_one_seat_knew_has_the_marks_of_this_seat_alone(analysed: Path) -> None:
    with Store.open(analysed) as store:
        record = store.record(store.run().game_ids()[0])
    with marks_of(analysed) as found:
        game = found(record)
    marks = game.decisions
    own = [mark for mark in marks if mark.seat == 1]
    data = replay_data(record, seat=1, marks=game)
    assert game.hands
    assert data["said_of_hands"] == {}, "the par of a hand tells of all cards"
    said = data["said_of"]
    assert isinstance(said, dict)
    assert 0 < len(said) == len(own) < len(marks)
    assert sorted(one["text"] for one in said.values()) == sorted(mark.sentence for mark in own)


def test_the_list_of_a_hand_says_what_each_sure_mistake_and_the_costliest_moment_lost(analysed: Path) -> None:
    with Store.open(analysed) as store:
        record = store.record(store.run().game_ids()[0])
    with marks_of(analysed) as found, AnalysisFile(analysed) as file:
        marks = found(record).decisions
        figures = file.latest(record.id, digest_of(canonical(record)))
    assert figures is not None
    made = {(one.hand, one.step): one for one in figures.decisions}
    assert any(mark.short for mark in marks)
    for mark in marks:
        one = made[mark.hand, mark.action]
        is_sure = one.token != one.best and Mistake(record.id, one).sure_loss > 0
        assert mark.short == (f"lost {one.loss / THOUSAND:.2f}" if is_sure or mark.is_shown_in_time else "")


def test_bars_are_full_for_the_best_action_and_a_point_shorter_for_what_costs_a_point(analysed: Path) -> None:
    with Store.open(analysed) as store, marks_of(analysed) as found:
        marks = found(store.record(store.run().game_ids()[0])).decisions
    for mark in marks:
        worths = [float(text) for _, text, _ in mark.values]
        scale = max(1.0, max(worths) - min(worths))
        for (_, _, share), worth in zip(mark.values, worths, strict=True):
            assert share == pytest.approx(1 - (max(worths) - worth) / scale, abs=0.02)  # texts are rounded


def test_mistakes_of_a_report_link_to_the_decision_with_what_the_seat_saw(analysed: Path) -> None:
    with Store.open(analysed) as store:
        (section,) = sections_of(store.run())
        table = next(one for one in section.tables if one.games)
        assert len(table.games) == len(table.details) == len(table.rows)
        for (game, hand, action), detail in zip(table.games, table.details, strict=True):
            step = next(one for one in replay(store.record(game)) if (one.hand, one.index) == (hand, action))
            cards = step.before.view(step.seat).hand
            assert all(card_sign(card).replace("T", "10") in detail for card in cards), detail


def test_replay_page_and_report_show_the_figures(analysed: Path, tmp_path: Path) -> None:
    with Store.open(analysed) as store:
        game = store.run().game_ids()[0]
    page, report = tmp_path / "game.html", tmp_path / "report.html"
    assert run(("replay", game, "-o", str(page), "--db", str(analysed))) == 0
    assert run(("report", "-o", str(report), "--db", str(analysed), "-q")) == 0
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert json.loads(found[1])["said_of"]
    text = report.read_text(encoding="utf-8")
    assert 'id="analysis"' in text
    assert "What decisions cost" in text


def test_without_an_analysis_pages_say_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    store_run(path, variants=("two-handed",))
    with Store.open(path) as store:
        assert sections_of(store.run()) == []
        with marks_of(path) as found:
            assert found(store.record(store.run().game_ids()[0])) == GameMarks([], [])
    assert not analysis_path(path).exists(), "to look makes no file"


def test_figures_of_a_record_that_was_played_again_are_not_shown(analysed: Path) -> None:
    with Store.open(analysed) as store:
        ids = store.run().game_ids()
        records = [store.record(game) for game in ids]
    with_other_times = records[0].hands[0].ms
    hand = replace(records[0].hands[0], ms=tuple(ms + 1 for ms in with_other_times))
    with marks_of(analysed) as found:
        assert found(records[0]).decisions
        again = found(replace(records[0], hands=(hand, *records[0].hands[1:])))
    assert not again.decisions
    assert not again.hands


def test_a_page_shows_the_par_of_each_hand_and_its_parts_add_up(analysed: Path) -> None:
    with Store.open(analysed) as store, marks_of(analysed) as found:
        record = store.record(store.run().game_ids()[0])
        hands = found(record).hands
    assert [one.hand for one in hands] == list(range(len(record.hands)))
    for one in hands:
        assert len(one.table.rows) == 2, "a row for each side"
        for _, result, par, own, others, rest in one.table.rows:
            assert float(result) == pytest.approx(float(par) - float(own) + float(others) + float(rest), abs=1e-6)
    said = replay_data(record, marks=GameMarks((), hands))["said_of_hands"]
    assert isinstance(said, dict)
    assert [said[str(one.hand)]["rows"] for one in hands] == [one.table.rows for one in hands]


def test_the_file_of_figures_is_opened_once_for_all_pages_of_a_report(
    analysed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    class Counted(AnalysisFile):
        def __init__(self, database: Path) -> None:
            opened.append(database)
            super().__init__(database)

    monkeypatch.setattr("bowerbird.harness.extras.analysis.marks.AnalysisFile", Counted)
    assert run(("report", "-o", str(tmp_path / "r.html"), "--db", str(analysed), "-q")) == 0
    assert len(list((tmp_path / "r-games").glob("game-*.html"))) > 1
    assert len(opened) == 2, "once for the replays, and once for the section"
