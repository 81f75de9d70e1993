"""One table without processes: answers, forced decisions, faults under both policies, clocks, the record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import pytest

from bowerbird.engine import rules_of, stream
from bowerbird.harness.records.replay.replay import check
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.faults import CRASHED, ILLEGAL, NEVER_STARTED, TIMEOUT
from bowerbird.harness.records.values.game_record import Conditions, SeatRecord, TimeControl
from bowerbird.harness.referee.game.clock import NS_PER_MS
from bowerbird.harness.referee.game.faults import Fault, one_line
from bowerbird.harness.referee.game.table import Due, Table, unplayed
from bowerbird.harness.referee.spec import InstanceKey, SeatSpec, TableSpec

SEED = hashlib.sha256(b"a table").digest()
TIME = TimeControl(per_decision_ms=1000, bank_ms=5000, increment_ms=0, margin_ms=20)
LATE = 6021 * NS_PER_MS
VARIANTS = ("euchre", "buck")


def spec(variant: str, on_fault: str = "") -> TableSpec:
    variant_page = rules_of(variant)
    options = {name: option.default for name, option in variant_page.options.items()} | {"max_hands": 12}
    seats = tuple(SeatSpec(f"bot{n}", InstanceKey(f"bot{n}", 0)) for n in range(variant_page.seats(options)))
    return TableSpec(
        game_id=f"4f1c9a0b7d/{variant}-0/bot0+bot1/3/0",
        variant=variant,
        options=options,
        entry=f"{variant}-0",
        set_number=3,
        rotation=0,
        seed=SEED,
        commitment=f"sha256:{hashlib.sha256(SEED).hexdigest()}",
        seats=seats,
        on_fault=on_fault,
    )


def conditions(on_fault: str = "forfeit") -> Conditions:
    return Conditions(on_fault=on_fault, isolation="none", instances="seat", time=TIME)


def seats(table: TableSpec) -> tuple[SeatRecord, ...]:
    return tuple(SeatRecord(seat.bot, "1", f"sha256:{'0' * 64}") for seat in table.seats)


def opened(variant: str, on_fault: str = "forfeit", wants_forced: Sequence[int] = ()) -> Table:
    made = spec(variant)
    table = Table(made, conditions(on_fault), seats(made), wants_forced=wants_forced)
    table.start()
    return table


def play(table: Table, until: Callable[[Table], bool] = lambda table: False) -> None:
    """Take the last legal action at every seat in 7 ms, until the game is over or `until` holds."""
    while table.due is not None and not until(table):
        assert table.answer(len(table.due.legal) - 1, 7 * NS_PER_MS) is None


def due(table: Table) -> Due:
    assert table.due is not None
    return table.due


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_without_faults_makes_a_record_that_verifies(variant: str) -> None:
    table = opened(variant)
    play(table)
    record = table.record
    assert record is not None
    assert record.faults == ()
    assert record.result.winners
    assert read(canonical(record)) == record
    check(record, SEED)


@pytest.mark.parametrize("variant", VARIANTS)
def test_forced_decisions_are_made_by_the_referee_and_marked(variant: str) -> None:
    """protocol.md, Decisions; notation.md, Record of a game."""
    table = opened(variant)
    while table.due is not None:
        assert len(table.due.legal) > 1, "a bot that does not want forced decisions is never asked one"
        table.answer(len(table.due.legal) - 1, NS_PER_MS)
    assert table.record is not None
    marked = [hand.ms[index] for hand in table.record.hands for index in hand.forced]
    assert marked
    assert set(marked) == {0}


def test_a_bot_that_wants_forced_decisions_is_asked_them() -> None:
    table = opened("euchre", wants_forced=(1,))
    forced = 0
    while table.due is not None:
        if len(table.due.legal) == 1:
            assert table.due.seat == 1
            forced += 1
        table.answer(len(table.due.legal) - 1, 0)
    assert forced > 0


def test_decision_ids_count_the_seats_own_decisions_forced_ones_too() -> None:
    """seat.proto, DecisionRequest.decision_id."""
    table = opened("euchre")
    while table.due is not None:
        made = [hand.actions for hand in table.hands] + [tuple(table._actions)]
        own = sum(action.startswith(f"{table.due.seat} ") for hand in made for action in hand)
        assert table.due.number == own
        table.answer(len(table.due.legal) - 1, 0)


def test_an_answer_by_token_alone_is_enough() -> None:
    table = opened("euchre")
    seat, token = due(table).seat, due(table).legal[-1].token
    assert table.answer(token, NS_PER_MS) is None
    assert table._actions[0] == f"{seat} {token}"


@pytest.mark.parametrize(
    ("choice", "detail"),
    [
        (99, "action_index 99 of {legal} legal actions"),
        (None, "neither action_index nor action"),
        ("", "action ''"),
        ("play X1", "action 'play X1'"),
        ("Pass", "action 'Pass'"),
    ],
)
def test_an_answer_that_is_not_legal_is_named(choice: int | str | None, detail: str) -> None:
    table = opened("euchre")
    expected = detail.format(legal=len(due(table).legal))
    fault = table.answer(choice, 3 * NS_PER_MS)
    assert fault == Fault(ILLEGAL, expected, 6020, 3)


def test_lateness_is_judged_before_legality() -> None:
    """protocol.md, The clock."""
    table = opened("euchre")
    fault = table.answer(99, LATE)
    assert fault is not None
    assert (fault.kind, fault.limit_ms, fault.elapsed_ms) == (TIMEOUT, 6020, 6021)


def test_time_over_the_budget_comes_out_of_the_seats_own_bank() -> None:
    table = opened("euchre")
    seat = due(table).seat
    table.answer(0, 3500 * NS_PER_MS)
    assert table.banks[seat].left == 2500 * NS_PER_MS
    assert all(bank.left == 5000 * NS_PER_MS for other, bank in enumerate(table.banks) if other != seat)
    play(table, lambda table: due(table).seat == seat)
    fault = table.answer(0, 3521 * NS_PER_MS)
    assert fault is not None
    assert (fault.kind, fault.limit_ms) == (TIMEOUT, 3520)


def test_charges_are_recorded_with_their_actions() -> None:
    table = opened("euchre")
    table.answer(0, 12 * NS_PER_MS)
    assert table._ms[0] == 12


def third_hand(table: Table) -> bool:
    return len(table.hands) == 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_forfeit_ends_the_game_with_the_offenders_side_last(variant: str) -> None:
    table = opened(variant)
    play(table, third_hand)
    offender = due(table).seat
    table.answer(99, NS_PER_MS)
    record = table.record
    assert record is not None
    assert record.result.ended == "forfeit"
    assert record.result.ranks[offender] == max(record.result.ranks) > 1
    assert offender not in record.result.winners
    assert [fault.seat for fault in record.faults] == [offender]
    assert record.hands[-1].scores == (), "an unfinished hand has no scores"
    assert record.faults[0].hand == 2
    assert record.faults[0].action == len(record.hands[-1].actions)
    check(record, SEED)


@pytest.mark.parametrize("variant", VARIANTS)
def test_substitute_plays_the_seat_on_at_random_from_the_seed(variant: str) -> None:
    """notation.md, Shuffling: ("substitute", game id, seat)."""
    table = opened(variant, "substitute")
    play(table, third_hand)
    offender = due(table).seat
    source = stream(SEED, "substitute", table.spec.game_id, offender)
    legal = due(table).legal
    expected = legal[source.uniform(len(legal))].token
    table.answer(99, NS_PER_MS)
    place = table.faults[0].action
    assert table._actions[place] == f"{offender} {expected}"
    while table.due is not None:
        assert table.due.seat != offender
        table.answer(0, NS_PER_MS)
    record = table.record
    assert record is not None
    assert record.result.ended != "forfeit"
    assert record.hands[2].substituted[0] == place
    assert record.hands[2].ms[place] == 0
    assert len(record.faults) == 1
    check(record, SEED)


def test_two_seats_may_be_substituted() -> None:
    table = opened("buck", "substitute")
    for _ in range(2):
        table.answer(99, NS_PER_MS)
    play(table)
    assert table.record is not None
    assert len({fault.seat for fault in table.record.faults}) == 2
    check(table.record, SEED)


def test_a_seat_that_leaves_while_others_move_is_at_fault_at_its_own_next_decision() -> None:
    table = opened("buck", "substitute")
    mover = due(table).seat
    leaver = (mover + 1) % table.game.players
    assert table.leave(leaver, Fault(CRASHED, "signal 9 (SIGKILL)"))
    assert table.faults == []
    assert due(table).seat == mover, "nobody else is disturbed"
    play(table)
    record = table.record
    assert record is not None
    [fault] = record.faults
    assert (fault.seat, fault.kind) == (leaver, CRASHED)
    assert record.hands[fault.hand].actions[fault.action].startswith(f"{leaver} ")
    check(record, SEED)


def test_a_seat_that_leaves_when_it_is_due_is_at_fault_at_once() -> None:
    table = opened("euchre")
    seat = due(table).seat
    table.leave(seat, Fault(CRASHED, "exit status 3", 6020, 41))
    assert table.record is not None
    assert (table.record.faults[0].limit_ms, table.record.faults[0].elapsed_ms) == (6020, 41)


def test_a_seat_leaves_once() -> None:
    table = opened("buck", "substitute")
    seat = due(table).seat
    table.answer(99, NS_PER_MS)
    assert not table.leave(seat, Fault(CRASHED, "exit status 1"))
    play(table)
    assert not table.leave(0, Fault(CRASHED, "exit status 1")), "a table that is over ignores faults"
    assert table.record is not None
    assert [fault.kind for fault in table.record.faults] == [ILLEGAL]


def test_forced_decisions_of_an_absent_seat_are_no_fault() -> None:
    table = opened("euchre", wants_forced=(0, 1, 2, 3))
    play(table, lambda table: len(due(table).legal) == 1)
    seat = due(table).seat
    before = len(table._actions)
    table.leave(seat, Fault(CRASHED, "exit status 1"))
    assert before in (table._forced or table.hands[-1].forced), "the last card is played, nothing was lost by it"


def test_a_table_may_carry_its_own_policy() -> None:
    made = spec("buck", on_fault="substitute")
    table = Table(made, conditions("forfeit"), seats(made))
    assert table.conditions.on_fault == "substitute"


def test_the_same_faults_give_the_same_record_twice() -> None:
    """faults.md row 26."""

    def once() -> str:
        table = opened("buck", "substitute")
        play(table, third_hand)
        table.answer(99, NS_PER_MS)
        play(table)
        assert table.record is not None
        return canonical(table.record)

    assert once() == once()


def test_a_game_of_a_withdrawn_bot_is_recorded_as_not_played() -> None:
    made = spec("euchre")
    record = unplayed(made, conditions(), seats(made), {1: Fault(NEVER_STARTED, "exit status 1 before its Hello")})
    assert record.hands == ()
    assert record.result.ended == "withdrawn"
    assert record.result.winners == (0, 2)
    assert [(fault.hand, fault.action, fault.seat) for fault in record.faults] == [(0, 0, 1)]
    assert read(canonical(record)) == record


def test_details_are_one_bounded_line() -> None:
    assert one_line("a\nb\x1b[31m" + "x" * 999) == (r"a\nb\u001b[31m" + "x" * 999)[:199] + "…"


def test_an_answer_that_was_not_due_is_an_error_of_ours() -> None:
    table = opened("euchre")
    play(table)
    with pytest.raises(RuntimeError, match="without a decision that is due"):
        table.answer(0, 0)
