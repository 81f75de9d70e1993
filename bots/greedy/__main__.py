"""Plays by rules of thumb, and always decides the same from the same view."""

from bowerbird.bots.greedy.player import choose
from bowerbird.engine import Action
from bowerbird.sdk import Bot, Decision, run


class GreedyBot(Bot):
    """A bot that decides only from the view and remembers nothing."""

    def act(self, decision: Decision) -> Action:
        """Choose from the view."""
        return choose(decision.view)


if __name__ == "__main__":
    run(GreedyBot())
