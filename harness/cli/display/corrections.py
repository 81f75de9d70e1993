"""The corrections of a run as lines and for JSON (faults.md, Corrections)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.output import plain_fields, recorded_command
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.corrections import (
    REINSTATE,
    WITHDRAW,
    CorrectedSets,
    Correction,
    correction_lines,
)

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.run import SetKey

BRIEF = 225
"""The most characters of the latest correction on the first screen of standings: three lines without broken words."""

BRIEF_NAME, LEAST_WHY = 24, 24
"""The most characters of the decider's name, and the fewest of the reason if it is longer."""


def correction_head(run: StoredRun, *, full: bool) -> list[str]:
    """Return the lines about corrections above the standings of a run; [] if it has none.

    full: show each correction whole. Otherwise show the latest in `BRIEF` characters, and how many there are; show
        nothing if the only one is a standing withdrawal, which has its own line (`values.withdrawals`).
    """
    corrections = run.corrections()
    if not corrections or (not full and len(corrections) == 1 and corrections[0].kind == WITHDRAW):
        return []
    lines = correction_lines(corrections, run.stored_sets())
    if full or (len(lines) == 1 and len(lines[0]) <= BRIEF):
        return lines
    every = recorded_command(run.store.path, "standings", run.fingerprint, "--full")
    return [_brief(lines[-1], corrections[-1]), f"{counted(len(lines), 'correction')} in all: {every}"]


def _brief(line: str, correction: Correction) -> str:
    """Return the line of a correction, with the reason and a long name shortened. The commitment stays whole."""
    if len(line) <= BRIEF:
        return line
    line = line.replace(correction.by, shown(correction.by, BRIEF_NAME), 1)
    room = max(LEAST_WHY, len(correction.why) - (len(line) - BRIEF))
    return line.replace(correction.why, shown(correction.why, room), 1)


def correction_count(corrections: int) -> str:
    """Return `2 corrections`; "" for none."""
    return counted(corrections, "correction") if corrections else ""


def corrections_document(run: StoredRun) -> list[dict[str, object]]:
    """Return the corrections of a run for JSON, the latest last."""
    corrections = run.corrections()
    stored = dict(run.sets()) if corrections else {}
    return [correction_document(one, corrections, stored) for one in corrections]


def correction_document(
    correction: Correction, corrections: Sequence[Correction], stored: Mapping[SetKey, int]
) -> dict[str, object]:
    """Return a correction for JSON, with how much of it was played again.

    corrections: all of the run. stored: the number of games by stored deal set.
    """
    again = CorrectedSets(corrections, stored).played_again(correction)
    return {
        **plain_fields(correction),
        "sets": [str(key) for key in correction.sets],
        "sets_played_again": len(again),
        "games_played_again": sum(stored[key] for key in again),
    }


def voided_line(correction: Correction) -> str:
    """Return the line above a game that a correction took out of the results."""
    what = {REINSTATE: f"reinstated bot {correction.bot}", WITHDRAW: f"annulled the games of bot {correction.bot}"}.get(
        correction.kind, "voided it"
    )
    return (
        f"this game does not count: correction {correction.number}, {correction.saved[:10]}, "
        f"by {correction.by}, {what}: {correction.why}"
    )
