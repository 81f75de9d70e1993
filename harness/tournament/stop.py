"""Stop rules: when enough has been played (CLI.md, tournament.toml).

They are asked between deal sets in the order of the schedule, after every `every` sets of all line-ups, and see the
results of exactly these. What they say is a function of results: neither the order in which games end nor an
interruption changes where a tournament stops. Time is the exception; it is counted anew when a run is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.ratings.errors import RatingError
from harness.ratings.fit import fit
from harness.ratings.sequential import Hypotheses, decide, set_values
from harness.records.rows import GameResult
from harness.tournament.format_terms import NORMALISED, Sprt, StopRules

Clock = Callable[[], float]
"""Seconds since some moment, which only go on."""


def reason_to_stop(
    rules: StopRules, results: Sequence[GameResult], elapsed_s: float, pairs: Sequence[tuple[str, str]]
) -> str:
    """Why to stop after these results, for people; "" to go on. `pairs` are those that are to be told apart."""
    if rules.decisions and (decisions := sum(game.decisions for game in results)) >= rules.decisions:
        return f"{decisions} decisions were made, {rules.decisions} were wanted"
    if rules.time_ms and elapsed_s * 1000 >= rules.time_ms:
        return f"{elapsed_s:.0f} s were played, {rules.time_ms / 1000:g} s were wanted"
    if rules.sprt is not None and (reason := _tested(rules.sprt, results)):
        return reason
    if rules.settled and _settled(results, pairs, rules.settled):
        return f"every pair is settled at {rules.settled:.4g}"
    return ""


def _tested(test: Sprt, results: Sequence[GameResult]) -> str:
    """What the sequential test has accepted (RATINGS.md, Sequential test)."""
    hypotheses = Hypotheses(test.elo0, test.elo1, test.alpha, test.beta, test.scale == NORMALISED)
    decision = decide(set_values(results, *test.bots, test.measure), hypotheses, test.measure)
    if not decision.accepted:
        return ""
    said = hypotheses.said(decision.accepted, *test.bots)
    return f"{decision.accepted} is accepted after {decision.sets} deal sets, {said} (LLR {decision.llr:.2f})"


def _settled(results: Sequence[GameResult], pairs: Sequence[tuple[str, str]], level: float) -> bool:
    """Whether the interval of each difference excludes 0. Bots without a rated game, as withdrawn ones, are left out.

    It is asked again and again, so that by chance it is true too soon more often than one such interval errs; a test
    that bounds its errors is `sprt`.
    """
    try:
        ratings = fit(results)
    except RatingError:
        return False
    rated = [pair for pair in pairs if set(pair) <= set(ratings.bots)]
    return bool(rated) and all(ratings.difference(*pair).settled(level) for pair in rated)
