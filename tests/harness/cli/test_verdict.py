"""What a sequential test says when it has ended."""

from __future__ import annotations

import math

from harness.cli.verdict import Trial, _with_error, verdict_of
from harness.ratings.estimate import Estimate
from harness.ratings.measures import SCORE
from harness.ratings.sequential import Decision, Hypotheses

TRIAL = Trial(("mine", "greedy"), Hypotheses(0, 30), SCORE)


def test_the_verdict_names_the_hypothesis_and_what_it_means() -> None:
    assert verdict_of(TRIAL, Decision(2.96, -2.94, 2.94, 12, "H1")) == (
        "H1 is accepted after 12 deal sets (LLR 2.96, bounds -2.94 and 2.94): "
        "mine is stronger than greedy by 30 logistic Elo rather than by 0"
    )
    assert "by 0 logistic Elo rather than by 30" in verdict_of(TRIAL, Decision(-3.0, -2.94, 2.94, 12, "H0"))


def test_no_verdict_says_how_to_go_on() -> None:
    assert "--max-sets with --resume" in verdict_of(TRIAL, Decision(1.0, -2.94, 2.94, 12, ""))


def test_an_error_without_an_end_is_not_printed_as_a_number() -> None:
    assert _with_error(Estimate(55.58, 14.109)) == "55.6 ±27.7"
    assert "inf" not in _with_error(Estimate(416.6, math.inf)) + _with_error(Estimate(math.inf, math.inf))


def test_the_stop_rule_holds_the_whole_test() -> None:
    rule = TRIAL.stop(deals=False)
    assert rule["sprt"] == {
        "bots": ["mine", "greedy"],
        "elo0": 0,
        "elo1": 30,
        "alpha": 0.05,
        "beta": 0.05,
        "scale": "logistic",
        "measure": "score",
    }
