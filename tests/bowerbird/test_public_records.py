"""What a study needs: databases, archives and records, read without changing them (python.md, bowerbird.records)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bowerbird.ratings import fit, rating_list
from bowerbird.ratings import points as points_above
from bowerbird.records import (
    Database,
    GameResult,
    ReadError,
    RecordError,
    SeatResult,
    StoreError,
    game_result_of,
    open_archive,
    open_database,
    parse_record,
    read_record,
    record_text,
    replay,
    seat_results_of,
    verify_file,
    verify_record,
)
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.records.stored_runs import store_run

GAMES = 8
SEATS = 4


@pytest.fixture
def path(recorded: Path) -> Path:
    return recorded / "bowerbird.db"


def test_a_run_is_named_by_id_beginning_name_or_nothing(path: Path) -> None:
    with open_database(path) as database:
        latest = database.run()
        assert [latest] == database.runs()
        for ref in (latest.fingerprint, latest.fingerprint[:4], latest.name):
            assert database.run(ref) == latest
            assert len(database.games(ref)) == latest.games == GAMES
        with pytest.raises(StoreError, match="did you mean 'match-euchre-greedy-random'"):
            database.games("match-euchre-greedy-ramdom")


def test_reading_everything_leaves_the_file_as_it_was(path: Path) -> None:
    before = hashlib.sha256(path.read_bytes()).digest()
    with open_database(str(path)) as database:
        everything(database)
        assert database.verify() == []
    assert hashlib.sha256(path.read_bytes()).digest() == before


def everything(database: Database) -> None:
    assert [bot.name for bot in database.bots()] == ["greedy", "random"]
    assert database.faults() == []
    assert [line.bot for line in database.standings()] == ["greedy", "random"]
    assert len(database.crosstable(variant="euchre")) == 2
    assert len(list(database.records())) == GAMES
    assert len(database.games(variant="euchre", bot="greedy")) == GAMES


def test_an_unknown_variant_or_bot_is_refused_with_the_nearest(path: Path) -> None:
    with open_database(path) as database:
        for read in (database.games, database.standings, database.crosstable):
            with pytest.raises(StoreError, match="unknown variant 'euchr', did you mean 'euchre'"):
                read(variant="euchr")
            with pytest.raises(StoreError, match="unknown variant 'buck'; the only one is 'euchre'"):
                read(variant="buck")
        with pytest.raises(StoreError, match="unknown bot 'gredy', did you mean 'greedy'"):
            database.games(bot="gredy")


def test_a_closed_database_says_so(path: Path) -> None:
    with open_database(path) as database:
        records = database.records()
        next(records)
    for read in (database.runs, database.games, database.seat_results, lambda: next(records)):
        with pytest.raises(StoreError, match=r"bowerbird\.db: this database is closed; read from it inside its `with`"):
            read()


@pytest.mark.usefixtures("processes")
def test_the_rating_list_is_what_the_terminal_shows(path: Path) -> None:
    with open_database(path) as database:
        lines = rating_list(database.results()).lines
    shown = Bowerbird(path.parent).json("standings", "--db", path.name)["variants"]["euchre"]["standings"]
    assert [(line.bot, line.rank) for line in lines] == [(one["bot"], one["rank"]) for one in shown]
    assert all(line.points is not None and line.points.sets == 4 for line in lines)
    assert [line.points.mean for line in lines if line.points] == [one["points"]["mean"] for one in shown]
    assert lines[0].rating.interval()[0] == shown[0]["elo"]["low"]


def test_the_numbers_of_a_standing_are_those_of_the_rows(path: Path) -> None:
    """Raw points of a seat for each hand: not the columns of the terminal."""
    with open_database(path) as database:
        rows, lines = database.seat_results(), database.standings()
        results = database.results()
    shown = {points.bot: points.mean for points in points_above(results)}
    for line in lines:
        seats = [row for row in rows if row.bot == line.bot]
        raw = sum(row.points for row in seats if row.points is not None) / sum(row.hands for row in seats)
        assert line.points_per_deal == pytest.approx(raw)
        assert line.points_per_deal != pytest.approx(shown[line.bot])


def test_a_database_is_not_made_by_opening_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database here"), open_database(tmp_path / "new.db"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_rows_of_seats_say_the_same_from_the_database_and_from_the_records(path: Path) -> None:
    with open_database(path) as database:
        rows = database.seat_results()
        records = list(database.records())
    assert rows == [row for record in records for row in seat_results_of(record)]
    assert len(rows) == GAMES * SEATS
    assert len({(row.game, row.seat) for row in rows}) == len(rows)
    assert all(isinstance(value, (int, str)) for row in rows for value in row)
    assert {type(row.penalised) for row in rows} == {bool}


def test_rows_of_seats_become_a_data_frame(path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    with open_database(path) as database:
        frame = pandas.DataFrame(database.seat_results())
    assert list(frame.columns) == list(SeatResult._fields)
    assert dict(frame.groupby("bot")["game"].nunique()) == {"greedy": GAMES, "random": GAMES}


def test_results_are_those_of_the_records_and_can_be_rated(path: Path) -> None:
    with open_database(path) as database:
        results = database.results()
        assert results == [game_result_of(record) for record in database.records()]
    assert all(isinstance(result, GameResult) for result in results)
    assert fit(results).bots == ("greedy", "random")


def test_an_archive_holds_what_the_database_holds(recorded: Path) -> None:
    with open_database(recorded / "bowerbird.db") as database:
        run, records = database.run(), list(database.records())
    with open_archive(recorded / "run.tar.gz") as archive:
        assert (archive.run.header.name, archive.run.games) == (run.name, GAMES)
        assert list(archive.records()) == records
    assert verify_file(recorded / "run.tar.gz") == []


def test_a_record_is_text_and_comes_back(path: Path, tmp_path: Path) -> None:
    with open_database(path) as database:
        record = database.record(database.games()[0].id)
    file = tmp_path / "game.toml"
    file.write_text(record_text(record))
    assert parse_record(file.read_text()) == parse_record(file.read_bytes()) == read_record(file) == record
    assert verify_file(file) == verify_record(record) == []


def test_each_step_knows_what_every_seat_knew(path: Path) -> None:
    with open_database(path) as database:
        record = database.record(database.games()[0].id)
    steps = list(replay(record))
    assert sum(len(hand.actions) for hand in record.hands) == len(steps)
    for step in steps:
        assert step.before.actor == step.seat
        assert step.before.view(step.seat).legal == step.legal
        assert step.action in step.legal
    assert steps[-1].after.ranks == record.result.ranks


def test_a_wrong_record_is_refused_with_its_file_and_line(path: Path, tmp_path: Path) -> None:
    with open_database(path) as database:
        text = record_text(database.record(database.games()[0].id))
    file = tmp_path / "game.toml"
    file.write_text(text.replace("first_dealer", "first_delaer", 1))
    with pytest.raises(RecordError, match=r"game\.toml: .*line \d+"):
        read_record(file)
    with pytest.raises(ReadError):
        parse_record(file.read_text())
    assert len(verify_file(file)) == 1


def test_the_notes_of_a_game_name_the_actions_of_their_seats(tmp_path: Path) -> None:
    store_run(tmp_path / "x.db", variants=("buck",), sets=range(2), noted=range(1))
    with open_database(tmp_path / "x.db") as database:
        found = {row.id: database.notes(row.id) for row in database.games()}
        records = {record.id: record for record in database.records()}
    noted = {game: notes for game, notes in found.items() if notes}
    assert noted
    assert len(noted) < len(found), "games without notes have none"
    for game, notes in noted.items():
        steps = {(step.hand, step.index): step.seat for step in replay(records[game])}
        assert all(steps[note.hand, note.action] == note.seat for note in notes)
