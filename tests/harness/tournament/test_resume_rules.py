"""Files that may resume a run (database.md: "the same file, or one that only adds bots, sets or variants")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import RunHeader, SetKey, deal_seed
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.tournament.config.resume_rules import check_beacon, check_resume
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import RunConflictError
from bowerbird.harness.tournament.executors import contract
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament
from tests.support.records.every_game import every_game
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import keys_of
from tests.support.tournament.table_players import LocalReferee

PAIRS = '[[variant]]\nname = "two-handed"\n'
EUCHRE = '[[variant]]\nname = "euchre"\noptions = { target = 5 }\n'
SEED = bytes(range(32))


def bots(*names: str) -> str:
    return "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{name}"\n' for name in names)


def planned(yard: Yard, *lines: str, variants: str = PAIRS, names: Sequence[str] = ("a", "b")) -> Plan:
    """Return a plan; all plans have the same secret, which stands for a drawn seed."""
    return make_plan(load_tournament(yard.tournament(*lines, variants=variants, bots=bots(*names))), SEED)


def refusal(stored: Plan, new: Plan) -> str:
    with pytest.raises(RunConflictError) as caught:
        check_resume(stored.header, new.header)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"run 'autumn' ({stored.header.fingerprint}) was started ")
    assert message.endswith("use another name or seed")
    return message


def test_the_same_file_goes_on(yard: Yard) -> None:
    for lines in ((), ('format = "swiss"',), ("stop = { decisions = 100 }",), ("max_faults = 9",)):
        plan = planned(yard, *lines)
        check_resume(plan.header, plan.header)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (("sets = 5",), ("sets = 6",)),
        (('format = "swiss"', "rounds = 1"), ('format = "swiss"', "rounds = 2")),
        (("stop = { decisions = 100 }",), ("stop = { decisions = 101 }",)),
        (('stop = { time = "1s", sets = 10 }',), ('stop = { time = "2m", sets = 11 }',)),
        (('format = "gauntlet"',), ('format = "gauntlet"', 'challengers = ["b", "a"]')),
        (("tables = 1",), ()),
        (("slots = 1",), ("slots = 2",)),
        (("processes = 4",), ()),
        (('beacon = ""',), ('beacon = "2027-01-01 12:00 4711"',)),
        (('beacon_source = "dice"',), ('beacon_source = "dice"', 'beacon = "6"')),
    ],
)
def test_more_of_the_same_goes_on(yard: Yard, before: tuple[str, ...], now: tuple[str, ...]) -> None:
    yard.bot("alpha", "tables = 8")
    names = ("a", "b", "c", "d")
    stored, new = planned(yard, *before, names=names), planned(yard, *now, names=names)
    assert stored.header.config != new.header.config
    check_resume(stored.header, new.header)


@pytest.mark.parametrize("names", [("a", "b", "c"), ("c", "a", "b"), ("a", "c", "b")])
def test_a_bot_can_be_added_anywhere(yard: Yard, names: tuple[str, ...]) -> None:
    stored, new = planned(yard), planned(yard, names=names)
    check_resume(stored.header, new.header)
    assert set(keys_of(stored)) <= set(keys_of(new)), "a stored deal set is missing from the new plan"


def test_a_variant_can_be_added_anywhere(yard: Yard) -> None:
    stored = planned(yard, variants=PAIRS)
    for variants in (PAIRS + EUCHRE, EUCHRE + PAIRS, PAIRS + PAIRS):
        new = planned(yard, variants=variants)
        check_resume(stored.header, new.header)
        assert set(keys_of(stored)) <= set(keys_of(new))


@pytest.mark.parametrize(
    ("before", "now", "difference"),
    [
        (
            ("sets = 5",),
            ("sets = 4",),
            "which had sets = 5, where this one has sets = 4; only bots, variants and sets can",
        ),
        ((), ('unit = "deals"',), 'which had unit = "games", where this one has unit = "deals"'),
        (
            ('unit = "deals"',),
            ('unit = "deals"', 'rank_by = "points"'),
            'which had no rank_by, where this one has rank_by = "points"',
        ),
        ((), ('packs = "own"',), 'which had packs = "common", where this one has packs = "own"'),
        ((), ("max_hands = 3",), "which had max_hands = 100 in options in variant two-handed-0, where this one has"),
        ((), ("max_faults = 1",), "which had max_faults = 5, where this one has max_faults = 1"),
        ((), ('format = "gauntlet"',), 'which had format = "round-robin", where this one has format = "gauntlet"'),
        ((), ('beacon = "x"',), 'which had no beacon, where this one has beacon = "x"'),
        (
            ('beacon_source = "drand quicknet 1000"',),
            ('beacon_source = "drand quicknet 1001"',),
            'which had beacon_source = "drand quicknet 1000", where this one has beacon_source = "drand quicknet 1001"',
        ),
        (('beacon = ""',), ('beacon_source = "dice"',), "which had no beacon_source, where this one has"),
        (
            ("sets = 9", "stop = { decisions = 9 }"),
            ("sets = 9",),
            "which had stop = { every = 16, decisions = 9 }, where",
        ),
        (("stop = { decisions = 9 }",), ("stop = { decisions = 8 }",), "which had decisions = 9 in stop, where"),
        (("stop = { decisions = 9 }",), ("stop = { decisions = 9, every = 9 }",), "which had every = 16 in stop, "),
        (('format = "swiss"', "sets = 5"), ('format = "swiss"', "sets = 6"), "sets = 6; only rounds can be added"),
        (('format = "knockout"',), ('format = "knockout"', 'seeding = "draw"'), 'which had seeding = "file", where'),
    ],
)
def test_any_other_change_is_refused_with_its_key(
    yard: Yard, before: tuple[str, ...], now: tuple[str, ...], difference: str
) -> None:
    assert difference in refusal(planned(yard, *before), planned(yard, *now))


def test_a_changed_clock_is_refused(yard: Yard) -> None:
    stored = planned(yard)
    slower = yard.tournament(variants=PAIRS, bots=bots("a", "b"), more=["[time]", 'bank = "6s"'])
    message = refusal(stored, make_plan(load_tournament(slower), SEED))
    assert 'which had bank = "5000ms" in [time], where this one has bank = "6000ms"' in message


def test_what_is_there_is_not_taken_away_or_moved(yard: Yard) -> None:
    three = planned(yard, names=("a", "b", "c"))
    assert "with bot 'b', which this file does not list" in refusal(three, planned(yard, names=("a", "c")))
    assert "which had the bots in the order a, b, c" in refusal(three, planned(yard, names=("b", "a", "c")))
    both = planned(yard, variants=PAIRS + EUCHRE)
    assert "which had 1 of 'euchre', where this one has 0" in refusal(both, planned(yard, variants=PAIRS))
    other = planned(yard, variants=PAIRS + EUCHRE.replace("5", "7"))
    assert "which had target = 5 in options in variant euchre-0, where this one has target = 7" in refusal(both, other)


@pytest.mark.parametrize("name", ["swiss", "knockout"])
def test_who_meets_whom_by_results_takes_nobody_in(yard: Yard, name: str) -> None:
    """Every match follows from all matches before it."""
    line = f'format = "{name}"'
    stored = planned(yard, line)
    message = refusal(stored, planned(yard, line, names=("a", "b", "c")))
    assert f"to which this adds bot 'c', but in {name!r} the pairings are fixed; " in message
    assert ("only rounds can be added" if name == "swiss" else "nothing can be added to a knockout") in message
    message = refusal(stored, planned(yard, line, variants=PAIRS + EUCHRE))
    assert f"to which this adds 'euchre', but in {name!r} every match plays all variants" in message


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"fingerprint": "sha256:0"}, "other files or arguments"),
        ({"version": "2"}, "another version"),
        ({"author": "x"}, "another author"),
    ],
)
def test_other_files_of_a_bot_are_refused(yard: Yard, change: dict[str, str], what: str) -> None:
    new = planned(yard)
    header = replace(new.header, bots=(replace(new.header.bots[0], **change), new.header.bots[1]))
    refused = refusal(replace(new, header=header), new)
    assert f"was started with {what} of bot 'a': restore it, or use another" in refused


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "one.db")


@pytest.fixture(autouse=True)
def without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "Referee", LocalReferee)


def play(yard: Yard, plan: Plan, store: Store) -> frozenset[SetKey]:
    """Play a plan to its end; return the deal sets stored then."""
    play_tournament(plan, store, lambda event: None, RunOptions())
    run = plan.header.fingerprint
    assert verify_run(store[run], digest_of) == []
    assert store[run].ratings() == digest_of(store[run].results())
    return store[run].stored_sets()


@pytest.mark.usefixtures("processes")
def test_a_bot_that_is_added_before_a_stop_catches_up_pass_by_pass(yard: Yard, store: Store) -> None:
    """The added sets of a pass belong before stored sets of later passes, which are read and rated again."""
    lines = ("sets = 4", "stop = { decisions = 1000000000, every = 1 }")
    play(yard, planned(yard, *lines), store)
    more = planned(yard, *lines, names=("a", "c", "b"))
    assert len(play(yard, more, store)) == more.extent.sets


@pytest.mark.usefixtures("processes")
def test_a_run_that_is_added_to_plays_only_what_is_new(yard: Yard, store: Store) -> None:
    """Nothing is played twice. Sets that were added after the seed became public are counted."""
    first = planned(yard, "sets = 2")
    assert play(yard, first, store) == set(keys_of(first))
    before = {game.id: store.record_text(game.id) for game in every_game(store)}
    run = store.run(first.header.fingerprint)
    assert (run.row.ended is not None, run.row.sets_after_seed) == (True, 0)
    more = planned(yard, "sets = 3", variants=EUCHRE + PAIRS, names=("a", "c", "b"))
    assert play(yard, more, store) == set(keys_of(more))
    assert before.items() <= {game.id: store.record_text(game.id) for game in every_game(store)}.items()
    run = store.run(first.header.fingerprint)
    assert run.row.ended is not None
    assert run.row.sets_after_seed == len(keys_of(more)) - len(keys_of(first))
    assert [bot.name for bot in run.bots()] == ["a", "b", "c"]


@pytest.mark.usefixtures("processes")
def test_line_ups_that_are_there_no_more_stay_and_count(yard: Yard, store: Store) -> None:
    """If bots fill a table with copies, one more bot changes the tables."""
    buck = '[[variant]]\nname = "buck"\n'
    first = planned(yard, "sets = 1", variants=buck)
    play(yard, first, store)
    more = planned(yard, "sets = 1", variants=buck, names=("a", "b", "c"))
    assert play(yard, more, store) == {*keys_of(first), *keys_of(more)}


@pytest.mark.usefixtures("processes")
def test_a_swiss_tournament_takes_further_rounds(yard: Yard, store: Store) -> None:
    names = ("a", "b", "c", "d", "e", "f")
    few = planned(yard, 'format = "swiss"', "sets = 1", "rounds = 1", names=names)
    many = planned(yard, 'format = "swiss"', "sets = 1", "rounds = 3", names=names)
    played = play(yard, few, store)
    assert len(played) == 3
    assert played < play(yard, many, store)


BEACON = "2027-01-01T12:00 4711"


def awaiting(yard: Yard, beacon: str) -> Plan:
    return planned(yard, f'beacon = "{beacon}"', "sets = 1")


@pytest.mark.usefixtures("processes")
def test_a_beacon_becomes_part_of_the_seed(yard: Yard, store: Store) -> None:
    """ratings.md, Deal sets: the run commits before the beacon is known, and plays by SHA-256(secret, beacon)."""
    committed, known = awaiting(yard, ""), awaiting(yard, BEACON)
    with store.begin(committed.header, committed.seed):
        assert store.run(committed.header.fingerprint).row.beacon == ""
    assert committed.header.commitment == known.header.commitment
    play(yard, known, store)
    run = store.run(known.header.fingerprint)
    assert (run.row.beacon, run.row.seed) == (BEACON, SEED)
    record = run.set_records(keys_of(known)[0])[0]
    assert keys_of(known) == keys_of(planned(yard, "sets = 1"))
    table = next(known.rounds()).jobs[0].tables()[0]
    assert table.seed == deal_seed(SEED, BEACON) != SEED
    assert record.commitment == known.header.commitment


@pytest.mark.usefixtures("processes")
def test_verification_plays_by_the_beacon(yard: Yard, store: Store) -> None:
    committed, known = awaiting(yard, ""), awaiting(yard, BEACON)
    with store.begin(committed.header, committed.seed):
        pass
    play(yard, known, store)
    with store.begin(replace(known.header, beacon=BEACON), known.seed):
        pass
    import sqlite3

    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE run SET beacon = 'another'")
    connection.close()
    differences = verify_run(store[known.header.fingerprint], digest_of)
    assert differences
    assert "the seed" in str(differences[0])


def test_a_beacon_is_entered_between_the_commitment_and_the_first_card(yard: Yard, store: Store) -> None:
    known, committed = awaiting(yard, BEACON), awaiting(yard, "")
    with pytest.raises(RunConflictError, match="known before run 'autumn' commits to a seed proves nothing"):
        check_beacon(None, known.header)
    with pytest.raises(RunConflictError, match="run 'autumn' waits for its beacon: enter it as"):
        check_beacon(committed.header, committed.header)
    check_beacon(committed.header, known.header)
    plain: RunHeader = planned(yard).header
    check_beacon(None, plain)
    message = refusal(known, awaiting(yard, "another"))
    assert f'which had beacon = "{BEACON}", where this one has beacon = "another"' in message


@pytest.mark.usefixtures("processes")
def test_a_run_that_has_stopped_by_time_stays_stopped(yard: Yard, store: Store) -> None:
    """Used time stays used. The run continues only with a file that grants more time."""
    plan = planned(yard, 'stop = { sets = 4, time = "1ms", every = 2 }')
    assert len(play(yard, plan, store)) == 2
    assert len(play(yard, plan, store)) == 2
    assert store.run(plan.header.fingerprint).row.sets_after_seed == 0
    assert len(play(yard, planned(yard, 'stop = { sets = 4, time = "1h", every = 2 }'), store)) == 4
