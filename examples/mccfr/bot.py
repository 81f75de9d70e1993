"""Plays the average policy of the solver that `learn.py` saved, or at random in positions that the solver never met."""

import pickle
import sys
from pathlib import Path

from bowerbird.envs.openspiel import information_state
from bowerbird.sdk import Bot, BotFailedError, Decision, run

SAVED = Path(__file__).with_name("solver.pkl")


class MccfrBot(Bot):
    """A bot that looks up its view in a solver's table."""

    def prepare(self) -> None:
        """Load the solver while the start-up clock runs."""
        if not SAVED.exists():
            raise BotFailedError("solver.pkl is missing: python learn.py makes it")
        self.solver = pickle.loads(SAVED.read_bytes())
        print(f"the solver has met {self.solver.size} information states", file=sys.stderr)

    def act(self, decision: Decision) -> int:
        """Draw an action from the average policy, which lists the legal actions in the same order."""
        chances = self.solver.average(information_state(decision.view)) or [1.0] * decision.choices
        return decision.table.rng.choices(range(decision.choices), chances)[0]


if __name__ == "__main__":
    run(MccfrBot())
