"""Plays the policy that `train.py` saved in `weights.npz`, always choosing its most likely action.

Without that file it plays at random.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from policy import Policy  # type: ignore[import-not-found]  # beside this file

from bowerbird.sdk import Bot, Choice, Decision, run

WEIGHTS = Path(__file__).with_name("weights.npz")


class TrainedBot(Bot):
    """A bot that answers a whole message with one run of the network."""

    def prepare(self) -> None:
        """Read the policy while the start-up clock runs."""
        self.policy = Policy.read(WEIGHTS) if WEIGHTS.exists() else None
        if self.policy is None:
            print("weights.npz is missing, so this bot plays at random: python train.py makes it", file=sys.stderr)

    def act_batch(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Return the policy's most likely action at each table."""
        if self.policy is None:
            return [decision.table.rng.randrange(decision.choices) for decision in decisions]
        observations = np.stack([decision.observation() for decision in decisions])
        masks = np.stack([decision.action_mask() for decision in decisions])
        numbers = self.policy.best(observations, masks).tolist()
        return [decision.action(number) for decision, number in zip(decisions, numbers, strict=True)]


if __name__ == "__main__":
    run(TrainedBot())
