"""faults.md, Isolation, Processor time: each millisecond of a bot is entered once."""

from __future__ import annotations

from typing import cast

from harness.referee.connection.participant import Participant
from harness.referee.cpu_accounts import CpuAccounts
from harness.referee.game.fault_ledger import CpuUsed, FaultLedger, LedgerEntry
from harness.referee.spec import FaultLimits

MS = 1_000_000


class Meter:
    """A process and the meter of its processor time."""

    def __init__(self, ms: int) -> None:
        self.ms = ms
        self.cpu = self

    def read_ns(self) -> int:
        return self.ms * MS + 1


class Player:
    """A participant with or without a process."""

    def __init__(self, process: Meter | None) -> None:
        self.process = process


def accounts() -> tuple[CpuAccounts, list[LedgerEntry]]:
    entries: list[LedgerEntry] = []
    ledger = FaultLedger(FaultLimits())
    ledger.subscribe(entries.append)
    return CpuAccounts(ledger), entries


def as_participant(player: Player) -> Participant:
    return cast(Participant, player)


def test_only_what_was_used_since_the_last_report_is_entered() -> None:
    counted, entries = accounts()
    meter = Meter(20)
    player = as_participant(Player(meter))
    counted.add("ada", player)
    counted.report()
    counted.report()
    meter.ms = 50
    counted.report()
    meter.ms = 55
    counted.remove(player)
    counted.report()
    assert entries == [CpuUsed("ada", 20, 1), CpuUsed("ada", 30, 0), CpuUsed("ada", 5, 0)]


def test_a_process_that_never_came_counts_for_nothing() -> None:
    counted, entries = accounts()
    player = as_participant(Player(None))
    counted.add("ada", player)
    counted.report()
    counted.remove(player)
    assert entries == []


def test_a_late_subscriber_gets_the_sum_of_each_bot() -> None:
    """The roll is called before the run exists."""
    ledger = FaultLedger(FaultLimits())
    for entry in (CpuUsed("ada", 5, 1), CpuUsed("bob", 7, 1), CpuUsed("ada", 6, 1)):
        ledger.enter(entry)
    entries: list[LedgerEntry] = []
    ledger.subscribe(entries.append)
    assert entries == [CpuUsed("ada", 11, 2), CpuUsed("bob", 7, 1)]
