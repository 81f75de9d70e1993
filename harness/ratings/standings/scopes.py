"""The scopes of a stored run: each variant, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.ratings.standings.cells import ordered
from harness.ratings.standings.rating_list import RatingList, rating_list
from harness.records.values.game_result import GameResult, of_variant
from harness.records.values.query_results import Pairing, Standing

if TYPE_CHECKING:
    from harness.records.store.store import Store


@dataclass(frozen=True, slots=True)
class Scope:
    """The standings of a variant, or of all (`variant` is None), the strongest first. `games` counts the games."""

    variant: str | None
    games: int
    rating_list: RatingList
    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots in the order of the standings."""
        return tuple(line.bot for line in self.standings)


def scopes_of(
    store: Store, run: str, results: Sequence[GameResult], variants: Sequence[str | None]
) -> dict[str | None, Scope]:
    """Return the scopes of a run by variant; None stands for all variants.

    `run` is the run's fingerprint, `results` are all its results. The scope of several variants has no points, because
    they have no common unit.
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
    found = rating_list(games)
    lines = {line.bot: line for line in standings}
    if len({game.variant for game in games}) > 1:
        lines = {bot: replace(line, points_per_deal=None) for bot, line in lines.items()}
    return Scope(variant, len(games), found, tuple(lines[bot] for bot in ordered(lines, found)), tuple(pairings))
