"""Measures the collusion flags of one simulated run: false flags, and whether a bot that loses on purpose is found."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.ratings.designs import Setting
from bowerbird.harness.ratings.collusion.collusion import collusion_flags
from bowerbird.harness.records.values.game_result import GameResult


def flags(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return measures of the flags.

    flagged: 1 if any pair that does not collude is flagged. found: 1 if each bot that loses on purpose is flagged with
        its friend, in this direction; absent if there are no such bots.
    """
    raised = {(flag.lost, flag.gained) for flag in collusion_flags(games)}
    true = set(setting.world.gifts)
    found = {"found": float(true <= raised)} if true else {}
    return {"flagged": float(bool(raised - true)), **found}
