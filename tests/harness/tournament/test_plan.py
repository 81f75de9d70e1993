"""A run's seed and identity, and whether it may be resumed (ratings.md, Deal sets; database.md)."""

from __future__ import annotations

import hashlib

from bowerbird.harness.records.values.run import commitment_of, run_fingerprint
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.plan import make_plan, seed_of
from tests.support.tournament.bot_folders import Yard


def test_a_typed_seed_is_hex_or_text() -> None:
    digits = "00ff" * 16
    assert seed_of(digits) == bytes.fromhex(digits)
    assert seed_of(digits.upper()) == bytes.fromhex(digits)
    assert seed_of("autumn") == hashlib.sha256(b"autumn").digest()
    assert seed_of(digits[:-1]) == hashlib.sha256(digits[:-1].encode()).digest()


def test_a_typed_seed_makes_a_practice_run(yard: Yard) -> None:
    plan = make_plan(load_tournament(yard.tournament('seed = "autumn"')))
    assert plan.header.practice
    assert plan.seed == seed_of("autumn")


def test_a_seed_that_is_not_typed_is_drawn_anew_each_time(yard: Yard) -> None:
    file = load_tournament(yard.tournament())
    first, second = make_plan(file), make_plan(file)
    assert not first.header.practice
    assert len(first.seed) == 32
    assert first.seed != second.seed
    assert first.header.fingerprint != second.header.fingerprint


def test_a_run_is_its_name_and_its_commitment(yard: Yard) -> None:
    header = make_plan(load_tournament(yard.tournament('seed = "autumn"', 'name = "cup"'))).header
    assert header.commitment == commitment_of(seed_of("autumn"))
    assert header.commitment == f"sha256:{hashlib.sha256(seed_of('autumn')).hexdigest()}"
    assert header.fingerprint == run_fingerprint("cup", header.commitment)
    assert [bot.name for bot in header.bots] == ["alpha", "beta"]


def test_a_drawn_seed_can_be_given_back_to_go_on(yard: Yard) -> None:
    file = load_tournament(yard.tournament())
    first = make_plan(file)
    assert make_plan(file, seed=first.seed) == first
