"""Records which machine each deal set was played on; this is stored with the set."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from bowerbird.harness.records.values.machines import LONGEST_CPU, Machine
from bowerbird.harness.records.values.run import GameId, SetKey
from bowerbird.harness.referee.spec import TableSpec

_CPUINFO = Path("/proc/cpuinfo")


class MachineLog:
    """A log of the machines of deal sets played elsewhere, until the run takes them."""

    def __init__(self) -> None:
        """Create a log. Sets count as played on this machine unless `played` says otherwise."""
        self._elsewhere: dict[SetKey, Machine] = {}
        self._here: Machine | None = None

    def played(self, tables: Iterable[TableSpec], machine: Machine) -> None:
        """Enter the machine that played these tables. Call it before their games are delivered."""
        for key in {GameId.parse(table.game_id).set_key for table in tables}:
            self._elsewhere[key] = machine

    def take(self, key: SetKey) -> Machine:
        """Return the machine of a deal set and forget it."""
        return self._elsewhere.pop(key, None) or self._this_machine()

    def _this_machine(self) -> Machine:
        """Return this machine. Its speed is not measured, since that would delay the start of a run."""
        if self._here is None:
            self._here = Machine(cpu_model())
        return self._here


def cpu_model() -> str:
    """Return the model of this machine's processor; its architecture if the model is unknown."""
    return (_linux_model() or platform.machine() or sys.platform)[:LONGEST_CPU]


def _linux_model() -> str:
    try:
        with _CPUINFO.open(errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == "model name":
                    return " ".join(value.split())
    except OSError:
        pass  # a system other than Linux
    return ""
