"""Draws game results from a Plackett-Luce model in which the games of a deal set share the luck of their packs.

The log-weight of a side is the mean, over its members, of strength and seat advantage. The sides of a game finish in
the order of log-weight plus a Gumbel variable, so side i finishes before side j with probability exactly sigma(w_i -
w_j).

The luck of the packs does not change that probability. The Gumbel variables of a seat are correlated between the games
of a deal set (a Gaussian copula), so a bot's results in mirrored games are negatively correlated. With `luck` the packs
also add a normal term to the log-weights; `truth.limit` then computes what a fit estimates.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId

ELO_PER_LOGIT = 400 / math.log(10)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class World:
    """The model that games are drawn from.

    strengths: by bot, in Elo.
    shared: correlation of a seat's luck between the games of a deal set, 0 to 1.
    seat_advantage: the advantage of the last seat over the first, in logits; the seats in between are equally spaced.
    luck: standard deviation of the term that the packs add to a seat's log-weight, in logits.
    strategies: for each bot, the strategy that it shares with other bots. Equal strategies at all seats play the same
        game with the same packs. A bot that is not listed has its own strategy.
    slips: share of the games in which bots with a common strategy do not play alike but at random.
    styles: for each pair of bots, how much better the first plays against the second than their strengths suggest, in
        Elo; the second plays worse by the same amount. At a larger table a bot adds half of its values against all
        others there.
    gifts: for each (bot, friend), the share of their games in which the bot avoids finishing before the friend: if it
        would, the two exchange ranks. Only where each seat is a side.
    """

    strengths: Mapping[str, float]
    shared: float = 0.5
    seat_advantage: float = 0.3
    luck: float = 0.0
    strategies: Mapping[str, str] = field(default_factory=dict)
    slips: float = 0.0
    styles: Mapping[tuple[str, str], float] = field(default_factory=dict)
    gifts: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def difference(self, bot: str, other: str) -> float:
        """Return how much stronger `bot` is than `other`, in Elo."""
        return self.strengths[bot] - self.strengths[other]


@dataclass(frozen=True, slots=True)
class Table:
    """A line-up and its deal sets. In rotation r the bot of position p sits at seat (p + r) modulo the number of seats.

    positions: the bot of each position.
    sides: the side of each seat.
    rotations: number of games in a deal set.
    numbers: the numbers of its deal sets; tables with a number in common play the same packs.
    """

    positions: tuple[str, ...]
    sides: tuple[int, ...]
    rotations: int
    numbers: range

    def seated(self, rotation: int) -> tuple[str, ...]:
        """Return the bot at each seat in a rotation."""
        seats = len(self.positions)
        return tuple(self.positions[(seat - rotation) % seats] for seat in range(seats))

    def members(self) -> list[list[int]]:
        """Return the seats of each side."""
        return [[seat for seat, one in enumerate(self.sides) if one == side] for side in sorted(set(self.sides))]


def alone(positions: Sequence[str], numbers: range) -> Table:
    """Return a table where each seat is its own side, with as many games in a deal set as there are seats."""
    seats = len(positions)
    return Table(tuple(positions), tuple(range(seats)), seats, numbers)


def teams(one: str, other: str, numbers: range) -> Table:
    """Return a table of two sides with two seats each, one bot on each side, and two games in a deal set."""
    return Table((one, other, one, other), (0, 1, 0, 1), 2, numbers)


def partners(one: str, two: str, three: str, four: str, numbers: range) -> Table:
    """Return a table where `one` and `two` play against `three` and `four`, with four games in a deal set."""
    return Table((one, three, two, four), (0, 1, 0, 1), 4, numbers)


def seat_advantages(world: World, seats: int) -> Floats:
    """Return the advantage of each seat, in logits."""
    return np.linspace(0.0, world.seat_advantage, seats)


def log_weights(world: World, table: Table) -> Floats:
    """Return w[rotation, side], without the luck of the packs, in logits."""
    advantages = seat_advantages(world, len(table.sides))
    strengths = {bot: _at_table(world, bot, table.positions) / ELO_PER_LOGIT for bot in set(table.positions)}
    strength = np.array([[strengths[bot] for bot in table.seated(turn)] for turn in range(table.rotations)])
    return np.stack([(strength + advantages)[:, seats].mean(axis=1) for seats in table.members()], axis=1)


def _at_table(world: World, bot: str, others: Sequence[str]) -> float:
    """Return a bot's strength against these opponents, in Elo."""
    suits = (world.styles.get((bot, other), 0.0) - world.styles.get((other, bot), 0.0) for other in others)
    return world.strengths[bot] + (math.fsum(suits) / 2 if world.styles else 0.0)


def play(rng: np.random.Generator, world: World, tables: Sequence[Table]) -> list[GameResult]:
    """Return the results of all deal sets of these tables."""
    seats = max(len(table.sides) for table in tables)
    packs = rng.normal(size=(1 + max(table.numbers[-1] for table in tables), seats))
    shared_noise: dict[tuple[str, ...], Floats] = {}
    return [
        one
        for table in tables
        for one in _results(
            table, _with_gifts(rng, world, table, finishing_orders(rng, world, table, packs, shared_noise)).tolist()
        )
    ]


def _with_gifts(rng: np.random.Generator, world: World, table: Table, ranks: Ints) -> Ints:
    """Return the ranks after bots have let their friends finish before them."""
    for (bot, friend), share in world.gifts.items():
        if bot not in table.positions or friend not in table.positions:
            continue
        for turn in range(table.rotations):
            seated = table.seated(turn)
            mine, theirs = seated.index(bot), seated.index(friend)
            own, other = ranks[:, turn, mine].copy(), ranks[:, turn, theirs].copy()
            given = (own < other) & (rng.random(len(own)) < share)
            ranks[:, turn, mine] = np.where(given, other, own)
            ranks[:, turn, theirs] = np.where(given, own, other)
    return ranks


def finishing_orders(
    rng: np.random.Generator,
    world: World,
    table: Table,
    packs: Floats,
    shared_noise: dict[tuple[str, ...], Floats],
) -> Ints:
    """Return rank[set, rotation, side], from 1.

    packs: the standard normal luck of each [number of a deal set, seat].
    shared_noise: the noise that equal games share, by the strategies at the seats; filled in as needed.
    """
    luck = packs[table.numbers.start : table.numbers.stop, None, : len(table.sides)]
    noise = _noise(rng, world, table, len(packs), shared_noise)
    return _orders(world, table, log_weights(world, table), luck, noise)


def finishing_orders_of(
    rng: np.random.Generator, world: World, tables: Sequence[Table], weights: Sequence[Floats]
) -> Ints:
    """Return rank[table, rotation, side], from 1, of one deal set of each table, as `play` draws them. The tables have
    equal sides and rotations, and the world has no strategies or gifts.

    weights: the `log_weights` of each table.
    """
    form = tables[0]
    luck = rng.normal(size=(len(tables), 1, len(form.sides)))
    noise = rng.normal(size=(len(tables), form.rotations, len(form.sides)))
    return _orders(world, form, np.stack(weights), luck, noise)


def _orders(world: World, form: Table, weights: Floats, luck: Floats, noise: Floats) -> Ints:
    """Return rank[set, rotation, side] of tables of one form.

    weights: their `log_weights`, by set if they differ. luck: the luck of the packs by set. noise: the remaining luck.
    """
    seat = math.sqrt(world.shared) * luck + math.sqrt(1 - world.shared) * noise
    members = form.members()
    normal = np.stack([seat[:, :, seats].sum(axis=2) / math.sqrt(len(seats)) for seats in members], axis=2)
    added = np.stack([luck[:, :, seats].mean(axis=2) for seats in members], axis=2)
    performance = weights + world.luck * added - np.log(-log_ndtr(normal))
    ranks: Ints = 1 + np.argsort(np.argsort(-performance, axis=2), axis=2)
    return ranks


def _noise(
    rng: np.random.Generator,
    world: World,
    table: Table,
    sets: int,
    shared_noise: dict[tuple[str, ...], Floats],
) -> Floats:
    """Return standard normal [set, rotation, seat]: the luck that the packs do not determine."""
    seats = len(table.sides)
    noise = rng.normal(size=(len(table.numbers), table.rotations, seats))
    if not world.strategies:
        return noise
    slipped = rng.random((len(table.numbers), table.rotations)) < world.slips
    for turn in range(table.rotations):
        strategies = tuple(world.strategies.get(bot, bot) for bot in table.seated(turn))
        if strategies not in shared_noise:
            shared_noise[strategies] = rng.normal(size=(sets, seats))
        alike = shared_noise[strategies][table.numbers.start : table.numbers.stop]
        noise[:, turn] = np.where(slipped[:, turn, None], noise[:, turn], alike)
    return noise


def _results(table: Table, ranks: list[list[list[int]]]) -> list[GameResult]:
    lineup = "+".join(table.positions)
    seated = [table.seated(turn) for turn in range(table.rotations)]
    scores = (0,) * len(table.sides)
    return [
        GameResult(
            id=GameId("made", "euchre-0", lineup, number, turn),
            variant="euchre",
            bots=seated[turn],
            sides=table.sides,
            ranks=tuple(by_side[side] for side in table.sides),
            scores=scores,
            offenders=(),
            rated=True,
        )
        for number, rotations in zip(table.numbers, ranks, strict=True)
        for turn, by_side in enumerate(rotations)
    ]


def made_results(games: int, bots: int) -> Iterator[GameResult]:
    """Yield simulated games of pairs in sets of two. Strengths are spread so that no bot wins every game."""
    chance = random.Random(1)
    strength = [chance.gauss(0, 1) for _ in range(bots)]
    names = [f"bot-{number:04}" for number in range(bots)]
    for number in range(games // 2):
        one = number % bots
        other = (one + 1 + chance.randrange(bots - 1)) % bots
        for rotation, (here, there) in enumerate(((one, other), (other, one))):
            wins = chance.random() < 1 / (1 + math.exp(strength[there] - strength[here]))
            yield GameResult(
                id=GameId("bench", "euchre-0", "+".join(sorted((names[one], names[other]))), number, rotation),
                variant="euchre",
                bots=(names[here], names[there]) * 2,
                sides=(0, 1, 0, 1),
                ranks=(1, 2, 1, 2) if wins else (2, 1, 2, 1),
                scores=(0, 0, 0, 0),
                offenders=(),
                rated=True,
                decisions=120,
            )
