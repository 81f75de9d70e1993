"""The effect of withdrawals in a format that pairs bots: unpaired bots and annulled deal sets (faults.md).

Played rounds stand, since pairs depend on the games as they were played. Annulled games do not count in matches or
places. `tournament.stored_absences` finds the withdrawals of a stored run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bowerbird.harness.records.values.run import SetKey

Unpaired = Callable[[int], Collection[str]]
"""Returns the bots that are not paired in a round (numbered from 1) because they were already withdrawn."""


def nobody(_: int) -> Collection[str]:
    """Return no bot."""
    return ()


@dataclass(frozen=True, slots=True)
class Absences:
    """The withdrawals of a run that a format needs.

    unpaired: called once for each round, when it is paired.
    annulled: the annulled deal sets, each with the bots for which it is annulled.
    """

    unpaired: Unpaired = nobody
    annulled: Mapping[SetKey, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def disqualified(self) -> frozenset[str]:
        """The bots whose games are annulled."""
        return frozenset(bot for bots in self.annulled.values() for bot in bots)


NO_ABSENCES = Absences()
