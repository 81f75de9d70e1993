"""The result of a benchmark, from a run that was really played."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.extras.benchmark.result import NoBenchmarkError, result_document, result_lines
from bowerbird.harness.extras.benchmark.terms import Version, benchmark_file, parsed
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.run import commitment_of
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.events import TournamentEvent
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

SMALL = Version(7, ("two-handed", "euchre"), ("random", "greedy"), sets=2, time={"per_decision": "1s", "bank": "1m"})


def _ignore(_event: TournamentEvent) -> None:
    pass


def _played(store: Store, *, secret: bool = False, sets: int | None = None) -> StoredRun:
    file = benchmark_file(find_bot("greedy"), "ada", secret=secret, sets=sets, isolation="none", version=SMALL)
    plan = make_plan(parsed(file))
    play_tournament(plan, store, _ignore, RunOptions())
    return store.run(plan.header.fingerprint)


def test_a_result_says_what_was_played_and_how_good_the_agent_is(processes: None, tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.db") as store:
        run = _played(store)
        document = json.loads(json.dumps(result_document(run, SMALL), allow_nan=False))
        assert document["benchmark"] == 7
        assert document["agent"] == "ada"
        assert document["seed"] == "public"
        assert document["complete"]
        assert document["faults"] == 0
        assert document["decisions"] > 20
        assert set(document["ratings"]) == {"ada", "random", "greedy"}
        assert set(document["variants"]) == {"two-handed", "euchre"}
        assert any("ada" in line for line in result_lines(document))
        with pytest.raises(NoBenchmarkError, match="no benchmark of version 8"):
            result_document(run, replace(SMALL, number=8))


def test_a_secret_seed_is_in_the_result_and_fits_the_commitment(processes: None, tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.db") as store:
        document = result_document(_played(store, secret=True, sets=1), SMALL)
        assert document["seed"] == "secret"
        assert not document["complete"]
        assert commitment_of(bytes.fromhex(document["secret_seed"])) == document["commitment"]
        assert any("not complete" in line for line in result_lines(document))
