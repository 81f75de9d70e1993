"""Finds the stored run that a command should change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bowerbird.harness.records.store.store import Store, StoredRun

LISTED = 3
"""The most ids that a message lists."""


def the_run(store: Store, ref: str) -> StoredRun:
    """Return the only run that `ref` can mean: an id, the beginning of an id, or a name.

    Stricter than `Store.run`, which picks the newest run with a name. Raises InputError if several runs match,
    StoreError if none does.
    """
    runs = store.runs()
    found = [run for run in runs if run.fingerprint == ref] or [
        run for run in runs if ref and (run.row.name == ref or run.fingerprint.startswith(ref))
    ]
    if len(found) > 1:
        ids = ", ".join(run.fingerprint for run in found[:LISTED]) + (", …" if len(found) > LISTED else "")
        raise InputError(f"{ref!r} matches {len(found)} runs ({ids}); name one by its id")
    return found[0] if found else store.run(ref)


def rated_runs(store: Store, refs: Sequence[str], *, every_run: bool = False) -> list[StoredRun]:
    """Return the named runs, or all runs with ratings, or by default the newest run with ratings.

    Raises InputError for a named run without ratings, or if no run has ratings; StoreError as `Store.run` does.
    """
    named = [store.run(ref) for ref in refs]
    for run in named:
        if not run.row.is_rated:
            raise InputError(
                f"run {run.fingerprint} ({run.row.name}) has no ratings: a person played in it; bowerbird matches "
                f"{run.fingerprint} lists its games"
            )
    if named:
        return named
    newest = store.run()  # raises StoreError if there is none
    rated = [run for run in store.runs() if run.row.is_rated]
    if not rated:
        raise InputError(
            f"{store.path}: no run has ratings, because people played in all of them; bowerbird matches lists the "
            f"games of {newest.row.name}"
        )
    return rated if every_run else rated[:1]


def require_variant(runs: Sequence[StoredRun], variant: str) -> None:
    """Raise InputError if no run has a game of this variant."""
    from bowerbird.engine import unknown

    known = sorted({name for run in runs for name in run.variants()})
    if variant not in known:
        raise InputError(unknown("variant", variant, known))
