"""The common parts of the searching bots: policy, estimator, worlds, rewards and budget."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest

from bowerbird.bots.greedy.odds import Odds, expected_tricks
from bowerbird.bots.greedy.ranking import Ranking
from bowerbird.bots.search import estimator
from bowerbird.bots.search.budget import Budget
from bowerbird.bots.search.estimator import TrickEstimator
from bowerbird.bots.search.policy import BeatTable, RolloutPolicy
from bowerbird.bots.search.rollout import Rollouts, expected_rewards, play_out, rewards
from bowerbird.bots.search.worlds import WorldSampler
from bowerbird.engine import LIMIT, Action, Game, Sampler, members, new_game, rules_of, variant_names
from bowerbird.envs.vector import hand_rewards
from tests.support.bots.last_pass import PASS, at_the_last_pass
from tests.support.engine.open_state import set_scores
from tests.support.engine.random_options import random_options

GAMES_OF_SETS = 6
NEVER_PLAIN = ("two-handed-straw-men", "king-cut-throat")
"""Cards lie on the table there, or kings score."""


def _game(variant: str, number: int = 0, max_hands: int = 3) -> Game:
    seed = hashlib.sha256(f"{variant} {number}".encode()).digest()
    return new_game(variant, {"max_hands": max_hands}, seed=seed)


def _random_positions(variant: str, number: int) -> Iterator[Game]:
    """Yield the positions of a game played at random."""
    rng = random.Random(number)
    game = _game(variant, number)
    while game.actor is not None:
        yield game
        game.apply(rng.choice(game.legal_actions()))


@pytest.mark.parametrize("variant", variant_names())
def test_the_policy_is_legal_and_the_same_for_the_same_game(variant: str) -> None:
    policy = RolloutPolicy(variant, _game(variant).options)
    for game in _random_positions(variant, 1):
        chosen = policy.choose(game)
        assert chosen in game.legal_actions(), f"{game.stage}: {chosen} of {game.legal_actions()}"
        assert policy.choose(game.copy()) is chosen


@pytest.mark.parametrize("variant", variant_names())
def test_a_rollout_ends_with_its_hand(variant: str) -> None:
    policy = RolloutPolicy(variant, _game(variant).options)
    game = _game(variant)
    game.skip_later_shuffles()
    shares = rewards(_after_hand(game, policy))
    assert all(0.0 <= share <= 1.0 for share in shares)


@pytest.mark.parametrize("variant", variant_names())
def test_cards_that_are_played_as_sets_end_the_hand_as_they_do_one_by_one(variant: str) -> None:
    rng = random.Random(variant)
    compared = 0
    for number in range(GAMES_OF_SETS):
        options = random_options(variant, rng, 3)
        game = new_game(variant, options, seed=rng.randbytes(32))
        policy = RolloutPolicy(variant, game.options)
        while game.actor is not None:
            if game.is_plain_play():
                compared += 1
                _assert_same_end(game, policy, f"game {number} with {options}")
            game.apply(rng.choice(game.legal_actions()))
    assert (compared > GAMES_OF_SETS) == (variant not in NEVER_PLAIN), f"compared {compared} times"


def _assert_same_end(game: Game, policy: RolloutPolicy, where: str) -> None:
    hand = game.hand_number
    one_by_one, as_sets = game.copy(), game.copy()
    while one_by_one.actor is not None and one_by_one.hand_number == hand:
        one_by_one.apply(policy.choose(one_by_one))
    play_out(as_sets, policy, hand)
    for what in ("scores", "games", "ranks", "ended", "winners", "hand_number", "dealer", "hands"):
        if what != "hands" or not as_sets.is_over:
            expected, found = getattr(one_by_one, what), getattr(as_sets, what)
            assert found == expected, f"{what} {found} instead of {expected}: {where}, {game!r}"
    ends = [each.results[-1]._replace(history=()) for each in (one_by_one, as_sets)]
    assert ends[0] == ends[1], f"{where}, {game!r}"


def _after_hand(game: Game, policy: RolloutPolicy) -> Game:
    """Return the game after its first hand is played out."""
    played = game.copy()
    play_out(played, policy, 0)
    assert played.is_over or played.hand_number == 1
    return played


@pytest.mark.parametrize("variant", variant_names())
def test_rollouts_find_what_each_game_is_worth_by_itself(variant: str) -> None:
    """Ends with equal tricks are scored once, and the games stay as they are."""
    policy, rng = RolloutPolicy(variant, _game(variant).options), random.Random(variant)
    for game in _random_positions(variant, 2):
        assert game.actor is not None
        if game.hand_number or rng.random() > 0.3:
            continue
        view = game.view(game.actor)
        rollouts, sampler = Rollouts(policy, view, rewards), Sampler(view)
        for _ in range(6):
            world = sampler.draw(rng)
            world.apply(rng.choice(world.legal_actions()))
            before = repr(world), world.hands
            assert rollouts(world) == rewards(_after_hand(world, policy)), f"{world!r}"
            assert (repr(world), world.hands) == before


def test_a_hand_that_the_action_ended_is_judged_without_the_next_one() -> None:
    game = at_the_last_pass("euchre")
    policy = RolloutPolicy("euchre", game.options)
    game.apply(PASS)
    assert game.hand_number == 1, "all passed, and the next dealer deals (rules.md V1.5.3)"
    assert Rollouts(policy, at_the_last_pass("euchre").view(0), rewards)(game) == [0.5] * 4
    assert not game.history, "nothing of the next hand is played"


@pytest.mark.parametrize("variant", ["euchre", "bid-102", "seven-handed"])
def test_the_estimator_is_near_the_odds_that_it_caches(variant: str) -> None:
    """It takes suits one by one, so it differs a little from the odds of the whole hand.

    On average the difference is close to 0.
    """
    pack = rules_of(variant).rules().pack
    ranking = Ranking(pack, "h")
    remembered = TrickEstimator(pack, "h", 2, 5)
    rng = random.Random(1)
    differences = []
    for _ in range(200):
        hand = sum(rng.sample(pack.cards, 5))
        exact = expected_tricks(Odds(ranking, pack.whole & ~hand, 0, 2, 5), hand)
        differences.append(remembered.tricks(hand) - exact)
    assert max(map(abs, differences)) < 0.9
    assert abs(sum(differences)) / len(differences) < 0.15


def test_an_estimate_remembers_no_more_hands_than_it_may_and_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = rules_of("euchre").rules().pack
    rng = random.Random(2)
    hands = [sum(rng.sample(pack.cards, 5)) for _ in range(30)]
    roomy = TrickEstimator(pack, "h", 2, 5)
    usual = [roomy.tricks(hand) for hand in hands]
    monkeypatch.setattr(estimator, "MOST_HANDS", 4)
    narrow = TrickEstimator(pack, "h", 2, 5)
    for _ in range(2):
        assert [narrow.tricks(hand) for hand in hands] == usual
        assert len(narrow._hands) <= 4


@pytest.mark.parametrize("variant", ["euchre", "cornish", "almonte"])
def test_the_beat_table_agrees_with_the_engines_strengths(variant: str) -> None:
    pack = rules_of(variant).rules().pack
    order = pack.order("d")
    table = BeatTable(pack, "d")
    for led in pack.cards:
        follow, beat = table.on_lead[led]
        strength = order.lead[led].strength
        assert follow == order.lead[led].follow
        stronger = {card for card in pack.cards if card != led and strength[card] >= strength[led]}
        assert set(members(beat)) == stronger, f"{pack.code[led]} led"


def test_bids_of_others_make_fitting_worlds_likelier() -> None:
    """A player who ordered holds more trumps than by chance alone."""
    game = _game("euchre", 3)
    while game.actor != game.dealer:
        game.apply("pass")
    game.apply("order")
    while game.stage != "play":
        game.apply(game.legal_actions()[0])
    assert game.actor is not None
    view = game.view(game.actor)
    assert view.seat != game.dealer
    policy = RolloutPolicy("euchre", game.options)
    trumps = game.rules.pack.order(game.trump).trumps
    rng = random.Random(1)

    def trumps_of_dealer(worlds: list[Game]) -> float:
        return sum((world.hands[game.dealer] & trumps).bit_count() for world in worlds) / len(worlds)

    likely, any_world = WorldSampler(view, policy), Sampler(view)
    weighed = trumps_of_dealer([likely.draw(rng) for _ in range(300)])
    by_chance = trumps_of_dealer([any_world.draw(rng) for _ in range(300)])
    assert weighed > by_chance + 0.2, f"{weighed:.2f} trumps with the dealer, {by_chance:.2f} by chance"


@pytest.mark.parametrize("variant", variant_names())
def test_worlds_look_like_the_view(variant: str) -> None:
    rng = random.Random(5)
    policy = RolloutPolicy(variant, _game(variant).options)
    for number, game in enumerate(_random_positions(variant, 2)):
        if number % 5 == 0 and game.actor is not None:
            view = game.view(game.actor)
            assert WorldSampler(view, policy).draw(rng).view(view.seat) == view


def test_rewards_are_half_at_even_scores_and_grow_with_a_lead() -> None:
    game = _game("buck")
    assert rewards(game) == [0.5] * 4
    set_scores(game, (20, 25, 25, 25))  # fewer are better
    first, *others = rewards(game)
    assert first > 0.5 > others[0] == others[1] == others[2]


def _played(game: Game) -> Game:
    policy = RolloutPolicy(game.variant, game.options)
    while game.actor is not None:
        game.apply(policy.choose(game))
    return game


def test_rewards_of_a_game_that_is_won_go_by_the_ranks() -> None:
    game = _played(_game("euchre", max_hands=0))
    assert game.ended == "target"
    assert rewards(game) == [float(rank == 1) for rank in game.ranks]


@pytest.mark.parametrize("variant", variant_names())
def test_what_is_expected_of_a_hand_counts_as_what_it_brings(variant: str) -> None:
    """Whoever knows what a hand will bring has the rewards of the hand already, even if fewer points are better."""
    compared = 0
    for number in range(8):
        game = new_game(variant, {"max_hands": 1}, seed=bytes(32), set_number=number)
        before, policy = game.copy(), RolloutPolicy(variant, game.options)
        play_out(game, policy, 0)
        found = rewards(game)
        if game.ended == LIMIT and not any(game.games):
            margins = hand_rewards(game.rules, game.results[0].points)
            assert expected_rewards(before, before.scores, margins) == pytest.approx(found)
            compared += 1
    assert compared > 3


def test_rewards_of_a_single_deal_go_by_its_points() -> None:
    """In a deal that counts by points a higher win is worth more."""
    game = _played(_game("euchre", max_hands=1))
    assert game.ended == "limit"
    set_scores(game, (1, 0, 1, 0))
    point = rewards(game)[0]
    set_scores(game, (4, 0, 4, 0))
    assert 0.5 < point < rewards(game)[0] < 1.0


def test_a_budget_ends_with_its_worlds_or_its_time() -> None:
    now = iter([0.0, 0.01, 0.02, 0.03, 0.04, 0.05])
    assert sum(1 for _ in iter(Budget(9.0, 4).start(1000, lambda: 0.0).next_world, False)) == 4
    clock = Budget(0.025, 99).start(1000, lambda: next(now))
    assert [clock.next_world() for _ in range(4)] == [True, True, False, False]


def test_a_budget_keeps_within_the_referees_budget() -> None:
    now = iter([0.0, 0.005, 0.007])
    clock = Budget(9.0, 99).start(10, lambda: next(now))
    assert [clock.next_world() for _ in range(2)] == [True, False]


def test_the_policy_wins_a_trick_as_cheaply_as_it_can() -> None:
    """The last player takes an opponent's trick with the lower of two winning cards."""
    game = _game("euchre")
    policy = RolloutPolicy("euchre", game.options)
    decided = 0
    for number in range(120):
        game = _game("euchre", number, 1)
        while game.actor is not None:
            chosen = policy.choose(game)
            if game.stage == "play" and len(game.trick) == len(game.active) - 1:
                decided += _assert_cheapest(game, chosen)
            game.apply(chosen)
    assert decided > 20


def _assert_cheapest(game: Game, chosen: Action) -> bool:
    """Assert that no cheaper winning card was left; return whether there was more than one."""
    assert game.actor is not None
    trick = game.open_trick()
    strength = trick.lead.strength
    winners = [card for card in members(trick.choices) if strength[card] >= trick.best]
    if trick.partner_wins or not winners:
        return False
    played = strength[game.rules.pack.bits[chosen.card]]
    assert played == min(strength[card] for card in winners), f"{chosen} of {game.legal_actions()}"
    return len(winners) > 1
