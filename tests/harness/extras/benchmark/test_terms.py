"""The terms of the benchmark, and the deals that may never change."""

from __future__ import annotations

from bowerbird.harness.extras.benchmark.terms import VERSION, benchmark_deals, benchmark_file, deal_lines, parsed
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.plan import make_plan


def test_the_deals_of_version_1_never_change() -> None:
    lines = deal_lines()
    assert VERSION.number == 1
    assert lines[0] == "euchre 0: 9s Qh Th Kc 9c | As Ts Jh Jd Qc | Qs Js 9d Ac Tc | Ks Ah Kh Kd Jc"
    assert len(lines) == len(VERSION.variants) * VERSION.sets
    assert benchmark_deals() == "d7ab8f75ea82407eacb3725f54fe27d8ea0215f7a9501b4c855e05a1d3df7148"


def test_every_agent_gets_the_same_public_deals_and_a_run_of_its_own() -> None:
    one, other = (make_plan(parsed(benchmark_file(find_bot("greedy"), name))) for name in ("ada", "bob"))
    assert one.seed == other.seed
    assert one.header.commitment == other.header.commitment
    assert one.header.fingerprint != other.header.fingerprint
    assert one.extent.sets == other.extent.sets


def test_a_secret_seed_is_drawn_and_committed_to() -> None:
    one, other = (make_plan(parsed(benchmark_file(find_bot("greedy"), "ada", secret=True))) for _ in range(2))
    assert not one.header.practice
    assert one.header.commitment != other.header.commitment


def test_the_agent_meets_the_whole_ladder_in_every_variant() -> None:
    plan = make_plan(parsed(benchmark_file(find_bot("human"), "ada")))
    met: dict[str, set[str]] = {}
    for played in plan.rounds():
        for job in played.jobs:
            for spec in job.tables():
                bots = spec.game_id.split("/")[2].split("+")
                assert "ada" in bots
                met.setdefault(spec.variant, set()).update(bots)
    assert set(met) == set(VERSION.variants)
    assert all(bots == {"ada", *VERSION.ladder} for bots in met.values())
