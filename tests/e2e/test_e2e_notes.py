"""Notes of bots, from real processes to every place that shows them, and to no other bot."""

from __future__ import annotations

from pathlib import Path

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.annotations import Note, kept_text
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.bots.hostile_acts import note_of
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import PYTHON, hosted, remote
from tests.support.command.run_records import untimed_games
from tests.support.paths import ROOT

FILE = """
[tournament]
seed = "notes"
sets = 2
max_hands = 3
{more}
[[variant]]
name = "euchre"
"""

REMOTE = """
[[bot]]
remote = true
name = "ada"
"""

NOTING = ROOT / "tests" / "support" / "bots" / "noting_bot.py"


def notes_in(db: Path) -> dict[str, tuple[Note, ...]]:
    with Store.open(db) as store:
        return {game: store.notes(game) for game in store.run().game_ids()}


def expected(record: GameRecord, bot: str) -> list[Note]:
    """Return the notes that bot `bot` must have beside this record."""
    made = [0] * len(record.seats)
    found = []
    for number, hand in enumerate(record.hands):
        for action, said in enumerate(hand.actions):
            seat = int(said.partition(" ")[0])
            decision, made[seat] = made[seat], made[seat] + 1
            if record.seats[seat].bot == bot and action not in hand.forced and decision % 7:
                found.append(Note(record.id, seat, number, action, kept_text(note_of(decision))))
    return found


def check_notes(db: Path, bot: str) -> None:
    found = notes_in(db)
    with Store.open(db) as store:
        for game, notes in found.items():
            assert list(notes) == expected(store.record(game), bot)
    assert sum(map(len, found.values())) > 50


def test_notes_of_local_bots_are_kept_alike_with_any_number_of_jobs(bowerbird: Bowerbird) -> None:
    spies = bowerbird.folder / "spies"
    spies.mkdir()
    bots = bowerbird.bot("noter", "noting"), bowerbird.bot("other", "honest", SPY_FOLDER=str(spies))
    file = bowerbird.tournament(FILE.format(more='isolation = "none"'), *bots)
    for jobs in ("1", "2"):
        bowerbird.done("tournament", file, "--db", f"jobs-{jobs}.db", "--jobs", jobs, "--quiet")
        check_notes(bowerbird.folder / f"jobs-{jobs}.db", "noter")
        bowerbird.done("verify", "--db", f"jobs-{jobs}.db")
    one, two = (bowerbird.folder / f"jobs-{jobs}.db" for jobs in "12")
    assert notes_in(one) == notes_in(two)
    assert untimed_games(one) == untimed_games(two)
    received = b"".join(path.read_bytes() for path in spies.iterdir())
    assert len(received) > 1000
    for words in (b"right bower", b"<script>", b"xxxxxxxx", "♥♥♥♥".encode()):
        assert words not in received, "another bot was told what a bot noted"
    log = b"".join(path.read_bytes() for path in (bowerbird.folder / "logs").rglob("noter-*.log"))
    assert b"right bower" in log, "the log of a local bot has its notes, as before"


def test_notes_of_a_remote_bot_travel_with_the_run_and_are_shown(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(FILE.format(more="") + REMOTE, bowerbird.bot("local", "honest"))
    with hosted(bowerbird, file) as host:
        host.until_invited()
        with remote(host, "ada", PYTHON, str(NOTING)) as ada:
            host.ended()
            assert ada.ended()[0] == 0
    here, there = bowerbird.folder / "x.db", bowerbird.folder / "there.db"
    check_notes(here, "ada")
    notes = notes_in(here)
    number = sum(map(len, notes.values()))

    bowerbird.done("export", "cup", "-o", "run.tar.gz", "--no-sign", "--db", "x.db")
    [merged] = bowerbird.json("import", "run.tar.gz", "--db", "there.db")
    assert merged["notes"] == number
    assert notes_in(there) == notes
    bowerbird.done("export", "cup", "-o", "again.tar.gz", "--no-sign", "--db", "there.db")
    assert (bowerbird.folder / "again.tar.gz").read_bytes() == (bowerbird.folder / "run.tar.gz").read_bytes()
    for database in ("x.db", "there.db"):
        bowerbird.done("verify", "--db", database)
    bowerbird.done("verify", "run.tar.gz")

    game, noted = next(iter(notes.items()))
    text = bowerbird.done("replay", game, "--db", "there.db")
    for note in noted:
        assert f"note of seat {note.seat}: {shown(note.text)}" in text
    assert "\x1b" not in text
    assert "\0" not in text
    document = bowerbird.json("replay", game, "--db", "there.db")
    assert [(one["hand"], one["action"], one["text"]) for one in document["notes"]] == [
        (note.hand, note.action, note.text) for note in noted
    ]
    seat = str(noted[0].seat)
    assert bowerbird.json("replay", game, "--seat", seat, "--db", "there.db")["notes"] == [], (
        "where it ran, its process may have played other seats"
    )
    bowerbird.done("replay", game, "-o", "game.html", "--db", "there.db")
    page = (bowerbird.folder / "game.html").read_text(encoding="utf-8")
    assert "of decision 6: I hold the right bower" in page or "of decision 12: I hold the right bower" in page
    assert "<script>document.title" not in page
    bowerbird.done("export", "cup", "--format", "csv", "-o", "tables", "--db", "there.db")
    table = (bowerbird.folder / "tables" / "decisions.csv").read_text(encoding="utf-8")
    assert table.count("I hold the right bower") == sum(
        "right bower" in note.text for notes_of_game in notes.values() for note in notes_of_game
    )
