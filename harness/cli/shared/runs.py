"""Finds the one stored run that a command is to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cli.shared.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.records.store.store import Store
    from harness.records.values.query_results import RunRow

LISTED = 3
"""Number of ids that a message lists."""


def the_run(store: Store, ref: str) -> RunRow:
    """Return the only run that `ref` can mean: its id, the beginning of its id, or its name.

    Stricter than `Store.run`, which takes the newest run of a name. Raises InputError if several runs match, StoreError
    if none does.
    """
    runs = store.runs()
    found = [run for run in runs if run.fingerprint == ref] or [
        run for run in runs if ref and (run.name == ref or run.fingerprint.startswith(ref))
    ]
    if len(found) > 1:
        ids = ", ".join(run.fingerprint for run in found[:LISTED]) + (", …" if len(found) > LISTED else "")
        raise InputError(f"{ref!r} could be {len(found)} runs ({ids}); name one by its id")
    return found[0] if found else store.run(ref)


def require_variant(store: Store, runs: Sequence[RunRow], variant: str) -> None:
    """Raise InputError if no run has a game of this variant."""
    from engine import unknown

    known = sorted({name for run in runs for name in store.variants(run.fingerprint)})
    if variant not in known:
        raise InputError(unknown("variant", variant, known))
