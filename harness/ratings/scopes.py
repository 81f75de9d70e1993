"""What standings are shown of: each variant of a run, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.ratings.figures import ordered
from harness.ratings.league import League, league
from harness.records.rows import GameResult, Pairing, Standing, of_variant

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


def scopes_of(
    store: Store, run: str, results: Sequence[GameResult], variants: Sequence[str | None]
) -> dict[str | None, Scope]:
    """These scopes of the run with this fingerprint, all of whose results are given.

    Points of several variants together are left out: they have no unit.
    """
    standings, crosstables = store.standings_by_scope(run), store.crosstables(run)
    return {
        variant: _scope(variant, results, standings.get(variant, []), crosstables.get(variant, []))
        for variant in variants
    }


def _scope(
    variant: str | None, results: Sequence[GameResult], standings: Sequence[Standing], pairings: Sequence[Pairing]
) -> Scope:
    games = of_variant(results, variant)
    found = league(games)
    lines = {line.bot: line for line in standings}
    if len({game.variant for game in games}) > 1:
        lines = {bot: replace(line, points_per_deal=None) for bot, line in lines.items()}
    return Scope(variant, len(games), found, tuple(lines[bot] for bot in ordered(lines, found)), tuple(pairings))
