"""Which bots of a run could tell one seat what another one saw (PROTOCOL.md, Instances)."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records.errors import StoreError
from harness.records.rows import RunRow
from harness.records.run import REMOTE
from harness.records.run_text import tournament_table
from harness.records.store import Store


def unprotected(store: Store, run: RunRow) -> tuple[str, ...]:
    """The names of bots that one process played at several seats, or of whose processes nothing is known.

    Raises StoreError where the run's config is none any more.
    """
    header = store.header(run.fingerprint)
    if header is None:
        return ()
    try:
        is_shared = tournament_table(header.config).get("instances") == "shared"
    except ValueError as error:
        raise StoreError(f"{store.path}: run {run.fingerprint}: {error}") from error
    return tuple(bot.name for bot in header.bots if is_shared or bot.fingerprint == REMOTE)


def protection_lines(names: Sequence[str]) -> list[str]:
    """What the reader of standings must know of them; nothing where all are protected."""
    if not names:
        return []
    bots = f"bot {names[0]}" if len(names) == 1 else f"bots {', '.join(names)}"
    return [
        f"unprotected: {bots}; a process that plays several seats, or runs elsewhere, can tell one what another saw"
    ]
