"""Evaluates stop rules: when enough has been played (tournament-file.md).

The rules are checked in schedule order after every `every` deal sets of all line-ups (a pass), against the results of
exactly these sets. So a tournament stops at the same point whatever the order in which games end, and despite
interruptions. Time is stored with each deal set; the rule on time reads the latest time of its pass. A resumed run
continues counting from its last stored set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bowerbird.engine import counted
from bowerbird.harness.ratings.bradley_terry.fit import fit_observations
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.sequential.always_valid import all_told_apart
from bowerbird.harness.ratings.sequential.set_values import set_values
from bowerbird.harness.ratings.sequential.sprt import Hypotheses, SequentialTest
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.tournament.config.format_keys import Sprt, StopRules
from bowerbird.harness.tournament.config.schema import NORMALISED


class StopEvaluator:
    """Evaluates one tournament's stop rules. It takes results pass by pass and reads each once."""

    def __init__(self, rules: StopRules, pairs: Sequence[tuple[str, str]]) -> None:
        """Begin before the first pass. `pairs` are the pairs that `settled` must tell apart."""
        self._rules = rules
        self._pairs = pairs
        self._decisions = 0
        self._sprt = _Sprt(rules.sprt) if rules.sprt is not None else None
        self._settled = _Settled(pairs, rules.settled) if rules.settled else None

    def reason(self, played: Sequence[GameResult], elapsed_s: float, left_out: Collection[SetKey] = ()) -> str:
        """Return the reason to stop after another pass of whole deal sets; "" to continue.

        elapsed_s: the playing time of the run at the end of the pass, in seconds.
        left_out: the deal sets of the pass that have no games.
        """
        rules = self._rules
        self._decisions += sum(game.decisions for game in played)
        if rules.decisions and self._decisions >= rules.decisions:
            return f"{self._decisions} decisions were made, {rules.decisions} were wanted"
        if rules.time_ms and elapsed_s * 1000 >= rules.time_ms:
            return f"{elapsed_s:.0f} s were played, {rules.time_ms / 1000:g} s were wanted"
        if self._sprt is not None and (reason := self._sprt.accepted(played, left_out)):
            return reason
        if self._settled is not None and self._settled.holds(played):
            return f"every pair is settled at {rules.settled:.4g}"
        return ""


class _Sprt:
    """The sequential probability ratio test (ratings.md, Sequential test)."""

    def __init__(self, terms: Sprt) -> None:
        self._terms = terms
        self._hypotheses = Hypotheses(terms.elo0, terms.elo1, terms.alpha, terms.beta, terms.scale == NORMALISED)
        self._test = SequentialTest(self._hypotheses, terms.measure)

    def accepted(self, played: Sequence[GameResult], left_out: Collection[SetKey]) -> str:
        """Return the accepted hypothesis after these further games, as a sentence; "" if there is none."""
        bots = self._terms.bots
        decision = self._test.add(set_values(played, *bots, self._terms.measure, left_out=left_out))
        if not decision.accepted:
            return ""
        said = self._hypotheses.conclusion(decision.accepted, *bots)
        where = f"after the first {counted(decision.sets, 'deal set')}"
        return f"{decision.accepted} is accepted {where}, {said} (LLR {decision.llr:.2f})"


class _Settled:
    """Checks whether every pair is told apart. Bots without a rated game are left out.

    It is checked after every pass, so it takes always-valid p-values: the probability that it ever settles a pair of
    equal bots is at most 1 - `level` for all pairs together, whatever the number of passes (ratings.md, Sequential
    test).
    """

    def __init__(self, pairs: Sequence[tuple[str, str]], level: float) -> None:
        from bowerbird.harness.ratings.bradley_terry.observations import Observer

        self._pairs = pairs
        self._level = level
        self._observer = Observer()

    def holds(self, played: Sequence[GameResult]) -> bool:
        """Return whether every pair is settled after these further games."""
        from bowerbird.harness.ratings.games import complete_sets

        self._observer.add(complete_sets(played))
        try:
            ratings = fit_observations(self._observer.observations())
        except RatingError:
            return False
        rated = [pair for pair in self._pairs if set(pair) <= set(ratings.bots)]
        return bool(rated) and all_told_apart(ratings, rated, self._level)
