"""A bot that plays at random: the least that a bot in Python needs. Make `act` choose better."""

from harness.sdk import Bot, Decision, run


class RandomBot(Bot):
    """`decision.view` is all that the seat may know, `decision.legal` are the actions to choose from."""

    def act(self, decision: Decision) -> int:
        """Draw the index of an action, from the table's own seed: so the bot is reproducible."""
        return decision.table.rng.randrange(decision.choices)


if __name__ == "__main__":
    run(RandomBot())
