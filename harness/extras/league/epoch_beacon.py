"""Binds an epoch to a round of drand: promises a round that comes after the commitment, and waits for it.

The promise is part of the stored run before the round exists, so a process that is killed at any moment changes
nothing: the next one waits for the same round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bowerbird.harness.extras.drand.rounds import Round, read_round
from bowerbird.harness.extras.league.beacon_keys import DrandTerms
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.plan import Plan, make_plan


def promised_round(terms: DrandTerms, moment: float) -> Round:
    """Return the round for a seed that is committed to at this moment, in seconds of Unix time."""
    return Round(terms.chain, terms.chain.first_from(moment + terms.lead_ms / 1000))


def is_waiting(plan: Plan) -> bool:
    """Return whether the run of an epoch still needs the beacon that was promised."""
    return plan.header.beacon == ""


def commit(plan: Plan, store: Store) -> str:
    """Store the run of an epoch with its commitment and its promise, unless it is stored.

    Return why its round proves nothing, "" if it does: it must come after the commitment was stored.
    """
    header = plan.header
    if store[header.fingerprint].header() is None:
        with store.begin(header, plan.seed, plan.file.folder):
            pass  # the run is stored, and no card is dealt
    round_ = read_round(plan.file.beacon_source)
    stored = store.run(header.fingerprint).row.started
    return "" if round_.comes_after(stored) else f"its commitment was stored after {round_.title} came"


def promise(plan: Plan, epoch: int) -> str:
    """Return the sentence that says what an epoch is bound to."""
    round_ = read_round(plan.file.beacon_source)
    return (
        f"epoch {epoch} commits to the seed {plan.header.commitment}, and its deals follow from that seed and "
        f"{round_.title}, due at {round_.at}"
    )


def with_beacon(plan: Plan, addresses: Callable[[], Sequence[str]], say: Callable[[str], None]) -> Plan:
    """Wait for the round of an epoch, and return its plan with the beacon (see `awaited_beacon`)."""
    from bowerbird.harness.extras.drand.waiting import awaited_beacon  # imports trio

    beacon = awaited_beacon(read_round(plan.file.beacon_source), addresses, say)
    return make_plan(replace(plan.file, beacon=beacon), plan.seed)
