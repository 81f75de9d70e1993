"""The story of a fault (harness.records.story) as the values that a page shows of it."""

from __future__ import annotations

from harness.records.rows import FaultRow
from harness.records.story import last_lines


def story_values(fault: FaultRow) -> dict[str, object]:
    """What was to be decided, how the process ended, what it wrote last, and where its log is, or why it is nowhere."""
    return {
        "legal": list(fault.legal),
        "ended": fault.how_ended,
        "words": last_lines(fault.stderr),
        "log": fault.log or fault.no_log,
    }
