"""The extras of a wheel: each installs what it promises, and a command without its extra says which one to install."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fake_drand import ROUND_1000
from tests.support.installed_wheel import Installed, tools_of_this_user, with_extra

MATCH = ("match", "greedy", "random", "--variant", "two-handed", "--deals", "--sets", "4", "--quiet")


TRY_PETTINGZOO = """
from pettingzoo.test import api_test, render_test
from bowerbird.envs.pettingzoo import env
api_test(env("buck"), num_cycles=200)
render_test(lambda render_mode: env("buck", render_mode=render_mode))
"""


@pytest.fixture
def extended(request: pytest.FixtureRequest, venv: Path, tmp_path: Path) -> Iterator[Installed]:
    """Return the command of a wheel with the extra that the test names, in an empty folder, with an empty home."""
    with with_extra(venv, request.param) as own:
        command = Installed(own, tmp_path / "work", tmp_path / "home", tools=tools_of_this_user())
        command.folder.mkdir()
        command.home.mkdir()
        yield command
        left = command.wait_until_gone()
        assert not left, f"processes that outlived the command: {left}"


def extra(name: str) -> pytest.MarkDecorator:
    """Give a test the command of a wheel with this extra as `extended`."""
    return pytest.mark.parametrize("extended", [name], indirect=True)


LEAGUE = """
[league]
beacon = "drand"
[league.drand]
addresses = ["http://127.0.0.1:1"]
[[variant]]
name = "euchre"
"""

CHECK_A_ROUND = f"""
from bowerbird.harness.extras.drand.rounds import QUICKNET, Round
from bowerbird.harness.extras.drand.signature import is_signed
assert is_signed(Round(QUICKNET, 1000), "{ROUND_1000}")
assert not is_signed(Round(QUICKNET, 1001), "{ROUND_1000}")
"""


@extra("beacon")
def test_the_extra_beacon_checks_a_round_of_drand(extended: Installed) -> None:
    finished = extended.run("python", "-c", CHECK_A_ROUND)
    assert finished.returncode == 0, finished.stderr


def test_without_the_extra_beacon_a_league_that_needs_it_does_not_begin_and_names_it(wheel: Installed) -> None:
    (wheel.folder / "drand.toml").write_text(LEAGUE, encoding="utf-8")
    finished = wheel.run("bowerbird", "league", "drand.toml", "--db", "drand.db")
    assert finished.returncode == 2
    assert "line 3, key 'beacon'" in finished.stderr
    assert "pip install 'bowerbird[beacon]'" in finished.stderr
    assert "Traceback" not in finished.stderr


ASK_A_MODEL = ("python", "-m", "bowerbird.bots.llm", "--base-url", "https://models.example.org/v1", "--model", "m")


@extra("llm")
def test_with_the_extra_llm_a_chat_model_waits_for_its_referee(extended: Installed) -> None:
    finished = extended.run(*ASK_A_MODEL)
    assert finished.returncode != 0
    assert finished.stderr.startswith("BOWERBIRD_ADDRESS is not set")
    assert "Traceback" not in finished.stderr


def test_without_the_extra_llm_the_sentence_names_it(wheel: Installed) -> None:
    finished = wheel.run(*ASK_A_MODEL)
    assert finished.returncode == 1
    assert finished.stderr.rstrip() == "httpx is not installed: pip install 'bowerbird[llm]' adds it"


def test_without_the_extra_mcp_the_sentence_names_it(wheel: Installed) -> None:
    finished = wheel.run("bowerbird", "mcp", "euchre")
    assert finished.returncode == 2
    assert finished.stderr.rstrip() == (
        "bowerbird: an MCP seat needs the library mcp; install it with: pip install 'bowerbird[mcp]'"
    )


@extra("data")
def test_the_extra_data_writes_parquet_that_pandas_reads(extended: Installed) -> None:
    """study-tables.md, "Export the tables"."""
    run = extended.json(*MATCH)["run"]["fingerprint"]
    extended.done("export", run, "--format", "parquet", "-o", "tables")
    count = "import pandas; print(len(pandas.read_parquet('tables/games.parquet')))"
    finished = extended.run("python", "-c", count)
    assert finished.stdout.strip() == "8", finished.stderr


def test_without_the_extra_data_parquet_names_it_and_csv_works(wheel: Installed) -> None:
    run = wheel.json(*MATCH)["run"]["fingerprint"]
    finished = wheel.run("bowerbird", "export", run, "--format", "parquet", "-o", "tables")
    assert finished.returncode == 2
    assert "pip install 'bowerbird[data]'" in finished.stderr
    assert "Traceback" not in finished.stderr
    wheel.done("export", run, "--format", "csv", "-o", "tables")
    assert (wheel.folder / "tables" / "decisions.csv").is_file()


@extra("cluster")
def test_the_extra_cluster_plays_and_verifies_on_a_local_cluster(extended: Installed) -> None:
    """cluster.md, "Try it on one machine"."""
    standings = extended.json(*MATCH, "--cluster", "local:1")["overall"]["standings"]
    assert {line["bot"] for line in standings} == {"greedy", "random"}
    assert all(line["games"] == 8 and not any(line["faults"].values()) for line in standings), standings
    assert "8 games in 1 run: replayed, no differences" in extended.done("verify", "--cluster", "local:1")


def test_without_the_extra_cluster_the_sentence_names_it(wheel: Installed) -> None:
    finished = wheel.run("bowerbird", *MATCH, "--cluster", "local:1")
    assert finished.returncode == 2
    assert "pip install 'bowerbird[cluster]'" in finished.stderr
    assert "Traceback" not in finished.stderr


@extra("rl")
def test_the_extra_rl_brings_an_environment_that_passes_pettingzoos_tests(extended: Installed) -> None:
    """environments.md, PettingZoo."""
    finished = extended.run("python", "-W", "ignore", "-c", TRY_PETTINGZOO)
    assert finished.returncode == 0, finished.stderr
    assert "Passed API test" in finished.stdout


def test_without_the_extra_rl_the_sentence_names_it_and_the_vector_form_works(wheel: Installed) -> None:
    finished = wheel.run("python", "-c", "import bowerbird.envs.pettingzoo")
    assert finished.returncode == 1
    assert finished.stderr.rstrip().endswith("pip install 'bowerbird[rl]'")
    stepped = (
        "from bowerbird.envs.vector import VectorEnv; env = VectorEnv('buck', games=4, workers=2); env.reset(seed=1); "
        "import numpy; env.step(env.random_actions(numpy.random.default_rng(1))); env.close(); print(env.masks.shape)"
    )
    finished = wheel.run("python", "-c", stepped)
    assert finished.returncode == 0, finished.stderr


@extra("openspiel")
def test_the_extra_openspiel_seats_its_bots_and_brings_the_variants(extended: Installed) -> None:
    """openspiel.md, "Seat a bot of OpenSpiel" and "Load a variant in OpenSpiel"."""
    match = ("match", "openspiel", "random", "--variant", "euchre", "--option", "max_hands=2", "--sets", "1", "--quiet")
    standings = extended.json(*match)["overall"]["standings"]
    assert all(line["games"] == 2 and not any(line["faults"].values()) for line in standings), standings
    loaded = (
        "import pyspiel; from bowerbird.envs.openspiel import register; register(); "
        "pyspiel.random_sim_test(pyspiel.load_game('python_bowerbird_two_handed'), 1, True, False)"
    )
    finished = extended.run("python", "-c", loaded)
    assert finished.returncode == 0, finished.stderr


def test_without_the_extra_openspiel_the_sentence_names_it(wheel: Installed) -> None:
    finished = wheel.run("python", "-c", "import bowerbird.envs.openspiel")
    assert finished.returncode == 1
    assert finished.stderr.rstrip().endswith("pip install 'bowerbird[openspiel]'")
    finished = wheel.run("python", "-m", "bowerbird.bots.openspiel")
    assert finished.returncode == 1
    assert finished.stderr == "OpenSpiel is not installed: pip install 'bowerbird[openspiel]' adds it\n"
