"""Tries every sentence on a bot, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from harness.compliance.config import CheckConfig
from harness.compliance.driver.bot_under_test import BotUnderTest
from harness.compliance.driver.process_host import open_process_host
from harness.compliance.results import CheckFailedError, NotReachedError, SentenceResult, SentenceVerdict
from harness.compliance.sentences import Sentence


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
    verdicts: dict[int, SentenceVerdict] = {}
    results = []
    async with open_process_host(config) as host:
        bot = BotUnderTest(host)
        for sentence in sentences:
            missing = [number for number in sentence.needs if verdicts[number] is not SentenceVerdict.PASS]
            result = _not_reached(sentence, missing[0]) if missing else await _try(sentence, bot)
            verdicts[sentence.number] = result.verdict
            results.append(result)
            on_result(result)
    return tuple(results)


def _not_reached(sentence: Sentence, first: int) -> SentenceResult:
    return SentenceResult(sentence.number, sentence.text, SentenceVerdict.NOT_REACHED, f"sentence {first} comes first")


async def _try(sentence: Sentence, bot: BotUnderTest) -> SentenceResult:
    number, text = sentence.number, sentence.text
    try:
        found = await sentence.check(bot)
    except NotReachedError as why:
        return SentenceResult(number, text, SentenceVerdict.NOT_REACHED, str(why))
    except CheckFailedError as failure:
        return SentenceResult(number, text, SentenceVerdict.FAIL, str(failure), await bot.collect_evidence())
    return SentenceResult(number, text, SentenceVerdict.PASS, found)
