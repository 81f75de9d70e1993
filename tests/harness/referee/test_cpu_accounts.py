"""faults.md, Isolation, Processor time: each millisecond of a bot is entered once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from bowerbird.harness.referee import lifecycle
from bowerbird.harness.referee.connection.participant import Participant
from bowerbird.harness.referee.game.fault_ledger import CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.lifecycle import CpuAccounts
from bowerbird.harness.referee.process import freezer
from bowerbird.harness.referee.process.freezer import CpuMeter
from bowerbird.harness.referee.process.procfs import ProcessInfo
from bowerbird.harness.referee.spec import FaultLimits

MS = 1_000_000


class Meter:
    """A process and the meter of its processor time, which a control group counts."""

    reads_proc = False

    def __init__(self, ms: int) -> None:
        self.ms = ms
        self.cpu = self

    def read_ns(self, processes: Mapping[int, ProcessInfo] | None = None) -> int:
        return self.ms * MS + 1


class Ungrouped:
    """A process without a control group, whose meter reads /proc."""

    def __init__(self, pid: int) -> None:
        self.cpu = CpuMeter(pid, "")


class Player:
    """A participant with or without a process."""

    def __init__(self, process: Meter | Ungrouped | None) -> None:
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


def scans_of_report(monkeypatch: pytest.MonkeyPatch, *processes: Meter | Ungrouped) -> tuple[int, list[LedgerEntry]]:
    """Report the time of these processes once; return how often /proc was searched, and what was entered."""
    scans = 0

    def all_processes() -> dict[int, ProcessInfo]:
        nonlocal scans
        scans += 1
        return {pid: ProcessInfo(1, 0, pid * MS) for pid in range(2, 18)}

    monkeypatch.setattr(lifecycle, "all_processes", all_processes)
    monkeypatch.setattr(freezer, "all_processes", all_processes)
    counted, entries = accounts()
    for number, process in enumerate(processes):
        counted.add(f"bot {number}", as_participant(Player(process)))
    counted.report()
    return scans, entries


def test_a_report_looks_through_proc_once_for_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search for each process blocks the referee for so long that it takes itself for a stalled host."""
    scans, entries = scans_of_report(monkeypatch, Meter(20), *map(Ungrouped, range(2, 18)))
    assert entries == [CpuUsed("bot 0", 20, 1), *(CpuUsed(f"bot {pid - 1}", pid, 1) for pid in range(2, 18))]
    assert scans == 1, f"16 processes without a group need one look at /proc, not {scans}"


def test_a_report_leaves_proc_alone_where_groups_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scans_of_report(monkeypatch, Meter(20)) == (0, [CpuUsed("bot 0", 20, 1)])


def test_a_late_subscriber_gets_the_sum_of_each_bot() -> None:
    """The roll is called before the run exists."""
    ledger = FaultLedger(FaultLimits())
    for entry in (CpuUsed("ada", 5, 1), CpuUsed("bob", 7, 1), CpuUsed("ada", 6, 1)):
        ledger.enter(entry)
    entries: list[LedgerEntry] = []
    ledger.subscribe(entries.append)
    assert entries == [CpuUsed("ada", 11, 2), CpuUsed("bob", 7, 1)]
