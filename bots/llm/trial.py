"""Asks a model one question of a game, and shows the request, the answer, its reading and the price."""

from __future__ import annotations

import asyncio
import json
import sys
import time

from bowerbird.bots.llm.budget import Budget, Prices
from bowerbird.bots.llm.consulting import consult
from bowerbird.bots.llm.endpoint import Asker, Endpoint
from bowerbird.bots.llm.masking import Mask
from bowerbird.bots.llm.notes import printable
from bowerbird.bots.llm.request import Question, body_of, first_question, rules_text
from bowerbird.engine import EngineError, rules_of
from bowerbird.sdk import Bot, Choice, Decision, play

TRIAL_S = 120.0
"""The maximum duration of a trial, in seconds."""


class _AskedError(Exception):
    """The game ends at its first decision."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision


class _First(Bot):
    """A player that stops a game at its first decision."""

    def act(self, decision: Decision) -> Choice:
        raise _AskedError(decision)


def first_decision(variant: str) -> Decision:
    """Return the first decision of a game that always has the same cards. Raises EngineError for an unknown variant."""
    seats = rules_of(variant).seats()
    try:
        play(variant, [_First()] * seats, seed="trial")
    except _AskedError as asked:
        return asked.decision
    raise AssertionError(f"a game of {variant} has a decision")


def try_one(endpoint: Endpoint, budget: Budget, variant: str, secrets: tuple[str, ...] = ()) -> int:
    """Ask one question of `variant` and print the result on stdout. Return 0 if the answer could be played."""
    try:
        decision = first_decision(variant)
    except EngineError as error:
        print(f"--try: {error}", file=sys.stderr)
        return 2
    mask = Mask(endpoint.key, *secrets)
    asker = Asker(endpoint, mask, lambda text: print(f"\n{printable(mask(text))}"))
    page = rules_text(decision.table.variant, decision.table.options)
    tokens = [str(action) for action in decision.legal]
    question = Question(page, str(decision), tokens)
    request = body_of(endpoint.model, first_question(question), endpoint.wishes, len(tokens))
    print(f"request to {endpoint.url}:\n{printable(mask(json.dumps(request, indent=2, ensure_ascii=False)))}")
    began = time.monotonic()
    outcome = asyncio.run(consult(asker, budget, question, TRIAL_S))
    seconds = time.monotonic() - began
    for exchange in outcome.exchanges:
        print(f"\nanswer, after {exchange.ms} ms:\n{printable(mask(exchange.answer))}")
        print(f"\nreading: {printable(mask(exchange.reading))}")
    for failure in outcome.failures[len([one for one in outcome.exchanges if one.is_bad]) :]:
        print(f"\nfailure: {printable(mask(failure))}")
    spent = outcome.spent
    counted = "estimated, since the endpoint reports none" if spent.is_estimated else "as the endpoint counts them"
    cost = budget.prices.cost(spent.question_tokens, spent.answer_tokens)
    print(f"\nspent: {spent.question_tokens} tokens of questions and {spent.answer_tokens} of answers, {counted}")
    known = budget.prices != Prices()
    print(f"price: {f'{cost:.6f}' if known else 'not known without --question-price'}, in {seconds:.1f} s")
    return 0 if outcome.index is not None else 1
