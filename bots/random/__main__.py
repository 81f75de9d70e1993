"""Plays a random legal action. It is reproducible, because it draws from the table's own seed."""

from bowerbird.sdk import Bot, Decision, run


class RandomBot(Bot):
    """A random bot, which returns an index so that the actions need not be decoded."""

    def act(self, decision: Decision) -> int:
        """Draw the index of an action."""
        return decision.table.rng.randrange(decision.choices)


if __name__ == "__main__":
    run(RandomBot())
