"""Faults that count against `max_faults` and `max_restarts`, and withdrawal (protocol.md, Faults at a table)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bowerbird.harness.records.values.faults import CRASHED, ILLEGAL, NEVER_STARTED, Conduct, Incident
from bowerbird.harness.records.values.run import COMMON, pack_entry
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS
from bowerbird.harness.referee.game.fault_ledger import CLEAN, BotStarted, FaultLedger, LedgerEntry
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.spec import FaultLimits, InstanceKey, TableSpec
from tests.support.referee.tables import table

LIMITS = FaultLimits(max_restarts=3, max_faults=5)


def ledger(conduct: Conduct = CLEAN) -> FaultLedger:
    made = FaultLedger(LIMITS, conduct)
    made.learn(BotStarted("bad"))
    return made


def blamed(
    here: FaultLedger, times: int, kind: str = ILLEGAL, instance: int = 0, first: int = 0, *, attempt: int = 0
) -> None:
    """Record `times` incidents, each with a game of its own."""
    for number in range(first, first + times):
        fault = Fault(kind, f"for game {number}")
        here.record(InstanceKey("bad", instance), fault, [(seated(number, attempt), 1)])


def seated(number: int, attempt: int = 0) -> TableSpec:
    """Return a table of deal set `number`, played for the `attempt`-th time."""
    made = table(("bad", "good", "bad", "good"), number)
    return replace(made, entry=pack_entry(made.entry, "bad+good", COMMON, attempt))


@pytest.mark.parametrize(("kind", "borne"), [(ILLEGAL, LIMITS.max_faults), (CRASHED, LIMITS.max_restarts)])
def test_a_bot_is_withdrawn_past_its_limit_and_not_at_it(kind: str, borne: int) -> None:
    here = ledger()
    blamed(here, borne, kind)
    assert here.withdrawn("bad") is None
    blamed(here, 1, kind, first=borne)
    assert here.withdrawn("bad") == Fault(kind, f"withdrawn: for game {borne}")
    assert here.is_withdrawn_among(["good", "bad"])
    assert not here.is_withdrawn_among(["good"])
    assert here.withdrawn("good") is None


def test_restarts_are_counted_by_process_and_faults_by_bot() -> None:
    here = ledger()
    blamed(here, 3, CRASHED, instance=0)
    blamed(here, 2, CRASHED, instance=1, first=3)
    assert here.withdrawn("bad") is None
    blamed(here, 1, CRASHED, instance=2, first=5)
    assert here.withdrawn("bad") is not None, "six incidents, whichever process they are of"


def test_a_crash_is_one_incident_however_many_games_it_costs() -> None:
    here = ledger()
    here.record(InstanceKey("bad", 0), Fault(CRASHED, "exit status 3"), [(seated(number), 1) for number in range(9)])
    assert here.faults_of("bad") == 1


def test_a_game_that_is_played_again_after_it_was_lost_counts_once() -> None:
    """faults.md row 22: nothing is counted twice."""
    here = ledger()
    blamed(here, 3)
    resumed = ledger(here.conduct)
    blamed(resumed, 3)
    assert resumed.faults_of("bad") == 3
    blamed(resumed, 3, first=3)
    assert resumed.withdrawn("bad") is not None


@pytest.mark.parametrize(("kind", "borne"), [(ILLEGAL, LIMITS.max_faults), (CRASHED, LIMITS.max_restarts)])
def test_a_fault_at_the_same_seat_of_a_replacement_counts_again(kind: str, borne: int) -> None:
    """faults.md, Voids: the replacement has the id of the void game, and is another game."""
    here = ledger()
    blamed(here, borne, kind)
    blamed(here, 1, kind, attempt=1)
    assert here.faults_of("bad") == borne + 1
    assert here.withdrawn("bad") is not None


def test_a_replacement_that_is_played_again_after_it_was_lost_counts_once() -> None:
    here = ledger()
    for attempt in range(MOST_ATTEMPTS):
        blamed(here, 1, attempt=attempt)
    resumed = ledger(here.conduct)
    for attempt in range(MOST_ATTEMPTS):
        blamed(resumed, 1, attempt=attempt)
    assert resumed.faults_of("bad") == MOST_ATTEMPTS


def test_incidents_that_cost_no_game_are_told_apart() -> None:
    here = ledger()
    for _ in range(LIMITS.max_restarts + 1):
        here.record(InstanceKey("bad", 0), Fault(CRASHED, "exit status 3"), ())
    assert here.withdrawn("bad") is not None


def test_a_bot_that_was_withdrawn_stays_so() -> None:
    stored = Conduct(withdrawn={"bad": (CRASHED, "withdrawn: exit status 3")})
    assert ledger(stored).withdrawn("bad") == Fault(CRASHED, "withdrawn: exit status 3")


@pytest.mark.parametrize("appeared", [False, True])
def test_a_bot_that_never_could_start_is_withdrawn_at_once(appeared: bool) -> None:
    here = FaultLedger(LIMITS, Conduct(appeared=frozenset({"bad"} if appeared else ())))
    blamed(here, 1, NEVER_STARTED)
    assert (here.withdrawn("bad") is None) == appeared


def test_what_one_enters_the_others_learn_and_nobody_hears_it_twice() -> None:
    one, other = ledger(), ledger()
    told: list[LedgerEntry] = []

    def learn(entry: LedgerEntry) -> None:
        other.learn(entry)

    one.subscribe(learn)
    other.subscribe(told.append)
    blamed(one, LIMITS.max_faults + 1)
    assert other.withdrawn("bad") == one.withdrawn("bad") is not None
    assert told == [], "what was learnt was sent back"
    blamed(other, 1)
    assert told == [], "an incident that is known was entered again"
    other.enter(Incident("a name", "good", 0, ILLEGAL, ""))
    assert len(told) == 1


def test_a_late_subscriber_gets_earlier_entries() -> None:
    """A process may fail between the roll call and the first game, before its run is stored."""
    here, heard = ledger(), list[LedgerEntry]()
    blamed(here, 1, NEVER_STARTED)
    here.subscribe(heard.append)
    blamed(here, 1, first=1)
    assert [entry.kind for entry in heard if isinstance(entry, Incident)] == [NEVER_STARTED, ILLEGAL]
