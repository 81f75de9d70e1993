"""One bot that offends at its own table, and honest bots at others: what every row about a bot looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tables import SEED, bot, conditions, play, running, table

from harness.records.record import FaultRecord, GameRecord, TimeControl
from harness.records.replay import check
from harness.referee.roster import BotStory
from harness.referee.spec import BotSpec


def slow(*values: object) -> object:
    """Parameters of a test that `make test` leaves out; it runs one of each row, `make test-faults` all."""
    return pytest.param(*values, marks=pytest.mark.slow)


OTHERS = 4
"""How many tables the offender does not sit at."""


@dataclass(frozen=True)
class Offence:
    """What came of it: the offender's record, the records of the other tables, and what its processes left behind."""

    record: GameRecord
    others: tuple[GameRecord, ...]
    story: BotStory

    @property
    def fault(self) -> FaultRecord:
        """The one fault of its table; a game that was given up has one for each of its seats, all alike."""
        first, *more = self.record.faults
        assert all(fault.kind == first.kind for fault in more)
        assert not more or self.record.result.ended == "withdrawn"
        return first


def offend(
    workspace: Path, offender: BotSpec, time: TimeControl | None = None, transport: str = "unix", tables: int = 4
) -> Offence:
    """Play the offender's table and the others; the others must be untouched and no process left."""
    specs = [table(("a", "bad", "a", "bad"), 0), *(table(("a", "c", "a", "c"), n) for n in range(1, 1 + OTHERS))]
    bots = [bot("a", "last"), bot("c", "last"), offender]
    made = conditions(time=time) if time is not None else None
    (record, *others), referee = play(specs, bots, workspace, made=made, transport=transport, tables=tables)
    check(record, SEED)
    for other in others:
        check(other, SEED)
        assert other.faults == (), f"a stranger's table was harmed: {other.faults}"
        assert other.result.ended not in ("forfeit", "withdrawn")
    assert not running(workspace), "processes are left"
    return Offence(record, tuple(others), referee.bot_story("bad"))


def tell(seen: Callable[..., None], offence: Offence, name: str = "") -> None:
    """Say in the matrix which fault it was."""
    fault = offence.fault
    limit = fault.limit_ms or None
    prefix = f"{name}: " if name else ""
    seen(f"{prefix}{fault.kind}: {fault.detail}", ms=fault.elapsed_ms if limit else None, limit_ms=limit)
