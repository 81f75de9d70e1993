"""Keeps one OpenSpiel bot for each table, and asks it for each decision (`OpenSpielBot`)."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pyspiel

from bowerbird.bots.openspiel.hand import chosen_action, parameters_of, state_of
from bowerbird.engine import Action
from bowerbird.sdk import Bot, Capabilities, Decision, Table

EXPLORATION = 2.0
"""UCT's constant in OpenSpiel's own examples. A hand is worth up to four points."""

SEEDS = 1 << 31

MakeBot = Callable[[Any, int, int], Any]
"""Returns a `pyspiel.Bot` for a game, a seat and a seed."""


def ismcts(simulations: int) -> MakeBot:
    """Return a maker of OpenSpiel's information set search in C++, with `simulations` for each decision."""

    def make(spiel: Any, _seat: int, seed: int) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        return pyspiel.ISMCTSBot(seed, evaluator, EXPLORATION, simulations, -1, final, False, True)

    return make


def maker_of(name: str, simulations: int) -> MakeBot:
    """Return a function that makes the bot named by `--bot`. Raises ValueError if there is none of this name."""
    if name == "ismcts":
        return ismcts(simulations)
    if ":" in name:
        return _own(name)
    registered = pyspiel.registered_bots()
    if name not in registered:
        known = ", ".join(("ismcts", *registered))
        raise ValueError(f"there is no bot {name!r}; there are {known}, or MODULE:FUNCTION for one of your own")
    return lambda spiel, seat, seed: _registered(spiel, name, seat, seed)


def _registered(spiel: Any, name: str, seat: int, seed: int) -> Any:
    """Return a registered bot. Only some take a seed, and OpenSpiel refuses a parameter that it does not know."""
    try:
        return pyspiel.load_bot(name, spiel, seat, {"seed": seed})
    except pyspiel.SpielError:
        return pyspiel.load_bot(name, spiel, seat)


def _own(name: str) -> MakeBot:
    module, _, function = name.partition(":")
    try:
        make: MakeBot = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"--bot {name} cannot be loaded: {error}") from error
    return make


class OpenSpielBot(Bot):
    """A bot that asks a bot of OpenSpiel.

    It ends, with the reason, at a table whose options OpenSpiel does not have.
    """

    capabilities = Capabilities(max_tables=8, max_batch=1)

    def __init__(self, make: MakeBot) -> None:
        """Seat the bots that `make` returns."""
        self._make = make

    def table_opened(self, table: Table) -> None:
        """Load the game with the table's options, and make a bot for the seat."""
        spiel = pyspiel.load_game("euchre", parameters_of(table.options))
        table.notes["spiel"] = spiel
        table.notes["bot"] = self._make(spiel, table.seat, table.rng.randrange(SEEDS))

    def act(self, decision: Decision) -> Action:
        """Ask the bot in a world that matches the view."""
        notes = decision.table.notes
        bot: Any = notes["bot"]
        hand = decision.view.hand_number
        if notes.get("hand", hand) != hand:
            bot.restart()
        notes["hand"] = hand
        rng = random.Random(decision.table.rng.getrandbits(64))
        world = decision.sample_game(rng)
        return chosen_action(bot, state_of(notes["spiel"], world), decision.view.stage, rng)
