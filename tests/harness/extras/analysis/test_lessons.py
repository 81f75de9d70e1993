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


def test_lessons_are_about_choices_of_the_seat_alone_the_costliest_first(hands: Sequence[Sequence[Step]]) -> None:
    found = [(steps, one) for steps in hands for one in lessons(steps)]
    assert found, "who plays at random errs"
    for steps, one in found:
        step = steps[one.action]
        assert (step.hand, step.seat, step.token) == (one.hand, SEAT, one.token)
        assert one.better in {action.token for action in step.legal} - {one.token}
        assert one.points > one.reach, "it surely cost something"
    for steps in hands:
        least = [one.points - one.reach for one in lessons(steps)]
        assert least == sorted(least, reverse=True)


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


def test_a_person_reads_each_lesson_in_words(hands: Sequence[Sequence[Step]]) -> None:
    class Played:
        variant = "euchre"
        seat = SEAT
        names = ("greedy", "you", "greedy", "greedy")

        class setup:  # noqa: N801 (an attribute of the game)
            resolved = OPTIONS

    game: PersonGame = Played()  # type: ignore[assignment]  # all that is asked of one
    for steps in hands:
        found = lessons(steps)
        lines = screen.lessons(game, FinishedHand(steps[0].hand, (), (), steps))
        assert len(lines) == (1 + len(found) if found else 1)
        for line, one in zip(lines[1:], found, strict=False):
            assert f"{one.points:.2f} ±{one.reach:.2f}" in line
            assert ", better " in line
