"""An epoch promises its round with its commitment, and a round published before it proves nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.extras.drand import waiting
from bowerbird.harness.extras.drand.rounds import QUICKNET, Round
from bowerbird.harness.extras.league.epoch_beacon import (
    DrandTerms,
    commit,
    is_waiting,
    promise,
    promised_round,
    with_beacon,
)
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.fake_drand import own_chain, signature
from tests.support.tournament.bot_folders import Yard

FUTURE = Round(own_chain(), 10_000_000_000)
PAST = Round(own_chain(), 7)
SEED = bytes(range(32))


def planned(yard: Yard, round_: Round) -> Plan:
    return make_plan(load_tournament(yard.tournament(f'beacon_source = "{round_}"')), SEED)


@pytest.mark.parametrize("moment", [1_700_000_000.0, 1_700_000_000.5, 1_700_000_002.999])
def test_a_promised_round_comes_at_least_the_lead_after_the_commitment_and_no_later_one_is_taken(moment: float) -> None:
    found = promised_round(DrandTerms(QUICKNET, (), 30_000), moment)
    assert 30 <= found.moment - moment < 30 + QUICKNET.period


def test_a_commitment_is_stored_with_its_round_and_stays(yard: Yard, tmp_path: Path) -> None:
    plan = planned(yard, FUTURE)
    assert is_waiting(plan)
    with Store.create(tmp_path / "x.db") as store:
        assert commit(plan, store) == ""
        stored = store.run(plan.header.fingerprint)
        assert (stored.row.beacon, stored.row.commitment) == ("", plan.header.commitment)
        assert f'beacon_source = "{FUTURE}"' in stored.row.config.splitlines()
        assert commit(plan, store) == ""
        assert store.run(plan.header.fingerprint).row == stored.row
    assert plan.header.commitment in promise(plan, 3)
    assert f"{FUTURE.title}, due at {FUTURE.at}" in promise(plan, 3)


def test_a_round_that_came_before_the_commitment_was_stored_is_said(yard: Yard, tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.db") as store:
        assert commit(planned(yard, PAST), store) == f"its commitment was stored after {PAST.title} came"


def test_the_beacon_is_all_that_a_waiting_plan_gains(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(yard, PAST)
    monkeypatch.setattr(waiting, "awaited_beacon", lambda round_, *_: round_.beacon(signature(round_.number)))
    found = with_beacon(plan, list, print)
    assert found == make_plan(replace(plan.file, beacon=PAST.beacon(signature(7))), SEED)
    assert found.header.fingerprint == plan.header.fingerprint
    assert not is_waiting(found)
