"""The analysis of a game: parts add up exactly, the referee's decisions are nobody's loss, the judge loses nothing."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bowerbird.bots.champion.judging import Judge, Question
from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.engine import Action, Game
from bowerbird.harness.extras.analysis.game_analysis import STAGES, THOUSAND, GameAnalysis, analysed, judge_name
from bowerbird.harness.records.replay.replay import replay
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import Table
from tests.support.records.decided_games import Player, decided_set
from tests.support.records.played_games import game, header

WORLDS = 6


def analysis_of(record: GameRecord, worlds: int = WORLDS) -> GameAnalysis:
    judge, name = (
        Judge.of(record.variant, dict(record.options), worlds),
        judge_name(record.variant, dict(record.options), worlds),
    )
    assert judge is not None
    assert name is not None
    return analysed(record, judge, name)


def at_random(seed: int) -> Player:
    rng = random.Random(seed)
    return lambda game: rng.choice(game.legal_actions())


def by_greedy(game: Game) -> Action:
    assert game.actor is not None
    return greedy(game.view(game.actor))


@pytest.mark.parametrize("variant", ["euchre", "cut-throat", "two-handed", "railroad", "king-cut-throat"])
def test_result_is_par_less_own_losses_and_those_of_others_and_the_rest_exactly(variant: str) -> None:
    record = game(variant, options={"max_hands": 2})
    found = analysis_of(record)
    assert len(found.hands) == 2 * len(record.seats)
    for one in found.hands:
        assert one.result == one.par - one.own + one.others + one.rest
    of_sides = {(one.hand, one.side): one.own for one in found.hands}
    lost = sum(one.loss for one in found.decisions)
    assert sum(of_sides.values()) == lost, "each loss is that of one side"


def test_of_two_sides_one_loses_what_the_other_one_wins() -> None:
    found = analysis_of(game("euchre", options={"max_hands": 2}))
    for hand in range(2):
        seats = [one for one in found.hands if one.hand == hand]
        assert (seats[0].result, seats[0].par, seats[0].rest) == tuple(
            -value for value in (seats[1].result, seats[1].par, seats[1].rest)
        )
        assert (seats[0].own, seats[0].others) == (seats[1].others, seats[1].own)
        assert seats[0].own == seats[2].own


def test_all_decisions_with_a_choice_are_judged_and_the_same_judge_finds_the_same() -> None:
    record = game("euchre", options={"max_hands": 1})
    found = analysis_of(record)
    assert found == analysis_of(record)
    due = [(step.hand, step.index, step.token) for step in replay(record) if len(step.legal) > 1]
    assert [(one.hand, one.step, one.token) for one in found.decisions] == due
    assert {one.stage for one in found.decisions} <= set(STAGES)
    for one in found.decisions:
        assert one.token in dict(one.values)
        assert one.best in dict(one.values)


def test_equal_positions_of_different_games_are_judged_alike() -> None:
    """Mirrored games share cards: what two versions of a bot decide alike must cost both the same."""
    record = game("euchre", options={"max_hands": 1})
    other = replace(record, id=f"{record.id[:-1]}9")
    assert other.id != record.id
    assert analysis_of(other).decisions == analysis_of(record).decisions


def test_what_the_referee_decides_after_a_fault_is_nobodys_loss() -> None:
    def leave(table: Table) -> bool:
        due = table.due
        return due is not None and due.seat == 1 and table.leave(1, Fault("CRASH", "exit status 3"))

    record = game("euchre", options={"max_hands": 1}, misbehave=leave)
    assert any(step.substituted for step in replay(record))
    assert {one.seat for one in analysis_of(record).decisions} <= {0, 2, 3}


def test_a_player_who_decides_as_the_judge_loses_next_to_nothing_and_one_at_random_much() -> None:
    judge = Judge.of("euchre", dict(game("euchre", options={"max_hands": 1}).options), 12)
    assert judge is not None
    rng = random.Random(1)

    def as_judge(game: Game) -> Action:
        legal = game.legal_actions()
        if len(legal) == 1:
            return legal[0]
        (opinion,) = judge.opinions([Question(game, rng)])
        return opinion.actions[opinion.choice()]

    run = header(bots=("judge", "random"))
    lost = {"judge": 0, "random": 0}
    for number in range(3):
        for record in decided_set("euchre", number, run, {"judge": as_judge, "random": at_random(number)}):
            for one in analysis_of(record, 12).decisions:
                lost[one.bot] += one.loss
    deals = 6
    assert lost["judge"] / deals / THOUSAND < 0.15
    assert lost["random"] / deals / THOUSAND > 0.5


def test_an_unfinished_hand_is_left_out() -> None:
    def fault(table: Table) -> bool:
        due = table.due
        return due is not None and bool(table.hands) and table.leave(due.seat, Fault("CRASH", "exit status 3"))

    record = game("euchre", on_fault="forfeit", misbehave=fault, options={"max_hands": 5})
    assert record.result.ended == "forfeit"
    assert {one.hand for one in analysis_of(record).hands} == {0}
