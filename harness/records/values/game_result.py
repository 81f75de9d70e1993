"""The result of a game, as ratings read it. It comes from a row in the store or from a record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bowerbird.harness.records.values.run import GameId, SetKey


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game. All tuples are by seat, except `offenders`, the seats at fault.

    `sides` are the numbers of the sides (the seat itself if each plays alone). `rated` is False for a game that was not
    played because a bot had been withdrawn. `decisions` counts all actions, forced ones too; `hands` counts finished
    hands. `thinking_ms` is the time charged to each seat, () if it was not requested. `own_packs` is True if no other
    line-up plays this line-up's packs, so that its deal sets are independent of theirs; False if unknown. These two
    fields are ignored when results are compared.
    """

    id: GameId
    variant: str
    bots: tuple[str, ...]
    sides: tuple[int, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    offenders: tuple[int, ...]
    rated: bool
    decisions: int = 0
    hands: int = 0
    thinking_ms: tuple[int, ...] = field(default=(), compare=False)
    own_packs: bool = field(default=False, compare=False)

    def pair_outcome(self, seat: int, other: int) -> float:
        """Return the outcome between the sides of two seats: 1 if `seat` ranks before `other`, 1/2 if equal, else 0.

        This is S in ratings.md, Ratings kept. A side with a seat at fault loses the pair against a side without one, no
        matter what the substitute achieved (protocol.md, Faults at a table).
        """
        if self.offenders:
            guilty = {self.sides[offender] for offender in self.offenders}
            fault, other_fault = self.sides[seat] in guilty, self.sides[other] in guilty
            if fault != other_fault:
                return 0.0 if fault else 1.0
        mine, theirs = self.ranks[seat], self.ranks[other]
        return 0.5 if mine == theirs else float(mine < theirs)


def by_set(results: Iterable[GameResult]) -> dict[SetKey, list[GameResult]]:
    """Group results of one run by deal set, keeping their order."""
    sets: dict[SetKey, list[GameResult]] = {}
    for result in results:
        sets.setdefault(result.id.set_key, []).append(result)
    return sets


def of_variant(results: Iterable[GameResult], variant: str | None) -> list[GameResult]:
    """Return the results of one variant; all results for None."""
    return [result for result in results if variant is None or result.variant == variant]
