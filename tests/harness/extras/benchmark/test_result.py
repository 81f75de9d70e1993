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


def _played(
    store: Store, *, secret: bool = False, sets: int | None = None, agent: Path | None = None, version: Version = SMALL
) -> StoredRun:
    path = agent or find_bot("greedy")
    file = benchmark_file(path, "ada", secret=secret, sets=sets, isolation="none", version=version)
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
        assert document["tokens"] is None
        assert document["partner_decisions"] == 0
        assert set(document["ratings"]) == {"ada", "random", "greedy"}
        assert set(document["variants"]) == {"two-handed", "euchre"}
        assert any("ada" in line for line in result_lines(document))
        with pytest.raises(NoBenchmarkError, match="not a benchmark of version 8"):
            result_document(run, replace(SMALL, number=8))


def test_a_secret_seed_is_in_the_result_and_fits_the_commitment(processes: None, tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.db") as store:
        document = result_document(_played(store, secret=True, sets=1), SMALL)
        assert document["seed"] == "secret"
        assert not document["complete"]
        assert commitment_of(bytes.fromhex(document["secret_seed"])) == document["commitment"]
        assert any("not complete" in line for line in result_lines(document))


COUNTS = """
from bowerbird.sdk import Bot, run
class Counts(Bot):
    def act(self, decision):
        decision.figures = {"question_tokens": 10, "answer_tokens": 2, "cost": 0.5}
        if decision.table.seat > 1:
            decision.figures = {"partner": 1}
        return decision.legal[0]
run(Counts())
"""


def test_tokens_are_summed_and_decisions_of_a_partner_are_no_decisions_of_the_agent(
    processes: None, tmp_path: Path
) -> None:
    (tmp_path / "bot.toml").write_text('name = "counts"\nversion = "1"\ncommand = ["{python}", "bot.py"]\n')
    (tmp_path / "bot.py").write_text(COUNTS)
    version = replace(SMALL, variants=("euchre",), ladder=("random",), sets=1)
    with Store.create(tmp_path / "x.db") as store:
        document = result_document(_played(store, agent=tmp_path / "bot.toml", version=version), version)
        assert document["decisions"] > 0
        assert document["partner_decisions"] > 0
        assert document["tokens"] == 12 * document["decisions"]
        assert document["figures"]["cost"] == 0.5 * document["decisions"]
        lines = "\n".join(result_lines(document))
        assert f"{document['tokens']} tokens by its own count" in lines
        assert f"greedy, also made {document['partner_decisions']} decisions" in lines
