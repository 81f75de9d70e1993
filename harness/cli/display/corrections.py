"""The corrections of a run as lines and for JSON (faults.md, Corrections)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine import counted
from harness.cli.shared.output import plain_fields, recorded_command
from harness.records.quoting import shown
from harness.records.values.corrections import REINSTATE, Correction, correction_lines, last_corrections

if TYPE_CHECKING:
    from harness.records.store.store import Store
    from harness.records.values.run import SetKey

BRIEF = 220
"""Characters of the latest correction on the first screen of standings, which are at most three lines."""


def correction_head(store: Store, fingerprint: str, *, full: bool) -> list[str]:
    """Return the lines about corrections above the standings of a run; [] if it has none.

    full: each correction whole. Otherwise the latest one, cut to `BRIEF` characters, with the number of all.
    """
    corrections = store.corrections(fingerprint)
    if not corrections:
        return []
    lines = correction_lines(corrections, store.stored_sets(fingerprint))
    if full or (len(lines) == 1 and len(lines[0]) <= BRIEF):
        return lines
    every = recorded_command(store.path, "standings", fingerprint, "--full")
    return [shown(lines[-1], BRIEF), f"{counted(len(lines), 'correction')} in all: {every}"]


def correction_count(corrections: int) -> str:
    """Return `2 corrections`; "" for none."""
    return counted(corrections, "correction") if corrections else ""


def corrections_document(store: Store, fingerprint: str) -> list[dict[str, object]]:
    """Return the corrections of a run for JSON, the latest last."""
    corrections = store.corrections(fingerprint)
    stored = dict(store.sets(fingerprint)) if corrections else {}
    return [correction_document(one, corrections, stored) for one in corrections]


def correction_document(
    correction: Correction, corrections: Sequence[Correction], stored: Mapping[SetKey, int]
) -> dict[str, object]:
    """Return a correction for JSON, with how much of it was played again.

    corrections: all of the run. stored: the number of games by stored deal set.
    """
    last = last_corrections(corrections)
    again = [key for key in correction.sets if last[key] == correction.number and key in stored]
    return {
        **plain_fields(correction),
        "sets": [str(key) for key in correction.sets],
        "sets_played_again": len(again),
        "games_played_again": sum(stored[key] for key in again),
    }


def voided_line(correction: Correction) -> str:
    """Return the sentence above a game that a correction took out of the results."""
    what = f"reinstated bot {correction.bot}" if correction.kind == REINSTATE else "voided it"
    return (
        f"this game does not count: correction {correction.number}, {correction.saved[:10]}, "
        f"by {correction.by}, {what}: {correction.why}"
    )
