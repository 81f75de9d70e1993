"""The rules of the Euchre family: the public face.

game = new_game("buck", {"start": 20}, first_dealer=2, seed=bytes(32))
while game.actor is not None:
    game.apply(game.legal_actions()[0])
"""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.actions import Action, Event
from engine.errors import EngineError, IllegalAction, InvalidOption, RecordError, UnknownVariant
from engine.game import Game, new_game
from engine.options import Option, OptionValue
from engine.results import HandResult
from engine.rules import Variant
from engine.variants import resolve_options, rules_of, variant_names
from engine.views import Memory, SeatView

if TYPE_CHECKING:
    from engine.sampling import Sampler, sample_game

ENGINE_VERSION = "1.0.0"
RULES_VERSION = "1"

__all__ = [
    "ENGINE_VERSION",
    "RULES_VERSION",
    "Action",
    "EngineError",
    "Event",
    "Game",
    "HandResult",
    "IllegalAction",
    "InvalidOption",
    "Memory",
    "Option",
    "OptionValue",
    "RecordError",
    "Sampler",
    "SeatView",
    "UnknownVariant",
    "Variant",
    "new_game",
    "resolve_options",
    "rules_of",
    "sample_game",
    "variant_names",
]


def __getattr__(name: str) -> object:
    """Import what draws worlds when it is first used: few need it, and it takes a quarter of the time of all this."""
    if name in ("Sampler", "sample_game"):
        return getattr(import_module("engine.sampling"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """All names, also those that nobody has used yet."""
    return sorted({*globals(), *__all__})
