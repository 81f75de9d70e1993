"""champion: legal everywhere, reproducible, in time; what it infers is true more often than not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from bowerbird.bots.champion import lookahead
from bowerbird.bots.champion.deciding import Decider
from bowerbird.bots.champion.inference import log_weights
from bowerbird.bots.champion.levels import LEVELS, Level
from bowerbird.bots.champion.network import networks_of, variants_with_networks
from bowerbird.bots.champion.player import ChampionBot, player_of
from bowerbird.bots.greedy.__main__ import GreedyBot
from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.bots.pimc.player import choose as pimc
from bowerbird.bots.search.budget import Budget
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import Action, Game, Sampler, SeatView, new_game, rules_of, variant_names
from bowerbird.harness.sdk.local import play
from tests.support.bots.last_pass import PASS, allow_decisions_in_hand_0_alone, at_the_last_pass

SMALL = Level(worlds=3, drawn=6, actions=3, solved=2)
PATIENT = 10**9

ENOUGH = 16
"""This many decisions are enough to tell inference from chance."""

OTHER_PACK = {"deck": 32}
"""Options of euchre under which the networks do not fit."""


def decider_of(variant: str) -> Decider:
    options = rules_of(variant).rules().options
    networks = networks_of(variant, options)
    assert networks is not None, (
        f"bots/champion/networks has none for {variant}: python -m bowerbird.bots.champion.training"
    )
    return Decider(networks, variant, options)


def questions(
    variant: str, deals: int, decide: Callable[[Game], Action] | None = None
) -> Iterator[tuple[Game, SeatView]]:
    """Yield the games and views of all decisions with a choice in some hands of greedy, or of who decides."""
    for number in range(deals):
        game = new_game(variant, {"max_hands": 1}, seed=bytes(32), set_number=number)
        while game.actor is not None:
            view = game.view(game.actor)
            if len(view.legal) > 1:
                yield game, view
            game.apply(decide(game) if decide else greedy(view))


def test_every_variant_has_networks_for_its_default_options() -> None:
    without = [name for name in variant_names() if networks_of(name, rules_of(name).rules().options) is None]
    assert not without, f"python -m bowerbird.bots.champion.training {' '.join(without)}"


@pytest.mark.parametrize("variant", variant_names())
def test_it_plays_every_variant_legally(variant: str) -> None:
    bots = [ChampionBot(SMALL), *(GreedyBot() for _ in range(rules_of(variant).seats() - 1))]
    assert play(variant, bots, seed="legal", options={"max_hands": 1}).is_over


def test_the_same_seed_gives_the_same_game() -> None:
    def game(seed: str) -> list[tuple[object, ...]]:
        bots = [ChampionBot(SMALL) for _ in range(4)]
        return [hand.history for hand in play("euchre", bots, seed=seed, options={"max_hands": 2}).results]

    assert game("a") == game("a")
    assert game("a") != game("b")


def test_without_time_or_worlds_the_network_decides() -> None:
    decider = decider_of("euchre")
    for _, view in questions("euchre", 3):
        best = decider.ranked(view)[0][1]
        assert lookahead.choose(decider, view, LEVELS[5], random.Random(1), lambda: False) is best
        assert lookahead.choose(decider, view, LEVELS[1], random.Random(1), lambda: True) is best


def test_time_that_runs_out_ends_the_search() -> None:
    decider = decider_of("euchre")
    left = iter([True, True])
    view = next(view for _, view in questions("euchre", 3) if decider.ranked(view)[0][0] < lookahead.SURE)
    lookahead.choose(decider, view, LEVELS[5], random.Random(1), lambda: next(left, False))
    assert next(left, None) is None, "the time was looked at until there was none"


def test_a_search_shows_what_it_saw_and_takes_the_best_unless_it_may_be_chance() -> None:
    decider, looked = decider_of("euchre"), 0
    for _, view in questions("euchre", 6):
        seen = lookahead.look(decider, view, SMALL, random.Random(1), lambda: True)
        assert [action for _, action in seen.ranked[: len(seen.tried)]] == list(seen.tried)
        if seen.tried:
            looked += 1
            assert seen.worths.shape == (SMALL.worlds, len(seen.tried))
            assert ((seen.worths >= 0) & (seen.worths <= 1)).all(), "worths are shares of the game"
            means = seen.worths.mean(axis=0)
            assert seen.choice in {seen.tried[0], seen.tried[int(means.argmax())]}
    assert looked > 5


def test_half_of_a_judgement_is_the_hand_played_out(monkeypatch: pytest.MonkeyPatch) -> None:
    decider, looked = decider_of("euchre"), 0
    unsolved = replace(SMALL, solved=0)
    for _, view in questions("euchre", 4):

        def worths(played_out: float, view: SeatView = view) -> NDArray[np.float64]:
            monkeypatch.setattr(lookahead, "Rollouts", lambda policy, view, worth: lambda game: [played_out] * 4)
            return lookahead.look(decider, view, unsolved, random.Random(1), lambda: True).worths

        if len(worths(0.0)):
            looked += 1
            np.testing.assert_allclose(worths(1.0) - worths(0.0), 0.5)
    assert looked > 3


def test_what_may_be_chance_does_not_change_the_networks_choice() -> None:
    ranked = [(0.6, Action("pass")), (0.4, Action("order"))]
    tried = (Action("pass"), Action("order"))

    def choice(*worths: tuple[float, float]) -> Action:
        return lookahead.Look(ranked, tried, np.array(worths)).choice

    assert choice((0.5, 0.6), (0.5, 0.6), (0.5, 0.61)) is Action("order")
    assert choice((0.5, 0.9), (0.5, 0.2), (0.5, 0.5)) is Action("pass")
    assert choice() is Action("pass")


def test_under_options_that_no_network_fits_it_says_so_and_plays_as_pimc(capsys: pytest.CaptureFixture[str]) -> None:
    options = rules_of("euchre").rules(OTHER_PACK).options
    assert networks_of("euchre", options) is None
    said: list[str] = []
    player, policy = player_of("euchre", options, SMALL, said.append), RolloutPolicy("euchre", options)
    assert said == ["champion has no networks for euchre with these options, so it plays like pimc"]
    game = new_game("euchre", OTHER_PACK, seed=bytes(32))
    for _ in range(8):
        assert game.actor is not None
        view = game.view(game.actor)
        budget = Budget(PATIENT, SMALL.worlds)
        expected = pimc(view, policy, budget.start(PATIENT), random.Random(1))
        assert player(view, random.Random(1), lambda: True) is expected
        game.apply(expected)


def test_without_time_it_plays_as_greedy_where_no_network_fits() -> None:
    """A referee may leave no time at all: not one world is examined, however many the level has."""
    game = new_game("euchre", OTHER_PACK, seed=bytes(32))
    player = player_of("euchre", game.options, LEVELS[5])
    for _ in range(8):
        assert game.actor is not None
        view = game.view(game.actor)
        state = random.Random(1)
        before = state.getstate()
        assert player(view, state, lambda: False) is greedy(view)
        assert state.getstate() == before, "a world was drawn"
        game.apply(greedy(view))


def test_games_of_a_network_are_played_to_the_end_of_their_hand_and_no_further() -> None:
    games = [new_game("buck", seed=bytes(32), set_number=number) for number in range(20)]
    decider = decider_of("buck")
    assert not decider.play_on([decider.follow(game) for game in games], 0, lambda _place, _game: False)
    assert all(game.is_over or (game.hand_number == 1 and not game.history) for game in games)


def test_a_pass_that_ends_the_hand_is_worth_what_the_scores_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the networks nor the rollout policy play the next hand, which was dealt from a pack in order."""
    allow_decisions_in_hand_0_alone(monkeypatch)
    decider, looked = decider_of("euchre"), 0
    for number in range(12):
        game = at_the_last_pass("euchre", number)
        assert game.actor is not None
        seen = lookahead.look(decider, game.view(game.actor), SMALL, random.Random(1), lambda: True)
        if PASS in seen.tried:
            looked += 1
            assert set(seen.worths[:, seen.tried.index(PASS)]) == {0.5}
            assert np.ptp(seen.worths) > 0, "the other actions are played out"
    assert looked > 2


def test_games_are_played_on_as_far_as_is_asked() -> None:
    games = [new_game("euchre", seed=bytes(32), set_number=number) for number in range(20)]
    decider = decider_of("euchre")
    followed = [decider.follow(game) for game in games]
    found = decider.play_on(followed, 0, lambda _place, game: len(game.tricks) >= 2)
    assert len(found) > 10, "nearly all hands have a decision after the second trick"
    for place, tracker in found.items():
        game = tracker.game
        assert game is games[place]
        assert len(game.tricks) >= 2
        assert len(game.legal_actions()) > 1
    assert all(game.hand_number == 1 for place, game in enumerate(games) if place not in found)


def test_probabilities_of_a_view_are_those_of_its_game() -> None:
    decider = decider_of("euchre")
    for game, view in questions("euchre", 3):
        scores = decider.scores([decider.follow(game)])[0]
        odds = np.exp(scores - scores.max())
        expected = {action: odds[decider.number[action]] / odds.sum() for action in view.legal}
        assert {action: chance for chance, action in decider.ranked(view)} == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("variant", variants_with_networks())
def test_true_hands_are_likelier_than_drawn_ones(variant: str) -> None:
    """Also where cards were discarded face down: their decisions are repeated with the cards of each world."""
    decider, rng = decider_of(variant), random.Random(5)
    gains: list[float] = []
    for game, view in questions(variant, 4, lambda game: decider.choices([decider.follow(game)])[0]):
        if len(view.history) < 5:
            continue
        if len(gains) == ENOUGH:
            break
        sampler = Sampler(view)
        found = log_weights(decider, view, [game.copy(), *(sampler.draw(rng) for _ in range(8))])
        assert found.max() == 0
        gains.append(found[0] - np.log(np.mean(np.exp(found[1:]))))
    assert len(gains) > ENOUGH // 2
    assert np.mean(gains) > 0, "of equal likelihood they would be 0 in the mean, and of wrong inference less"


def test_nothing_is_inferred_from_own_decisions() -> None:
    decider = decider_of("euchre")
    view = next(view for _, view in questions("euchre", 3) if not view.history)
    worlds = [Sampler(view).draw(random.Random(1)) for _ in range(4)]
    assert log_weights(decider, view, worlds).tolist() == [0, 0, 0, 0]


def test_levels_cost_more_from_one_to_the_next() -> None:
    costs = [level.worlds for _, level in sorted(LEVELS.items())]
    assert costs == sorted(set(costs))
    assert list(LEVELS) == [1, 2, 3, 4, 5]
