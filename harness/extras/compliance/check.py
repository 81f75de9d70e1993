"""Checks every requirement on a bot, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.compliance.driver.bot_under_test import BotUnderTest
from bowerbird.harness.extras.compliance.driver.process_host import open_process_host
from bowerbird.harness.extras.compliance.requirements import Requirement
from bowerbird.harness.extras.compliance.results import (
    CheckFailedError,
    NotReachedError,
    RequirementResult,
    Verdict,
)


def check(
    requirements: Sequence[Requirement], config: CheckConfig, on_result: Callable[[RequirementResult], None]
) -> tuple[RequirementResult, ...]:
    """Check these requirements on a bot and return their results, in order.

    `requirements` are those of `requirements_for(bot)`, or some of them with all that they need (`with_needs`).
    `on_result` gets each result as soon as it is known. No process is left behind, even after an interrupt.
    """
    return trio.run(_check, requirements, config, on_result)


async def _check(
    requirements: Sequence[Requirement], config: CheckConfig, on_result: Callable[[RequirementResult], None]
) -> tuple[RequirementResult, ...]:
    results: dict[int, RequirementResult] = {}
    async with open_process_host(config) as host:
        bot = BotUnderTest(host)
        for requirement in requirements:
            needed = (results[number] for number in requirement.needs)
            missing = next((result for result in needed if result.verdict is not Verdict.PASS), None)
            result = _not_reached(requirement, missing) if missing is not None else await _try(requirement, bot)
            results[requirement.number] = result
            on_result(result)
    return tuple(results.values())


def _not_reached(requirement: Requirement, missing: RequirementResult) -> RequirementResult:
    """Return the result of a requirement that needs a failed one. Its detail names the first cause."""
    failed = missing.verdict is Verdict.FAIL
    why = f"requirement {missing.number} failed" if failed else missing.detail
    return RequirementResult(requirement.number, requirement.text, Verdict.NOT_REACHED, why)


async def _try(requirement: Requirement, bot: BotUnderTest) -> RequirementResult:
    number, text = requirement.number, requirement.text
    try:
        found = await requirement.check(bot)
    except NotReachedError as why:
        return RequirementResult(number, text, Verdict.NOT_REACHED, str(why))
    except CheckFailedError as failure:
        return RequirementResult(number, text, Verdict.FAIL, str(failure), await bot.collect_evidence())
    return RequirementResult(number, text, Verdict.PASS, found)
