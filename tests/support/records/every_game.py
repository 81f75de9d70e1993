"""The games of a whole database."""

from __future__ import annotations

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.query_results import GameRow


def every_game(store: Store, *, variant: str | None = None, bot: str | None = None) -> list[GameRow]:
    """Return the games of all runs, the latest run first: of one variant or all, with one bot or any."""
    return [game for run in store.runs() for game in run.games(variant=variant, bot=bot)]
