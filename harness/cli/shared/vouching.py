"""Shows who vouches for runs, and leaves out runs that nobody vouches for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.errors import InputError

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.vouching import Vouching

NAMED = 4
"""The most omitted runs that are named."""


def vouching_document(vouching: Vouching | None) -> dict[str, object]:
    """Return, for JSON, who vouches for a run. Nobody vouches for a record without its run."""
    if vouching is None:
        return {"signed_by": [], "trusted": False}
    return {"signed_by": list(vouching.fingerprints), "trusted": vouching.trusted}


def vouched_for(runs: Sequence[StoredRun]) -> tuple[list[StoredRun], str]:
    """Return the runs that were played here or signed by a trusted key, and a line that names the others.

    Raises InputError if no run is left.
    """
    from bowerbird.harness.records.vouching import Vouchers

    vouchers = Vouchers()
    counting = [run for run in runs if vouchers.of(run).trusted]
    left_out = [run for run in runs if run not in counting]
    if not left_out:
        return counting, ""
    names = [f"{run.fingerprint} ({run.row.name}; {_why(vouchers.of(run))})" for run in left_out[:NAMED]]
    more = [f"{len(left_out) - NAMED} more"] if len(left_out) > NAMED else []
    what = f"{counted(len(left_out), 'run')} not signed by anyone you trust: {', '.join([*names, *more])}"
    if not counting:
        raise InputError(f"no run counts: {what}; 'bowerbird keys trust' counts a key's runs, --untrusted all of them")
    return counting, f"left out: {what}; --untrusted counts them"


def _why(vouching: Vouching) -> str:
    keys = [f"key {fingerprint}" for fingerprint in vouching.fingerprints]
    return " and ".join([*keys, *(["unsigned"] if vouching.unsigned else [])])
