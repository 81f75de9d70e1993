"""Export and import of whole runs (commands.md, `bowerbird export`, `bowerbird import`): nothing is lost or changed."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Container
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.engine import RecordError, variant_names
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.archive import LONGEST_STORIES, is_archive, open_archive
from bowerbird.harness.records.archive.merge import add_single, verify_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.sidecar import SeedFile
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.bounded_file import MAX_RECORD
from bowerbird.harness.records.text.bounded_toml import MAX_CHARACTERS as MAX_TOML
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.text.run_text import MAX_CHARACTERS as MAX_RUN
from bowerbird.harness.records.values.game_record import MOST_CLOCK_MS, TimeControl
from bowerbird.harness.records.values.run import CpuTotal, deal_seed
from bowerbird.harness.records.verify.verification import verify_singles
from bowerbird.harness.tournament.config.toml.keys import DAY_MS
from tests.support.records.archives import content, differences, exported, imported
from tests.support.records.played_games import SEED, deal_set, game, header
from tests.support.records.stored_runs import FIRST_VERSION, MACHINE, store_run

FEW = ("euchre", "cut-throat", "king-cut-throat")


def round_trip(folder: Path, sets: range, faulty: Container[int] = ()) -> int:
    """Play, export, import elsewhere, verify, export again; return the number of games."""
    here, there = folder / "here.db", folder / "there.db"
    run = store_run(here, sets=sets, faulty=faulty, machine=MACHINE)
    first = exported(here, run)
    merged = imported(there, first)
    assert content(there) == content(here)
    assert differences(there, run) == []
    assert exported(there, run, "again.tar.gz").read_bytes() == first.read_bytes()
    verified = verify_archive(first, digest_of)
    assert (verified.games, verified.differences) == (merged.new, [])
    return merged.new


def test_a_run_comes_back_the_same_to_the_byte(tmp_path: Path) -> None:
    assert round_trip(tmp_path, range(1)) > len(variant_names())


@pytest.mark.long
@pytest.mark.usefixtures("processes")
def test_many_games_of_all_variants_come_back_the_same(tmp_path: Path) -> None:
    """`benchmarks.archive_size` does the same with 10,000 games."""
    assert round_trip(tmp_path, range(12), faulty=range(0, 12, 3)) > 700


def test_importing_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "here.db"
    run = store_run(path, variants=FEW)
    file, before = exported(path, run), content(path)
    merged = imported(path, file)
    assert (merged.new, merged.known) == (0, sum(1 for _ in before["game"]))
    assert content(path) == before


def test_parts_of_a_run_from_two_machines_merge(tmp_path: Path) -> None:
    """database.md: ids are not counters, so databases merge."""
    whole, one, other = tmp_path / "whole.db", tmp_path / "one.db", tmp_path / "other.db"
    run = store_run(whole, sets=range(4), variants=FEW)
    store_run(one, sets=range(2), variants=FEW)
    store_run(other, sets=range(2, 4), variants=FEW)
    imported(one, exported(other, run, "other.tar.gz"))
    mine, right = content(one), content(whole)
    for table in ("game", "seat", "fault", "job", "bot"):
        assert mine[table] == right[table], table
    with Store.open(one) as store:
        assert store.run(run).row.ended is None, "neither part was the whole run"
    assert differences(one, run) == []
    imported(one, exported(whole, run))
    with Store.open(one) as store, Store.open(whole) as all_of_it:
        assert store.run(run).row == all_of_it.run(run).row


def test_processor_time_is_the_greater_of_both_sides(tmp_path: Path) -> None:
    """database.md#cpu: importing twice counts nothing twice."""
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = store_run(here, variants=("euchre",), cpu=[CpuTotal("ann", 300, 2), CpuTotal("bob", 100, 4)])
    store_run(there, variants=("euchre",), cpu=[CpuTotal("ann", 200, 3)])
    for _ in range(2):
        imported(there, exported(here, run))
        with Store.open(there) as store:
            assert store[run].cpu_totals() == (CpuTotal("ann", 300, 3), CpuTotal("bob", 100, 4))


def test_a_run_whose_games_have_other_ids_is_not_exported(tmp_path: Path) -> None:
    path = tmp_path / "here.db"
    run = store_run(path, variants=("euchre",))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE game SET id = 'x' WHERE id = ?", [last_game(path)])
    with pytest.raises(StoreError, match="'x' is not the id of a game"):
        exported(path, run)
    assert not list(tmp_path.glob("*.gz")), "no half of an archive"


TOO_MUCH = {
    "record": (
        f"UPDATE game SET record = record || '{'x' * MAX_RECORD}'",
        r"game \S+: has 4,.* bytes; must be at most 4,",
    ),
    "stories": (f"UPDATE story SET how_ended = '{'x' * LONGEST_STORIES}'", "the stories of its faults: has 1,.* bytes"),
    "config": (f"UPDATE run SET config = config || '# {'x' * MAX_TOML}\n'", r"run \w+, its config: has 1,.* bytes"),
    "bots": (f"UPDATE bot SET author = '{'x' * MAX_RUN}'", r"run \w+: has .* bytes; must be at most 4,194,304"),
    "dots": (f"UPDATE bot SET author = '{'.' * 101}'", r"run \w+: line \d+ has more than 100 dots"),
    "processor time": (f"UPDATE cpu SET cpu_ms = {10**15 + 1}", "is not a whole number from 0 to 10.15"),
}
"""SQL that gives a run more of something than an archive may have, and the error."""


@pytest.mark.parametrize("what", TOO_MUCH)
def test_what_no_import_would_read_is_not_exported(tmp_path: Path, what: str) -> None:
    """The organiser must hear of it while the database is still there."""
    path = tmp_path / "here.db"
    run = store_run(path, variants=("euchre",), faulty=range(1))
    sql, said = TOO_MUCH[what]
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount
    with pytest.raises(StoreError, match=said):
        exported(path, run)
    assert not list(tmp_path.glob("*.gz")), "no half of an archive"


def test_an_unfinished_run_keeps_its_seed_secret(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = store_run(here, variants=FEW, end=False)
    file = exported(here, run)
    with open_archive(file) as archive:
        assert archive.run.seed is None
        assert SEED.hex().encode() not in "".join(game.record for game in archive.games).encode()
    imported(there, file)
    assert differences(there, run) == []
    with Store.open(there) as store, pytest.raises(StoreError, match="cannot be resumed"):
        store[run].secret_seed()


def test_a_published_seed_needs_no_file_beside_the_database(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = store_run(here, variants=FEW)
    store_run(there, variants=FEW, end=False)
    assert SeedFile(there, run).path.exists()
    imported(there, exported(here, run))
    assert not SeedFile(there, run).path.exists()
    with Store.open(there) as store:
        assert store.run(run).row.seed == SEED


def test_a_differing_game_of_the_same_id_is_refused_by_name(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = store_run(here, variants=FEW)
    store_run(there, variants=FEW)
    with Store.open(there) as store:
        record = store.record(store[run].game_ids()[3])
    hand = record.hands[0]
    other = canonical(replace(record, hands=(replace(hand, ms=(hand.ms[0] + 1, *hand.ms[1:])), *record.hands[1:])))
    with closing(sqlite3.connect(there)) as connection, connection:
        connection.execute("UPDATE game SET record = ? WHERE id = ?", (other, record.id))
    before = content(there)
    with pytest.raises(StoreError, match=f"game {record.id.replace('+', '.')} is stored here with another record"):
        imported(there, exported(here, run))
    assert content(there) == before


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_archive_is_refused_and_nothing_of_it_imported(tmp_path: Path, archive: Path, seed: int) -> None:
    chance = random.Random(seed)
    whole = archive.read_bytes()
    damaged, there = tmp_path / "damaged.tar.gz", tmp_path / "there.db"
    if seed % 4:
        at = chance.randrange(10, len(whole))  # the first ten bytes are gzip's header; some of them have no meaning
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])
    else:
        damaged.write_bytes(whole[: chance.randrange(2, len(whole))])
    Store.create(there).close()
    before = content(there)
    with pytest.raises((StoreError, RecordError)) as raised:
        imported(there, damaged)
    assert str(raised.value).startswith(str(damaged)), "what is damaged is the archive, and not the database"
    assert content(there) == before
    try:
        found = verify_archive(damaged, digest_of).differences
    except StoreError:
        return
    assert found, "the damage was not found"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "here.db"
    return exported(path, store_run(path, variants=FEW))


def rewritten(path: Path, run: str, change: Callable[[str], str]) -> Path:
    """Change the record of the last game, then export the database; return the archive."""
    with closing(sqlite3.connect(path)) as connection, connection:
        (game_id, text) = connection.execute("SELECT id, record FROM game ORDER BY id DESC").fetchone()
        connection.execute("UPDATE game SET record = ? WHERE id = ?", (change(text), game_id))
    return exported(path, run)


def last_game(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        (game_id,) = connection.execute("SELECT id FROM game ORDER BY id DESC").fetchone()
    return str(game_id)


def refused(path: Path, file: Path) -> str:
    """Return the sentence that refuses an archive; assert that nothing of it is in the database."""
    with pytest.raises(RecordError) as raised:
        imported(path, file)
    with Store.open(path) as store:
        assert store.runs() == []
    return str(raised.value)


def test_a_record_against_the_rules_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "here.db"
    run = store_run(path, variants=FEW)

    def cheat(text: str) -> str:
        record = read(text)
        hand = record.hands[0]
        return canonical(
            replace(record, hands=(replace(hand, actions=(f"{hand.actions[0][0]} play As", *hand.actions[1:])),))
        )

    file = rewritten(path, run, cheat)
    said = refused(tmp_path / "there.db", file)
    assert said.startswith(f"{file}: game {last_game(path)}: hand 0, action 0: ")
    difference, *_ = verify_archive(file, digest_of).differences
    assert "hand 0, action 0" in str(difference)


def no_longer_strict(text: str) -> str:
    return text.replace("rules = ", "rule = ")


def by_another_bot(text: str) -> str:
    record = read(text)
    return canonical(replace(record, seats=tuple(replace(seat, version="9") for seat in record.seats)))


def of_another_run(text: str) -> str:
    return canonical(replace(read(text), commitment="sha256:" + "0" * 64))


def of_another_game(text: str) -> str:
    record = read(text)
    return canonical(replace(record, id=f"{record.id}7"))


def of_no_variant(text: str) -> str:
    return canonical(replace(read(text), variant="bukc"))


def charging(ms: int) -> Callable[[str], str]:
    """Return a change: the first decision of the bot was charged `ms` milliseconds."""

    def change(text: str) -> str:
        record = read(text)
        hand = record.hands[0]
        at = next(index for index in range(len(hand.ms)) if index not in {*hand.forced, *hand.substituted})
        times = (*hand.ms[:at], ms, *hand.ms[at + 1 :])
        return canonical(replace(record, hands=(replace(hand, ms=times), *record.hands[1:])))

    return change


def by_a_clock_of_years(text: str) -> str:
    record = read(text)
    conditions = replace(record.conditions, time=TimeControl(per_decision_ms=10**17))
    return canonical(replace(record, conditions=conditions))


def by_one_bot(text: str) -> str:
    record = read(text)
    return canonical(replace(record, seats=(record.seats[0],) * len(record.seats)))


def at_other_seats(text: str) -> str:
    record = read(text)
    return canonical(replace(record, seats=(*record.seats[1:], record.seats[0])))


def in_a_tier_that_is_none(text: str) -> str:
    record = read(text)
    return canonical(replace(record, conditions=replace(record.conditions, isolation="castle")))


def as_own_users_in_a_sandbox(text: str) -> str:
    record = read(text)
    conditions = replace(record.conditions, isolation="sandbox", measures=("own-user",))
    return canonical(replace(record, conditions=conditions))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (charging(10**17), "line 40: the times in 'ms' add up to more than a year, 31536000000 ms"),
        (
            charging(10**8),
            "hand 0, action 0: 100000000 ms are charged without a TIMEOUT, but its clock allows 86406000 ms",
        ),
        (by_a_clock_of_years, "line 14: 'time' must be an inline table of times of at most a day each, 86400000 ms"),
        (by_one_bot, "at its seats are bob, bob, bob, bob, which is not rotation 1 of line-up ann+bob"),
        (at_other_seats, "at its seats are ann, bob, ann, bob, which is not rotation 1 of line-up ann+bob"),
        (in_a_tier_that_is_none, "line 12: 'isolation' must be one of sandbox, limits, none"),
        (as_own_users_in_a_sandbox, "the measure 'own-user' is only for isolation 'limits'"),
        (no_longer_strict, "line 4: unknown key 'rule', did you mean 'rules'?"),
        (by_another_bot, "seat 0: bot 'bob' is not as it was entered in the run"),
        (of_another_run, "its commitment is not that of its run"),
        (of_another_game, "the record at its place is that of game "),
        (of_no_variant, "unknown variant 'bukc', did you mean 'buck'?"),
    ],
)
def test_a_record_that_does_not_fit_is_named_with_its_archive(
    tmp_path: Path, change: Callable[[str], str], said: str
) -> None:
    path = tmp_path / "here.db"
    run = store_run(path, variants=("euchre",))
    file = rewritten(path, run, change)
    sentence = refused(tmp_path / "there.db", file)
    assert sentence.startswith(f"{file}: game {last_game(path)}: {said}")
    assert sentence.endswith("; nothing was imported")
    [difference] = verify_archive(file, digest_of).differences
    assert str(difference).startswith(f"game {last_game(path)}: {said}")


def test_the_longest_clock_is_that_of_tournament_files() -> None:
    assert MOST_CLOCK_MS == DAY_MS


def test_a_deal_set_that_is_not_complete_is_named_with_its_archive(tmp_path: Path) -> None:
    path = tmp_path / "here.db"
    run = store_run(path, variants=("euchre",))
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, column in (("seat", "game"), ("game", "id")):
            connection.execute(f"DELETE FROM {table} WHERE {column} = ?", [last_game(path)])
    file = exported(path, run)
    lost = last_game(path).rpartition("/")[0]
    assert refused(tmp_path / "there.db", file).startswith(f"{file}: deal set {lost}: it is not complete")
    [difference] = verify_archive(file, digest_of).differences
    assert str(difference) == f"deal set {lost}: it is not complete"


def test_the_packs_of_a_run_with_a_beacon_are_those_of_its_seed_and_beacon(tmp_path: Path) -> None:
    """ratings.md, Deal sets: such a run is imported and verified like any other."""
    here, run = tmp_path / "here.db", header(beacon="two sixes")
    with Store.create(here) as store, store.begin(run, SEED) as writer:
        seed = deal_seed(SEED, run.beacon)
        key, games = deal_set("euchre", 0, run, seed=seed, options={"max_hands": 2})
        writer.save_set(key, games, digest_of(map(result_of_record, games)))
        writer.end()
    file = exported(here, run.fingerprint)
    verified = verify_archive(file, digest_of)
    assert (verified.games, verified.differences) == (2, [])
    assert imported(tmp_path / "there.db", file).new == 2
    assert differences(tmp_path / "there.db", run.fingerprint) == []


def test_what_is_no_archive_is_said_to_be_none(tmp_path: Path) -> None:
    file = tmp_path / "no.tar.gz"
    file.write_bytes(b"\x1f\x8bnothing")
    assert is_archive(file)
    with pytest.raises(StoreError, match="not an archive of a run"), open_archive(file):
        pass


# Single records


def single(folder: Path, text: str) -> Path:
    file = folder / "game.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_single_record_is_kept_but_counted_nowhere(tmp_path: Path) -> None:
    text = canonical(game("buck", 4, options={"max_hands": 2}))
    file = single(tmp_path, text)
    with Store.create(tmp_path / "x.db") as store:
        assert add_single(store, file).new == 1
        assert add_single(store, file).known == 1
        record = read(text)
        assert store.record_text(record.id) == text
        assert store.singles() == [(record.id, text)]
        assert store.runs() == []
        assert verify_singles(store.singles()) == []


def test_a_single_record_becomes_one_of_its_run_when_that_comes(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = store_run(here, variants=FEW)
    with Store.open(here) as store:
        text = store.record_text(store[run].game_ids()[0])
    with Store.create(there) as store:
        add_single(store, single(tmp_path, text))
    imported(there, exported(here, run))
    assert content(there) == content(here)


def test_another_record_of_the_same_id_is_refused(tmp_path: Path) -> None:
    record = game("buck", 4, options={"max_hands": 2})
    other = replace(record, id=record.id, seats=tuple(replace(seat, version="9") for seat in record.seats))
    with Store.create(tmp_path / "x.db") as store:
        add_single(store, single(tmp_path, canonical(record)))
        with pytest.raises(StoreError, match=r"game\.toml: game .* is stored here with another record"):
            add_single(store, single(tmp_path, canonical(other)))


def test_a_database_of_the_first_version_is_brought_to_this_one(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    run = store_run(path, variants=FEW, cpu=())
    before = content(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(FIRST_VERSION)
    with Store.open(path) as store:
        assert store.singles() == []
        store_run_digest(store[run])
    assert content(path) == before
    assert differences(path, run) == []


def test_an_archive_that_adds_nothing_does_not_replace_the_tournament_file(tmp_path: Path) -> None:
    """`runs resume` starts the programs that the stored file names: a stranger's archive must not choose them."""
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = store_run(here, variants=FEW, end=False)
    imported(there, exported(here, run))
    with closing(sqlite3.connect(there)) as connection, connection:
        connection.execute("UPDATE run SET config = config || '# hostile\n'")
    before = content(here)["run"]
    imported(here, exported(there, run, "hostile.tar.gz"))
    assert content(here)["run"] == before


def test_a_tournament_file_from_an_archive_has_no_folder_to_resume_from(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = store_run(here, sets=range(2), variants=FEW, end=False)
    store_run(there, sets=range(3), variants=FEW, end=False)
    with closing(sqlite3.connect(here)) as connection, connection:
        connection.execute("UPDATE run SET folder = '.'")
    imported(here, exported(there, run))
    with Store.open(here) as store:
        assert store[run].config_folder() is None
