"""The absences of a continued run: bots no longer paired, and annulled deal sets (faults.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.run_text import tournament_table
from bowerbird.harness.records.values.corrections import annulled_sets
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.tournament.formats.absences import Absences
from bowerbird.harness.tournament.formats.dependents import rounds_of

KeepUnpaired = Callable[[int, Collection[str]], None]
"""Makes durable which bots are not paired in a round, numbered from 1."""


def keep_nothing(_: int, __: Collection[str]) -> None:
    """Do nothing. This is the `keep` of a run that is only inspected."""


def absences_of(stored: StoredRun, ledger: FaultLedger, keep: KeepUnpaired = keep_nothing) -> Absences:
    """Return the absences of a stored run that is continued.

    A round that had begun is paired as before. In a new round, bots that the ledger has already withdrawn are not
    paired.

    ledger: records withdrawals while the run continues.
    keep: called before the first game of a round that is paired without some bots.
    """
    annulled = annulled_sets(stored.corrections())
    known = stored.unpaired()
    header = stored.header()
    bots = [bot.name for bot in header.bots] if header is not None else []
    begun: tuple[int, ...] = ()
    if header is not None:
        table = tournament_table(header.config)
        sets = [*stored.stored_sets(), *annulled, *(void.key for void in stored.voids() if not void.is_past)]
        begun = rounds_of(str(table.get("format")), int(table.get("sets", 0)), sets)

    def unpaired(number: int) -> Collection[str]:
        if number in known or number in begun:
            return known.get(number, ())
        gone = [bot for bot in bots if ledger.withdrawn(bot) is not None]
        if gone:
            keep(number, gone)
        return gone

    return Absences(unpaired, annulled)


def known_absences(stored: StoredRun, limits: FaultLimits) -> Absences:
    """Return the absences of a stored run that is only inspected. `limits` are its bots' limits."""
    return absences_of(stored, FaultLedger(limits, stored.conduct()))
