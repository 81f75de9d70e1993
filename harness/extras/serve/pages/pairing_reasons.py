"""Why the deal sets of an epoch were chosen: the scheduler's reasons, repeated from a complete run.

They follow from the run's seed, so nobody sees them before it is published.
"""

from __future__ import annotations

from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.values.game_result import by_set
from bowerbird.harness.records.values.run import SetKey, deal_seed
from bowerbird.harness.records.values.voids import left_out_of
from bowerbird.harness.tournament.annulled import annulled_results
from bowerbird.harness.tournament.config.schema import ADAPTIVE
from bowerbird.harness.tournament.pairing.replay import replayed, stored_terms
from bowerbird.harness.tournament.pairing.values import sentence

MOST_SETS = 5000
"""Most deal sets of a run whose reasons are repeated, which takes a while for each set."""


def pairing_reasons(run: StoredRun) -> dict[SetKey, str]:
    """Return a sentence for each deal set of a complete run that says why the scheduler chose it.

    Return {} for a run that is not complete, of another format, too large, from another program, or whose scheduler
    chose other sets than this one does. Raises StoreError.
    """
    if run.row.ended is None or run.row.seed is None or run.row.sets > MOST_SETS:
        return {}
    try:
        if load_toml(run.row.config)["tournament"].get("format") != ADAPTIVE:
            return {}
        terms = stored_terms(run.row.config, run.bots())
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    stored = {**annulled_results(run), **by_set(run.results(with_times=True))}
    left_out = frozenset(left_out_of(run.voids()))
    rounds = replayed(terms, deal_seed(run.row.seed, run.row.beacon), stored, left_out)
    reasons = {key: sentence(choice.reason) for planned in rounds for key, choice in planned.sets}
    return reasons if stored.keys() <= reasons.keys() else {}
