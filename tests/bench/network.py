"""A bot as those are that ask a network: one product of matrices for a whole message. It has learnt nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from harness.sdk import Bot, Decision, run

DESCRIBED = """name = "network"
command = ["{python}", "bot.py"]
tables = 64
memory_mb = 1024
"""


class Network(Bot):
    """Features from the hand, one layer."""

    def prepare(self) -> None:
        self.weights = np.random.default_rng(1).normal(size=(64, 64))

    def act_batch(self, decisions: Sequence[Decision]) -> list[int]:
        features = np.zeros((len(decisions), 64))
        for row, decision in enumerate(decisions):
            for card in decision.view.hand:
                features[row, hash(card) % 64] = 1.0
        scores = np.tanh(features @ self.weights)
        return [int(np.argmax(scores[row, : decision.choices])) for row, decision in enumerate(decisions)]


def write_bot(folder: Path) -> Path:
    """A folder with this bot in it, ready to be played."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "bot.toml").write_text(DESCRIBED, encoding="utf-8")
    return folder


if __name__ == "__main__":
    run(Network())
