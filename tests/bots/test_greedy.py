"""The greedy bot: legal everywhere, the same for the same view, and clearly better than chance."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator

import pytest

from bowerbird.bots.greedy.__main__ import GreedyBot
from bowerbird.bots.greedy.player import choose
from bowerbird.engine import Action, Game, OptionValue, SeatView, new_game, rules_of, variant_names
from bowerbird.harness.sdk.local import play

Choose = Callable[[SeatView], Action]

HANDS = 12


def _seed(name: str, number: int = 0) -> bytes:
    return hashlib.sha256(f"{name} {number}".encode()).digest()


def _positions(game: Game, seats: list[Choose]) -> Iterator[SeatView]:
    """Play a game to its end; yield each view before the decision on it is applied."""
    while game.actor is not None:
        view = game.view(game.actor)
        action = seats[game.actor](view)
        assert action in view.legal, f"{game.variant}, {view.stage}: {action} is not one of {view.legal}"
        yield view
        game.apply(action)


def _new(variant: str, number: int, max_hands: int = HANDS) -> Game:
    return new_game(variant, {"max_hands": max_hands}, seed=_seed(variant, number))


def _at_random(number: int) -> Choose:
    rng = random.Random(number)
    return lambda view: rng.choice(view.legal)


def _share_of_wins(variant: str, deals: int) -> float:
    """Return the share of wins of greedy against random bots.

    Greedy plays alone, or with its partners, at each place of the same deals.
    """
    rules = rules_of(variant)
    players = rules.seats()
    won = games = 0.0
    for number in range(deals):
        for own in rules.teams() or [(seat,) for seat in range(players)]:
            seats = [choose if seat in own else _at_random(players * number + seat) for seat in range(players)]
            game = _new(variant, number, 100)
            for _ in _positions(game, seats):
                continue
            best = [seat for seat in range(players) if game.ranks[seat] == 1]
            won += len(set(own) & set(best)) / len(best)
            games += 1
    return won / games


@pytest.mark.parametrize("variant", variant_names())
def test_greedy_answers_legally_through_whole_games_among_random_players(variant: str) -> None:
    players = rules_of(variant).seats()
    decided = 0
    for seat in range(players):
        seats = [choose if other == seat else _at_random(other) for other in range(players)]
        decided += sum(view.seat == seat for view in _positions(_new(variant, seat), seats))
    assert decided > players * HANDS // 2, f"greedy was asked only {decided} times in {players} games of {variant}"


@pytest.mark.parametrize("variant", variant_names())
def test_greedy_answers_legally_through_whole_games_against_itself(variant: str) -> None:
    assert sum(1 for _ in _positions(_new(variant, 0), [choose] * rules_of(variant).seats())) > HANDS


@pytest.mark.parametrize("variant", variant_names())
def test_greedy_meets_positions_of_random_games_with_legal_actions(variant: str) -> None:
    """Random players reach positions that sensible ones never do.

    Every kind of decision must be answered there, too.
    """
    players = rules_of(variant).seats()
    for view in _positions(_new(variant, 1, 3 * HANDS), [_at_random(seat) for seat in range(players)]):
        assert choose(view) in view.legal, f"{variant}, {view.stage}: {view.legal}"


def _other_settings(variant: str) -> list[tuple[str, OptionValue]]:
    """Return every value except the default of every option that has a few values."""
    return [
        (name, value)
        for name, option in rules_of(variant).options.items()
        if isinstance(option.allowed, Iterable)
        for value in option.allowed
        if value != option.default
    ]


@pytest.mark.parametrize("variant", variant_names())
def test_greedy_answers_legally_under_every_option(variant: str) -> None:
    for name, value in _other_settings(variant):
        options: dict[str, OptionValue] = {name: value, "max_hands": HANDS // 2}
        if name == "uncontested_sweep_wins" and "sweep_wins" in rules_of(variant).options:
            options["sweep_wins"] = True  # it needs the other (E12)
        if name == "slam_after_lap":
            options |= {"lap": True, "slam": True}  # it needs both (E23)
        if (variant, name) == ("bid-euchre", "min_bid"):
            options["deck"] = "double-48"  # as many tricks as the highest of them (E23)
        players = rules_of(variant).seats(options)
        game = new_game(variant, options, seed=_seed(f"{variant} {name} {value}"))
        for view in _positions(game, [_at_random(seat) for seat in range(players)]):
            assert choose(view) in view.legal, f"{variant}, {name} = {value}, {view.stage}: {view.legal}"


@pytest.mark.parametrize("variant", variant_names())
def test_same_view_gives_same_action(variant: str) -> None:
    players = rules_of(variant).seats()
    for view in _positions(_new(variant, 2, 4), [_at_random(seat) for seat in range(players)]):
        assert choose(view) is choose(SeatView.from_fields(**view.fields()))


@pytest.mark.parametrize("variant", variant_names())
def test_greedy_beats_random_clearly(variant: str) -> None:
    rules = rules_of(variant)
    fair = 1 / len(rules.teams() or range(rules.seats()))
    deals = 6
    share = _share_of_wins(variant, deals)
    assert share > 1.4 * fair, f"{variant}: greedy won {share:.2f} of {deals} mirrored deals, fair would be {fair:.2f}"


def test_greedy_plays_through_the_sdk() -> None:
    """The bot and the deciding function play the same game: nothing is lost on the wire."""
    played = play("euchre", [GreedyBot()] * 4, seed="greedy")
    game = new_game("euchre", seed=hashlib.sha256(b"greedy").digest())
    while game.actor is not None:
        game.apply(choose(game.view(game.actor)))
    assert (played.scores, played.results) == (game.scores, game.results)


def test_choose_refuses_a_view_without_a_decision() -> None:
    game = new_game("euchre", seed=_seed("euchre"))
    assert game.actor is not None
    idle = (game.actor + 1) % game.players
    with pytest.raises(ValueError, match=f"seat {idle} has nothing to decide"):
        choose(game.view(idle))
