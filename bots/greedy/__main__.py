"""Plays by rules of thumb; the same decision for the same view."""

from bowerbird.bots.greedy.player import choose
from bowerbird.engine import Action
from bowerbird.sdk import Bot, Decision, run


class GreedyBot(Bot):
    """A bot that decides by the view alone and remembers nothing."""

    def act(self, decision: Decision) -> Action:
        """Choose by the view."""
        return choose(decision.view)


if __name__ == "__main__":
    run(GreedyBot())
