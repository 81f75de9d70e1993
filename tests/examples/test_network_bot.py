"""The example of a bot with a network.

`check-bot` tries it together with the bots of all folders (test_compliance.py).
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bowerbird.engine import new_game, variant_names
from bowerbird.sdk import Bot, Decision, play
from tests.support.bots.loaded import loaded
from tests.support.paths import ROOT

FOLDER = ROOT / "examples" / "network"


def decisions() -> Iterator[Decision]:
    """Yield every decision of a short random game of each variant."""

    class Drawing(Bot):
        def act(self, decision: Decision) -> int:
            met.append(decision)
            return rng.randrange(decision.choices)

    rng = random.Random(1)
    for variant in variant_names():
        met: list[Decision] = []
        players = new_game(variant, seed=bytes(32)).players
        play(variant, [Drawing()] * players, seed=variant, options={"max_hands": 1})
        yield from met


def test_tables_of_all_variants_are_answered_by_one_run_of_the_network() -> None:
    bot = loaded(FOLDER / "bot.py").NetworkBot()
    bot.prepare()
    asked = list(decisions())
    chosen = bot.act_batch(asked)
    assert len({decision.table.variant for decision in asked}) == len(variant_names())
    assert all(choice in range(decision.choices) for choice, decision in zip(chosen, asked, strict=True))
    assert len(set(chosen)) > 2, "it looks at the position"


def test_weights_that_lie_beside_it_are_used(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(FOLDER, folder)
    module = loaded(folder / "bot.py")
    hidden, policy = np.zeros((module.INPUTS, module.HIDDEN)), np.ones((module.HIDDEN, module.OUTPUTS))
    np.savez(folder / "weights.npz", hidden=hidden, policy=policy)
    bot = module.NetworkBot()
    bot.prepare()
    assert set(bot.act_batch(list(decisions())[:50])) == {0}, "all actions are alike to this network"
