"""Time odds: `[[bot]] time` is the clock of one bot, in the file, at the table, in records and wherever results are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from bowerbird.harness.cli.display.leaderboard_file import markdown_lines
from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.cli.shared.output import json_text
from bowerbird.harness.extras.league.league_file import parse_league
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.replay.frames import frames
from bowerbird.harness.records.replay.render import render
from bowerbird.harness.records.replay.replay import ReplayError, check
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.text.canonical import as_json, canonical
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.faults import TIMEOUT
from bowerbird.harness.records.values.game_record import GameRecord, SeatRecord, TimeControl
from bowerbird.harness.records.verify.run_rules import run_rules
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.game.clock import NS_PER_MS
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.report.replay_data import replay_data
from bowerbird.harness.report.report_page import write_report
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament, stored_tournament
from bowerbird.harness.tournament.errors import ConfigError, RunConflictError
from bowerbird.harness.tournament.forecast import forecast
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run
from tests.support.records.archives import exported, imported
from tests.support.referee.room import open_room
from tests.support.referee.tables import conditions, table
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import first_round
from tests.support.tournament.table_players import LocalTables

OWN = 'time = { per_decision = "250ms", bank = "2s", increment = "10ms" }\n'
REMOTE = '[[bot]]\nremote = true\nname = "guest"\n'
VARIANTS = '[[variant]]\nname = "euchre"\n[[variant]]\nname = "buck"\n'
SENTENCE = (
    "clocks of their own: alpha has 250ms for a decision, 2000ms in the bank, 10ms added for a hand; "
    "all others have 1000ms for a decision, 5000ms in the bank, 0ms added for a hand"
)


def entered(yard: Yard, own: str = OWN, beta: str = "", *lines: str) -> TournamentFile:
    """Return a tournament of alpha, which has its own clock, and beta. `beta` are the lines of beta's entry."""
    bots = f'[[bot]]\npath = "bots/alpha"\n{own}[[bot]]\npath = "bots/beta"\n{beta}'
    given = ('seed = "odds"', "sets = 1", 'unit = "deals"', *lines)
    clock = '[time]\nper_decision = "1s"\nbank = "5s"\n'
    return load_tournament(yard.tournament(*given, variants=VARIANTS, bots=bots, more=(clock,)))


def played(file: TournamentFile, path: Path) -> StoredRun:
    """Play a tournament without processes."""
    plan = make_plan(file)
    store = Store.create(path)
    with store.begin(plan.header, plan.seed) as writer:
        trio.run(Run(plan, store[plan.header.fingerprint], writer, lambda _: None).play, LocalTables(plan.file.bots))
    return store.run(plan.header.fingerprint)


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    found = Yard(tmp_path)
    found.bot("alpha")
    found.bot("beta")
    return found


def test_what_a_clock_of_its_own_leaves_out_is_that_of_the_run(yard: Yard) -> None:
    file = entered(yard)
    assert file.clock_of("alpha") == TimeControl(250, 2000, 10)
    assert file.clock_of("beta") == file.time == TimeControl(1000, 5000)
    assert [bot.time is None for bot in file.bots] == [False, True]
    assert entered(yard, 'time = { bank = "2s" }\n').clock_of("alpha") == TimeControl(1000, 2000)


def test_a_clock_that_is_that_of_the_run_is_none_of_its_own(yard: Yard) -> None:
    assert resolved_text(entered(yard, 'time = { bank = "5000ms" }\n')) == resolved_text(entered(yard, ""))


def test_a_remote_bot_may_have_one(yard: Yard) -> None:
    bots = f'[[bot]]\npath = "bots/alpha"\n{REMOTE}{OWN}'
    assert load_tournament(yard.tournament(bots=bots)).clock_of("guest").per_decision_ms == 250


def test_the_resolved_copy_reads_back_the_same(yard: Yard) -> None:
    file = entered(yard, beta=f'time = {{ game = "1m" }}\n{REMOTE}time = {{ game = "2m" }}\n')
    again = stored_tournament(resolved_text(file), yard.folder, "x")
    assert [bot.time for bot in again.bots] == [bot.time for bot in file.bots]
    assert resolved_text(again) == resolved_text(file)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ('time = { per_move = "1s" }\n', "unknown key 'per_move'"),
        ('time = { startup = "1s" }\n', "startup"),
        ('time = "1s"\n', "must be a table time"),
        ('time = { per_decision = "0ms" }\n', "per_decision"),
    ],
)
def test_what_is_no_clock_is_refused(yard: Yard, own: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        entered(yard, own)


def test_a_league_has_one_clock_for_all(yard: Yard) -> None:
    text = f'[league]\nname = "x"\n[[variant]]\nname = "euchre"\n[[bot]]\npath = "bots/alpha"\n{OWN}'
    found, wrong = parse_league(text, yard.folder / "x.toml").bots()
    assert found == []
    assert "'time'" in wrong[0]


def test_a_run_is_not_resumed_with_another_clock(yard: Yard) -> None:
    stored = make_plan(entered(yard)).header
    check_resume(stored, make_plan(entered(yard)).header)
    for changed in ("", 'time = { per_decision = "251ms", bank = "2s", increment = "10ms" }\n'):
        with pytest.raises(RunConflictError, match="in bot alpha"):
            check_resume(stored, make_plan(entered(yard, changed)).header)


def test_each_seat_is_judged_by_its_own_clock() -> None:
    """Ten seconds are late for the seat with 250 ms and 2 s, and in time for another one."""
    spec = table(["a", "b", "a", "b"], 0, "euchre")
    own = replace(TimeControl(), per_decision_ms=250, bank_ms=2000)
    identities = [replace(game_seat(seat.bot), time=own if seat.bot == "a" else None) for seat in spec.seats]
    clock = TimeControl(per_decision_ms=30_000, bank_ms=10_000)
    for slow in ("a", "b"):
        made = Table(spec, conditions(time=clock), identities)
        made.start()
        while made.due is not None:
            ms = 10_000 if spec.seats[made.due.seat].bot == slow else 1
            made.answer(0, ms * NS_PER_MS)
        assert made.record is not None
        faults = [(fault.kind, fault.limit_ms) for fault in made.record.faults]
        assert faults == ([(TIMEOUT, 250 + 2000 + own.margin_ms)] if slow == "a" else [])


def game_seat(bot: str) -> SeatRecord:
    return SeatRecord(bot, "1", f"sha256:{'0' * 64}")


async def test_each_seat_is_told_its_own_clock() -> None:
    own = TimeControl(per_decision_ms=250, bank_ms=2000, increment_ms=7, game_ms=60_000)
    async with open_room(own_time=own) as room:
        clocks = [
            {
                (one.per_decision_ms, one.bank_ms, one.increment_ms, one.game_ms)
                for message in connection.sent
                if message.HasField("table_opened")
                for one in [message.table_opened.clock]
            }
            for connection in room.connections
        ]
    assert clocks == [{(250, 2000, 7, 60_000)}, *[{(30_000, 10_000, 0, 0)}] * 3]


@pytest.fixture
def run(yard: Yard) -> Iterator[StoredRun]:
    found = played(entered(yard), yard.folder / "x.db")
    yield found
    found.store.close()


def records_of(run: StoredRun) -> list[GameRecord]:
    return [read(text) for _, text in run.record_texts()]


def test_records_have_the_clock_of_each_seat(run: StoredRun) -> None:
    for record in records_of(run):
        for seat, clock in zip(record.seats, record.clocks, strict=True):
            assert (seat.time is not None) is (seat.bot == "alpha")
            assert clock == (TimeControl(250, 2000, 10) if seat.bot == "alpha" else TimeControl(1000, 5000))
        text = canonical(record)
        assert read(text) == record
        assert text.count("time = { per_decision_ms = 250, bank_ms = 2000, increment_ms = 10 }") == text.count(
            '"alpha"'
        )
        document = json.loads(json.dumps(as_json(record)))
        assert {seat["bot"] for seat in document["seat"] if "time" in seat} == {"alpha"}


def test_replays_show_the_clock_of_each_seat(run: StoredRun) -> None:
    record = records_of(run)[0]
    own = [seat.bot == "alpha" for seat in record.seats]
    first = next(iter(frames(record)))
    assert [seat.bank_ms for seat in first.seats] == [2010 if is_own else 5000 for is_own in own]
    told = [
        line for line in render(record) if "its own clock: 250 ms a decision, bank 2000 ms, increment 10 ms" in line
    ]
    assert len(told) == sum(own)
    seats = replay_data(record)["seats"]
    assert isinstance(seats, list)
    decisions = [seat.get("clock", {}).get("decision") for seat in seats]
    assert decisions == [250 if is_own else None for is_own in own]


def test_a_run_with_odds_verifies_here_and_after_an_import(run: StoredRun, tmp_path: Path) -> None:
    assert verify_run(run, digest_of) == []
    imported(tmp_path / "y.db", exported(run.store.path, run.fingerprint))
    with Store.open(tmp_path / "y.db") as other:
        assert verify_run(other.run(), digest_of) == []
        assert standings_document([other.run()])["overall"] == standings_document([run])["overall"]


def test_a_record_with_another_clock_than_the_file_says_is_refused(run: StoredRun) -> None:
    rules, record = run_rules(run.row.config), records_of(run)[0]
    assert rules.wrong_conditions(record) == ""
    for bot, own in (("alpha", None), ("alpha", TimeControl(251, 2000, 10)), ("beta", TimeControl(250, 2000, 10))):
        changed = [replace(seat, time=own) if seat.bot == bot else seat for seat in record.seats]
        assert bot in rules.wrong_conditions(replace(record, seats=tuple(changed)))


@pytest.mark.parametrize("bot", ["alpha", "beta"])
def test_a_decision_is_late_by_the_clock_of_its_seat(run: StoredRun, bot: str) -> None:
    """A time that alpha may not take, and beta may, is found in a record that somebody changed."""
    record = records_of(run)[0]
    seats = [f"{number} " for number, seat in enumerate(record.seats) if seat.bot == bot]
    hand = record.hands[0]
    made = {*hand.forced, *hand.substituted}
    first = next(at for at, action in enumerate(hand.actions) if at not in made and action[:2] in seats)
    slow = replace(hand, ms=tuple(4000 if at == first else 0 for at in range(len(hand.actions))))
    changed = replace(record, hands=(slow, *record.hands[1:]))
    if bot == "beta":
        check(changed, margin_ms=20)
    else:
        with pytest.raises(ReplayError, match="its clock allows 2280 ms"):
            check(changed, margin_ms=20)


def test_results_show_it_wherever_they_are(run: StoredRun, tmp_path: Path) -> None:
    found = overview([run])
    for lines in (
        standings_text(run.store, [run], width=80),
        standings_text(run.store, [run], full=True),
        standings_text(run.store, [run], "buck", full=True),
        list(markdown_lines(found)),
    ):
        assert any(SENTENCE in line for line in lines), lines
    write_report(run, tmp_path / "report.html", replays=0)
    assert SENTENCE in (tmp_path / "report.html").read_text()
    document = json.loads(json_text(standings_document([run])))
    assert any(remark.startswith(SENTENCE) for remark in document["overall"]["remarks"])
    assert document["variants"]["buck"]["own_times"] == {
        "alpha": {"bank": "2000ms", "increment": "10ms", "per_decision": "250ms"}
    }


def test_results_of_other_odds_are_rated_apart(yard: Yard) -> None:
    path = yard.folder / "x.db"
    runs = [played(entered(yard, own, "", f'name = "{name}"'), path) for name, own in (("odds", OWN), ("even", ""))]
    found = overview(runs)
    assert [len(board.runs) for board in found.every] == [1] * 4
    titles = {found.description(board.scope) for board in found.every if board.scope is not None}
    assert titles == {
        "buck",
        "euchre",
        *(
            f"{name} with 250ms for a decision, 2000ms in the bank, 10ms added for a hand for alpha"
            for name in ("buck", "euchre")
        ),
    }


def test_a_forecast_counts_the_time_of_each_bot(yard: Yard) -> None:
    def longest(file: TournamentFile) -> float:
        plan: Plan = make_plan(file)
        return forecast(plan, first_round(plan), 0).longest_seconds

    assert longest(entered(yard, 'time = { per_decision = "1ms", bank = "0ms" }\n')) < longest(entered(yard, ""))
    assert longest(entered(yard, "", 'time = { per_decision = "2s" }\n')) > longest(entered(yard, ""))
