"""`make bench ARGS=pairing`: the simulated bots, and a small version of what it measures."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from benchmarks.pairing.methods import METHODS, played
from benchmarks.pairing.run import PAGE
from benchmarks.pairing.studies import new_scheduler, newcomer_every_epoch, slow_bot, until_right
from benchmarks.pairing.tables import tables_of
from benchmarks.pairing.world import LADDER, LEAST_DIFFERENCE, make_world
from benchmarks.scale.tables import filled
from bowerbird.engine import variant_names


def test_every_variant_has_its_noise() -> None:
    assert sorted(LADDER) == sorted(variant_names())


def test_a_world_follows_from_its_seed() -> None:
    assert make_world(6, 3, 7) == make_world(6, 3, 7) != make_world(6, 3, 8)


def test_offsets_leave_the_mean_over_variants_alone() -> None:
    world = make_world(4, 5, 1)
    for bot in world.strengths:
        assert sum(world.offsets[entry, bot] for entry in world.noise) == pytest.approx(0.0)


def test_only_neighbours_that_differ_count() -> None:
    world = make_world(8, 1, 3)
    order = sorted(world.strengths, key=lambda bot: -world.strengths[bot])
    assert world.right_order(order) == 1.0
    close = min(range(7), key=lambda place: world.strengths[order[place]] - world.strengths[order[place + 1]])
    is_close = world.strengths[order[close]] - world.strengths[order[close + 1]] < LEAST_DIFFERENCE
    order[close], order[close + 1] = order[close + 1], order[close]
    assert (world.right_order(order) == 1.0) == is_close


@pytest.mark.parametrize("method", METHODS)
def test_each_method_plays_each_bot_of_an_odd_field(method: str) -> None:
    world = make_world(5, 2, 1)
    scheduler = new_scheduler(world, 1)
    totals: dict[str, int] = {}
    for sets in played(world, scheduler, method, 1, totals):
        if sets == 60:
            break
    assert totals.keys() == world.strengths.keys()
    assert min(totals.values()) > 0


def test_the_scheduler_needs_fewer_sets_than_chance() -> None:
    """On average over 14 worlds of 12 bots in one variant, which is far from chance."""
    sets = {
        method: mean(until_right(make_world(12, 1, seed), method, seed, 1500).sets or 1500 for seed in range(14))
        for method in ("adaptive", "random")
    }
    assert sets["adaptive"] < 0.9 * sets["random"], sets


def test_a_slow_bot_takes_less_time_than_in_a_round_robin() -> None:
    adaptive, even = (slow_bot(8, 2, 15, 600, method) for method in ("adaptive", "round-robin"))
    assert adaptive.hours < even.hours / 2, f"{adaptive} against {even}"
    assert adaptive.share < even.share


def test_newcomers_are_placed() -> None:
    found = newcomer_every_epoch(8, 1, 2, 1)
    assert found.late == 0
    assert 0 < found.own_sets <= found.all_sets


def test_the_page_has_a_place_for_every_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    sets = dict.fromkeys(METHODS, 1234.0)
    found = {
        "machine": {"when": "2026-11-26 16:30:00 UTC", "python": "CPython 3.11.7"},
        "seconds": 400,
        "fields": [{"bots": 5, "variants": 1, "seeds": 3, "most": 2000, "sets": {**sets, "random": None}}],
        "slow": {"adaptive": {"sets": 100.0, "hours": 0.5, "share": 0.25}},
        "newcomers": [{"own_sets": 9, "all_sets": 60, "late": 0}],
        "leaving": {"left": 500.0, "stayed": 510.0, "after": 100},
    }
    text = filled(page, tables_of(found))
    assert "| 5 | 1 | 1,234 | 1,234 | 1,234 | more than 2,000 | 3 |" in text
    assert "| adaptive | 100 | 0.50 | 25% |" in text


def test_luck_is_that_of_the_seed() -> None:
    world = make_world(2, 1, 1)
    [table] = world.tables(list(world.strengths))
    assert world.play(table, random.Random(3)) == world.play(table, random.Random(3))
