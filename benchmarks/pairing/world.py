"""Simulated bots of known strength that answer at once, and deal sets between two of them with realistic noise."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from bowerbird.harness.tournament.pairing.beliefs import expected_score
from bowerbird.harness.tournament.pairing.values import PairingBot, PairingTable, SetResult, meetings_of

STRENGTH_DEVIATION = 200.0
"""The standard deviation of the bots' strengths, in Elo."""

VARIANT_DEVIATION = 30.0
"""The standard deviation, in Elo, of a bot's strength in one variant around its mean over all variants."""

LEAST_DIFFERENCE = 20.0
"""Neighbours that differ by less than this, in Elo, are ignored: their order does not matter."""

DECISION_MS = 10
"""A bot's thinking time for a decision."""

GAMES = 2
"""The number of games in a deal set."""

LADDER: Mapping[str, tuple[float, int]] = {
    "almonte": (0.205, 33),
    "bid-102": (0.072, 28),
    "bid-euchre": (0.345, 24),
    "british": (0.200, 25),
    "buck": (0.038, 18),
    "buck-auction": (0.076, 19),
    "buck-three-handed": (0.161, 21),
    "buck-turn-up": (0.044, 19),
    "buck-wager": (0.028, 24),
    "cornish": (0.184, 34),
    "cut-throat": (0.043, 17),
    "dirty-clubs": (0.068, 20),
    "euchre": (0.157, 23),
    "five-handed": (0.039, 35),
    "hasenpfeffer": (0.293, 30),
    "king-cut-throat": (0.089, 36),
    "lap-slam": (0.153, 23),
    "railroad": (0.164, 24),
    "seven-handed": (0.028, 62),
    "three-handed": (0.038, 17),
    "two-handed": (0.086, 13),
    "two-handed-dummy": (0.253, 20),
    "two-handed-extra-hands": (0.319, 16),
    "two-handed-straw-men": (0.231, 20),
}
"""For each variant, (noise of a deal set of single hands, decisions in a hand).

The noise is the variance over deal sets of a pair's mean score, divided by E (1 - E), of pimc against greedy in
results/ladder/ladder-pimc.tar.gz and ladder-pimc-close.tar.gz: 79 or 239 sets of each variant. That ladder did not
include bid-euchre, buck-auction and hasenpfeffer; for these, pimc with 10, 10 and 5 worlds played 25, 79 and 25 sets in
one process."""


@dataclass(frozen=True, slots=True)
class World:
    """Bots with their true strengths, and the tables where two of them meet.

    strengths: by bot, in Elo. offsets: by (entry, bot), in Elo; their mean over entries is 0.
    noise, decisions: by entry.
    pace: by bot, a multiple of DECISION_MS.
    """

    strengths: Mapping[str, float]
    offsets: Mapping[tuple[str, str], float]
    noise: Mapping[str, float]
    decisions: Mapping[str, int]
    pace: Mapping[str, int]

    def tables(self, bots: Sequence[str]) -> list[PairingTable]:
        """Return the tables of each pair of these bots in every entry."""
        return [
            PairingTable(entry, f"{one}+{other}", ((one,), (other,)), GAMES)
            for entry in self.noise
            for one, other in combinations(bots, 2)
        ]

    def play(self, table: PairingTable, luck: random.Random) -> SetResult:
        """Return the result of a deal set."""
        [meeting] = meetings_of(table)
        one, other = meeting.ones[0], meeting.others[0]
        expected = expected_score(self._strength(table.entry, one) - self._strength(table.entry, other))
        deviation = math.sqrt(self.noise[table.entry] * expected * (1 - expected))
        score = min(max(luck.gauss(expected, deviation), 0.0), 1.0)
        decisions = GAMES * self.decisions[table.entry]
        thinking = {bot: decisions // 2 * DECISION_MS * self.pace[bot] for bot in (one, other)}
        return SetResult((score,), thinking, decisions)

    def _strength(self, entry: str, bot: str) -> float:
        return self.strengths[bot] + self.offsets[entry, bot]

    def right_order(self, ranking: Sequence[str]) -> float:
        """Return the share of true neighbours at least LEAST_DIFFERENCE apart that a ranking has in order.

        Bots that are not in the ranking are ignored.
        """
        order = sorted(ranking, key=lambda bot: -self.strengths[bot])
        ranks = {bot: rank for rank, bot in enumerate(ranking)}
        pairs = [
            (one, other)
            for one, other in pairwise(order)
            if self.strengths[one] - self.strengths[other] >= LEAST_DIFFERENCE
        ]
        return sum(ranks[one] < ranks[other] for one, other in pairs) / len(pairs) if pairs else 1.0

    def misplaced(self, bot: str, ranking: Sequence[str]) -> int:
        """Return how many ranks a bot is away from its true rank among the bots in a ranking."""
        true_rank = sum(self.strengths[other] > self.strengths[bot] for other in ranking)
        return abs(ranking.index(bot) - true_rank)


def make_world(bots: int, variants: int, seed: int, slow: int = 1) -> World:
    """Return a world of random strengths. The first bot takes `slow` times as long as the others.

    If the world has fewer variants than LADDER, the seed determines which.
    """
    draw = random.Random(seed)
    names = [f"bot-{number:02}" for number in range(bots)]
    chosen = draw.sample(sorted(LADDER), variants)
    offsets: dict[tuple[str, str], float] = {}
    for name in names:
        drawn = [draw.gauss(0, VARIANT_DEVIATION) for _ in chosen]
        mean = sum(drawn) / variants
        offsets |= {(f"{variant}-0", name): value - mean for variant, value in zip(chosen, drawn, strict=True)}
    return World(
        strengths={name: draw.gauss(0, STRENGTH_DEVIATION) for name in names},
        offsets=offsets,
        noise={f"{variant}-0": LADDER[variant][0] for variant in chosen},
        decisions={f"{variant}-0": LADDER[variant][1] for variant in chosen},
        pace={name: slow if name == names[0] else 1 for name in names},
    )


def newcomers(world: World, names: Sequence[str] = ()) -> tuple[PairingBot, ...]:
    """Return unrated bots: those with these names, or all of them."""
    return tuple(PairingBot(name) for name in names or world.strengths)
