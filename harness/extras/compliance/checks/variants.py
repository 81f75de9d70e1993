"""The check of one variant."""

from __future__ import annotations

import time
from collections import deque

from bowerbird.engine import counted
from bowerbird.harness.extras.compliance.driver.bot_under_test import BotUnderTest
from bowerbird.harness.extras.compliance.driver.game import Explorer
from bowerbird.harness.extras.compliance.results import NotReachedError
from bowerbird.harness.extras.compliance.scenarios import scenarios_of

BUDGET_MS = 5
"""The budget of a decision: small, because there are many; no check judges whether the bot keeps to it."""


async def plays(variant: str, bot: BotUnderTest) -> str:
    """Play all scenarios of a variant, several at once.

    Games that a slow bot has no time for do not count against it.
    """
    connection = await bot.connected()
    runner = bot.runner(connection, BUDGET_MS)
    explorer = Explorer()
    scenarios = deque(scenarios_of(variant))
    games = len(scenarios)
    end = time.monotonic() + bot.timeouts.variant
    while scenarios:
        if time.monotonic() >= end:
            raise NotReachedError(
                f"{games - len(scenarios)} of {games} games passed within {bot.timeouts.variant:g} s; "
                "the others were not played"
            )
        some = [scenarios.popleft() for _ in range(min(len(scenarios), bot.tables_tried))]
        await runner.play(some, bot.limits(bot.tables_tried, bot.batch_tried), explorer)
    return (
        f"{counted(games, 'game')}, {counted(runner.answers, 'decision')}; asked: {', '.join(sorted(explorer.asked))}"
    )
