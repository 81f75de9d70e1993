"""Games of every variant and option, for tests that hold for all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

import pytest

from bowerbird.engine import Action, Game, new_game, rules_of, variant_names
from bowerbird.engine.options import AtLeast, OneOf

MAX_HANDS = 4
"""Random play need not come to an end in some variants."""

VARIANTS = tuple(os.environ.get("BOWERBIRD_TEST_VARIANTS", "").split()) or variant_names()


def settings(variant: str) -> list[dict[str, object]]:
    """Return the defaults, and every other value of every option by itself (with its companion where E12 needs one)."""
    found: list[dict[str, object]] = [{}]
    for name, option in rules_of(variant).options.items():
        if name == "max_hands":
            continue
        if isinstance(option.allowed, OneOf):
            found.extend({name: value} for value in option.allowed if value != option.default)
        elif isinstance(option.allowed, AtLeast):
            found.append({name: option.allowed.low + 1})
    return [{**options, "max_hands": MAX_HANDS} for options in found if _goes(variant, options)]


def _goes(variant: str, options: dict[str, object]) -> bool:
    """Return whether this value is allowed with the defaults of the others; most are."""
    from bowerbird.engine import InvalidOption

    try:
        rules_of(variant).resolve(options)
    except InvalidOption:
        return False
    return True


def cases() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield every variant under each of its settings."""
    for variant in VARIANTS:
        for options in settings(variant):
            yield variant, options


def under_every_option(law: Callable[[str, dict[str, object]], None]) -> Callable[[str], None]:
    """Make a test of a law of a variant and its options: it holds under each setting. An error names the options."""

    @pytest.mark.parametrize("variant", VARIANTS)
    def test(variant: str) -> None:
        for options in settings(variant):
            try:
                law(variant, options)
            except BaseException as error:
                error.add_note(f"with the options {options}")
                raise

    test.__doc__ = law.__doc__
    return test


def started(variant: str, options: Mapping[str, object], rng: Random) -> Game:
    """Return a game from a random seed."""
    return new_game(variant, options, seed=rng.randbytes(32))


def step(game: Game, rng: Random) -> Action:
    """Make one random decision and return it. Drops and passes are made rarer, so that hands are played."""
    legal = game.legal_actions()
    shy = [action for action in legal if action.kind not in ("pass", "drop", "decline")]
    action = rng.choice(shy if shy and rng.random() < 0.5 else legal)
    game.apply(action)
    return action


def positions(variant: str, options: Mapping[str, object], rng: Random) -> Iterator[Game]:
    """Yield one random game, before each of its decisions and at its end."""
    game = started(variant, options, rng)
    while game.actor is not None:
        yield game
        step(game, rng)
    yield game


@dataclass(frozen=True)
class Walk:
    """A random game: its first dealer, its decisions, and a copy of it before each of them and at its end."""

    variant: str
    options: dict[str, object]
    number: int
    decisions: list[Action] = field(repr=False)
    positions: list[Game] = field(repr=False)


def walk(variant: str, options: dict[str, object], number: int) -> Walk:
    """Play a random game, always the same for the same number."""
    rng = Random(f"{variant} {options} {number}")
    game = started(variant, options, rng)
    walked = Walk(variant, options, number, [], [])
    while game.actor is not None:
        walked.positions.append(game.copy())
        walked.decisions.append(step(game, rng))
    walked.positions.append(game)
    return walked
