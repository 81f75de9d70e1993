"""Exports the costliest mistakes as positions for `bowerbird ask`."""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.harness.extras.analysis.game_analysis import THOUSAND
from bowerbird.harness.extras.analysis.profile import Figures, Mistake, costliest
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.positions_file import SavedPosition

MOST = 50
"""The maximum number of positions in a file."""


def positions_of(store: Store, figures: Figures, bots: Sequence[str]) -> list[SavedPosition]:
    """Return the costliest mistakes, only of `bots` if there are any, costliest first. Raises StoreError."""
    made = [
        Mistake(game, one) for game, found in figures.items() for one in found.decisions if not bots or one.bot in bots
    ]
    return [
        SavedPosition(
            record=store.record_text(mistake.game),
            hand=mistake.decision.hand,
            step=mistake.decision.step,
            better=mistake.decision.best,
            remark=f"{mistake.decision.bot} lost {mistake.decision.loss / THOUSAND:.2f} points here",
        )
        for mistake in costliest(made, MOST)
    ]
