"""Our Swiss pairings in other-tools.md, in the events of the scripts in findings/."""

from __future__ import annotations

import random

import pytest

from bowerbird.harness.tournament.config.format_keys import most_rounds
from bowerbird.harness.tournament.formats.swiss import pairings


def event(bots: int, rounds: int, seed: int) -> tuple[int, int]:
    """Play an event with random results; return how many meetings were repeated, and how many byes there were."""
    rng = random.Random(seed)
    points = {f"bot {number}": 0.0 for number in range(bots)}
    met: dict[str, frozenset[str]] = dict.fromkeys(points, frozenset())
    repeated = rested = 0
    for _ in range(rounds):
        ranking = sorted(points, key=lambda bot: -points[bot])
        pairs, byes = pairings(ranking, points=points, met=met, rested=frozenset())
        rested += len(byes)
        for one, other in pairs:
            repeated += other in met[one]
            met[one] |= {other}
            met[other] |= {one}
            points[rng.choice((one, other))] += 1
    return repeated, rested


@pytest.mark.parametrize(("bots", "rounds"), [(8, 4), (6, 3)])
def test_nobody_meets_twice_and_nobody_rests_in_an_even_field(bots: int, rounds: int) -> None:
    assert {event(bots, rounds, seed) for seed in range(100)} == {(0, 0)}


def test_more_rounds_than_can_always_be_paired_are_not_offered() -> None:
    assert (most_rounds(8), most_rounds(6)) == (4, 3)
