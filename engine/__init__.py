"""The rules of the Euchre family: the public face.

game = new_game("buck", {"start": 20}, first_dealer=2, seed=bytes(32))
while game.actor is not None:
    game.apply(game.legal_actions()[0])
"""

from engine.actions import Action, Event
from engine.errors import EngineError, IllegalAction, InvalidOption, RecordError, UnknownVariant
from engine.game import Game, new_game
from engine.options import Option, OptionValue
from engine.results import HandResult
from engine.rules import Variant
from engine.sampling import Sampler, sample_game
from engine.variants import resolve_options, rules_of, variant_names
from engine.views import Memory, SeatView

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
