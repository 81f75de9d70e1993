"""Stop rules: when enough has been played (CLI.md, tournament.toml).

They are asked between deal sets in the order of the schedule, after every `every` sets of all line-ups, and see the
results of exactly these. What they say is a function of results: neither the order in which games end nor an
interruption changes where a tournament stops. Time is the exception: how long the run has been played when a deal set
is stored is stored with it, and what the rule reads is the latest of its pass. So a run that is gone on with goes on
counting from its last stored set, and what was stored stops where it stopped.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.ratings.errors import RatingError
from harness.ratings.fit import fit_observations
from harness.ratings.pairs import complete_sets
from harness.ratings.sequential import Hypotheses, SequentialTest, set_values
from harness.records.rows import GameResult
from harness.tournament.format_terms import NORMALISED, Sprt, StopRules


class Stop:
    """The stop rules of one tournament, told its results pass by pass; each result is read once."""

    def __init__(self, rules: StopRules, pairs: Sequence[tuple[str, str]]) -> None:
        """Before the first pass. `pairs` are those that are to be told apart."""
        self._rules = rules
        self._pairs = pairs
        self._decisions = 0
        self._sprt = _Sprt(rules.sprt) if rules.sprt is not None else None
        self._settled = _Settled(pairs, rules.settled) if rules.settled else None

    def reason(self, played: Sequence[GameResult], elapsed_s: float) -> str:
        """Why to stop after these further games, which are whole deal sets of all line-ups; "" to go on."""
        rules = self._rules
        self._decisions += sum(game.decisions for game in played)
        if rules.decisions and self._decisions >= rules.decisions:
            return f"{self._decisions} decisions were made, {rules.decisions} were wanted"
        if rules.time_ms and elapsed_s * 1000 >= rules.time_ms:
            return f"{elapsed_s:.0f} s were played, {rules.time_ms / 1000:g} s were wanted"
        if self._sprt is not None and (reason := self._sprt.accepted(played)):
            return reason
        if self._settled is not None and self._settled.holds(played):
            return f"every pair is settled at {rules.settled:.4g}"
        return ""


class _Sprt:
    """The sequential test (RATINGS.md, Sequential test)."""

    def __init__(self, terms: Sprt) -> None:
        self._terms = terms
        self._hypotheses = Hypotheses(terms.elo0, terms.elo1, terms.alpha, terms.beta, terms.scale == NORMALISED)
        self._test = SequentialTest(self._hypotheses, terms.measure)

    def accepted(self, played: Sequence[GameResult]) -> str:
        """What it has accepted after these further games, in words; "" while that is nothing."""
        bots = self._terms.bots
        decision = self._test.add(set_values(played, *bots, self._terms.measure))
        if not decision.accepted:
            return ""
        said = self._hypotheses.said(decision.accepted, *bots)
        return f"{decision.accepted} is accepted after {decision.sets} deal sets, {said} (LLR {decision.llr:.2f})"


class _Settled:
    """Whether the interval of each difference excludes 0. Bots without a rated game, as withdrawn ones, are left out.

    It is asked again and again, so that by chance it is true too soon more often than one such interval errs; a test
    that bounds its errors is `sprt`.
    """

    def __init__(self, pairs: Sequence[tuple[str, str]], level: float) -> None:
        from harness.ratings.likelihood import Observer

        self._pairs = pairs
        self._level = level
        self._observer = Observer()

    def holds(self, played: Sequence[GameResult]) -> bool:
        """Whether every pair is settled after these further games."""
        self._observer.add(complete_sets(played))
        try:
            ratings = fit_observations(self._observer.observations())
        except RatingError:
            return False
        rated = [pair for pair in self._pairs if set(pair) <= set(ratings.bots)]
        return bool(rated) and all(ratings.difference(*pair).settled(self._level) for pair in rated)
