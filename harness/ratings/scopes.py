"""What standings are shown of: each variant of a run, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.ratings.figures import ordered
from harness.ratings.league import League, league
from harness.records.rows import GameResult, Pairing, Standing

if TYPE_CHECKING:
    from harness.records.store import Store


@dataclass(frozen=True, slots=True)
class Scope:
    """The games of a variant, or (`variant` is None) all: who is how strong, and what each did, the best first."""

    variant: str | None
    games: int
    league: League
    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots in the order of the standings."""
        return tuple(line.bot for line in self.standings)


def scope_of(store: Store, run: str, results: Sequence[GameResult], variant: str | None) -> Scope:
    """A scope of the run with this fingerprint, all of whose results are given.

    Points of several variants together are left out: they have no unit.
    """
    games = [game for game in results if variant is None or game.variant == variant]
    found = league(games)
    lines = {line.bot: line for line in store.standings(run, variant)}
    if len({game.variant for game in games}) > 1:
        lines = {bot: replace(line, points_per_deal=None) for bot, line in lines.items()}
    order = ordered(lines, found)
    return Scope(variant, len(games), found, tuple(lines[bot] for bot in order), tuple(store.crosstable(run, variant)))
