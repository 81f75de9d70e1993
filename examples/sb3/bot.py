"""Plays the policy that `learn.py` saved, always choosing its most likely action."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from bowerbird.sdk import Bot, BotFailedError, Choice, Decision, run

SAVED = Path(__file__).with_name("policy.zip")


class PpoBot(Bot):
    """A bot that answers a whole message with one run of the network."""

    def prepare(self) -> None:
        """Load the policy while the start-up clock runs."""
        if not SAVED.exists():
            raise BotFailedError("policy.zip is missing: python learn.py makes it")
        torch.set_num_threads(1)
        self.policy = MaskablePPO.load(SAVED, device="cpu")

    def act_batch(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Return the policy's most likely action at each table."""
        observations = np.stack([decision.observation() for decision in decisions])
        masks = np.stack([decision.action_mask() for decision in decisions])
        numbers, _ = self.policy.predict(observations, action_masks=masks, deterministic=True)
        return [decision.action(int(number)) for decision, number in zip(decisions, numbers, strict=True)]


if __name__ == "__main__":
    run(PpoBot())
