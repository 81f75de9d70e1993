"""Champion's renaming: deals that differ only in the names of their suits and seats are one deal to the network."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from bowerbird.bots.champion.network import Array, Masks
from bowerbird.bots.champion.renaming import Renaming, suits_of
from bowerbird.engine import Action, Game, new_game, variant_names
from bowerbird.envs.tracking import Observer, Tracker, arrays_of, observer_of

ONE_HAND = {"max_hands": 1}
SUITS = [suits_of(first, other) for first, other in (("s", "d"), ("h", "s"), ("c", "h"), ("d", "c"))]
"""Other names of the suits. With each, the seats are a different number of places away."""

DEALS = 1


class Seen(NamedTuple):
    """A decision as a network sees it, renamed, and what was done."""

    actor: int
    observation: Array
    mask: Masks
    done: Action


def played(observer: Observer, game: Game, choose: Callable[[Sequence[Action]], Action]) -> list[Seen]:
    """Play a game to its end; return its decisions."""
    renaming, tracker, found = Renaming(observer), Tracker(observer, game), []
    while game.actor is not None:
        [actor], observations, masks = arrays_of(observer, [tracker])
        ways = renaming.ways(observations)
        done = choose(game.legal_actions())
        found.append(Seen(actor, renaming.observations(observations, ways)[0], renaming.masks(masks, ways)[0], done))
        tracker.apply(done)
    return found


def renamed(text: str, suits: Mapping[str, str]) -> str:
    """Return cards or an action with other suits."""
    words = text.split()
    return " ".join(word[:-1] + suits.get(word[-1], word[-1]) if len(word) <= 2 else word for word in words)


def turned(action: Action, suits: Mapping[str, str], turn: int, players: int) -> Action:
    """Return an action with other suits, and with a seat that is `turn` places away."""
    found = Action(renamed(str(action), suits))
    return found if found.seat is None else Action(f"{found.kind} {(found.seat + turn) % players}")


def clubs_are_up(game: Game) -> bool:
    """Whether a club is turned up, which buck and its kin make trump at once."""
    return game.view(0).upcard.endswith("c")


@pytest.mark.parametrize("variant", variant_names())
def test_deals_that_differ_in_the_names_of_suits_and_seats_alone_look_alike_and_bring_the_same(variant: str) -> None:
    rng, compared = random.Random(1), 0
    for deal in range(DEALS):
        game = new_game(variant, ONE_HAND, seed=bytes(32), set_number=deal)
        dealer, clubs, players = game.dealer, clubs_are_up(game), game.rules.players
        observer = observer_of(variant, game.options)
        expected = played(observer, game, rng.choice)
        for turn, suits in enumerate(SUITS):
            packs = [renamed(pack, suits) for pack in game.results[0].packs]
            twin = new_game(variant, ONE_HAND, first_dealer=(dealer + turn) % players, packs=[packs])
            if clubs_are_up(twin) != clubs:
                continue
            same = iter([turned(one.done, suits, turn, players) for one in expected])
            for one, two in zip(expected, played(observer, twin, lambda _, same=same: next(same)), strict=True):  # type: ignore[misc]
                assert (one.actor + turn) % players == two.actor
                assert np.array_equal(one.observation, two.observation), f"{one.done} and {two.done} look different"
                assert np.array_equal(one.mask, two.mask)
            points = twin.results[0].points
            assert [points[(seat + turn) % players] for seat in range(players)] == list(game.results[0].points)
            compared += 1
    assert compared >= DEALS


@pytest.mark.parametrize("variant", ["euchre", "bid-102", "seven-handed"])
def test_what_is_renamed_is_renamed_back(variant: str) -> None:
    observer = observer_of(variant)
    renaming, rng = Renaming(observer), np.random.default_rng(1)
    ways = np.arange(8 * observer.layout.players if "seat" in observer.layout else 8)
    numbers: NDArray[np.int64] = rng.integers(len(observer.actions), size=len(ways))
    assert np.array_equal(renaming.actions(renaming.renamed(numbers, ways), ways), numbers)
    scores = rng.normal(size=(len(ways), len(observer.actions))).astype(np.float32)
    renamed_scores = np.array([scores[row, renaming.actions(np.arange(len(scores[row])), ways[row])] for row in ways])
    assert np.array_equal(renaming.scores(renamed_scores, ways), scores)


def test_trump_becomes_spades_and_before_it_the_suit_of_the_upcard() -> None:
    observer = observer_of("euchre")
    renaming, layout = Renaming(observer), observer.layout
    for deal in range(20):
        game = new_game("euchre", seed=bytes(32), set_number=deal)
        while game.actor is not None and game.hand_number == 1:
            _, observations, _ = arrays_of(observer, [Tracker(observer, game)])
            [found] = renaming.observations(observations, renaming.ways(observations))
            if game.view(0).trump:
                assert found[layout["trump"].offset]
            else:
                upcard = found[layout["upcard"].offset :][: layout.rules.pack.size]
                assert layout.rules.pack.bit_order[int(upcard.argmax())].endswith("s")
            game.apply(game.legal_actions()[-1])
