"""Scripted bots, tables for them, and a referee that plays them; for the tests of the referee."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from bowerbird.engine import rules_of
from bowerbird.harness.records.values.annotations import Annotations, Note
from bowerbird.harness.records.values.faults import FaultStory
from bowerbird.harness.records.values.game_record import Conditions, GameRecord, TimeControl
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.spec import MAX_PROCESSES, BotSpec, InstanceKey, SeatSpec, TableSpec, VoidedGame
from tests.support.deadline import DEADLINE_S
from tests.support.paths import HOSTILE, ROOT

SEED = hashlib.sha256(b"tables of the tests").digest()
MARK = "STARTED_BY_TEST"
"""An environment variable that every bot and its children have: marks the processes of one test."""

PATIENT = TimeControl(per_decision_ms=20_000, bank_ms=0, margin_ms=20, startup_ms=30_000)
"""For tests in which no clock may run out, even on a slow machine."""

HASTY = TimeControl(per_decision_ms=1500, bank_ms=500, margin_ms=20, startup_ms=30_000)
"""For tests in which a bot is late."""


def bot(
    name: str, *arguments: str, command: Sequence[str] | None = None, tables: int = 64, **environment: str
) -> BotSpec:
    """Return a bot that runs hostile_bot.py with these arguments, or another command."""
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
    """Return a table with these bots by seat; each seat has an instance of its own unless `shared`."""
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
    """A referee with bots. Keeps the stories of all faults, by game and seat, and the notes and voided games, by id."""

    def __init__(self, referee: Referee) -> None:
        self.referee = referee
        self.stories: dict[tuple[str, int], FaultStory] = {}
        self.notes: dict[str, tuple[Note, ...]] = {}
        self.voided: dict[str, VoidedGame] = {}

    async def play(self, tables: Sequence[TableSpec]) -> list[GameRecord]:
        records: dict[str, GameRecord] = {}

        def keep(spec: TableSpec, record: GameRecord, annotations: Annotations) -> None:
            assert spec.game_id == record.id
            assert record.id not in records, "a game must be delivered once"
            records[record.id] = record
            stories = annotations.stories
            assert [story.seat for story in stories] == [fault.seat for fault in record.faults], (
                "a story for each fault"
            )
            self.notes[record.id] = annotations.notes
            self.stories.update({(story.game, story.seat): story for story in stories})

        def keep_voided(spec: TableSpec, voided: VoidedGame) -> None:
            self.voided[spec.game_id] = voided

        await self.referee.play(tables, keep, keep_voided)
        return [records[spec.game_id] for spec in tables if spec.game_id not in self.voided]


def no_void(spec: TableSpec, voided: VoidedGame) -> None:
    """Fail: take a voided game where none may be."""
    raise AssertionError(f"{spec.game_id} was voided: {voided.why}")


@asynccontextmanager
async def open_club(
    bots: Mapping[str, BotSpec],
    workspace: Path,
    *,
    made: Conditions | None = None,
    slots: int = 2,
    tables: int = 4,
    transport: str = "unix",
    processes: int = MAX_PROCESSES,
    kept: int = 0,
    host: HostClock | None = None,
    start_pauses_s: Sequence[float] = (),
) -> AsyncIterator[Club]:
    """Start a referee with these bots; close it on leaving. A start is tried once, unless pauses are given."""
    marked = {
        name: dataclasses.replace(spec, environment={**spec.environment, MARK: str(workspace)})
        for name, spec in bots.items()
    }
    chosen = made or conditions()
    referee = Referee(
        marked,
        chosen,
        workspace=workspace,
        slots=slots,
        tables=tables,
        transport=transport,
        max_processes=processes,
        kept_processes=kept,
        host=host,
        start_pauses_s=start_pauses_s,
    )
    async with referee:
        yield Club(referee)


def play(
    specs: Sequence[TableSpec],
    bots: Sequence[BotSpec],
    workspace: Path,
    *,
    made: Conditions | None = None,
    slots: int = 2,
    tables: int = 4,
    transport: str = "unix",
) -> tuple[list[GameRecord], Referee]:
    """Play these tables within DEADLINE_S; return their records in order, and the closed referee.

    A game that is void because the machine stood still is played again, as in a run.
    """

    async def main() -> tuple[list[GameRecord], Referee]:
        named = {spec.name: spec for spec in bots}
        with trio.fail_after(DEADLINE_S):
            async with open_club(named, workspace, made=made, slots=slots, tables=tables, transport=transport) as club:
                records: dict[str, GameRecord] = {}
                while left := [spec for spec in specs if spec.game_id not in records]:
                    club.voided.clear()
                    records |= {record.id: record for record in await club.play(left)}
            return [records[spec.game_id] for spec in specs], club.referee

    return trio.run(main)


def running(workspace: Path | str) -> list[int]:
    """Return the pids of the live processes that a referee with this workspace started, directly or not."""
    mark = f"{MARK}={workspace}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
