"""Why the deal sets of an epoch were chosen, on its schedule (pages.md, Live pages; pairing.md)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.extras.serve.addresses import Addresses
from bowerbird.harness.extras.serve.pages.reports import MOST_SETS, pairing_reasons
from bowerbird.harness.extras.serve.site import Site
from bowerbird.harness.records.store.league import changing
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.league import Epoch, League
from bowerbird.harness.tournament.plan import Plan
from tests.support.records.stored_leagues import league_bot
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import LocalTables
from tests.support.tournament.voided_runs import planned, play

ADAPTIVE = ('format = "adaptive"', "total_sets = 12", "round_sets = 4", "max_hands = 1")


def played(folder: Path, *lines: str) -> tuple[Path, Plan]:
    """Play a run of two bots; return its database and plan."""
    yard = Yard(folder)
    yard.bot("alpha")
    plan = planned(yard, *lines)
    with Store.create(folder / "x.db") as store:
        play(plan, store, LocalTables(plan.file.bots))
    return folder / "x.db", plan


def changed(run: StoredRun, **fields: Any) -> StoredRun:
    """Return a run as it would be with other fields."""
    return StoredRun(run.store, run.fingerprint, replace(run.row, **fields))


def test_each_deal_set_of_a_complete_adaptive_run_has_a_reason(tmp_path: Path) -> None:
    db, _ = played(tmp_path, *ADAPTIVE)
    with Store.open(db) as store:
        run = store.run()
        reasons = pairing_reasons(run)
        assert reasons.keys() == run.stored_sets()
        assert all("alpha" in why or "drawn by lot" in why for why in reasons.values())
        assert any("alpha" in why for why in reasons.values())


def test_no_reason_is_told_before_the_seed_is_public(tmp_path: Path) -> None:
    """They follow from the seed."""
    db, _ = played(tmp_path, *ADAPTIVE)
    with Store.open(db) as store:
        run = store.run()
        assert pairing_reasons(changed(run, ended=None)) == {}
        assert pairing_reasons(changed(run, seed=None)) == {}


@pytest.mark.parametrize("config", ["", "[tournament", 'tournament = "x"', '[tournament]\nformat = "adaptive"\n'])
def test_a_run_that_cannot_be_repeated_has_no_reasons(tmp_path: Path, config: str) -> None:
    db, _ = played(tmp_path, *ADAPTIVE)
    with Store.open(db) as store:
        run = store.run()
        assert pairing_reasons(changed(run, config=config)) == {}


def test_a_run_whose_scheduler_chose_other_sets_has_no_reasons_and_a_large_one_neither(tmp_path: Path) -> None:
    db, _ = played(tmp_path, *ADAPTIVE)
    with Store.open(db) as store:
        run = store.run()
        other = run.row.config.replace("round_sets = 4", "round_sets = 12")
        assert other != run.row.config
        assert pairing_reasons(changed(run, config=other)) == {}
        assert pairing_reasons(changed(run, sets=MOST_SETS + 1)) == {}


def test_a_run_of_another_format_has_no_reasons(tmp_path: Path) -> None:
    db, _ = played(tmp_path, "sets = 1", "max_hands = 1")
    with Store.open(db) as store:
        assert pairing_reasons(store.run()) == {}


def test_the_schedule_of_a_complete_epoch_says_why(tmp_path: Path) -> None:
    db, plan = played(tmp_path, *ADAPTIVE)
    with changing(db, "autumn") as change:
        change.put_league(League("autumn", "autumn.toml", "", 1, False, False, "2026-01-01T00:00:00Z"))
        for bot in ("alpha", "last"):
            change.put_bot(league_bot(bot))
        change.put_epoch(Epoch(1, plan.header.fingerprint, "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"))
    site, addresses = Site(db), Addresses()
    for path in (("schedule",), ("schedule", "1"), ("seasons", "1", "schedule", "1")):
        document = json.loads(site.answer(("leagues", "autumn", *path), {}, {}, addresses, as_json=True).body)
        assert len(document["sets"]) == 12
        assert all(one["why"] for one in document["sets"])
        page = site.answer(("leagues", "autumn", *path), {}, {}, addresses, as_json=False).body.decode()
        assert document["sets"][0]["why"] in page
    missing = site.answer(("leagues", "autumn", "schedule", "2"), {}, {}, addresses, as_json=True)
    assert (missing.status, json.loads(missing.body)["error"]) == (404, "season 1 of league autumn has no epoch 2")
