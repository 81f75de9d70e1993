"""Which games a bot is tried with in each variant: every seat, every number of seats, every value of every option."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine import InvalidOption, OptionValue, Variant, rules_of
from engine.options import AtLeast, OneOf
from harness.compliance.game import Deal


def deals_of(variant: str) -> tuple[Deal, ...]:
    """Games enough for almost all that the variant may ask.

    The defaults at every seat, with any cards and with a strong hand; each other setting at some seat; and with all of
    them together every seat again, both ways.
    """
    rules = rules_of(variant)
    settings = list(_settings(rules))
    together = settings[-2]
    return (
        *(Deal(variant, seat) for seat in range(rules.seats())),
        *(Deal(variant, seat, strong=True) for seat in range(rules.seats())),
        *(Deal(variant, number % rules.seats(options), options) for number, options in enumerate(settings)),
        *(Deal(variant, seat, together, hands=4, number=1) for seat in range(rules.seats(together))),
        *(Deal(variant, seat, together, strong=True) for seat in range(rules.seats(together))),
    )


def _settings(rules: Variant) -> Iterator[dict[str, OptionValue]]:
    """Each choice of each option alone, where the rules allow that; then as many as possible of them together.

    The last one has the numbers at their lowest as well: so games end soon, and as they seldom do.
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
    """Settle one more option, if it goes with the others and leaves the number of seats as it is."""
    more = {**together, name: value}
    if _is_allowed(rules, more) and rules.seats(more) == rules.seats():
        together[name] = value


def _is_allowed(rules: Variant, options: Mapping[str, OptionValue]) -> bool:
    try:
        rules.resolve(options)
    except InvalidOption:
        return False
    return True
