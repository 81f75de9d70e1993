"""Simulates adaptive runs and seasons of leagues, in which results choose the pairs, and measures their ratings.

Bowerbird's own planner chooses the deal sets, and Bowerbird's own rule carries a league's expectations from epoch to
epoch. Everything else is as in the other designs: the results come from `generators`, and the measures compare the
ratings with the truth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from benchmarks.ratings.coverage import holds
from benchmarks.ratings.designs import Chooser, Setting
from benchmarks.ratings.generators import Table, finishing_orders_of, log_weights
from bowerbird.harness.extras.league.season_ratings import OF_PREDECESSOR, WIDE, Prior, ratings_of
from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.ratings.sequential.leads import lead
from bowerbird.harness.ratings.standings.pool import variant_fits
from bowerbird.harness.ratings.standings.ranks import settled_above
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.tournament.pairing.planner import PairingTerms, RoundPlanner, is_drawn
from bowerbird.harness.tournament.pairing.values import PairingBot, PairingTable

ENTRY = "euchre-0"


def chosen_games(rng: np.random.Generator, setting: Setting, chooser: Chooser) -> list[GameResult]:
    """Return the games of an adaptive run, or of all epochs of a season, where the run of a game is its epoch's number.

    The tables of the setting define who can meet, not how often.
    """
    games: list[GameResult] = []
    for epoch in range(chooser.epochs):
        playing = {bot for bot in setting.world.strengths if bot != chooser.newcomer or epoch >= chooser.enters}
        tables = [table for table in setting.tables if playing.issuperset(table.positions)]
        bots = tuple(PairingBot(bot) for bot in sorted(playing))
        if chooser.epochs > 1:
            known = ratings_of(game for game in games if not chooser.by_lot or is_drawn(game.id.set_key))
            bots = tuple(_expected(bot, chooser, known) for bot in sorted(playing))
        games += _run(rng, replace(setting, tables=tuple(tables)), chooser, bots, str(epoch))
    return games


def _expected(bot: str, chooser: Chooser, known: Mapping[str, Prior]) -> PairingBot:
    """Return a bot with the rating that a league expects before an epoch."""
    prior = known.get(bot, Prior(0, WIDE))
    if bot == chooser.newcomer and bot not in known and chooser.before in known:
        before = known[chooser.before]
        prior = Prior(before.rating, max(OF_PREDECESSOR, before.deviation))
    return PairingBot(bot, rating=prior.rating, deviation=prior.deviation)


def _run(
    rng: np.random.Generator, setting: Setting, chooser: Chooser, bots: tuple[PairingBot, ...], run: str
) -> list[GameResult]:
    by_lineup = {_lineup(table): table for table in setting.tables}
    terms = PairingTerms(
        bots=bots,
        tables=tuple(PairingTable(ENTRY, name, _sides(table), table.rotations) for name, table in by_lineup.items()),
        total_sets=chooser.total_sets,
        round_sets=chooser.round_sets,
        by_lot=chooser.by_lot,
    )
    planner = RoundPlanner(terms, rng.bytes(32))
    weights = {name: log_weights(setting.world, table) for name, table in by_lineup.items()}
    games: list[GameResult] = []
    while (planned := planner.next_round()) is not None:
        keys = [key for key, _ in planned.sets]
        tables = [by_lineup[key.lineup] for key in keys]
        ranks = finishing_orders_of(rng, setting.world, tables, [weights[key.lineup] for key in keys]).tolist()
        found = {
            key: _games(table, GameId(run, key.entry, key.lineup, key.number, 0), by_side, chooser.thinking_ms or {})
            for key, table, by_side in zip(keys, tables, ranks, strict=True)
        }
        planner.add(found)
        games += [game for key in keys for game in found[key]]
    return games


def _lineup(table: Table) -> str:
    return "+".join(table.positions)


def _sides(table: Table) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(table.positions[seat] for seat in seats) for seats in table.members())


def _games(
    table: Table, first: GameId, ranks: Sequence[Sequence[int]], thinking_ms: Mapping[str, int]
) -> list[GameResult]:
    """Return the games of a deal set with its own packs, from the ranks by rotation and side."""
    found = []
    for rotation, by_side in enumerate(ranks):
        bots = table.seated(rotation)
        found.append(
            GameResult(
                id=GameId(first.run, first.entry, first.lineup, first.set_number, rotation),
                variant="euchre",
                bots=bots,
                sides=table.sides,
                ranks=tuple(by_side[side] for side in table.sides),
                scores=(0,) * len(bots),
                offenders=(),
                rated=True,
                decisions=40,
                thinking_ms=tuple(thinking_ms.get(bot, 100) for bot in bots),
                own_packs=True,
            )
        )
    return found


def ratings_of_chosen(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return measures of the ratings of a run or season.

    difference: coverage of all differences.
    false: 1 if the ranks place a bot above another that is equally strong or stronger.
    step_down: share of the truly different pairs that are separated in the right order; NaN if all bots are equal.
        told: the number of those pairs. width: median half-width of the intervals with two finite ends, in Elo.
    """
    found = fit(games)
    truth = setting.truth
    above = settled_above(found.values(), found.p_values())
    estimates = [(found.difference(a, b), truth[a] - truth[b]) for a, b in combinations(found.bots, 2)]
    widths = [(high - low) / 2 for low, high in (one.interval() for one, _ in estimates) if math.isfinite(high - low)]
    strengths = np.array([truth[bot] for bot in found.bots])
    is_better = strengths[:, None] > strengths
    told, different = int((above & is_better).sum()), int(is_better.sum())
    return {
        "difference": float(np.mean([holds(one, true) for one, true in estimates])),
        "false": float((above & ~is_better).any()),
        "step_down": told / different if different else math.nan,
        "told": float(told) if different else math.nan,
        "width": float(np.median(widths)) if widths else math.nan,
    }


def season_of_chosen(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return measures of a season's ratings after its last epoch, and whether a version retired too early.

    retired: 1 if after any epoch the always-valid test puts the new version above the old one, although both are
        equally strong.
    """
    chooser = setting.chooser
    if chooser is None or not chooser.newcomer:
        raise ValueError("this design is not a season in which a new version joins")
    retired = False
    for epoch in range(chooser.enters, chooser.epochs):
        fits = variant_fits(game for game in games if int(game.id.run) <= epoch)
        found = lead(fits, chooser.newcomer, chooser.before)
        retired |= found is not None and found.is_settled and found.estimate.value > 0
    ratings = ratings_of_chosen(setting, games)
    return {**{key: ratings[key] for key in ("difference", "false", "width")}, "retired": float(retired)}
