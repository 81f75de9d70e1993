"""The scenarios of each variant: every seat, every number of seats, every value of every option."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bowerbird.engine import AtLeast, InvalidOption, OneOf, OptionValue, Variant, rules_of


@dataclass(frozen=True, slots=True)
class Scenario:
    """A game to play with the bot at `seat`.

    Equal scenarios have the same cards and the same seed for the bot. If `strong`, the bot's seat is dealt the highest
    cards, and the other seats leave the decisions to it. `number` distinguishes scenarios that are otherwise equal.
    """

    variant: str
    seat: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    hands: int = 2
    number: int = 0
    strong: bool = False

    @property
    def name(self) -> str:
        """The scenario in words, such as "euchre, seat 2, lap = True, game 0"."""
        options = [f"{key} = {value}" for key, value in self.options.items()]
        return ", ".join(
            (self.variant, f"seat {self.seat}", *options, "strong hand" if self.strong else f"game {self.number}")
        )


def scenarios_of(variant: str) -> tuple[Scenario, ...]:
    """Return scenarios that together ask almost every kind of decision of a variant.

    They have the default options at every seat, with any cards and with a strong hand; each other option value at some
    seat; and many of these values combined at every seat, again with any cards and with a strong hand.
    """
    rules = rules_of(variant)
    settings = list(_settings(rules))
    together = settings[-2]
    return (
        *(Scenario(variant, seat) for seat in range(rules.seats())),
        *(Scenario(variant, seat, strong=True) for seat in range(rules.seats())),
        *(Scenario(variant, number % rules.seats(options), options) for number, options in enumerate(settings)),
        *(Scenario(variant, seat, together, hands=4, number=1) for seat in range(rules.seats(together))),
        *(Scenario(variant, seat, together, strong=True) for seat in range(rules.seats(together))),
    )


def _settings(rules: Variant) -> Iterator[dict[str, OptionValue]]:
    """Yield each allowed option value alone, then as many as possible combined.

    The last setting also has the lowest values of the numeric options, so that games end early and in rare ways.
    """
    together: dict[str, OptionValue] = {}
    for name, option in rules.options.items():
        if isinstance(option.allowed, OneOf):
            for value in option.allowed:
                if value != option.default and _is_allowed(rules, {name: value}):
                    yield {name: value}
                    _add(rules, together, name, value)
    yield dict(together)
    for name, option in rules.options.items():
        if isinstance(option.allowed, AtLeast):
            _add(rules, together, name, max(1, option.allowed.low))
    yield together


def _add(rules: Variant, together: dict[str, OptionValue], name: str, value: OptionValue) -> None:
    """Add an option value if the rules allow it with the others and it keeps the number of seats."""
    more = {**together, name: value}
    if _is_allowed(rules, more) and rules.seats(more) == rules.seats():
        together[name] = value


def _is_allowed(rules: Variant, options: Mapping[str, OptionValue]) -> bool:
    try:
        rules.resolve(options)
    except InvalidOption:
        return False
    return True
