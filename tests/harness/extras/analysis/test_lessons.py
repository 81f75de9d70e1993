"""What a hand cost the player: judged from what the seat knew, and shown where somebody plays."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bowerbird.engine import Game, OptionValue, Sampler, new_game
from bowerbird.harness.cli.shared.marks import lessons_of
from bowerbird.harness.extras.play import screen
from bowerbird.harness.extras.play.person_game import FinishedHand, PersonGame
from bowerbird.harness.records.replay.replay import Step
from bowerbird.harness.report.marks import Lesson
from tests.support.followed_games import followed

OPTIONS: dict[str, OptionValue] = {"max_hands": 2}
SEAT = 1


def played(variant: str = "euchre") -> Sequence[Sequence[Step]]:
    """Return the steps of each hand of a game that is played at random."""
    game = new_game(variant, OPTIONS, seed=bytes(32))
    follower, _, _ = followed(game, SEAT, random.Random(1))
    assert len(follower.steps) == 2
    return follower.steps


@pytest.fixture(scope="module")
def hands() -> Sequence[Sequence[Step]]:
    return played()


def lessons(steps: Sequence[Step], seat: int = SEAT) -> list[Lesson]:
    found = lessons_of("euchre", OPTIONS, steps, seat)
    assert found is not None
    return found


def test_each_choice_of_the_seat_alone_has_a_lesson_with_the_worth_of_each_action(
    hands: Sequence[Sequence[Step]],
) -> None:
    for steps in hands:
        found = lessons(steps)
        asked = [step.index for step in steps if step.seat == SEAT and len(step.legal) > 1]
        assert [one.action for one in found] == asked
        for one in found:
            step = steps[one.action]
            assert (step.hand, step.seat, step.token) == (one.hand, SEAT, one.token)
            assert {token for token, _, _ in one.values} == {action.token for action in step.legal}
            assert max(share for _, _, share in one.values) == 1, "the bar of the best is full"
            assert one.better in {token for token, _, _ in one.values}


def test_a_mistake_certainly_cost_something(hands: Sequence[Sequence[Step]]) -> None:
    found = [one for steps in hands for one in lessons(steps)]
    assert any(one.is_mistake for one in found), "who plays at random errs"
    for one in found:
        assert one.is_mistake == (one.least > 0 and one.better != one.token)


def test_lessons_tell_nothing_of_cards_that_the_seat_did_not_see(hands: Sequence[Sequence[Step]]) -> None:
    """With any other deal that the seat cannot tell apart, they are the same."""

    def otherwise(step: Step) -> Game:
        return Sampler(step.before.view(SEAT)).draw(random.Random(step.index))

    for steps in hands:
        others = [replace(step, before=otherwise(step)) if step.seat == SEAT else step for step in steps]
        assert lessons(others) == lessons(steps)


def test_without_networks_there_are_no_lessons() -> None:
    options: dict[str, OptionValue] = {**OPTIONS, "deck": 32}
    assert lessons_of("euchre", options, [], SEAT) is None


@pytest.fixture
def game() -> PersonGame:
    class Played:
        variant = "euchre"
        seat = SEAT
        names = ("greedy", "you", "greedy", "greedy")

        class setup:  # noqa: N801 (an attribute of the game)
            resolved = OPTIONS

    return Played()  # type: ignore[return-value]  # all that is asked of one


def test_the_terminal_shows_the_costliest_mistakes_of_a_hand(game: PersonGame, hands: Sequence[Sequence[Step]]) -> None:
    for steps in hands:
        mistakes = sorted((one for one in lessons(steps) if one.is_mistake), key=lambda one: -one.least)
        lines = screen.lessons(game, FinishedHand(steps[0].hand, (), (), steps))
        assert len(lines) == 1 + min(len(mistakes), screen.MOST_LESSONS)
        for line, one in zip(lines[1:], mistakes, strict=False):
            assert line.endswith(f": {one.points:.2f} ±{one.reach:.2f}")
            assert ", better " in line
        assert bool(mistakes) == (lines != [screen.NO_MISTAKES])


def test_the_page_shows_every_choice_with_a_bar_for_each_action(
    game: PersonGame, hands: Sequence[Sequence[Step]]
) -> None:
    for steps in hands:
        rows = screen.lesson_rows(game, FinishedHand(steps[0].hand, (), (), steps))
        assert rows is not None
        for row, one in zip(rows, lessons(steps), strict=True):
            assert row["cost"] == one.is_mistake == str(row["mark"]).startswith("✗ cost ")
            assert str(row["mark"]).startswith("?") <= (one.points >= screen.SLIGHT)
            choices = row["choices"]
            assert isinstance(choices, list)
            assert len(choices) == len(one.values)
            assert [share for _, _, share, _ in choices] == sorted((share for _, _, share, _ in choices), reverse=True)
            assert sum(chosen for *_, chosen in choices) == 1
            assert choices[0][2] == 100, "the best has a full bar"
