"""What the searching bots share: habits, estimates, worlds, worth, and the limit to thinking."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest

from bots.greedy.odds import Odds, expected
from bots.greedy.ranking import Ranking
from bots.search import estimate
from bots.search.beating import Beating
from bots.search.estimate import Estimate
from bots.search.habits import Habits
from bots.search.thought import Thought
from bots.search.worlds import Worlds
from bots.search.worth import cut_short, play_out, worth
from engine import Action, Game, Sampler, new_game, rules_of, variant_names
from engine.cards import members


def _game(variant: str, number: int = 0, max_hands: int = 3) -> Game:
    seed = hashlib.sha256(f"{variant} {number}".encode()).digest()
    return new_game(variant, {"max_hands": max_hands}, seed=seed)


def _random_positions(variant: str, number: int) -> Iterator[Game]:
    """The positions of a game played at random."""
    rng = random.Random(number)
    game = _game(variant, number)
    while game.actor is not None:
        yield game
        game.apply(rng.choice(game.legal_actions()))


@pytest.mark.parametrize("variant", variant_names())
def test_habits_are_legal_and_the_same_for_the_same_game(variant: str) -> None:
    habits = Habits(variant, _game(variant).options)
    for game in _random_positions(variant, 1):
        chosen = habits.choose(game)
        assert chosen in game.legal_actions(), f"{game.phase.stage}: {chosen} of {game.legal_actions()}"
        assert habits.choose(game.copy()) is chosen


@pytest.mark.parametrize("variant", variant_names())
def test_a_game_cut_short_is_played_to_the_end_of_its_hand(variant: str) -> None:
    habits = Habits(variant, _game(variant).options)
    game = cut_short(_game(variant))
    shares = play_out(game, habits)
    assert game.hand_number == 1 or game.is_over
    assert all(0.0 <= share <= 1.0 for share in shares)


@pytest.mark.parametrize("variant", ["euchre", "bid-102", "seven-handed"])
def test_estimate_is_near_the_odds_that_it_remembers(variant: str) -> None:
    """Suits are taken one by one, so it differs a little from the whole hand's odds, and in the mean hardly at all."""
    pack = rules_of(variant).rules().pack
    ranking = Ranking(pack, "h")
    remembered = Estimate(pack, "h", 2, 5)
    rng = random.Random(1)
    differences = []
    for _ in range(200):
        hand = sum(rng.sample(pack.cards, 5))
        exact = expected(Odds(ranking, pack.whole & ~hand, 0, 2, 5), hand)
        differences.append(remembered.tricks(hand) - exact)
    assert max(map(abs, differences)) < 0.9
    assert abs(sum(differences)) / len(differences) < 0.15


def test_an_estimate_remembers_no_more_hands_than_it_may_and_answers_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = rules_of("euchre").rules().pack
    rng = random.Random(2)
    hands = [sum(rng.sample(pack.cards, 5)) for _ in range(30)]
    roomy = Estimate(pack, "h", 2, 5)
    usual = [roomy.tricks(hand) for hand in hands]
    monkeypatch.setattr(estimate, "MOST_HANDS", 4)
    narrow = Estimate(pack, "h", 2, 5)
    for _ in range(2):
        assert [narrow.tricks(hand) for hand in hands] == usual
        assert len(narrow._known) <= 4


@pytest.mark.parametrize("variant", ["euchre", "cornish", "almonte"])
def test_beating_agrees_with_the_engines_strengths(variant: str) -> None:
    pack = rules_of(variant).rules().pack
    order = pack.order("d")
    table = Beating(pack, "d")
    for led in pack.cards:
        follow, beat = table.against[led]
        strength = order.lead[led].strength
        assert follow == order.lead[led].follow
        stronger = {card for card in pack.cards if card != led and strength[card] >= strength[led]}
        assert set(members(beat)) == stronger, f"{pack.code[led]} led"


def test_calls_of_others_make_fitting_worlds_likelier() -> None:
    """Whoever ordered holds more of the trumps than by chance alone."""
    game = _game("euchre", 3)
    while game.actor != game.dealer:
        game.apply("pass")
    game.apply("order")
    while game.phase.stage != "play":
        game.apply(game.legal_actions()[0])
    assert game.actor is not None
    view = game.view(game.actor)
    assert view.seat != game.dealer
    habits = Habits("euchre", game.options)
    trumps = game.order.trumps
    rng = random.Random(1)

    def trumps_of_dealer(worlds: list[Game]) -> float:
        return sum((world.hands[game.dealer] & trumps).bit_count() for world in worlds) / len(worlds)

    likely, any_world = Worlds(view, habits), Sampler(view)
    weighed = trumps_of_dealer([likely.draw(rng) for _ in range(300)])
    by_chance = trumps_of_dealer([any_world.draw(rng) for _ in range(300)])
    assert weighed > by_chance + 0.2, f"{weighed:.2f} trumps with the dealer, {by_chance:.2f} by chance"


@pytest.mark.parametrize("variant", variant_names())
def test_worlds_look_like_the_view(variant: str) -> None:
    rng = random.Random(5)
    habits = Habits(variant, _game(variant).options)
    for number, game in enumerate(_random_positions(variant, 2)):
        if number % 5 == 0 and game.actor is not None:
            view = game.view(game.actor)
            assert Worlds(view, habits).draw(rng).view(view.seat) == view


def test_worth_is_half_at_even_scores_and_grows_with_a_lead() -> None:
    game = _game("buck")
    assert worth(game) == [0.5] * 4
    game.scores = (20, 25, 25, 25)  # fewer are better
    first, *others = worth(game)
    assert first > 0.5 > others[0] == others[1] == others[2]


def _played(game: Game) -> Game:
    habits = Habits(game.variant, game.options)
    while game.actor is not None:
        game.apply(habits.choose(game))
    return game


def test_worth_of_a_game_that_is_won_goes_by_the_ranks() -> None:
    game = _played(_game("euchre", max_hands=0))
    assert game.ended == "target"
    assert worth(game) == [float(rank == 1) for rank in game.ranks]


def test_worth_of_a_single_deal_goes_by_its_points() -> None:
    """A deal that counts by points is worth more when it is won by more."""
    game = _played(_game("euchre", max_hands=1))
    assert game.ended == "limit"
    game.scores = (1, 0, 1, 0)
    point = worth(game)[0]
    game.scores = (4, 0, 4, 0)
    assert 0.5 < point < worth(game)[0] < 1.0


def test_thought_ends_with_its_worlds_or_its_time() -> None:
    now = iter([0.0, 0.01, 0.02, 0.03, 0.04, 0.05])
    assert sum(1 for _ in iter(Thought(9.0, 4).begin(1000, lambda: 0.0).more, False)) == 4
    clock = Thought(0.025, 99).begin(1000, lambda: next(now))
    assert [clock.more() for _ in range(4)] == [True, True, False, False]


def test_thought_keeps_within_the_referees_budget() -> None:
    now = iter([0.0, 0.005, 0.007])
    clock = Thought(9.0, 99).begin(10, lambda: next(now))
    assert [clock.more() for _ in range(2)] == [True, False]


def test_habits_win_a_trick_as_cheaply_as_they_can() -> None:
    """The last player takes an opponent's trick with the lower of two cards that win."""
    game = _game("euchre")
    habits = Habits("euchre", game.options)
    decided = 0
    for number in range(120):
        game = _game("euchre", number, 1)
        while game.actor is not None:
            chosen = habits.choose(game)
            if game.phase.stage == "play" and len(game.trick) == len(game.active) - 1:
                decided += _assert_cheapest(game, chosen)
            game.apply(chosen)
    assert decided > 20


def _assert_cheapest(game: Game, chosen: Action) -> bool:
    """Whether there was more than one card to win with; asserts that no cheaper one was left."""
    assert game.actor is not None
    strength = game.lead.strength
    winners = [card for card in members(game.phase.choices(game)) if strength[card] >= game.best]
    if game.sides[game.winning] == game.sides[game.actor] or not winners:
        return False
    played = strength[game.rules.pack.bits[chosen.card]]
    assert played == min(strength[card] for card in winners), f"{chosen} of {game.legal_actions()}"
    return len(winners) > 1
