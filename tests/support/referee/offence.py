"""One bot that offends at its own table, and honest bots at others; for the rows about a bot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet  # pytest exports the function `param`, not its type

from bowerbird.harness.records.replay.replay import check
from bowerbird.harness.records.values.game_record import FaultRecord, GameRecord, TimeControl
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import BotSpec
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.tables import SEED, bot, conditions, play, running, table


def long(*values: object) -> ParameterSet:
    """Mark the parameters of a test as long. `make test` runs one case of each row, `make test-faults` all."""
    return pytest.param(*values, marks=pytest.mark.long)


OTHERS = 4
"""Tables without the offender."""


@dataclass(frozen=True)
class Offence:
    """The outcome: the offender's record, the records of the other tables, and the diagnostics of its processes."""

    record: GameRecord
    others: tuple[GameRecord, ...]
    story: BotStory

    @property
    def fault(self) -> FaultRecord:
        """Return the one fault of its table. A game that was given up has one for each of its seats, all alike."""
        first, *more = self.record.faults
        assert all(fault.kind == first.kind for fault in more)
        assert not more or self.record.result.ended == "withdrawn"
        return first


def offend(
    workspace: Path, offender: BotSpec, time: TimeControl | None = None, transport: str = "unix", tables: int = 4
) -> Offence:
    """Play the offender's table and the others. The others must be untouched and no process may be left."""
    specs = [table(("a", "bad", "a", "bad"), 0), *(table(("a", "c", "a", "c"), n) for n in range(1, 1 + OTHERS))]
    bots = [bot("a", "last"), bot("c", "last"), offender]
    made = conditions(time=time) if time is not None else None
    (record, *others), referee = play(specs, bots, workspace, made=made, transport=transport, tables=tables)
    check(record, SEED)
    for other in others:
        check(other, SEED)
        assert other.faults == (), f"another table was harmed: {other.faults}"
        assert other.result.ended not in ("forfeit", "withdrawn")
    assert not running(workspace), "processes are left"
    return Offence(record, tuple(others), referee.bot_story("bad"))


def tell(seen: Seen, offence: Offence, name: str = "") -> None:
    """Show the fault in the matrix."""
    fault = offence.fault
    limit = fault.limit_ms or None
    prefix = f"{name}: " if name else ""
    seen(f"{prefix}{fault.kind}: {fault.detail}", ms=fault.elapsed_ms if limit else None, limit_ms=limit)
