"""A verdict, the same after kill -9 and --resume (commands.md, `bowerbird test`; ratings.md, Sequential test)."""

from __future__ import annotations

import signal

import pytest

from tests.support.command.bowerbird_command import Bowerbird, said_until
from tests.support.deadline import DEADLINE_S

DEALS = ("--variant", "cut-throat", "--deals", "--seed", "power")
NO_VERDICT = ("--elo1", "5", "--max-sets", "160")


@pytest.mark.long
def test_a_stronger_bot_is_found_and_the_test_ends(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bundled("greedy"), bowerbird.bundled("random")
    told = bowerbird("test", *bots, *DEALS, "--elo1", "200", "--db", "x.db", "--json")
    assert told.returncode == 0, told.stderr
    assert "LLR" in told.stderr, "the ratio is shown while it runs"
    verdict = bowerbird.json("test", *bots, *DEALS, "--elo1", "200", "--db", "x.db")
    assert verdict["accepted"] == "H1"
    assert verdict["llr"] >= verdict["upper"] > 0 > verdict["lower"]
    assert verdict["elo"]["value"] > 0
    reverse = bowerbird.json("test", *bots[::-1], *DEALS, "--elo1", "200", "--db", "x.db")
    assert reverse["accepted"] == "H0"
    bowerbird.done("verify", "--db", "x.db")
    assert "greedy" in bowerbird.done("standings", "--db", "x.db")


def test_points_are_tested_in_normalised_elo(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bundled("greedy"), bowerbird.bundled("random")
    arguments = ("test", *bots, *DEALS, "--normalised", "--points", "--elo1", "100", "--db", "x.db")
    said = bowerbird.done(*arguments)
    assert said.startswith("greedy is stronger than random\n")
    assert "H1 is accepted" in said
    assert "points a deal above the table" in said


@pytest.mark.long  # 160 deal sets, twice
def test_a_test_that_was_killed_comes_to_the_same_verdict(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")
    arguments = ("test", *bots, *DEALS, *NO_VERDICT)
    undisturbed = bowerbird.json(*arguments, "--db", "x.db")
    assert undisturbed["accepted"] is None
    assert undisturbed["sets"] == 160
    with bowerbird.start(*arguments, "--db", "y.db") as process:
        said_until(process, "16 deal sets")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=DEADLINE_S)
    resumed = bowerbird("test", *bots, *DEALS, *NO_VERDICT, "--db", "y.db", "--resume", "--json")
    assert "already stored, not played again" in resumed.stderr
    again = bowerbird.json(*arguments, "--db", "y.db", "--resume")
    assert {key: again[key] for key in ("llr", "sets", "elo")} == {
        key: undisturbed[key] for key in ("llr", "sets", "elo")
    }
    assert "no verdict after 160 deal sets" in bowerbird.done(*arguments, "--db", "y.db", "--resume")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("--elo0", "10", "--elo1", "5"), ("elo0", "10", "less than")),
        (("--points",), ("--deals", "--normalised")),
        (("--alpha", "0.7"), ("alpha", "0.5")),
        (("--alpha", "nan"), ("alpha = nan",)),
        (("--elo1", "1e6"), ("elo1 = 1e+06", "below 1000")),
        (("--elo0", "nan"), ("elo0 = nan",)),
        (("--elo1", "1" + 400 * "0"), ("elo1 = inf",)),
    ],
)
def test_a_test_that_makes_no_sense_is_refused(
    bowerbird: Bowerbird, arguments: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    sentence = bowerbird.refused("test", "greedy", "random", "--variant", "buck", *arguments)
    assert all(part in sentence for part in parts), sentence
