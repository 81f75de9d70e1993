"""Tries every sentence on a bot, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.compliance.driver.bot_under_test import BotUnderTest
from bowerbird.harness.extras.compliance.driver.process_host import open_process_host
from bowerbird.harness.extras.compliance.results import (
    CheckFailedError,
    NotReachedError,
    SentenceResult,
    SentenceVerdict,
)
from bowerbird.harness.extras.compliance.sentences import Sentence


def check(
    sentences: Sequence[Sentence], config: CheckConfig, on_result: Callable[[SentenceResult], None]
) -> tuple[SentenceResult, ...]:
    """Try these sentences on a bot and return their results, in order.

    `sentences` are those of `sentences_for(bot)`, or some of them together with all that they need (`with_needs`).
    `on_result` gets each result as soon as it is known. Leaves no process, even if it is interrupted.
    """
    return trio.run(_check, sentences, config, on_result)


async def _check(
    sentences: Sequence[Sentence], config: CheckConfig, on_result: Callable[[SentenceResult], None]
) -> tuple[SentenceResult, ...]:
    results: dict[int, SentenceResult] = {}
    async with open_process_host(config) as host:
        bot = BotUnderTest(host)
        for sentence in sentences:
            needed = (results[number] for number in sentence.needs)
            missing = next((result for result in needed if result.verdict is not SentenceVerdict.PASS), None)
            result = _not_reached(sentence, missing) if missing is not None else await _try(sentence, bot)
            results[sentence.number] = result
            on_result(result)
    return tuple(results.values())


def _not_reached(sentence: Sentence, missing: SentenceResult) -> SentenceResult:
    """Return the result of a sentence that needs another one. Its detail names the first cause."""
    failed = missing.verdict is SentenceVerdict.FAIL
    why = f"requirement {missing.number} failed" if failed else missing.detail
    return SentenceResult(sentence.number, sentence.text, SentenceVerdict.NOT_REACHED, why)


async def _try(sentence: Sentence, bot: BotUnderTest) -> SentenceResult:
    number, text = sentence.number, sentence.text
    try:
        found = await sentence.check(bot)
    except NotReachedError as why:
        return SentenceResult(number, text, SentenceVerdict.NOT_REACHED, str(why))
    except CheckFailedError as failure:
        return SentenceResult(number, text, SentenceVerdict.FAIL, str(failure), await bot.collect_evidence())
    return SentenceResult(number, text, SentenceVerdict.PASS, found)
