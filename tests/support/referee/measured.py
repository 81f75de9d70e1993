"""Tables played with the processor time of each bot, and how its last process ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import trio

from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.game_record import Conditions, GameRecord
from bowerbird.harness.referee.game.fault_ledger import CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.spec import BotSpec, FaultLimits, TableSpec
from tests.support.deadline import DEADLINE_S
from tests.support.referee.tables import MARK, no_void, running


class Played:
    """The records of some tables, by game, how each bot's last process ended, and the processor time of each bot."""

    def __init__(self) -> None:
        self.records: list[GameRecord] = []
        self.ends: dict[str, str] = {}
        self.cpu_ms: Counter[str] = Counter()
        self.processes: Counter[str] = Counter()

    def count(self, entry: LedgerEntry) -> None:
        if isinstance(entry, CpuUsed):
            self.cpu_ms[entry.bot] += entry.cpu_ms
            self.processes[entry.bot] += entry.processes

    def shares(self) -> str:
        """Return the share of each bot in the processor time of all."""
        total = max(1, sum(self.cpu_ms.values()))
        return ", ".join(f"{name} {100 * ms // total} %" for name, ms in sorted(self.cpu_ms.items()))


def play(
    specs: Sequence[TableSpec], bots: Sequence[BotSpec], folder: Path, made: Conditions, *, may_ponder: bool = False
) -> Played:
    """Play the tables, one after another."""
    played = Played()
    ledger = FaultLedger(FaultLimits(max_faults=1000, max_restarts=1000))
    ledger.subscribe(played.count)

    def keep(spec: TableSpec, record: GameRecord, annotations: Annotations) -> None:
        played.records.append(record)

    async def main() -> None:
        mark = {MARK: str(folder)}
        named = {one.name: replace(one, environment={**one.environment, **mark}) for one in bots}
        referee = Referee(named, made, workspace=folder, slots=2, tables=1, ledger=ledger, may_ponder=may_ponder)
        with trio.fail_after(DEADLINE_S * len(specs)):  # 100 spinners make their own bot answer late every time
            async with referee:
                for spec in specs:
                    await referee.play([spec], keep, no_void)
            played.ends = {name: referee.bot_story(name).exit for name in named}

    trio.run(main)
    assert not running(folder), "processes are left"
    return played
