"""Stop rules: when enough has been played (CLI.md, tournament.toml).

They are asked between deal sets in the order of the schedule, after every `every` sets of all line-ups, and see the
results of exactly these. What they say is a function of results: neither the order in which games end nor an
interruption changes where a tournament stops. Time is the exception; it is counted anew when a run is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.records.rows import GameResult
from harness.tournament.format_terms import StopRules

Clock = Callable[[], float]
"""Seconds since some moment, which only go on."""


def reason_to_stop(rules: StopRules, results: Sequence[GameResult], elapsed_s: float) -> str:
    """Why to stop after these results, for people; "" to go on."""
    if rules.decisions and (decisions := sum(game.decisions for game in results)) >= rules.decisions:
        return f"{decisions} decisions were made, {rules.decisions} were wanted"
    if rules.time_ms and elapsed_s * 1000 >= rules.time_ms:
        return f"{elapsed_s:.0f} s were played, {rules.time_ms / 1000:g} s were wanted"
    return ""
