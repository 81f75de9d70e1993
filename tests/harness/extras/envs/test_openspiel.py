"""Every variant is a sound game of OpenSpiel: its own checks, resampling, its algorithms, bad input."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from bowerbird.engine import InvalidOption, OptionValue, UnknownVariant, variant_names
from bowerbird.harness.features.observing import observation
from tests.support.deadline import DEADLINE_S
from tests.support.engine.random_options import random_options

FEW = ("euchre", "two-handed-straw-men", "king-cut-throat", "cornish", "seven-handed")
"""Variants that between them deal twice in a hand, hide discards and gifts, and ask in private."""


@pytest.fixture(scope="module")
def pyspiel() -> Any:
    """Return OpenSpiel's module. Without it these tests skip, or fail if nothing may be skipped."""
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")


def load(variant: str, options: Mapping[str, OptionValue] | None = None) -> Any:
    from bowerbird.harness.extras.envs.openspiel import load_game

    return load_game(variant, options)


def dealt(game: Any, rng: random.Random) -> Any:
    """Return a state after the deal."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def played(game: Any, rng: random.Random) -> Any:
    """Yield each state of a random game in which a seat is to decide, then the last one."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if not state.is_chance_node():
            yield state
        state.apply_action(rng.choice(state.legal_actions()))
    yield state


def check_openspiels_own(pyspiel: Any, variant: str, games: int) -> None:
    pyspiel.random_sim_test(load(variant), games, True, False)
    pyspiel.random_sim_test(load(variant, {"max_hands": 3}), 1, True, False)


@pytest.mark.parametrize("variant", ["two-handed", "buck", "bid-euchre"])
def test_openspiels_own_checks_pass(pyspiel: Any, variant: str) -> None:
    check_openspiels_own(pyspiel, variant, 2)


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("variant", FEW)
def test_openspiels_own_checks_pass_for_a_few(pyspiel: Any, variant: str) -> None:
    check_openspiels_own(pyspiel, variant, 3)


@pytest.mark.long
@pytest.mark.parametrize("variant", variant_names())
def test_openspiels_own_checks_pass_for_all(pyspiel: Any, variant: str) -> None:
    check_openspiels_own(pyspiel, variant, 50)
    for draw in range(3):
        options = random_options(variant, random.Random(f"{variant} {draw}"), 2)
        pyspiel.random_sim_test(load(variant, options), 5, True, False)


def check_playthrough(variant: str, options: Mapping[str, OptionValue]) -> None:
    """A playthrough is the file that OpenSpiel tests each of its own games with: the same seed gives the same text."""
    from open_spiel.python.algorithms.generate_playthrough import playthrough_lines

    name = str(load(variant, options))
    first, again = [playthrough_lines(name, seed=1) for _ in range(2)]
    assert first == again
    assert "IsTerminal() = True" in first


@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize("variant", ["two-handed"])
def test_playthroughs_repeat(variant: str) -> None:
    check_playthrough(variant, random_options(variant, random.Random(variant), 1))


@pytest.mark.long
@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize("variant", variant_names())
def test_playthroughs_repeat_for_all(variant: str) -> None:
    check_playthrough(variant, {})
    check_playthrough(variant, random_options(variant, random.Random(variant), 2))


def redealt(game: Any, rng: random.Random) -> Any:
    """Return a state of King Cut-Throat after a turned joker: the hand is dealt again (V11.5.2)."""
    state = game.new_initial_state()
    state.apply_action(dealer := rng.randrange(game.num_players()))
    joker = game.rules.pack.codes.index("X1")
    top = dict(game.rules.plans[dealer].piles)["kitty"][0]
    for place in range(game.rules.pack.size):
        others = [card for card in state.legal_actions() if card != joker]
        state.apply_action(joker if place == top else rng.choice(others))
    while not state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def check_resampled(state: Any, other: Any, seat: int) -> None:
    """A resampled state looks the same to the player, and its history has its own cards."""
    assert other.information_state_string(seat) == state.information_state_string(seat)
    assert other.observation_tensor(seat) == state.observation_tensor(seat)
    assert other.legal_actions() == state.legal_actions()
    assert str(state.get_game().deserialize_state(other.serialize())) == str(other), "its history leads to it"


def check_resampling(pyspiel: Any, variant: str, options: Mapping[str, int], games: int) -> None:
    """A resampled state looks the same to the player, holds other cards, and has a history of its own cards."""
    game, rng = load(variant, options), random.Random(variant)
    sampler = pyspiel.UniformProbabilitySampler(rng.getrandbits(31), 0.0, 1.0)
    others = 0
    for _ in range(games):
        for state in played(game, rng):
            if state.is_terminal():
                continue
            seat = state.current_player()
            other = state.resample_from_infostate(seat, sampler)
            check_resampled(state, other, seat)
            others += str(other) != str(state)
    assert others, f"every state of {variant} was the only one"


def test_a_resampled_state_cannot_be_told_from_the_true_one(pyspiel: Any) -> None:
    check_resampling(pyspiel, "two-handed", {}, 2)


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("variant", FEW)
def test_a_resampled_state_cannot_be_told_from_the_true_one_for_a_few(pyspiel: Any, variant: str) -> None:
    check_resampling(pyspiel, variant, {"max_hands": 2}, 2)


@pytest.mark.parametrize("variant", variant_names())
def test_ten_resamples_of_a_random_state_cannot_be_told_from_it(pyspiel: Any, variant: str) -> None:
    """A few random states of each variant; `BOWERBIRD_TEST_STATES=2000` for as many."""
    game, rng = load(variant), random.Random(variant)
    sampler = pyspiel.UniformProbabilitySampler(rng.getrandbits(31), 0.0, 1.0)
    left = int(os.environ.get("BOWERBIRD_TEST_STATES", "3"))
    while left:
        for state in played(game, rng):
            if not left or state.is_terminal() or rng.random() < 0.85:
                continue
            left -= 1
            seat = state.current_player()
            for _ in range(10):
                other = state.resample_from_infostate(seat, sampler)
                assert other.information_state_string(seat) == state.information_state_string(seat)


@pytest.mark.parametrize("options", [{}, {"players": 2}, {"max_hands": 2}], ids=str)
def test_a_hand_dealt_again_can_be_resampled(pyspiel: Any, options: Mapping[str, int]) -> None:
    game, rng = load("king-cut-throat", options), random.Random(str(options))
    sampler = pyspiel.UniformProbabilitySampler(rng.getrandbits(31), 0.0, 1.0)
    state = redealt(game, rng)
    assert ("redeals", "1") in state._table.game.view(0).extra
    while not state.is_terminal() and not state.is_chance_node():
        seat = state.current_player()
        check_resampled(state, state.resample_from_infostate(seat, sampler), seat)
        state.apply_action(rng.choice(state.legal_actions()))


def test_an_information_state_holds_the_cards_of_an_earlier_deal(pyspiel: Any) -> None:
    """Perfect recall: what a seat held before a turned joker is not forgotten."""
    state = redealt(load("king-cut-throat"), random.Random(8))
    first = state.information_state_string(1).split(". seat 1:")
    assert len(first) == 2
    assert all("holds" in deal for deal in first)
    assert state.observation_string(1) in state.information_state_string(1)


def test_openspiels_search_plays_a_hand_dealt_again(pyspiel: Any) -> None:
    check_ismcts("king-cut-throat", redealt)


@pytest.mark.long
@pytest.mark.parametrize("variant", variant_names())
def test_a_resampled_state_cannot_be_told_from_the_true_one_for_all(pyspiel: Any, variant: str) -> None:
    check_resampling(pyspiel, variant, {}, 20)
    check_resampling(pyspiel, variant, {"max_hands": 3}, 5)


def test_a_state_shows_what_the_seat_may_know_and_no_more(pyspiel: Any) -> None:
    """The true hands of the others are not in any text or tensor of a seat."""
    state = dealt(load("euchre"), random.Random(3))
    game = state._table.game
    for seat in range(4):
        text = state.information_state_string(seat)
        own, other = game.view(seat), game.view((seat + 1) % 4)
        assert all(card in text for card in own.hand)
        assert not any(card in text for card in other.hand)
        assert state.observation_tensor(seat) == observation(own).tolist()


@pytest.mark.parametrize("variant", FEW)
def test_a_bot_finds_the_information_state_in_its_view(pyspiel: Any, variant: str) -> None:
    from bowerbird.harness.extras.envs.openspiel import information_state

    for state in played(load(variant), random.Random(variant)):
        if not state.is_terminal():
            seat = state.current_player()
            assert state.information_state_string(seat).endswith(information_state(state._table.game.view(seat)))


def test_an_information_state_tells_apart_what_was_done_in_earlier_hands(pyspiel: Any) -> None:
    """Perfect recall: after two hands no two ways through the first one look alike."""
    game, rng = load("two-handed", {"max_hands": 2}), random.Random(5)
    first = [state.clone() for state in played(game, rng)]
    last = first[-2]
    assert last._table.game.hand_number == 1
    assert all(f"hand {hand} dealer" in last.information_state_string() for hand in (0, 1))
    assert "hand 0 dealer" not in last.observation_string()


def test_the_pack_is_dealt_by_chance_card_by_card_with_exact_probabilities(pyspiel: Any) -> None:
    state = load("euchre").new_initial_state()
    assert state.chance_outcomes() == [(seat, 0.25) for seat in range(4)]
    state.apply_action(2)
    for left in range(24, 0, -1):
        outcomes = state.chance_outcomes()
        assert [probability for _, probability in outcomes] == [1 / left] * left
        state.apply_action(outcomes[-1][0])
    assert state.current_player() == 3, "the eldest hand is asked first"
    assert state._table.game.packs[0].split() == list(reversed(state._table.rules.pack.codes)), "the first is on top"


def test_returns_are_the_points_above_those_of_the_other_side(pyspiel: Any) -> None:
    rng = random.Random(1)
    for _ in range(20):
        *_, end = played(load("euchre"), rng)
        scores = end._table.game.scores
        assert end.returns() == [scores[seat] - scores[(seat + 1) % 4] for seat in range(4)]


def test_external_sampling_mccfr_runs_on_two_handed(pyspiel: Any) -> None:
    from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

    np.random.seed(1)
    game = load("two-handed")
    solver = ExternalSamplingSolver(game)
    solver.iteration()
    solver.iteration()
    policy = solver.average_policy()
    state = dealt(game, random.Random(2))
    chances = policy.action_probabilities(state)
    assert set(chances) == set(state.legal_actions())
    assert sum(chances.values()) == pytest.approx(1.0)


def check_ismcts(variant: str, begun: Callable[[Any, random.Random], Any] = dealt) -> None:
    """OpenSpiel's search in Python plays a hand to its end with our resampler."""
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    game, rng = load(variant), random.Random(variant)
    evaluator = RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ISMCTSBot(game, evaluator, 2.0, 8, random_state=np.random.RandomState(2))
    state = begun(game, rng)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
        else:
            action = int(bot.step(state))
            assert action in state.legal_actions()
            state.apply_action(action)
    assert sum(state.returns()) == pytest.approx(0.0)


def test_openspiels_search_in_python_plays_with_our_resampler(pyspiel: Any) -> None:
    check_ismcts("two-handed")


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("variant", FEW)
def test_openspiels_search_in_python_plays_a_few(pyspiel: Any, variant: str) -> None:
    check_ismcts(variant)


@pytest.mark.long
@pytest.mark.parametrize("variant", variant_names())
def test_openspiels_search_in_python_plays_all(pyspiel: Any, variant: str) -> None:
    check_ismcts(variant)


# Pickle


@pytest.mark.parametrize("variant", variant_names())
def test_games_and_states_survive_pickle(pyspiel: Any, variant: str) -> None:
    rng = random.Random(variant)
    for options in ({}, random_options(variant, rng, 2)):
        game = load(variant, options)
        twin = pickle.loads(pickle.dumps(game))
        assert (str(twin), twin.rules) == (str(game), game.rules)
        state = game.new_initial_state()
        while not state.is_terminal():
            if rng.random() < 0.05:
                copy = pickle.loads(pickle.dumps(state))
                assert (copy.history(), str(copy)) == (state.history(), str(state))
                state = copy
            state.apply_action(rng.choice(state.legal_actions()))


FRESH = """
import pickle, sys
solver, policy, state = pickle.load(sys.stdin.buffer)
solver.iteration()
print(sorted(policy.action_probabilities(state).items()), len(state.history()))
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", ["external", "outcome"])
def test_a_solver_and_its_policy_go_on_in_a_fresh_process(pyspiel: Any, name: str) -> None:
    module = import_module(f"open_spiel.python.algorithms.{name}_sampling_mccfr")
    np.random.seed(1)
    game = load("two-handed", {"deck": 24})
    solver = getattr(module, f"{name.capitalize()}SamplingSolver")(game)
    solver.iteration()
    policy, state = solver.average_policy(), dealt(game, random.Random(2))
    done = subprocess.run(
        [sys.executable, "-c", FRESH],
        input=pickle.dumps((solver, policy, state)),
        capture_output=True,
        check=False,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    expected = f"{sorted(policy.action_probabilities(state).items())} {len(state.history())}"
    assert done.stdout.decode().strip() == expected


def test_a_game_can_be_loaded_by_its_name_and_parameters(pyspiel: Any) -> None:
    from bowerbird.harness.extras.envs.openspiel import register

    assert len(register()) == len(register()) == len(variant_names()), "it may be called again"
    game = pyspiel.load_game("python_bowerbird_euchre(deck=28,stick_dealer=True)")
    assert game.max_chance_outcomes() == 28
    assert game.rules.options["stick_dealer"] is True


def test_bad_input_is_refused_in_one_sentence(pyspiel: Any) -> None:
    from bowerbird.engine import IllegalAction

    with pytest.raises(UnknownVariant, match="unknown variant 'bukc', did you mean 'buck'"):
        load("bukc")
    with pytest.raises(InvalidOption, match="unknown option 'strat' of buck, did you mean 'start'"):
        load("buck", {"strat": 3})
    with pytest.raises(InvalidOption, match="max_hands cannot be 0 in OpenSpiel"):
        load("buck", {"max_hands": 0})
    with pytest.raises(InvalidOption, match="option deck of euchre must be 24, 28 or 32, not 25"):
        pyspiel.load_game("python_bowerbird_euchre", {"deck": 25})
    state = load("euchre").new_initial_state()
    with pytest.raises(IllegalAction, match="chance cannot choose 77 here: it chooses among 0 1 2 3"):
        state.apply_action(77)
    state = dealt(load("euchre"), random.Random(1))
    with pytest.raises(IllegalAction, match=r'cannot do "play As" \(order up\); legal: pass, order, order alone'):
        state.apply_action(state._table.actions.of("play As"))
    *_, end = played(load("euchre"), random.Random(1))
    with pytest.raises(IllegalAction, match="comes too late: the game is over"):
        end.apply_action(0)


@pytest.mark.usefixtures("processes")
def test_without_openspiel_one_sentence_names_the_extra() -> None:
    hidden = "import sys; sys.modules['pyspiel'] = None; import bowerbird.envs.openspiel"
    ended = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last == "ImportError: bowerbird.envs.openspiel needs OpenSpiel: pip install 'bowerbird[openspiel]'"
