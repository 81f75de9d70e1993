"""The choices in the browser before a game: the variant, its options, and who sits where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bowerbird.engine import AtLeast, InvalidOption, OneOf, OptionValue, Variant, rules_of, variant_names
from bowerbird.harness.extras.play.setup import HUMAN, PlayError, Setup, plan_of, seated
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.game_record import option_text
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.bot_paths import find_bot

LONGEST_NAME = 80
"""How many characters of a name a refusal shows."""


@dataclass(frozen=True, slots=True)
class Lobby:
    """The tables that can be set up.

    bots: the names of the bots that may sit there. A page cannot name others, since a path would be a program to start.
    isolation, think_ms: as in a `Setup`.
    """

    bots: tuple[str, ...]
    isolation: str
    think_ms: int

    @classmethod
    def with_bots(cls, named: Sequence[str], isolation: str, think_ms: int) -> Lobby:
        """Return a lobby with the bots that the person named and every bundled bot that needs no build."""
        bundled = (name for name, file in bundled_bots().items() if name != HUMAN and not load_bot(file).build)
        return cls(tuple(dict.fromkeys((*named, *bundled))), isolation, think_ms)

    def values(self) -> dict[str, object]:
        """Return the data for the page: each variant with its seats, their names, and the bots for it."""
        able = {bot: load_bot(find_bot(bot)).variants for bot in self.bots}
        return {
            "bots": list(self.bots),
            "variants": [
                {
                    "name": name,
                    "title": rules_of(name).title,
                    "seats": rules_of(name).seats(),
                    "sides": [list(side) for side in rules_of(name).teams() or ()],
                    "bots": [bot for bot, variants in able.items() if name in variants or "*" in variants],
                    "options": [_option(name, option) for option in rules_of(name).options],
                }
                for name in variant_names()
            ],
        }

    def setup(self, wish: dict[str, object]) -> Setup:
        """Return the setup that a page requests.

        wish: `variant`, `options` (texts by name), `bots` (by seat, HUMAN for the person).

        Raises PlayError, EngineError or TournamentError, each with a sentence.
        """
        variant, bots, options = wish.get("variant"), wish.get("bots"), wish.get("options", {})
        if not (isinstance(variant, str) and isinstance(options, dict) and isinstance(bots, list)):
            raise PlayError("a table has a variant, options and bots")
        for bot in bots:
            if bot != HUMAN and bot not in self.bots:
                known = ", ".join(self.bots)
                raise PlayError(f"{shown(str(bot), LONGEST_NAME)!r} may not sit here; there are {known}")
        settled = {shown(str(name), LONGEST_NAME): shown(str(text), LONGEST_NAME) for name, text in options.items()}
        setup = seated(variant, settled, bots, isolation=self.isolation, think_ms=self.think_ms)
        plan_of(setup)
        return setup


def _option(variant: str, name: str) -> dict[str, object]:
    """Return an option for the page. Each choice has the table's number of seats with it."""
    rules = rules_of(variant)
    option = rules.options[name]
    allowed = option.allowed
    values = allowed if isinstance(allowed, OneOf) else ()
    return {
        "name": name,
        "default": option_text(option.default),
        "choices": [[option_text(value), _seats(rules, name, value)] for value in values],
        "low": allowed.low if isinstance(allowed, AtLeast) else None,
        "help": option.help,
    }


def _seats(rules: Variant, name: str, value: OptionValue) -> int:
    try:
        return rules.seats({name: value})
    except InvalidOption:  # it needs another option; no option of this kind changes the seats
        return rules.seats()
