"""Tries every sentence on a bot, in order, and says how each stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import trio

from harness.compliance.bench import Bench
from harness.compliance.sentences import Sentence
from harness.compliance.verdict import FailedError, NotTriedError, Outcome, Verdict
from harness.compliance.yard import Trial, open_yard


def check(sentences: Sequence[Sentence], trial: Trial, decided: Callable[[Verdict], None]) -> tuple[Verdict, ...]:
    """The verdict on each of these sentences, in order; `decided` is told each one as soon as it is known.

    `sentences` are those of `sentences_for(bot)`, or some of them with all that they need. Leaves no process, whatever
    the bot does, also when it is interrupted.
    """
    return trio.run(_check, sentences, trial, decided)


async def _check(
    sentences: Sequence[Sentence], trial: Trial, decided: Callable[[Verdict], None]
) -> tuple[Verdict, ...]:
    outcomes: dict[int, Outcome] = {}
    verdicts = []
    async with open_yard(trial) as yard:
        bench = Bench(yard)
        for sentence in sentences:
            missing = [number for number in sentence.needs if outcomes[number] is not Outcome.PASS]
            verdict = _not_reached(sentence, missing[0]) if missing else await _try(sentence, bench)
            outcomes[sentence.number] = verdict.verdict
            verdicts.append(verdict)
            decided(verdict)
    return tuple(verdicts)


def _not_reached(sentence: Sentence, first: int) -> Verdict:
    return Verdict(sentence.number, sentence.text, Outcome.NOT_REACHED, f"sentence {first} comes first")


async def _try(sentence: Sentence, bench: Bench) -> Verdict:
    try:
        found = await sentence.check(bench)
    except NotTriedError as why:
        return Verdict(sentence.number, sentence.text, Outcome.NOT_REACHED, str(why))
    except FailedError as failure:
        return Verdict(sentence.number, sentence.text, Outcome.FAIL, str(failure), await bench.evidence())
    return Verdict(sentence.number, sentence.text, Outcome.PASS, found)
