"""Bots that are greedy except for one flaw each: the profile names that flaw first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from bowerbird.bots.champion.judging import Judge
from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.engine import Action, Game
from bowerbird.harness.extras.analysis.comparison import compared
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis, analysed, judge_name
from bowerbird.harness.extras.analysis.profile import Habit, profile_of
from tests.support.records.decided_games import Player, decided_set
from tests.support.records.played_games import header

WORLDS = 12


def by_greedy(game: Game) -> Action:
    assert game.actor is not None
    return greedy(game.view(game.actor))


def of_kinds(game: Game, *kinds: str) -> list[Action]:
    return [action for action in game.legal_actions() if action.kind in kinds]


def trumps_among(game: Game, actions: list[Action]) -> list[Action]:
    pack = game.rules.pack
    trumps = pack.order(game.trump).trumps if game.trump else 0
    return [action for action in actions if pack.bits[action.card] & trumps]


def never_calls(game: Game) -> Action:
    passes = of_kinds(game, "pass")
    return passes[0] if passes else by_greedy(game)


def always_goes_alone(game: Game) -> Action:
    chosen = by_greedy(game)
    alone = [action for action in of_kinds(game, chosen.kind) if action.how == "alone" and action.suit == chosen.suit]
    return alone[0] if alone and chosen.kind in ("order", "call") else chosen


def orders_always(game: Game) -> Action:
    orders = [action for action in of_kinds(game, "order") if not action.how]
    return orders[0] if orders else by_greedy(game)


def discards_trump(game: Game) -> Action:
    found = trumps_among(game, of_kinds(game, "discard"))
    return found[0] if found else by_greedy(game)


def discards_aces(game: Game) -> Action:
    found = [action for action in of_kinds(game, "discard") if action.card[0] == "A"]
    found = [action for action in found if action not in trumps_among(game, found)]
    return found[0] if found else by_greedy(game)


def never_calls_with_the_right_bower(game: Game) -> Action:
    chosen, passes = by_greedy(game), of_kinds(game, "pass")
    if chosen.kind not in ("order", "call") or not passes:
        return chosen
    suit = chosen.suit or game.rules.pack.code[game.upcard][-1]
    best = game.rules.pack.order(suit).ranking[0]
    assert game.actor is not None
    return passes[0] if game.hands[game.actor] & best else chosen


def always_leads_trump(game: Game) -> Action:
    plays = of_kinds(game, "play")
    found = trumps_among(game, plays) if plays and not game.trick else []
    return found[-1] if found else by_greedy(game)


def never_wins_a_trick_that_it_can_lose(game: Game) -> Action:
    plays = of_kinds(game, "play")
    if not plays or not game.trick:
        return by_greedy(game)
    trick, pack = game.open_trick(), game.rules.pack
    losers = [
        action for action in plays if trick.lead.strength[pack.bits[action.card] & -pack.bits[action.card]] < trick.best
    ]
    return losers[0] if losers else by_greedy(game)


@dataclass(frozen=True)
class Flaw:
    """A flaw, and whether a habit is named after it."""

    player: Player
    is_named: Callable[[Habit], bool]


FLAWS = {
    "never calls": Flaw(never_calls, lambda one: one.did == "pass" and one.better.startswith(("order", "call"))),
    "orders always": Flaw(orders_always, lambda one: one.did.startswith("order") and one.better == "pass"),
    "never wins": Flaw(never_wins_a_trick_that_it_can_lose, lambda one: one.did == "play a loser"),
    "always alone": Flaw(always_goes_alone, lambda one: "alone" in one.did and "alone" not in one.better),
    "discards trump": Flaw(discards_trump, lambda one: one.did == "discard trump"),
    "discards aces": Flaw(discards_aces, lambda one: one.did == "discard an ace"),
    "always leads trump": Flaw(always_leads_trump, lambda one: one.did == "lead trump"),
    "never with the right bower": Flaw(
        never_calls_with_the_right_bower,
        lambda one: one.did == "pass" and one.better.endswith("with the right bower"),
    ),
}
BRIEF = ("never calls", "orders always", "never wins")


def figures_of(player: Player, sets: int) -> dict[str, GameAnalysis]:
    """Return the figures of "flawed", who plays with this flaw, against greedy."""
    run, figures = header(bots=("flawed", "greedy")), {}
    for number in range(sets):
        for record in decided_set("euchre", number, run, {"flawed": player, "greedy": by_greedy}):
            options = dict(record.options)
            judge, judged_by = Judge.of("euchre", options, WORLDS), judge_name("euchre", options, WORLDS)
            assert judge is not None
            assert judged_by is not None
            figures[record.id] = analysed(record, judge, judged_by)
    return figures


def assert_named_first(name: str, sets: int) -> None:
    flaw = FLAWS[name]
    figures = figures_of(flaw.player, sets)
    first = profile_of(figures, "flawed").habits[0]
    assert flaw.is_named(first), first
    assert profile_of(figures, "flawed").loss.mean > profile_of(figures, "greedy").loss.mean


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("name", BRIEF)
def test_the_profile_names_a_planted_flaw_first(name: str) -> None:
    assert_named_first(name, 10)


@pytest.mark.long
def test_a_comparison_with_the_bot_without_it_names_a_flaw_that_is_rare() -> None:
    """It costs little more than greedy's own costliest habit, which both have."""
    assert compared(figures_of(discards_aces, 60), "greedy", "flawed").habits[0][1] == "discard an ace"


@pytest.mark.long
@pytest.mark.parametrize("name", FLAWS)
def test_the_profile_names_each_planted_flaw_first(name: str) -> None:
    assert_named_first(name, 60)
