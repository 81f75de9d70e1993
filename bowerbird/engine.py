"""The rules of the Euchre family: games, legal actions, and what each seat may know.

A game needs a variant and, to be repeatable, a seed of 32 bytes. Read `actor` and `legal_actions()`, then `apply` one:

>>> game = new_game("buck", {"start": 20}, first_dealer=2, seed=bytes(32))
>>> while game.actor is not None:
...     game.apply(game.legal_actions()[0])
>>> game.ended, game.scores
('sweep', (15, 25, 25, 25))

A seat sees its view, and `sample_game` deals the cards that it does not see:

>>> game = new_game("euchre", first_dealer=3, seed=bytes(32))
>>> view = game.view(0)
>>> view.stage, len(view.hand), [str(action) for action in view.legal]
('order up', 5, ['pass', 'order', 'order alone'])
>>> import random
>>> sample_game(view, random.Random(1)).view(0) == view
True
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bowerbird._shadowing import refuse_shadows

refuse_shadows()

from engine import (
    CLAIMED,
    ENGINE_VERSION,
    KING,
    LIMIT,
    RULES_VERSION,
    SCORED,
    SEED_BYTES,
    SHOWDOWN,
    SWEEP,
    TARGET,
    THROWN_IN,
    UNCONTESTED,
    Action,
    AtLeast,
    EngineError,
    Event,
    Game,
    HandResult,
    IllegalAction,
    InvalidOption,
    Lead,
    Memory,
    OneOf,
    OpenTrick,
    Option,
    OptionValue,
    OwnView,
    Pack,
    PackSource,
    RecordError,
    Rules,
    SeatView,
    SeededPacks,
    Stream,
    Trick,
    TrumpOrder,
    UnknownVariant,
    Variant,
    effective_suit,
    members,
    new_game,
    resolve_options,
    rules_of,
    stream,
    variant_names,
)

if TYPE_CHECKING:
    from engine import Sampler, sample_game

__all__ = [
    "CLAIMED",
    "ENGINE_VERSION",
    "KING",
    "LIMIT",
    "RULES_VERSION",
    "SCORED",
    "SEED_BYTES",
    "SHOWDOWN",
    "SWEEP",
    "TARGET",
    "THROWN_IN",
    "UNCONTESTED",
    "Action",
    "AtLeast",
    "EngineError",
    "Event",
    "Game",
    "HandResult",
    "IllegalAction",
    "InvalidOption",
    "Lead",
    "Memory",
    "OneOf",
    "OpenTrick",
    "Option",
    "OptionValue",
    "OwnView",
    "Pack",
    "PackSource",
    "RecordError",
    "Rules",
    "Sampler",
    "SeatView",
    "SeededPacks",
    "Stream",
    "Trick",
    "TrumpOrder",
    "UnknownVariant",
    "Variant",
    "effective_suit",
    "members",
    "new_game",
    "resolve_options",
    "rules_of",
    "sample_game",
    "stream",
    "variant_names",
]


if not TYPE_CHECKING:  # a type checker knows every name, and must refuse any other

    def __getattr__(name: str) -> object:
        """Import sampling on first use, as the engine does."""
        if name in ("Sampler", "sample_game"):
            return getattr(import_module("engine"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, those not yet imported included."""
    return sorted({*globals(), *__all__})
