"""What would have changed the order: exactly the mistakes that keep a bot behind."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bowerbird.harness.extras.analysis.game_analysis import BIDDING, Decision, GameAnalysis, SideHand
from bowerbird.harness.extras.analysis.order import closing, order_in_words
from bowerbird.harness.extras.analysis.profile import Figures, profiles

GAME = "0123456789/euchre-0/ann+bob/{}/0"


def decision(seat: int, loss: int, did: str = "pass") -> Decision:
    bot = "ann" if seat % 2 == 0 else "bob"
    return Decision(0, seat, seat, bot, BIDDING, did, "order", did, "order", loss, 0, ((did, 0), ("order", loss)))


def figures(decisions: Sequence[Decision], result: int) -> Figures:
    """Return two games of one hand each: "ann" has the seats 0 and 2, and won `result` thousandths in it."""
    own = [sum(one.loss for one in decisions if one.seat % 2 == side) for side in (0, 1)]
    hands = tuple(
        SideHand(0, seat, seat % 2, "ann" if seat % 2 == 0 else "bob", won, won + own[seat % 2] - own[1 - seat % 2],
                 own[seat % 2], own[1 - seat % 2], 0)
        for seat in range(4)
        for won in [result if seat % 2 == 0 else -result]
    )  # fmt: skip
    return {GAME.format(number): GameAnalysis(tuple(decisions), hands) for number in range(2)}


def sentence(decisions: Sequence[Decision], result: int) -> str:
    found = figures(decisions, result)
    (said,) = order_in_words(found, profiles(found))
    return said


def test_a_mistake_counts_twice_between_two_opponents_since_the_other_gains_it() -> None:
    found = figures([decision(1, 300)], 500)
    by_name = {one.bot: one for one in profiles(found)}
    assert closing(found, by_name["ann"], by_name["bob"]) == pytest.approx(0.6)


def test_one_habit_is_named_where_it_would_have_been_enough() -> None:
    said = sentence([decision(1, 300)], 100)
    assert said.startswith("bob is 0.20 points a hand behind ann. Without one habit (pass, where champion would order)")
    assert said.endswith("it would be 0.40 ahead.")


def test_as_few_habits_as_would_have_been_enough_are_named() -> None:
    said = sentence([decision(1, 300, "call"), decision(3, 200, "pass")], 350)
    assert "Without its 2 costliest habits (call, where champion would order; pass, where" in said
    assert said.endswith("it would be 0.30 ahead.")


def test_who_would_be_behind_without_any_mistake_is_said_to_be() -> None:
    assert sentence([decision(1, 300)], 1000).endswith("Without any mistake it would still be 1.40 behind.")


def test_losses_of_the_better_bot_do_not_count_for_the_lower_one() -> None:
    found = figures([decision(0, 900), decision(1, 300)], 500)
    by_name = {one.bot: one for one in profiles(found)}
    assert closing(found, by_name["ann"], by_name["bob"]) == pytest.approx(0.6)
