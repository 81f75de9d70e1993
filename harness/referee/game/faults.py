"""Faults at a table, and the kinds that end a process (protocol.md, Faults at a table)."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.faults import CRASHED, DISCONNECTED, NEVER_STARTED, PROTOCOL

ENDED_AFTER = frozenset({DISCONNECTED, CRASHED, PROTOCOL, NEVER_STARTED})
"""Faults that end a process. Each uses up one restart of its instance."""

DETAIL_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat's fault. It lands when the seat's next decision is due.

    `detail` is one line that is the same in every run of one seed: an exit status, a signal, a token. It never contains
    a process id, a path or a bot's output. `limit_ms` and `elapsed_ms` are 0 if no clock was running.
    """

    kind: str
    detail: str
    limit_ms: int = 0
    elapsed_ms: int = 0


def one_line(text: str) -> str:
    """Return foreign text in the form of `shown`, with at most DETAIL_LENGTH characters."""
    return shown(text.strip(), DETAIL_LENGTH)
