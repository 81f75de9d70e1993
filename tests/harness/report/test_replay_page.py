"""The replay page holds the game, and nothing that its reader may not have (pages.md)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.replay import replay
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.faults import NO_LOG
from bowerbird.harness.records.values.game_record import INSTANCES, PER_SEAT, GameRecord
from bowerbird.harness.records.values.query_results import FaultRow
from bowerbird.harness.report.replay_page import replay_page
from tests.support.records.every_game import every_game
from tests.support.records.played_games import after, game, notes_of, withdrawn
from tests.support.records.stored_runs import store_run

CARD = re.compile(r"\b(?:[AKQJT2-9][shdc]|X[123rb])\b")


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return dict(json.loads(found.group(1)))


def short(variant: str) -> GameRecord:
    return game(variant, 6, options={"max_hands": 3})


@pytest.mark.parametrize("variant", variant_names())
def test_a_page_asks_for_nothing_from_anywhere(variant: str) -> None:
    page = replay_page(short(variant))
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?!data:)[a-z]+:|url\(|@import|https?://|//[a-z]""", page), variant


def test_the_record_is_inside_for_download() -> None:
    record = short("buck")
    assert data_of(replay_page(record))["record"] == canonical(record)


@pytest.mark.parametrize("variant", variant_names())
def test_a_page_for_a_seat_holds_only_what_it_knew(variant: str) -> None:
    record = short(variant)
    page = replay_page(record, 1)
    data = data_of(page)
    assert data["record"] is None
    known = {card for step in replay(record) for card in CARD.findall(repr(step.before.view(1).fields()))}
    known |= {step.action.card for step in replay(record) if step.seat == 1 or step.action.kind in ("play", "dictate")}
    assert set(CARD.findall(json.dumps(data["frames"]))) <= known
    for hand in record.hands:
        assert not any(pack in page for pack in hand.packs)


def test_text_of_a_bot_cannot_leave_its_place() -> None:
    record = game("buck", 1, on_fault="forfeit", misbehave=after(9, None, "ILLEGAL"))
    evil = "</script><script>alert(1)</script><!--\u2028\x1b]0;x\x07\u202e\x9b"
    record = replace(record, faults=(replace(record.faults[0], detail=evil),))
    page = replay_page(record)
    assert page.count("</script>") == 2
    assert "alert(1)</" not in page
    assert data_of(page)["faults"][0]["detail"] == shown(evil)


def test_a_game_that_was_not_played_has_a_page_that_says_so() -> None:
    data = data_of(replay_page(withdrawn("euchre", 1)))
    assert data["frames"] == []
    assert data["faults"][0]["kind"] == "NEVER_STARTED"


def test_right_and_left_bower_are_marked_by_the_trump() -> None:
    marks = data_of(replay_page(game("euchre", 3)))["marks"]
    for trump, mate in (("h", "d"), ("s", "c")):
        if trump in marks:
            assert marks[trump][f"J{trump}"] == "right"
            assert marks[trump][f"J{mate}"] == "left"
            assert marks[trump][f"A{trump}"] == "trump"
            assert f"A{mate}" not in marks[trump]
    assert marks


@pytest.fixture
def told(tmp_path: Path) -> tuple[GameRecord, list[FaultRow]]:
    """Return a game that went on after a fault of a seat (1 or another), and the fault with its story."""
    store_run(tmp_path / "x.db", variants=("euchre",), faulty=(0,))
    with Store.open(tmp_path / "x.db") as store:
        [row] = [game for game in every_game(store) if game.faults and game.ended != "forfeit"]
        return store.record(row.id), [replace(one, stderr="it held the Xr and <b>") for one in store.faults_of(row.id)]


def test_the_story_of_a_fault_is_on_the_page(told: tuple[GameRecord, list[FaultRow]]) -> None:
    record, [fault] = told
    page = replay_page(record, None, [fault])
    assert data_of(page)["stories"] == {
        str(fault.seat): {
            "legal": list(fault.legal),
            "ended": fault.how_ended,
            "words": ["it held the Xr and <b>"],
            "log": NO_LOG,
        }
    }
    assert data_of(replay_page(record, None, [replace(fault, log="logs/r/b.log")]))["stories"][str(fault.seat)][
        "log"
    ] == ("logs/r/b.log")
    assert "<b>" not in page.partition('id="data">')[2].partition("</script>")[0]


def test_the_page_of_a_seat_holds_no_word_of_any_process(told: tuple[GameRecord, list[FaultRow]]) -> None:
    record, [fault] = told
    for seat in range(len(record.seats)):
        page = replay_page(record, seat, [fault])
        assert "it held" not in page
        assert "logs/" not in page
        own = {str(seat): {"legal": list(fault.legal), "ended": fault.how_ended, "words": [], "log": ""}}
        assert data_of(page)["stories"] == (own if seat == fault.seat else {})


def test_who_looks_as_another_seat_is_not_told_the_detail_of_a_fault(told: tuple[GameRecord, list[FaultRow]]) -> None:
    """Also on the page with all cards: its switch shows what one seat knew."""
    record, [fault] = told
    [frame] = [one for one in data_of(replay_page(record, None, [fault]))["frames"] if one.get("k") == "fault"]
    assert frame["t"].endswith(f": {fault.detail}")
    assert frame["q"] == frame["t"].removesuffix(f": {fault.detail}")


def test_a_record_alone_has_a_page_without_stories(told: tuple[GameRecord, list[FaultRow]]) -> None:
    record, [fault] = told
    data = data_of(replay_page(record))
    assert data["stories"] == {}
    assert data["faults"][0]["kind"] == fault.kind


def test_a_remark_stands_at_the_top_as_text() -> None:
    page = replay_page(short("euchre"), remark="this game does not count: <b>why</b>")
    assert '<p class="remark">this game does not count: &lt;b&gt;why&lt;/b&gt;</p>' in page
    assert 'class="remark"' not in replay_page(short("euchre"))


@pytest.mark.parametrize("variant", variant_names())
def test_each_note_is_on_the_page_at_the_step_of_its_action(variant: str) -> None:
    record = short(variant)
    notes = notes_of(record)
    page = replay_page(record, notes=notes)
    data = data_of(page)
    places: list[tuple[str, int]] = []
    state: dict[str, Any] = {}
    for change in data["frames"]:
        state |= change
        if state["k"] == "action":
            places.append((f"{state['h']}/{state['s']}", state["h"]))
    steps = list(replay(record))
    assert len(places) == len(steps)
    noted = {note.place: note.text for note in notes}
    at = {(step.hand, step.index): place for step, (place, _) in zip(steps, places, strict=True)}
    assert data["notes"] == {at[place]: list(map(shown, text.split("\n"))) for place, text in noted.items()}
    assert "<script>alert" not in page, "markup of a stranger is escaped"


@pytest.mark.parametrize("instances", INSTANCES)
def test_the_page_of_a_seat_holds_its_own_notes_or_none(instances: str) -> None:
    made = short("euchre")
    record = replace(made, conditions=replace(made.conditions, instances=instances))
    notes = [replace(note, text=f"seat {note.seat} noted") for note in notes_of(record)]
    for seat in range(4):
        page = replay_page(record, seat, notes=notes)
        said = list(data_of(page)["notes"].values())
        own = sum(note.seat == seat for note in notes) if instances == PER_SEAT else 0
        assert said == [[f"seat {seat} noted"]] * own
        assert not any(f"seat {other} noted" in page for other in range(4) if other != seat)
