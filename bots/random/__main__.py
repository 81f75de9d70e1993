"""Plays any legal action, each equally likely; reproducible, because it draws from the table's own seed."""

from harness.sdk import Bot, Decision, run


class RandomBot(Bot):
    """An index is enough: the actions need not be looked at."""

    def act(self, decision: Decision) -> int:
        """Draw one."""
        return decision.table.rng.randrange(decision.choices)


if __name__ == "__main__":
    run(RandomBot())
