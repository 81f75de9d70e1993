"""Counts the processor time of the local bots of a referee, for the run (faults.md, Isolation)."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from bowerbird.harness.referee.connection.participant import Participant
from bowerbird.harness.referee.game.fault_ledger import CpuUsed, FaultLedger
from bowerbird.harness.referee.process.procfs import ProcessInfo, all_processes

REPORT_S = 2.0
"""How often the time of living processes is entered into the ledger. A killed referee loses at most so much."""

NS_PER_MS = 1_000_000


class CpuAccounts:
    """Enters into the ledger what the processes of bots have used since the last entry.

    Each participant is added before it joins and removed when it is gone. `run` runs in a task.
    """

    def __init__(self, ledger: FaultLedger) -> None:
        """Count nothing yet."""
        self._ledger = ledger
        self._counted_ms: dict[Participant, tuple[str, int | None]] = {}

    def add(self, bot: str, participant: Participant) -> None:
        """Count the process of this participant of `bot`, as soon as it has one."""
        self._counted_ms[participant] = (bot, None)

    def remove(self, participant: Participant) -> None:
        """Enter what its process has used in all, and stop counting it. Do nothing if it is not counted."""
        if participant in self._counted_ms:
            self._enter(participant)
            del self._counted_ms[participant]

    def report(self) -> None:
        """Enter what all processes have used up to now. Look at /proc once at most, however many there are."""
        processes = [one.process for one in self._counted_ms if one.process is not None]
        found = all_processes() if any(process.cpu.reads_proc for process in processes) else {}
        for participant in list(self._counted_ms):
            self._enter(participant, found)

    async def run(self) -> None:
        """Report every REPORT_S until cancelled."""
        while True:
            await trio.sleep(REPORT_S)
            self.report()

    def _enter(self, participant: Participant, found: Mapping[int, ProcessInfo] | None = None) -> None:
        bot, counted_ms = self._counted_ms[participant]
        if participant.process is None:
            return
        used_ms = participant.process.cpu.read_ns(found) // NS_PER_MS
        if counted_ms is None or used_ms > counted_ms:
            self._counted_ms[participant] = (bot, used_ms)
            self._ledger.enter(CpuUsed(bot, used_ms - (counted_ms or 0), int(counted_ms is None)))
