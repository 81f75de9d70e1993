"""The player: asks the model for each decision, or uses the declared fallback, and reports how it decided."""

from __future__ import annotations

import asyncio
import sys
import time

from bowerbird.bots.llm.budget import Budget
from bowerbird.bots.llm.consulting import Outcome, consult
from bowerbird.bots.llm.endpoint import Asker, Endpoint, EndpointError
from bowerbird.bots.llm.masking import Mask
from bowerbird.bots.llm.notes import Course, figures_of, note_of, transcript_of
from bowerbird.bots.llm.request import ROLE, Question, probe_question, rules_text
from bowerbird.sdk import RESIGN, Bot, BotFailedError, Capabilities, Choice, Decision

RESERVE_S = 0.5
"""The time that is reserved from the clock for sending the answer."""


class LlmBot(Bot):
    """A chat model at one table at a time. See `bowerbird.bots.llm`."""

    name = "llm"
    version = "1.1"
    capabilities = Capabilities(max_tables=1, max_batch=1)

    def __init__(
        self,
        endpoint: Endpoint,
        fallback: str = "resign",
        budget: Budget | None = None,
        *,
        probe_s: float = 0.0,
        secrets: tuple[str, ...] = (),
    ) -> None:
        """Play with the model at `endpoint`.

        fallback: the action without an answer: "resign", "first" or "random".
        budget: the prices and the limits. By default everything is free and unlimited.
        probe_s: the maximum number of seconds for the question before the first card; 0 to skip it.
        secrets: texts besides the key that must never be shown.
        """
        self._mask = Mask(endpoint.key, *secrets)
        self._asker = Asker(endpoint, self._mask, self._say)
        self._fallback = fallback
        self._budget = budget or Budget()
        self._probe_s = probe_s
        self._pages: set[str] = set()
        self.fallbacks = 0
        """How many decisions got no playable answer."""

    def prepare(self) -> None:
        """Ask one short question, so that a wrong key or model is found before the first card.

        Raises BotFailedError if the endpoint refuses it. A slow or busy endpoint is only reported.
        """
        if self._probe_s <= 0:
            return
        try:
            self._say(f"the model answers before the first card: {asyncio.run(self._probe())}")
        except EndpointError as error:
            if error.is_lasting:
                raise BotFailedError(f"the model cannot be asked: {error}") from error
            self._say(f"the model does not answer before the first card: {error}")

    async def _probe(self) -> str:
        """Return the model's answer."""
        why = ""

        def retry(reason: str) -> None:
            nonlocal why
            why = reason

        messages = probe_question()
        try:
            async with asyncio.timeout(self._probe_s):
                reply = await self._asker.ask(messages, 1, time.monotonic() + self._probe_s, retry)
        except TimeoutError:
            unreached = why.startswith("failing to reach")
            raise EndpointError(f"late, after {why}" if why else "late", is_lasting=unreached) from None
        self._budget.spent.add(messages, reply)
        return self._mask(reply.text or reply.refusal).strip()[:100]

    def act(self, decision: Decision) -> Choice:
        """Return the model's action, or the fallback. The figures, the note and the log report how it was chosen."""
        began = time.monotonic()
        page = rules_text(decision.table.variant, decision.table.options)
        tokens = [str(action) for action in decision.legal]
        seconds = max(decision.remaining_ms / 1000 - RESERVE_S, 0)
        question = Question(page, str(decision), tokens)
        outcome = asyncio.run(consult(self._asker, self._budget, question, seconds))
        ms = round(1000 * (time.monotonic() - began))
        self.fallbacks += outcome.index is None
        decision.figures.update(figures_of(outcome, self._budget.prices))
        course = Course(self._asker.endpoint.model, tokens, ms, self._fallback)
        decision.note = note_of(outcome, course, self._mask)
        self._log(decision, page, outcome, ms)
        if outcome.index is not None:
            return outcome.index
        if self._fallback == "resign":
            return RESIGN
        return 0 if self._fallback == "first" else decision.table.rng.randrange(len(tokens))

    def _log(self, decision: Decision, page: str, outcome: Outcome, ms: int) -> None:
        """Write the transcript of a decision.

        A system message is written once, before the first decision that uses it.
        """
        if page not in self._pages:
            self._pages.add(page)
            self._say(f"system message of {decision.table.variant}:\n{ROLE}{page}")
        lines = [f"decision {decision.id} at {decision.table.id}, {ms} ms"]
        lines += transcript_of(outcome.exchanges, self._mask)
        if outcome.index is None:
            told = self._mask("; ".join(outcome.failures))
            lines.append(f"no answer of the model could be played ({told}); fallback: {self._fallback}")
        self._say("\n".join(lines))

    def _say(self, text: str) -> None:
        """Write to the log."""
        print(self._mask(text).encode(errors="replace").decode(), file=sys.stderr, flush=True)
