"""The smallest bot in Python: it plays at random. Make `act` choose better."""

from bowerbird.sdk import Bot, Decision, run


class RandomBot(Bot):
    """`decision.view` is everything the seat may know; `decision.legal` holds the actions to choose from."""

    def act(self, decision: Decision) -> int:
        """Draw the index of an action from the table's own seed, so that the bot is reproducible."""
        return decision.table.rng.randrange(decision.choices)


if __name__ == "__main__":
    run(RandomBot())
