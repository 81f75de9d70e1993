"""`bowerbird verify` of a run whose beacon is a round of drand: the named round, its signature, its time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.extras.drand import beacon
from bowerbird.harness.extras.drand.rounds import Round
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.query_results import RunRow
from bowerbird.harness.records.verify.beacons import SIGNED, UNCHECKED, beacon_differences, beacon_state
from bowerbird.harness.records.verify.verification import verify_run
from tests.support.fake_drand import own_chain, signature
from tests.support.records.played_games import SEED, database, header

PAST = Round(own_chain(), 7)
ROUND = Round(own_chain(), 10_000_000_000)


def config(source: str) -> str:
    return f'[tournament]\nbeacon = ""\nbeacon_source = "{source}"\n'


def stored_run(folder: Path, source: str, beacon: str | None) -> RunRow:
    """Return a run without games that is complete now."""
    run = replace(header(), config=config(source), beacon=beacon)
    with Store.create(database(folder)) as store, store.begin(run, SEED) as writer:
        writer.end()
        return store.run(run.fingerprint).row


def test_a_beacon_that_is_the_round_of_its_source_is_right(tmp_path: Path) -> None:
    run = stored_run(tmp_path, str(ROUND), ROUND.beacon(signature(ROUND.number)))
    assert not list(beacon_differences(run))
    assert beacon_state(run.config, run.beacon) == (SIGNED, beacon.SIGNED_LINE)
    with Store.open(database(tmp_path)) as store:
        assert not verify_run(store[run.fingerprint])


@pytest.mark.parametrize(
    ("source", "beacon", "sentence"),
    [
        (str(ROUND), ROUND.beacon(signature(8)), "the signature is wrong"),
        (str(ROUND), PAST.beacon(signature(PAST.number)), f"its beacon is not {ROUND.title}"),
        (str(ROUND), "4 8 15 16 23 42", f"its beacon is not {ROUND.title}"),
        (str(ROUND), None, "is not entered"),
        (str(PAST), PAST.beacon(signature(PAST.number)), "not after the commitment was stored at 20"),
        ("drand quicknet", "1", "its beacon_source must be a round of drand"),
    ],
    ids=range(6),
)
def test_any_other_beacon_is_a_difference_of_its_run(
    tmp_path: Path, source: str, beacon: str | None, sentence: str
) -> None:
    run = stored_run(tmp_path, source, beacon)
    with Store.open(database(tmp_path)) as store:
        [found] = verify_run(store[run.fingerprint])
    assert str(found).startswith(f"run {run.fingerprint}: ")
    assert sentence in str(found)


def test_a_run_without_games_may_have_ended_before_its_round_and_one_with_games_not(tmp_path: Path) -> None:
    run = stored_run(tmp_path, str(ROUND), "")
    for round_ in (ROUND, PAST):  # an epoch ends if its round has come too early
        assert not list(beacon_differences(replace(run, config=config(str(round_)))))
    assert list(beacon_differences(replace(run, games=2))) == [f"its beacon, {ROUND.title}, is not entered"]


@pytest.mark.parametrize("started", ["", "yesterday", "\x1b[2J"])
def test_a_time_of_the_commitment_that_is_none_is_a_difference(tmp_path: Path, started: str) -> None:
    run = replace(stored_run(tmp_path, str(ROUND), ROUND.beacon(signature(ROUND.number))), started=started)
    [found] = beacon_differences(run)
    assert "not after the commitment was stored at" in found
    assert "\x1b" not in found


def test_a_beacon_whose_source_no_part_knows_is_not_checked(tmp_path: Path) -> None:
    run = stored_run(tmp_path, "the lottery of 5 December", "4711")
    assert not list(beacon_differences(run))
    state, why = beacon_state(run.config, run.beacon)
    assert state == UNCHECKED
    assert "not checked: this installation cannot check the source 'the lottery of 5 December'" in why


def test_a_beacon_without_a_source_has_no_state(tmp_path: Path) -> None:
    run = stored_run(tmp_path, "", "4711")
    assert not list(beacon_differences(run))
    assert beacon_state(run.config, run.beacon) == ("", "")


def test_without_the_extra_a_signature_is_unchecked_and_the_rest_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beacon, "is_installed", lambda: False)
    run = stored_run(tmp_path, str(ROUND), ROUND.beacon(signature(8)))
    assert not list(beacon_differences(run))
    state, why = beacon_state(run.config, run.beacon)
    assert state == UNCHECKED
    assert "pip install 'bowerbird[beacon]'" in why
    assert list(beacon_differences(replace(run, beacon="4711"))) == [f"its beacon is not {ROUND.title}"]
