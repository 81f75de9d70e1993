"""`max_faults` as a share of the games that a bot has (tournament-file.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.cli.tournament_run import plan_of_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament
from bowerbird.harness.tournament.errors import ConfigError
from bowerbird.harness.tournament.plan import make_plan
from tests.support.tournament.bot_folders import Yard

BOTS = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in ("ann", "bob", "cid", "dan"))
TWO = '[[variant]]\nname = "two-handed"\n'


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    return made


def entered(yard: Yard, *lines: str, variants: str = TWO) -> TournamentFile:
    return load_tournament(yard.tournament('seed = "leaves"', *lines, variants=variants, bots=BOTS))


@pytest.mark.parametrize(
    ("lines", "most"),
    [
        (('format = "round-robin"', "sets = 10"), 6),  # three opponents, ten sets of two games
        (('format = "gauntlet"', "sets = 30"), 6),  # each opponent has one match
        (('format = "swiss"', "sets = 25", "rounds = 2"), 10),
        (('format = "knockout"', "sets = 25"), 5),  # of one match
        (("sets = 1",), 2),  # six games, which count as twenty
    ],
)
def test_a_share_is_of_the_games_that_every_bot_has(yard: Yard, lines: tuple[str, ...], most: int) -> None:
    file = entered(yard, *lines, "max_faults = 0.1")
    assert file.limits.max_faults == most
    assert f"max_faults = {most}\n" in resolved_text(file)


def test_a_share_counts_the_games_of_all_variants(yard: Yard) -> None:
    file = entered(yard, "sets = 10", "max_faults = 0.1", variants=f'{TWO}[[variant]]\nname = "cut-throat"\n')
    games = {lineup.positions: len(lineup.rotations) for lineup in file.variants[1].lineups}
    own = sum(rotations for positions, rotations in games.items() if "ann" in positions)
    assert file.limits.max_faults == (60 + 10 * own) // 10


@pytest.mark.parametrize("lines", [('format = "adaptive"',), ("stop = { settled = 0.95 }",)])
def test_a_share_needs_a_number_of_games(yard: Yard, lines: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="a share needs a number of games that is known in advance"):
        entered(yard, *lines, "max_faults = 0.1")


@pytest.mark.parametrize("wrong", ["0.0", "1.0", "-0.1", "1.5", "nan", "-1", "true", '"few"'])
def test_what_is_neither_a_number_nor_a_share_is_refused(yard: Yard, wrong: str) -> None:
    with pytest.raises(ConfigError, match="whole number of at least 0"):
        entered(yard, f"max_faults = {wrong}")


def test_a_run_that_gets_more_games_keeps_its_number(yard: Yard) -> None:
    plan = make_plan(entered(yard, "sets = 10", "max_faults = 0.1"))
    with Store.create(yard.folder / "x.db") as store:
        with store.begin(plan.header, plan.seed):
            pass
        longer = plan_of_run(entered(yard, "sets = 40", "max_faults = 0.1"), store.run())
    assert longer.file.limits.max_faults == plan.file.limits.max_faults
    check_resume(plan.header, longer.header)
