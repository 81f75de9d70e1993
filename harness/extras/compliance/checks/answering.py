"""Checks of single decisions: answers have the right id, and are legal, single and in time."""

from __future__ import annotations

import statistics

from bowerbird.engine import counted
from bowerbird.harness.extras.compliance.driver.answer_clock import AnswerClock, threads_of
from bowerbird.harness.extras.compliance.driver.bot_under_test import BUDGET_MS, SEVERAL, BotUnderTest
from bowerbird.harness.extras.compliance.driver.game import Explorer
from bowerbird.harness.extras.compliance.driver.game_runner import GameRunner
from bowerbird.harness.extras.compliance.results import CheckFailedError, DecisionRule
from bowerbird.harness.records.values.game_record import TimeControl

FIRST_GAME_HANDS = 3
DECISIONS_TIMED = 15
"""The number of answers that `keeps_a_small_budget` times."""


async def names_the_decision(bot: BotUnderTest) -> str:
    """Play the first game, one decision at a time. The next two checks apply other rules to its answers."""
    runner, failure = await _first_game(bot)
    if failure is not None and failure.rule is DecisionRule.ANSWERS:
        raise failure
    return f"{counted(runner.answers, 'decision')} of {bot.variants[0]}"


async def chooses_legally(bot: BotUnderTest) -> str:
    """Check that every answer of the first game was legal."""
    _, failure = await _first_game(bot)
    if failure is not None and failure.rule is DecisionRule.LEGAL:
        raise failure
    return ""


async def answers_once(bot: BotUnderTest) -> str:
    """Check that the first game had one answer per decision.

    If the bot answers pings, a Ping shows whether more messages follow its last answer.
    """
    _, failure = await _first_game(bot)
    if failure is not None and failure.rule is DecisionRule.ONCE:
        raise failure
    if bot.answers_pings:
        more = await bot.ping(await bot.connected())
        if more:
            raise CheckFailedError(f"it sent {', '.join(more)} after its last answer")
    return ""


async def _first_game(bot: BotUnderTest) -> tuple[GameRunner, CheckFailedError | None]:
    """Return the runner and the failure of the first game, which the first call plays."""
    if bot.first_game is None:
        runner = bot.runner(await bot.connected())
        failure = None
        try:
            await runner.play(bot.strong_scenarios(1) + bot.scenarios(1, FIRST_GAME_HANDS), bot.limits())
        except CheckFailedError as error:
            failure = error
        bot.first_game = (runner, failure)
    return bot.first_game


async def keeps_a_small_budget(bot: BotUnderTest) -> str:
    """Check the median answer time against the budget and a run's usual margin.

    Time spent waiting for a processor does not count. The slowest answer does not matter, since it may be bad luck.
    """
    connection = await bot.connected()
    assert connection.process is not None, "a connected bot has a process"
    runner = bot.runner(connection, clock=AnswerClock(threads_of(connection.process.pid)))
    scenarios = iter(bot.scenarios(SEVERAL, FIRST_GAME_HANDS))
    while len(runner.answer_times) < DECISIONS_TIMED and (scenario := next(scenarios, None)) is not None:
        await runner.play([scenario], bot.limits(), Explorer())
    margin = TimeControl(per_decision_ms=BUDGET_MS, bank_ms=0).margin_ms
    times = sorted(1000 * seconds for seconds in runner.answer_times)
    median = statistics.median_low(times)
    found = f"median {median:.0f} ms; slowest {times[-1]:.0f} ms of {len(times)}; {BUDGET_MS} ms allowed"
    if median > BUDGET_MS + margin:
        raise CheckFailedError(f"{found}: budget_ms of a decision and bank_ms say how long it may take")
    return found
