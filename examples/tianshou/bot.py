"""Plays with the network that `learn.py` saved, always choosing the action with the highest value."""

from collections.abc import Sequence

import numpy as np
import torch
from network import SAVED, saved_network  # type: ignore[import-not-found]  # beside this file

from bowerbird.sdk import Bot, BotFailedError, Choice, Decision, run


class DqnBot(Bot):
    """A bot that answers a whole message with one run of the network."""

    def prepare(self) -> None:
        """Load the network while the start-up clock runs."""
        if not SAVED.exists():
            raise BotFailedError(f"{SAVED.name} is missing: python learn.py makes it")
        torch.set_num_threads(1)
        self.network = saved_network()

    def act_batch(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Return the action with the highest value at each table."""
        observations = np.stack([decision.observation() for decision in decisions])
        masks = np.stack([decision.action_mask() for decision in decisions])
        with torch.no_grad():
            worth, _ = self.network(observations)
        numbers = np.where(masks, worth.numpy(), -np.inf).argmax(axis=1).tolist()
        return [decision.action(number) for decision, number in zip(decisions, numbers, strict=True)]


if __name__ == "__main__":
    run(DqnBot())
