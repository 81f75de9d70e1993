"""The rules of the Euchre family.

Enters: a variant with its options, a seed or the packs of a record, and actions. Leaves: games, the view that each seat
has of them (`SeatView`), and games that a seat cannot tell from the real one (`Sampler`). The names below are the
whole public interface; the modules behind it are private to the engine. Open `game` first.

>>> game = new_game("buck", {"start": 20}, first_dealer=2, seed=bytes(32))
>>> while game.actor is not None:
...     game.apply(game.legal_actions()[0])
>>> game.is_over, game.ended
(True, 'sweep')
"""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.actions import Action, Event
from engine.cards.pack import Pack, members
from engine.cards.shuffle import SEED_BYTES, Stream, stream
from engine.cards.sources import PackSource, SeededPacks
from engine.cards.trump_order import Lead, TrumpOrder, effective_suit
from engine.errors import EngineError, IllegalAction, InvalidOption, RecordError, UnknownVariant
from engine.game import Game, OpenTrick, new_game
from engine.options import AtLeast, OneOf, Option, OptionValue
from engine.results import (
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
from engine.rules import Rules, Variant
from engine.state import Trick
from engine.variants import resolve_options, rules_of, variant_names
from engine.views import Memory, OwnView, SeatView
from engine.wording import counted, did_you_mean, known_are, listed, unknown

if TYPE_CHECKING:
    from engine.sampling.sampler import Sampler, sample_game

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
    "counted",
    "did_you_mean",
    "effective_suit",
    "known_are",
    "listed",
    "members",
    "new_game",
    "resolve_options",
    "rules_of",
    "sample_game",
    "stream",
    "unknown",
    "variant_names",
]


def __getattr__(name: str) -> object:
    """Import sampling on first use: few callers need it, and it takes a quarter of the time to import the engine."""
    if name in ("Sampler", "sample_game"):
        return getattr(import_module("engine.sampling.sampler"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, those not yet imported included."""
    return sorted({*globals(), *__all__})
