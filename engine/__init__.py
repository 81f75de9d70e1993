"""The rules of the Euchre family: games, legal actions, and what each seat may know.

Input: a variant with its options, a seed or the packs of a record, and actions. Output: games, each seat's view of them
    (`SeatView`), and games that a seat cannot distinguish from the real one (`Sampler`). The modules themselves are
    private to the engine; open `game` first.

A game needs a variant. For a repeatable game, also give a seed of 32 bytes. Read `actor` and `legal_actions()`, then
`apply` one:

>>> game = new_game("buck", {"start": 20}, first_dealer=2, seed=bytes(32))
>>> while game.actor is not None:
...     game.apply(game.legal_actions()[0])
>>> game.ended, game.scores
('sweep', (15, 25, 25, 25))

A seat sees only its view. `sample_game` deals the cards that the seat does not see:

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

from bowerbird.engine.actions import Action, Event
from bowerbird.engine.cards.pack import Pack, members
from bowerbird.engine.cards.shuffle import SEED_BYTES, Stream, stream
from bowerbird.engine.cards.sources import PackSource, SeededPacks
from bowerbird.engine.cards.trump_order import Lead, TrumpOrder, effective_suit
from bowerbird.engine.errors import EngineError, IllegalAction, InvalidOption, RecordError, UnknownVariant
from bowerbird.engine.game import Game, OpenTrick, new_game
from bowerbird.engine.game import state_of as state_of
from bowerbird.engine.game_state import GameState as GameState
from bowerbird.engine.options import AtLeast, OneOf, Option, OptionValue
from bowerbird.engine.results import (
    CLAIMED,
    KING,
    LIMIT,
    SCORED,
    SHOWDOWN,
    SWEEP,
    TARGET,
    THROWN_IN,
    UNCONTESTED,
    HandResult,
)
from bowerbird.engine.rules import Rules, Variant
from bowerbird.engine.state import Trick
from bowerbird.engine.variants import NOT_HERE as NOT_HERE
from bowerbird.engine.variants import resolve_options, rules_of, variant_named, variant_names
from bowerbird.engine.views import Memory, OwnView, SeatView
from bowerbird.engine.wording import counted as counted
from bowerbird.engine.wording import did_you_mean as did_you_mean
from bowerbird.engine.wording import known_are as known_are
from bowerbird.engine.wording import listed as listed
from bowerbird.engine.wording import unknown as unknown

if TYPE_CHECKING:
    from bowerbird.engine.sampling.sampler import Sampler, sample_game

ENGINE_VERSION = "1.0.0"
RULES_VERSION = "1"

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
    "variant_named",
    "variant_names",
]


if not TYPE_CHECKING:  # a type checker must see only the names above

    def __getattr__(name: str) -> object:
        """Import sampling on first use: few callers need it, and it takes a quarter of the engine's import time."""
        if name in ("Sampler", "sample_game"):
            return getattr(import_module("bowerbird.engine.sampling.sampler"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, including those not imported yet."""
    return sorted({*globals(), *__all__})
