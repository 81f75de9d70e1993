"""Random settings of a variant, several options at once, for property tests."""

from __future__ import annotations

from random import Random

from bowerbird.engine import InvalidOption, rules_of
from bowerbird.engine.options import OneOf, OptionValue


def random_options(variant: str, rng: Random, max_hands: int) -> dict[str, OptionValue]:
    """Return about half of the options, each with a random value. Draw again if the rules exclude the combination."""
    while True:
        options: dict[str, OptionValue] = {"max_hands": max_hands}
        for name, option in rules_of(variant).options.items():
            if name != "max_hands" and rng.random() < 0.5:
                options[name] = rng.choice(tuple(option.allowed) if isinstance(option.allowed, OneOf) else range(1, 15))
        try:
            rules_of(variant).resolve(options)
        except InvalidOption:
            continue
        return options
