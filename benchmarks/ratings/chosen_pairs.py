"""Simulates adaptive runs, in which results choose the pairs, and measures their ratings.

The product's own planner chooses the deal sets. Everything else is as in the other designs: the results come from
`generators`, and the measures compare with their truth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.ratings.coverage import coverage
from benchmarks.ratings.designs import Chooser, Setting
from benchmarks.ratings.family_wise import false_ranks, power
from benchmarks.ratings.generators import Table, World, play
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId, SetKey
from bowerbird.harness.tournament.pairing.planner import PairingTerms, RoundPlanner
from bowerbird.harness.tournament.pairing.values import PairingBot, PairingTable

ENTRY = "euchre-0"


def chosen_games(rng: np.random.Generator, setting: Setting, chooser: Chooser) -> list[GameResult]:
    """Return the games of one adaptive run. The tables of the setting say who can meet, not how often."""
    by_lineup = {_lineup(table): table for table in setting.tables}
    terms = PairingTerms(
        bots=tuple(PairingBot(bot) for bot in setting.world.strengths),
        tables=tuple(PairingTable(ENTRY, name, _sides(table), table.rotations) for name, table in by_lineup.items()),
        total_sets=chooser.total_sets,
        round_sets=chooser.round_sets,
        by_lot=chooser.by_lot,
    )
    planner = RoundPlanner(terms, rng.bytes(32))
    games: list[GameResult] = []
    while (planned := planner.next_round()) is not None:
        keys = [key for key, _ in planned.sets]
        found = _played(rng, setting.world, keys, by_lineup, chooser.thinking_ms or {})
        planner.add(found)
        games += [game for key in keys for game in found[key]]
    return games


def _lineup(table: Table) -> str:
    return "+".join(table.positions)


def _sides(table: Table) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(table.positions[seat] for seat in seats) for seats in table.members())


def _played(
    rng: np.random.Generator,
    world: World,
    keys: Sequence[SetKey],
    by_lineup: Mapping[str, Table],
    thinking_ms: Mapping[str, int],
) -> dict[SetKey, list[GameResult]]:
    """Return the games of each deal set of a round; each set has packs of its own."""
    tables = [replace(by_lineup[key.lineup], numbers=range(place, place + 1)) for place, key in enumerate(keys)]
    found: dict[SetKey, list[GameResult]] = {key: [] for key in keys}
    for game in play(rng, world, tables):
        key = keys[game.id.set_number]
        found[key].append(
            replace(
                game,
                id=GameId(game.id.run, key.entry, key.lineup, key.number, game.id.rotation),
                decisions=40,
                thinking_ms=tuple(thinking_ms.get(bot, 100) for bot in game.bots),
            )
        )
    return found


def ratings_of_chosen(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return the coverage of all differences, whether any pair is wrongly settled, and the share that is told apart.

    step_down: of truly different pairs; NaN if all bots are equal.
    """
    covered = coverage(setting, games)
    are_equal = len({*setting.truth.values()}) == 1
    found = {} if are_equal else power(setting, games)
    return {
        "difference": covered["difference"],
        "false": false_ranks(setting, games)["ranks"] if are_equal else found["false"],
        "step_down": found.get("step_down", math.nan),
        "width": covered["width"],
    }
