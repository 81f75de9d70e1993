"""A run's seed, identity and whether it may be gone on with (RATINGS.md, Deal sets; CLI.md, Store)."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from bot_yard import Yard

from harness.records.run import Entrant, commitment_of, run_fingerprint
from harness.tournament.config import load_tournament
from harness.tournament.errors import RunConflictError
from harness.tournament.plan import check_continues, make_plan, seed_of


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


def test_the_same_file_goes_on(yard: Yard) -> None:
    header = make_plan(load_tournament(yard.tournament('seed = "autumn"'))).header
    check_continues(header, header)


def test_another_file_under_the_same_identity_is_refused(yard: Yard) -> None:
    stored = make_plan(load_tournament(yard.tournament('seed = "autumn"', "sets = 5"))).header
    new = make_plan(load_tournament(yard.tournament('seed = "autumn"', "sets = 6"))).header
    assert stored.fingerprint == new.fingerprint
    with pytest.raises(RunConflictError) as caught:
        check_continues(stored, new)
    assert str(caught.value) == (
        f"run 'autumn' ({stored.fingerprint}) is stored from another file, which had sets = 5 where this one has "
        "sets = 6; take another name or seed for the tournament"
    )


def test_a_bot_that_is_missing_now_is_refused(yard: Yard) -> None:
    yard.bot("gamma")
    three = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/beta"\n[[bot]]\npath = "bots/gamma"\n'
    stored = make_plan(load_tournament(yard.tournament('seed = "autumn"', bots=three))).header
    new = make_plan(load_tournament(yard.tournament('seed = "autumn"'))).header
    with pytest.raises(RunConflictError, match=r"had \[\[bot\]\] where this one has nothing"):
        check_continues(stored, new)


@pytest.mark.parametrize(
    ("change", "what"),
    [({"fingerprint": "sha256:0"}, "other files or arguments"), ({"version": "2"}, "another version")],
)
def test_other_files_of_a_bot_are_refused(yard: Yard, change: dict[str, str], what: str) -> None:
    new = make_plan(load_tournament(yard.tournament('seed = "autumn"'))).header
    alpha: Entrant = replace(new.bots[0], **change)
    stored = replace(new, bots=(alpha, new.bots[1]))
    with pytest.raises(RunConflictError, match=f"is stored with {what} of bot 'alpha', take another name or seed"):
        check_continues(stored, new)
