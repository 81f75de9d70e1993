"""Random games of every variant, at every decision."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping

from bowerbird.engine import Game, OptionValue, new_game, rules_of

MAX_HANDS = 3


def random_options(variant: str, rng: random.Random) -> dict[str, OptionValue]:
    """Return options for a short game: each at its default or, with a chance of 1/3, at any allowed value."""
    options: dict[str, OptionValue] = {}
    for name, option in rules_of(variant).options.items():
        values = list(option.allowed) if isinstance(option.allowed, Iterable) else []
        if values and rng.random() < 1 / 3:
            options[name] = rng.choice(values)
    return options | {"max_hands": MAX_HANDS}


def decisions(variant: str, rng: random.Random, options: Mapping[str, OptionValue]) -> Iterator[Game]:
    """Yield a random game at each of its decisions, and once more when it is over. Resuming makes the next decision."""
    game = new_game(variant, options, seed=rng.randbytes(32))
    while game.actor is not None:
        yield game
        game.apply(rng.choice(game.legal_actions()))
    yield game
