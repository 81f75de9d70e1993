"""Faults told for people, each with its story: kind, clock, what was to be decided, the process, its last words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.faults import indented, printable

if TYPE_CHECKING:
    from harness.records.rows import FaultRow

LATEST = 3
"""How many stories the standings tell."""

MANY_CHOICES = 12
"""How many legal actions are listed."""


def story_lines(fault: FaultRow, folder: Path) -> list[str]:
    """A fault with all that is known of it, for a list of faults. `folder` is the database's."""
    detail = f": {printable(fault.detail)}" if fault.detail else ""
    head = f"{fault.kind} of {printable(fault.bot)}, seat {fault.seat}, game {fault.game}{detail}"
    return [head, *(f"  {line}" for line in [_place(fault), *told(fault, folder)])]


def _place(fault: FaultRow) -> str:
    clock = f", after {fault.elapsed_ms} ms of {fault.limit_ms} ms" if fault.limit_ms or fault.elapsed_ms else ""
    return f"hand {fault.hand}, action {fault.action}{clock}"


def told(fault: FaultRow, folder: Path) -> list[str]:
    """What a record does not say of a fault: the open decision's choices, the process, its last words, its log."""
    from harness.records.quoting import shown
    from harness.records.story import last_lines

    lines = []
    if fault.legal:
        more = len(fault.legal) - MANY_CHOICES
        lines.append("to decide: " + ", ".join(fault.legal[:MANY_CHOICES]) + (f", and {more} more" if more > 0 else ""))
    if fault.how_ended:
        lines.append(f"process: {printable(fault.how_ended)}")
    words = last_lines(fault.stderr)
    if words:
        lines += ["stderr ended:", *(f"  {indented(line)}" for line in words)]
    if fault.log or fault.no_log:
        lines.append(f"full log: {shown(str(folder / fault.log)) if fault.log else fault.no_log}")
    return lines


def latest_stories(faults: Sequence[FaultRow], folder: Path, run: str) -> list[str]:
    """The latest faults of a run, one of each bot and reason, and where all of them are to be seen.

    `faults` are in the order of the run's schedule, as the store answers them.
    """
    latest: dict[tuple[str, str, str], FaultRow] = {}
    for fault in reversed(faults):
        latest.setdefault((fault.bot, fault.kind, fault.detail), fault)
    if not latest:
        return []
    chosen = list(latest.values())[:LATEST]
    lines = [line for fault in chosen for line in story_lines(fault, folder)]
    return ["", f"the latest of {len(faults)} faults (all: bowerbird matches {run} --faults)", *lines]
