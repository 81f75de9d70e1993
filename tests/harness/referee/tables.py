"""What the tests of the referee share: bots that are scripts, tables for them, and a short way to play."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import trio

from engine import rules_of
from harness.records.record import Conditions, GameRecord, TimeControl
from harness.records.story import FaultStory
from harness.referee.keeping import PROCESSES
from harness.referee.referee import Referee
from harness.referee.spec import BotSpec, InstanceKey, SeatSpec, TableSpec

ROOT = Path(__file__).parents[3]
HOSTILE = ROOT / "tests" / "faults" / "hostile_bot.py"
SEED = hashlib.sha256(b"tables of the tests").digest()
LIMIT_S = 180
MARK = "STARTED_BY_TEST"
"""A variable in the environment of every bot, and so of whatever it starts: tells this test's processes from others."""

PATIENT = TimeControl(per_decision_ms=20_000, bank_ms=0, margin_ms=20, startup_ms=30_000)
"""For tests in which no clock is to run out, however slow the machine."""

HASTY = TimeControl(per_decision_ms=1500, bank_ms=500, margin_ms=20, startup_ms=30_000)
"""For tests in which somebody is to be late."""


def bot(
    name: str, *arguments: str, command: Sequence[str] | None = None, tables: int = 64, **environment: str
) -> BotSpec:
    """A bot that runs hostile_bot.py with these arguments, or another command."""
    return BotSpec(
        name=name,
        version="1",
        author="",
        command=tuple(command or (sys.executable, str(HOSTILE), *(arguments or ("honest",)))),
        cwd=ROOT,
        build=(),
        environment={"PYTHONPATH": str(ROOT), **environment},
        variants=("*",),
        tables=tables,
        memory_mb=512,
        read=(),
        source=ROOT,
        fingerprint=f"sha256:{hashlib.sha256(name.encode()).hexdigest()}",
    )


def table(
    bots: Sequence[str], number: int = 0, variant: str = "euchre", max_hands: int = 2, shared: bool = False
) -> TableSpec:
    """A table with these bots by seat; a bot's instance at a seat is its own unless `shared`."""
    options = {name: option.default for name, option in rules_of(variant).options.items()}
    return TableSpec(
        game_id=f"4f1c9a0b7d/{variant}-0/{'+'.join(sorted(set(bots)))}/{number}/0",
        variant=variant,
        options=options | {"max_hands": max_hands},
        entry=f"{variant}-0",
        set_number=number,
        rotation=0,
        seed=SEED,
        commitment=f"sha256:{hashlib.sha256(SEED).hexdigest()}",
        seats=tuple(SeatSpec(name, InstanceKey(name, 0 if shared else seat)) for seat, name in enumerate(bots)),
    )


def conditions(
    on_fault: str = "forfeit", time: TimeControl = PATIENT, instances: str = "seat", isolation: str = "none"
) -> Conditions:
    return Conditions(on_fault=on_fault, isolation=isolation, instances=instances, time=time)


class Club:
    """A referee with bots, and the records of what was played, by set number."""

    def __init__(self, referee: Referee) -> None:
        self.referee = referee
        self.stories: dict[tuple[str, int], FaultStory] = {}

    async def play(self, tables: Sequence[TableSpec]) -> list[GameRecord]:
        records: dict[str, GameRecord] = {}

        def keep(spec: TableSpec, record: GameRecord, stories: tuple[FaultStory, ...]) -> None:
            assert spec.game_id == record.id
            assert record.id not in records, "a game must be delivered once"
            records[record.id] = record
            assert [story.seat for story in stories] == [fault.seat for fault in record.faults], (
                "a story for each fault"
            )
            self.stories.update({(story.game, story.seat): story for story in stories})

        await self.referee.play(tables, keep)
        return [records[spec.game_id] for spec in tables]


def with_club(
    body: Callable[[Club], object],
    bots: Mapping[str, BotSpec],
    workspace: Path,
    *,
    made: Conditions | None = None,
    slots: int = 2,
    tables: int = 4,
    transport: str = "unix",
    processes: int = PROCESSES,
) -> Referee:
    """Run `body` inside a referee; the whole of it has a deadline. Returns the closed referee."""
    marked = {
        name: dataclasses.replace(spec, environment={**spec.environment, MARK: str(workspace)})
        for name, spec in bots.items()
    }
    chosen = made or conditions()
    referee = Referee(
        marked, chosen, workspace=workspace, slots=slots, tables=tables, transport=transport, processes=processes
    )

    async def main() -> None:
        with trio.fail_after(LIMIT_S):
            async with referee:
                await body(Club(referee))  # type: ignore[misc]  # every body here is an async function

    trio.run(main)
    return referee


def play(
    specs: Sequence[TableSpec], bots: Sequence[BotSpec], workspace: Path, **options: object
) -> tuple[list[GameRecord], Referee]:
    """Play these tables once; their records in order, and the closed referee."""
    records: list[GameRecord] = []

    async def body(club: Club) -> None:
        records.extend(await club.play(specs))

    referee = with_club(body, {spec.name: spec for spec in bots}, workspace, **options)  # type: ignore[arg-type]  # passed on as they are
    return records, referee


def running(workspace: Path | str) -> list[int]:
    """Pids of live processes that were started, however indirectly, by a referee with this workspace."""
    mark = f"{MARK}={workspace}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
