"""`sample_game` draws every world that a seat cannot tell from the real one, each equally often.

These tests find the worlds without the sampler. They deal every way to lay the unseen cards, play it again through the
engine, and count those in which the seat sees the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import factorial, prod
from random import Random

import pytest

from bowerbird.engine import EngineError, Game, IllegalAction, Sampler, SeatView, new_game, rules_of, sample_game
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import play, scenario, trick, written_pack
from tests.support.engine.variant_games import VARIANTS, positions, settings

World = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]
"""Each seat's hand, and the discards."""


def world(game: Game) -> World:
    text = game.rules.pack.text
    return tuple(text(hand) for hand in game.hands), text(state_of(game).dead)


def played_by(view: SeatView, seat: int) -> list[str]:
    return [event.action.card for event in view.history if event.seat == seat and event.action.kind == "play"]


def places(view: SeatView, seen: set[str]) -> tuple[list[str], list[tuple[str, int]]]:
    """Return the cards that the seat has not seen, and the places where they may lie, with the size of each."""
    unseen = [code for code in rules_of(view.variant).rules(view.options).pack.codes if code not in seen]
    sizes = []
    for seat in range(view.players):
        if seat == view.seat:
            continue
        known = view.upcard_holder == seat and view.upcard not in played_by(view, seat)
        sizes.append((f"hand {seat}", 5 - len(played_by(view, seat)) - known))
    if view.upcard_holder not in (None, view.seat) and any(event.action.kind == "discard" for event in view.history):
        sizes.append(("dead", 1))
    sizes.append(("talon", len(unseen) - sum(size for _, size in sizes)))
    return unseen, sizes


def layings(unseen: list[str], sizes: list[tuple[str, int]]) -> Iterator[dict[str, tuple[str, ...]]]:
    if not sizes:
        yield {}
        return
    (name, size), rest = sizes[0], sizes[1:]
    for cards in combinations(unseen, size):
        left = [code for code in unseen if code not in cards]
        for others in layings(left, rest):
            yield {name: cards, **others}


def worlds(view: SeatView) -> set[World]:
    """Return every world in which the seat of this view, in the first hand of a game, has this view."""
    own_discards = [card for memory in view.memory if memory.what == "discarded" for card in memory.cards]
    seen = {view.upcard, *view.memory[0].cards, *own_discards}
    for seat in range(view.players):
        seen.update(played_by(view, seat))
    unseen, sizes = places(view, seen)
    found = set()
    for laid in layings(unseen, sizes):
        dead = list(laid.get("dead", own_discards))
        hands = {view.seat: list(view.memory[0].cards)}
        for seat in range(view.players):
            if seat != view.seat:
                held = {*laid[f"hand {seat}"], *played_by(view, seat), *(dead if view.upcard_holder == seat else ())}
                hands[seat] = sorted(held - {view.upcard})
        game = again(view, {seat: " ".join(cards) for seat, cards in hands.items()}, dead)
        if game is not None:
            found.add(world(game))
    return found


def again(view: SeatView, hands: dict[int, str], dead: list[str]) -> Game | None:
    """Return the hand of the view with these cards, or None if it could not have been played so."""
    pack = written_pack(view.variant, view.dealer, hands, upcard=view.upcard, options=view.options)
    game = new_game(view.variant, view.options, first_dealer=view.dealer, packs=[[pack]])
    try:
        for event in view.history:
            game.apply(f"discard {dead[0]}" if event.action.kind == "discard" else event.action)
    except IllegalAction:
        return None
    return game if game.view(view.seat) == view else None


def assert_uniform(view: SeatView, real: World, draws: int = 25) -> None:
    possible = worlds(view)
    assert real in possible, "the test's own count of worlds is wrong"
    sampler, rng = Sampler(view), Random(7)
    seen = Counter(world(sampler.draw(rng)) for _ in range(draws * len(possible)))
    assert set(seen) <= possible, f"impossible worlds are drawn, such as {next(iter(set(seen) - possible))}"
    chi_square = sum((seen[one] - draws) ** 2 / draws for one in possible)
    freedom = max(len(possible) - 1, 1)
    assert abs(chi_square - freedom) <= 5 * (2 * freedom) ** 0.5, (
        f"chi-square {chi_square:.0f} with {freedom} degrees of freedom: not every world is equally likely"
    )


FOLLOWED = {0: "Js Jc As Ah Kh", 1: "Qh Jh Th Ad Kd", 2: "9h Qd Jd Td 9d", 3: "Ac Kc Qc Tc 9c"}


def test_the_dealers_discard_is_free_of_his_voids() -> None:
    """A10: he put it away before he failed to follow suit. The upcard is in his hand until it is played."""
    game = play(scenario("euchre", dealer=3, hands=FOLLOWED, upcard="9s"), "0 order, 3 discard Ac")
    trick(game, "0: Ah Qh 9h Kc")
    play(game, "0 play As, 1 play Jh")
    view = game.view(2)
    hearts = [
        sample.rules.pack.text(state_of(sample).dead)[0]
        for sample in (sample_game(view, Random(k)) for k in range(300))
    ]
    assert any(card[1] == "h" for card in hearts), "the dead card may be of the suit he is void in"
    assert "9s" not in hearts
    for k in range(100):
        hand = sample_game(view, Random(k)).view(3).hand
        assert "9s" in hand
        assert not any(card[1] == "h" for card in hand), "he did not follow hearts"


def test_a_void_counts_from_the_play_on() -> None:
    """Cards that a seat played before, or that others hold, are not affected."""
    game = play(scenario("euchre", dealer=3, hands=FOLLOWED, upcard="9s"), "0 order, 3 discard Ac")
    for line in ("0: Js Th Td 9s", "0: Jc Jh Jd Kc", "0: As Qh 9d Qc"):
        trick(game, line)
    play(game, "0 play Ah")
    assert_uniform(game.view(1), world(game), draws=8)


@pytest.mark.parametrize("seat", [2, 3])
def test_every_world_is_equally_likely_to_a_seat_that_knows_much(seat: int) -> None:
    assert_every_world_is_equally_likely_to(seat)


@pytest.mark.parametrize("seat", [0, 1])
def test_every_world_is_equally_likely_to_a_seat_that_knows_little(seat: int, simulations: None) -> None:
    assert_every_world_is_equally_likely_to(seat)


def assert_every_world_is_equally_likely_to(seat: int) -> None:
    """The dealer has picked up, discarded, and shown voids; one or two cards are left."""
    game = play(scenario("euchre", dealer=3, hands=FOLLOWED, upcard="9s"), "0 order, 3 discard Ac")
    for line in ("0: Ah Qh 9h Kc", "0: Kh Jh Td 9c", "0: Js Th Jd 9s"):
        trick(game, line)
    play(game, "0 play As, 1 play Kd")
    assert_uniform(game.view(seat), world(game), draws=8)


def small(view: SeatView) -> bool:
    """Return whether the worlds are few enough to be tried one by one."""
    seen = {view.upcard, *view.memory[0].cards}
    for memory in view.memory:
        seen.update(memory.cards)
    for seat in range(view.players):
        seen.update(played_by(view, seat))
    unseen, sizes = places(view, seen)
    return factorial(len(unseen)) // prod(factorial(size) for _, size in sizes) <= 1500


@pytest.mark.parametrize("variant", ["euchre", "buck"])
def test_every_world_is_equally_likely_late_in_random_hands(variant: str) -> None:
    """First hands of random games, every seat, if few enough worlds are left to try all of them."""
    options: dict[str, object] = {"max_hands": 1}
    rng = Random(11)
    tried = 0
    while tried < 12:
        for game in positions(variant, options, rng):
            view = game.view(rng.randrange(4))
            if game.actor is not None and view.stage == "play" and rng.random() < 0.4 and small(view):
                assert_uniform(view, world(game), draws=8)
                tried += 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_sample_looks_the_same_and_plays_on(variant: str) -> None:
    """The seat cannot tell it from the real game; its cards are a whole pack; its future is not the real one's."""
    rng = Random(3)
    for options in settings(variant):
        for game in positions(variant, options, rng):
            if game.actor is None or rng.random() < 0.6:
                continue
            seat = rng.randrange(game.players)
            view = game.view(seat)
            sample = sample_game(view, rng)
            assert sample.view(seat) == view, options
            assert sorted(sample.packs[0].split()) == sorted(game.rules.pack.codes)
            while sample.actor is not None and sample.hand_number == game.hand_number:
                sample.apply(rng.choice(sample.legal_actions()))
            assert sample.is_over or sample.packs


def test_later_packs_are_drawn_anew() -> None:
    game = scenario("euchre", dealer=3, hands={}, upcard="9s")
    packs = set()
    for k in range(5):
        sample = sample_game(game.view(0), Random(k))
        while sample.hand_number == 0:
            sample.apply("pass")
        packs.add(sample.packs)
    assert len(packs) == 5


def test_the_same_random_numbers_give_the_same_game() -> None:
    game = scenario("buck", dealer=3, hands={}, upcard="9s")
    first, second = (sample_game(game.view(1), Random(9)) for _ in range(2))
    assert (first.packs, world(first)) == (second.packs, world(second))


def test_another_seats_private_query_binds_its_cards() -> None:
    """V4.5.3: a view taken while the maker is asked shows no actor. Only he can hold the five highest trumps."""
    hands = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th"}
    game = play(scenario("euchre", dealer=3, hands=hands, upcard="9s", options={"jamboree": True}), "0 order")
    game.apply(game.legal_actions()[0])
    view = game.view(2)
    assert view.actor is None
    for k in range(20):
        sample = sample_game(view, Random(k))
        assert sample.view(2) == view
        assert sample.actor == 0
        assert set(sample.view(0).hand) == set(hands[0].split())
    play(game, "0 decline")
    after = {sample_game(game.view(2), Random(k)).view(0).hand for k in range(20)}
    assert len(after) > 1, "once he has declined, nothing is known of it"


def test_a_seat_that_declined_is_not_asked_again() -> None:
    hands = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th"}
    game = play(scenario("euchre", dealer=3, hands=hands, upcard="9s", options={"jamboree": True}), "0 order")
    game.apply(game.legal_actions()[0])
    assert sample_game(game.view(0), Random(1)).actor == 0
    play(game, "0 decline")
    sample = sample_game(game.view(0), Random(1))
    assert sample.view(0) == game.view(0)
    assert sample.stage == "play"


def test_a_laid_hand_is_known_to_all() -> None:
    """V4.6."""
    hands = {0: "Th 9h Ad Kd Ac", 1: "Js Jc Ah Kh 9d", 2: "Qh Jh Kc Qc Tc", 3: "Td Qd Jd 9c As"}
    game = scenario("euchre", dealer=3, hands=hands, upcard="9s", options={"jambone": True})
    play(game, "0 pass, 1 order jambone, 3 discard 9c")
    play(game, "0 play Th, 0 dictate Kh")
    for seat in (0, 2, 3):
        for k in range(10):
            sample = sample_game(game.view(seat), Random(k))
            assert sample.view(seat) == game.view(seat)
            assert set(sample.view(1).hand) == {"Js", "Jc", "Ah", "9d"}


def test_a_view_of_a_game_that_is_over_is_refused() -> None:
    game = scenario("euchre", dealer=3, hands={}, upcard="9s", options={"max_hands": 1})
    while game.actor is not None:
        game.apply("pass")
    with pytest.raises(EngineError, match="over"):
        sample_game(game.view(0), Random(1))


def test_a_view_that_no_game_can_look_like_is_refused() -> None:
    view = scenario("euchre", dealer=3, hands={}, upcard="9s").view(1)
    with pytest.raises(EngineError, match="no game of euchre can look like this to seat 1"):
        sample_game(view._replace(tricks_won=(1, 0, 0, 0)), Random(1))
