"""The story of a fault (harness.records.story) as the values that a page shows of it."""

from __future__ import annotations

from harness.records.rows import FaultRow

LAST_LINES = 12
"""How many lines of what a process wrote last are shown."""


def story_values(fault: FaultRow) -> dict[str, object]:
    """What was to be decided, how the process ended, the last lines that it wrote, and where its log is."""
    words = [line for line in fault.stderr.splitlines() if line.strip()]
    return {"legal": list(fault.legal), "ended": fault.how_ended, "words": words[-LAST_LINES:], "log": fault.log}
