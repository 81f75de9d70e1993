"""The figures on pages: marks at the decisions of a replay, a section in the report, nothing of other seats."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.cli.shared.marks import marks_of, sections_of
from bowerbird.harness.extras.analysis.analysis_file import analysis_path
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.report.replay_data import replay_data
from tests.support.records.stored_runs import store_run


@pytest.fixture
def analysed(tmp_path: Path) -> Path:
    """Return a database with a run that was analysed."""
    path = tmp_path / "x.db"
    store_run(path, variants=("two-handed",))
    assert run(("analyse", "autumn", "--worlds", "4", "--db", str(path), "--json", "-q")) == 0
    return path


def test_every_judged_decision_of_a_game_has_a_mark_and_each_hand_one_dearest(analysed: Path) -> None:
    with Store.open(analysed) as store:
        record = store.record(store.run().game_ids()[0])
    marks = marks_of(analysed, record)
    assert marks
    for hand in range(len(record.hands)):
        assert sum(mark.is_shown_in_time for mark in marks if mark.hand == hand) <= 1
    data = replay_data(record, marks=marks)
    said = data["said_of"]
    assert isinstance(said, dict)
    assert len(said) == len(marks)
    actions = {f"{mark.hand}": record.hands[mark.hand].actions[mark.action] for mark in marks}
    assert all(action.partition(" ")[0].isdecimal() for action in actions.values())


def test_a_page_with_what_one_seat_knew_has_the_marks_of_this_seat_alone(analysed: Path) -> None:
    with Store.open(analysed) as store:
        record = store.record(store.run().game_ids()[0])
    marks = marks_of(analysed, record)
    own = [mark for mark in marks if mark.seat == 1]
    said = replay_data(record, seat=1, marks=marks)["said_of"]
    assert isinstance(said, dict)
    assert 0 < len(said) == len(own) < len(marks)
    assert sorted(one["text"] for one in said.values()) == sorted(mark.sentence for mark in own)


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
        assert marks_of(path, store.record(store.run().game_ids()[0])) == []
    assert not analysis_path(path).exists(), "to look makes no file"


def test_figures_of_a_record_that_was_played_again_are_not_shown(analysed: Path) -> None:
    with Store.open(analysed) as store:
        ids = store.run().game_ids()
        records = [store.record(game) for game in ids]
    with_other_times = records[0].hands[0].ms
    assert marks_of(analysed, records[0])
    from dataclasses import replace

    hand = replace(records[0].hands[0], ms=tuple(ms + 1 for ms in with_other_times))
    assert not marks_of(analysed, replace(records[0], hands=(hand, *records[0].hands[1:])))
