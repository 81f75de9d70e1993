"""Finds the bots of a run that could see a secret: another seat's knowledge, or the run's seed.

See protocol.md, Instances, and faults.md, Isolation.
"""

from __future__ import annotations

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.run_text import networked_bots, tournament_table
from bowerbird.harness.records.values.game_record import LIMITS, OWN_USER, REMOTE, SANDBOX, SHARED

READABLE_SEED = "bots could read the seed: they ran without a sandbox, as the user of the referee"


def unprotected(run: StoredRun) -> tuple[str, ...]:
    """Return the names of bots that ran one process for several seats, ran elsewhere, or had a network.

    Raises StoreError if the run's config is damaged.
    """
    header = run.header()
    if header is None:
        return ()
    try:
        is_shared = tournament_table(header.config).get("instances") == SHARED
        networked = networked_bots(header.config)
    except ValueError as error:
        raise StoreError(f"{run.store.path}: run {run.fingerprint}: {error}") from error
    return tuple(bot.name for bot in header.bots if is_shared or bot.fingerprint == REMOTE or bot.name in networked)


def could_read_seed(run: StoredRun) -> bool:
    """Return True if bots of this run could read the secret seed, and so all cards, while they played.

    They could if they ran without a sandbox as the referee's user. Remote bots run elsewhere.
    """
    header = run.header()
    conditions = run.conditions()
    if header is None or conditions is None or all(bot.fingerprint == REMOTE for bot in header.bots):
        return False
    return conditions.isolation != SANDBOX and not (conditions.isolation == LIMITS and OWN_USER in conditions.measures)


def protection_lines(run: StoredRun) -> list[str]:
    """Return lines about the secrets that bots could see, to show with standings; [] if there were none."""
    lines = [READABLE_SEED] if could_read_seed(run) else []
    names = unprotected(run)
    if names:
        bots = f"bot {names[0]}" if len(names) == 1 else f"bots {', '.join(names)}"
        lines.append(
            f"unprotected: {bots}; a process that plays several seats, runs elsewhere or has a network can pass on "
            "what one seat sees"
        )
    return lines
