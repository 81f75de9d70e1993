"""Finds the bots of a run that could tell one seat what another saw (protocol.md, Instances)."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records.errors import StoreError
from harness.records.store.store import Store
from harness.records.text.run_text import tournament_table
from harness.records.values.game_record import REMOTE, SHARED
from harness.records.values.query_results import RunRow


def unprotected(store: Store, run: RunRow) -> tuple[str, ...]:
    """Return the names of bots that ran one process for several seats, or that ran elsewhere.

    Raises StoreError if the run's config is damaged.
    """
    header = store.header(run.fingerprint)
    if header is None:
        return ()
    try:
        is_shared = tournament_table(header.config).get("instances") == SHARED
    except ValueError as error:
        raise StoreError(f"{store.path}: run {run.fingerprint}: {error}") from error
    return tuple(bot.name for bot in header.bots if is_shared or bot.fingerprint == REMOTE)


def protection_lines(names: Sequence[str]) -> list[str]:
    """Return the lines about unprotected bots to show with standings; [] if there are none."""
    if not names:
        return []
    bots = f"bot {names[0]}" if len(names) == 1 else f"bots {', '.join(names)}"
    return [
        f"unprotected: {bots}; a process that plays several seats, or runs elsewhere, can pass on what one seat sees"
    ]
