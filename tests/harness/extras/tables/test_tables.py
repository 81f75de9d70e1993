"""The tidy tables of a run agree with a replay of its records, in both forms; a stranger's text cannot inject."""

from __future__ import annotations

import csv
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.extras.tables import export
from bowerbird.harness.extras.tables.columns import BOOLEAN, INTEGER, TABLES
from bowerbird.harness.extras.tables.export import CSV, PARQUET, write_tables
from bowerbird.harness.extras.tables.tidy_rows import rows_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.annotations import Note
from bowerbird.records import GameRecord, open_database, replay, seat_results_of
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.records.stored_runs import store_run

MATCH = ("match", "greedy", "random", "--sets", "1", "--seed", "tables", "--quiet", "--db", "x.db")
VARIANTS = ("--variant", "euchre", "--variant", "buck")


@pytest.fixture
def played(bowerbird: Bowerbird) -> Path:
    """Return a database with a run of euchre and buck."""
    bowerbird.done(*MATCH, *VARIANTS)
    return bowerbird.folder / "x.db"


def _write(database: Path, folder: Path, form: str) -> dict[str, int]:
    with Store.open(database) as store:
        return write_tables(store[store.run(None).fingerprint], folder, form)


def _records(database: Path) -> list[GameRecord]:
    with open_database(database) as opened:
        return list(opened.records())


def _csv_rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV file with their types."""
    kinds = {column.name: column.type for column in TABLES[table]}
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [{name: _typed(cell, kinds[name]) for name, cell in row.items()} for row in csv.DictReader(file)]


def _typed(cell: str, kind: str) -> str | int | bool | None:
    if cell == "":
        return None
    return int(cell) if kind == INTEGER else cell == "true" if kind == BOOLEAN else cell


@pytest.mark.usefixtures("simulations")
def test_every_row_agrees_with_a_replay_of_the_records(played: Path, tmp_path: Path) -> None:
    counts = _write(played, tmp_path / "out", CSV)
    records = _records(played)
    games, hands, decisions, results = (_csv_rows(tmp_path / "out", name) for name in TABLES)
    assert counts == {"games": len(games), "hands": len(hands), "decisions": len(decisions), "results": len(results)}
    steps = [(record, step) for record in records for step in replay(record)]
    assert len(steps) == len(decisions) > 100
    for row, (record, step) in zip(decisions, steps, strict=True):
        assert (row["game"], row["hand"], row["step"]) == (record.id, step.hand, step.index)
        assert (row["seat"], row["bot"]) == (step.seat, record.seats[step.seat].bot)
        assert (row["token"], row["time_ms"], row["legal"]) == (step.token, step.ms, len(step.legal))
        assert (row["stage"], row["forced"]) == (step.before.view(step.seat).stage, step.forced)
    assert [row["game"] for row in games] == [record.id for record in records]
    assert [row["decisions"] for row in games] == [sum(len(h.actions) for h in record.hands) for record in records]
    played_hands = [(record, number, hand) for record in records for number, hand in enumerate(record.hands)]
    for row, (record, number, hand) in zip(hands, played_hands, strict=True):
        assert (row["game"], row["hand"], row["dealer"]) == (record.id, number, hand.dealer)
        assert (row["decisions"], row["time_ms"]) == (len(hand.actions), sum(hand.ms))
        before = record.hands[number - 1].scores if number else (25 if record.variant == "buck" else 0,) * 4
        sign = -1 if record.variant == "buck" else 1
        assert row["dealer_points"] == sign * (hand.scores[hand.dealer] - before[hand.dealer])
    seats = [(record.clocks[seat.seat], seat) for record in records for seat in seat_results_of(record)]
    for row, (clock, seat) in zip(results, seats, strict=True):
        assert (row.pop("per_decision_ms"), row.pop("bank_ms")) == (clock.per_decision_ms, clock.bank_ms)
        assert all(row[name] == getattr(seat, name) for name in row if name != "version")


@pytest.mark.usefixtures("simulations")
def test_both_forms_hold_the_same(played: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "out"
    assert _write(played, folder, CSV) == _write(played, folder, PARQUET)
    for name in TABLES:
        assert parquet.read_table(folder / f"{name}.parquet").to_pylist() == _csv_rows(folder, name)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        f"{name}.{form}" for name in TABLES for form in (CSV, PARQUET)
    ), "hidden files are left behind"


@pytest.mark.parametrize("form", [CSV, PARQUET])
def test_a_note_stands_in_the_row_of_its_decision_on_one_line(tmp_path: Path, form: str) -> None:
    database, folder = tmp_path / "x.db", tmp_path / "out"
    store_run(database, variants=("euchre",), noted={0})
    if form == PARQUET:
        parquet = pytest.importorskip("pyarrow.parquet")
    _write(database, folder, form)
    rows = (
        _csv_rows(folder, "decisions") if form == CSV else parquet.read_table(folder / "decisions.parquet").to_pylist()
    )
    with Store.open(database) as store:
        notes = [note for game in store.run().game_ids() for note in store.notes(game)]
    found = {(row["game"], row["hand"], row["step"]): row["note"] for row in rows if row["note"] is not None}
    assert found == {(note.game, *note.place): shown(note.text) for note in notes}
    assert all("\n" not in text for text in found.values())


@pytest.mark.usefixtures("simulations")
def test_a_damaged_record_leaves_the_old_files_as_they_are(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    _write(played, folder, CSV)
    old = {path.name: path.read_bytes() for path in folder.iterdir()}

    def damaged(record: GameRecord, notes: Sequence[Note]) -> Iterator[Any]:
        yield from rows_of(record, notes)
        raise StoreError("damaged")

    monkeypatch.setattr(export, "rows_of", damaged)
    with pytest.raises(StoreError):
        _write(played, folder, CSV)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == old


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("form", [pytest.param(CSV, marks=pytest.mark.long), PARQUET])
def test_memory_does_not_grow_with_the_run(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    if form == PARQUET:
        pytest.importorskip("pyarrow")
    rows = [row for record in _records(played)[:1] for row in rows_of(record)]
    monkeypatch.setattr(export, "rows_of", lambda _record, _notes: iter(rows * repeats))
    peaks: list[int] = []
    repeats: int
    for repeats in (100, 100, 400):  # noqa: B007 - read by the function above; the first only warms up
        tracemalloc.start()
        _write(played, tmp_path / "out", form)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1] + 2_000_000, peaks


@pytest.mark.usefixtures("simulations")
def test_text_of_a_stranger_is_no_formula_and_no_line_of_its_own(played: Path) -> None:
    record = _records(played)[0]
    evil = replace(record.seats[0], version="=HYPERLINK(1)\n2")
    record = replace(record, seats=(evil, *record.seats[1:]))
    found = next(row for table, row in rows_of(record) if table == "results")
    assert "\n" not in str(found[3])
    assert export._csv_cell(found[3]).startswith("'=HYPERLINK")  # type: ignore[union-attr]
    assert export._csv_cell(-5) == -5


@pytest.mark.usefixtures("simulations")
def test_wrong_options_and_a_missing_extra_are_one_sentence(bowerbird: Bowerbird) -> None:
    bowerbird.done(*MATCH, "--variant", "euchre")
    run = bowerbird.json("runs", "--db", "x.db")[0]["fingerprint"]
    assert "-o FOLDER" in bowerbird.refused("export", run, "--format", "csv", "--db", "x.db")
    (bowerbird.folder / "here").mkdir()
    assert "is a folder" in bowerbird.refused("export", run, "-o", "here", "--db", "x.db")
    (bowerbird.folder / "file").touch()
    assert "is a file" in bowerbird.refused("export", run, "--format", "csv", "-o", "file", "--db", "x.db")
    game = f"{run}/euchre-0/greedy+random/0/0"
    assert "is a game" in bowerbird.refused("export", game, "--format", "csv", "-o", "out", "--db", "x.db")
    assert not (bowerbird.folder / "out").exists()
