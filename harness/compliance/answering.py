"""Checks of single decisions: the right one, legally, once, in time."""

from __future__ import annotations

import statistics

from harness.compliance.bench import CALM_MS, SEVERAL, Bench
from harness.compliance.game import Explorer
from harness.compliance.playing import Player
from harness.compliance.verdict import FailedError, Law, counted
from harness.records.record import TimeControl

FIRST_GAME_HANDS = 3
DECISIONS_TIMED = 15


async def names_the_decision(bench: Bench) -> str:
    """The first game, decision by decision; what else was wrong with its answers is said by the checks that follow."""
    player, failure = await _first_game(bench)
    if failure is not None and failure.law is Law.ANSWERS:
        raise failure
    return f"{counted(player.answers, 'decision')} of {bench.variants[0]}"


async def chooses_legally(bench: Bench) -> str:
    """By the same game."""
    _, failure = await _first_game(bench)
    if failure is not None and failure.law is Law.LEGAL:
        raise failure
    return ""


async def answers_once(bench: Bench) -> str:
    """By the same game; a bot that answers a Ping is asked by one whether anything is still on its way."""
    _, failure = await _first_game(bench)
    if failure is not None and failure.law is Law.ONCE:
        raise failure
    if bench.pings:
        more = await bench.ping(await bench.connected())
        if more:
            raise FailedError(f"it said {', '.join(more)} after its last answer")
    return ""


async def _first_game(bench: Bench) -> tuple[Player, FailedError | None]:
    if bench.first_game is None:
        player = bench.player(await bench.connected())
        failure = None
        try:
            await player.play(bench.sure_deals(1) + bench.deals(1, FIRST_GAME_HANDS), bench.pace())
        except FailedError as error:
            failure = error
        bench.first_game = (player, failure)
    return bench.first_game


async def keeps_a_small_budget(bench: Bench) -> str:
    """Half of its answers come within their budget and a run's usual margin: one late answer may be bad luck."""
    player = bench.player(await bench.connected())
    deals = iter(bench.deals(SEVERAL, FIRST_GAME_HANDS))
    while len(player.times) < DECISIONS_TIMED and (deal := next(deals, None)) is not None:
        await player.play([deal], bench.pace(), Explorer())
    margin = TimeControl(per_decision_ms=CALM_MS, bank_ms=0).margin_ms
    times = sorted(1000 * seconds for seconds in player.times)
    median = statistics.median_low(times)
    found = f"median {median:.0f} ms, slowest {times[-1]:.0f} ms of {len(times)}; {CALM_MS} ms allowed"
    if median > CALM_MS + margin:
        raise FailedError(f"{found}: budget_ms of a decision and bank_ms say how long it may take")
    return found
