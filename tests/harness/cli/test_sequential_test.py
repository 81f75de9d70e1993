"""Output of a sequential test while it runs and after its end."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import cast

import pytest

from bowerbird.harness.cli.display.sequential_test import (
    LiveRatio,
    SprtSettings,
    _with_error,
    strength_document,
    strength_lines,
    stronger_sentence,
    verdict_sentence,
)
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.sequential.set_values import POINTS, SCORE, SetValue, set_values
from bowerbird.harness.ratings.sequential.sprt import Hypotheses, SequentialDecision, decide, strength_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId, SetKey
from bowerbird.harness.records.values.set_keys import Block, block_of
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS, VoidedSet
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.config.tournament_file import quick_match
from bowerbird.harness.tournament.events import SetSaved

TRIAL = SprtSettings(("mine", "greedy"), Hypotheses(0, 30), SCORE)


def test_the_verdict_names_the_hypothesis_and_what_it_means() -> None:
    assert verdict_sentence(TRIAL, SequentialDecision(2.96, -2.94, 2.94, 12, "H1"), 16) == (
        "H1 is accepted after 12 of 16 deal sets played (LLR 2.96, bounds -2.94 and 2.94): "
        "30 logistic Elo of mine above greedy fits better than 0"
    )
    assert "0 logistic Elo of mine above greedy fits better than 30" in verdict_sentence(
        TRIAL, SequentialDecision(-3.0, -2.94, 2.94, 12, "H0"), 12
    )


def test_no_verdict_says_how_to_go_on() -> None:
    assert "--max-sets with --resume" in verdict_sentence(TRIAL, SequentialDecision(1.0, -2.94, 2.94, 12, ""), 12)


MINE, GREEDY = "mine is stronger than greedy", "greedy is stronger than mine"


@pytest.mark.parametrize(
    ("quarters", "elo0", "elo1", "sentence"),
    [
        ([2, 1, 0] * 30, 0, 60, MINE),
        ([-2, -1, 0] * 30, 0, 60, GREEDY),
        ([2, 1, 0] * 30, -60, 0, MINE),
        ([-2, -1, 0] * 30, -60, 0, GREEDY),
        ([1, -1] * 200, 0, 60, "not shown: that mine is stronger than greedy"),
        ([1, -1] * 200, -60, 0, "not shown: which of mine and greedy is stronger"),
        ([1, -1], 0, 60, "not shown: which of mine and greedy is stronger"),
        ([2] * 12, 0, 500, MINE),
        ([-2] * 12, 0, 5, GREEDY),
        ([-2] * 2, 0, 500, "not shown: that mine is stronger than greedy"),
        ([], 0, 60, "not shown: which of mine and greedy is stronger"),
    ],
)
def test_the_first_line_says_who_is_stronger_or_that_it_is_not_shown(
    quarters: list[int], elo0: float, elo1: float, sentence: str
) -> None:
    hypotheses = Hypotheses(elo0, elo1)
    found = values(*quarters)
    decision, strength = decide(found, hypotheses), strength_of(found, SCORE, hypotheses)
    assert stronger_sentence(SprtSettings(("mine", "greedy"), hypotheses, SCORE), decision, strength) == sentence


def test_an_error_without_an_end_is_not_printed_as_a_number() -> None:
    assert _with_error(Estimate(55.58, 14.109)) == "55.6 ±27.7"
    assert _with_error(Estimate(416.6, math.inf)) == "416.6 (too few sets to estimate an error)"
    assert _with_error(Estimate(528.9, math.inf, side=1, bound=140.2, doubt=0.001)) == "528.9, at least 140.2"
    assert _with_error(Estimate(-528.9, math.inf, side=-1, bound=-140.2, doubt=0.001)) == "-528.9, at most -140.2"


def values(*quarters: int) -> list[SetValue]:
    return [SetValue(Fraction(quarter, 4), 2) for quarter in quarters]


def test_the_printed_estimate_is_the_corrected_one_and_the_plain_one_stands_below() -> None:
    strength = strength_of(values(*[2, 1, 0] * 30), SCORE, Hypotheses(0, 60))
    assert strength is not None
    assert strength.elo is not None
    assert strength.corrected is not None
    assert strength.corrected.elo is not None
    best, remark, plain = strength_lines(strength)
    elo = strength.corrected.elo
    assert best.startswith(f"Elo {elo.value:.1f} ({elo.low:.1f} to {elo.high:.1f}), normalised Elo ")
    assert best.endswith(f", LOS {100 * strength.corrected.superiority:.1f}%")
    assert "95% intervals, corrected for the stop" in remark
    half = strength.elo.interval()[1] - strength.elo.value
    assert plain.startswith(f"without the correction: Elo {strength.elo.value:.1f} ±{half:.1f}, normalised Elo ")


def test_points_are_printed_without_elo() -> None:
    strength = strength_of(values(*[6, 1, -3] * 30), POINTS, Hypotheses(0, 60, normalised=True))
    best, _, plain = strength_lines(strength)
    assert best.startswith("points a deal above the table ")
    assert plain.startswith("without the correction: points a deal above the table ")


def test_a_perfect_score_is_printed_with_its_bound() -> None:
    lines = strength_lines(strength_of(values(*[2] * 12), SCORE, Hypotheses(0, 500)))
    assert ", at least " in lines[0]
    assert not {"inf", "nan", "None"} & set(" ".join(lines).replace(",", "").split())
    assert strength_lines(None) == []


def test_json_has_both_estimates_and_no_infinity() -> None:
    document = strength_document(strength_of(values(*[2, 1, 0] * 30), SCORE, Hypotheses(0, 60)))
    corrected = cast(dict[str, dict[str, float]], document["corrected"])
    plain = cast(dict[str, float], document["elo"])
    assert corrected["elo"]["low"] < corrected["elo"]["value"] < plain["value"]
    assert set(corrected) == {"elo", "normalised_elo", "mean_above_table", "los"}
    for quarters in ([2] * 9, [2] * 9 + [-2], [0, 0]):
        text = json.dumps(strength_document(strength_of(values(*quarters), SCORE, Hypotheses(0, 60))))
        assert "Infinity" not in text
        assert "NaN" not in text


def test_the_stop_rule_holds_the_whole_test() -> None:
    rule = TRIAL.stop_rule(deals=False)
    assert rule["sprt"] == {
        "bots": ["mine", "greedy"],
        "elo0": 0,
        "elo1": 30,
        "alpha": 0.05,
        "beta": 0.05,
        "scale": "logistic",
        "measure": "score",
    }


class GamesSoFar:
    """The part of a `Store` that `LiveRatio` reads: its one run, the games of a test with some deal sets stored."""

    def __init__(self) -> None:
        rng = random.Random(1)
        self.games = [
            GameResult(
                id=GameId("4f1c9a", "two-handed-0", "random+greedy", number, rotation),
                variant="two-handed",
                bots=("random", "greedy")[:: 1 - 2 * rotation],
                sides=(0, 1),
                ranks=rng.choice([(1, 2), (2, 1)]),
                scores=(0, 0),
                offenders=(),
                rated=True,
            )
            for number in range(200)
            for rotation in range(2)
        ]
        self.stored: set[int] = set()
        self.left_out: set[int] = set()

    def __getitem__(self, run: str) -> GamesSoFar:
        return self

    def voids(self) -> list[VoidedSet]:
        keys = [SetKey("two-handed-0", "random+greedy", number) for number in self.left_out]
        return [VoidedSet(key, attempt, ("random",), "") for key in keys for attempt in range(MOST_ATTEMPTS)]

    def results(self, block: Block) -> list[GameResult]:
        stored = (game for game in self.games if game.id.set_number in self.stored)
        return [game for game in stored if block_of(game.id.set_key) == block]


@pytest.mark.parametrize("asked", [range(1, 201), (1, 2, 64, 65, 200), (200,)])
def test_the_live_ratio_is_that_of_all_sets_however_often_it_is_asked_for(asked: Sequence[int]) -> None:
    """Piped progress asks for it only now and then; the sets in between count, too."""
    trial = SprtSettings(("random", "greedy"), Hypotheses(0, 5), SCORE)
    store = GamesSoFar()
    match = quick_match(
        [find_bot(bot) for bot in trial.bots], {"two-handed": {}}, sets=200, settings={"stop": trial.stop_rule(False)}
    )
    live = LiveRatio(trial, match, cast(Store, store))
    for done in asked:
        store.stored = set(range(done))
        key = SetKey("two-handed-0", "random+greedy", done - 1)
        line = live.status(SetSaved(key, done, tuple(store.games[2 * done - 2 : 2 * done])))
    expected = decide(set_values(store.games, *trial.bots), trial.hypotheses)
    assert not expected.accepted
    assert line == f"LLR {expected.llr:.2f} (-2.94 to 2.94)"
    assert line != "LLR 0.00 (-2.94 to 2.94)"


def test_the_live_ratio_stops_at_a_set_that_is_not_stored() -> None:
    trial = SprtSettings(("random", "greedy"), Hypotheses(0, 5), SCORE)
    store = GamesSoFar()
    match = quick_match(
        [find_bot(bot) for bot in trial.bots], {"two-handed": {}}, sets=200, settings={"stop": trial.stop_rule(False)}
    )
    store.stored = set(range(200)) - {70}
    line = LiveRatio(trial, match, cast(Store, store)).status(SetSaved(SetKey("", "", 0), 199, (store.games[0],)))
    expected = decide(set_values(store.games[:140], *trial.bots), trial.hypotheses)
    assert line == f"LLR {expected.llr:.2f} (-2.94 to 2.94)"


def test_the_live_ratio_goes_on_behind_a_set_that_is_left_out() -> None:
    trial = SprtSettings(("random", "greedy"), Hypotheses(0, 5), SCORE)
    store = GamesSoFar()
    match = quick_match(
        [find_bot(bot) for bot in trial.bots], {"two-handed": {}}, sets=200, settings={"stop": trial.stop_rule(False)}
    )
    store.left_out = {0, 70}
    store.stored = set(range(200)) - store.left_out
    line = LiveRatio(trial, match, cast(Store, store)).status(SetSaved(SetKey("", "", 0), 198, (store.games[2],)))
    games = [game for game in store.games if game.id.set_number in store.stored]
    expected = decide(set_values(games, *trial.bots), trial.hypotheses)
    assert line == f"LLR {expected.llr:.2f} (-2.94 to 2.94)"
