"""`bowerbird variants [NAME]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import product
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.options import VARIANT, debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import Column, output_width, print_json, print_lines, rejoined, table

if TYPE_CHECKING:
    from bowerbird.engine import OptionValue, Variant

NUMBERS_INDENT, MEANINGS_INDENT = 11, 26
"""The columns where action tokens and the meanings of fields begin."""


@click.command("variants", epilog=examples("variants", "variants buck", "variants buck --numbers"))
@click.argument("name", metavar="[NAME]", required=False, type=VARIANT)
@click.option("--numbers", is_flag=True, help="Show the action and observation numbers for learning agents instead.")
@json_option
@debug_option
def command(name: str | None, numbers: bool, as_json: bool) -> None:
    """List the variants, or describe NAME: seats, pack, order of play and every option."""
    from bowerbird.engine import NOT_HERE, rules_of, variant_names

    if numbers:
        if name is None:
            raise click.UsageError("--numbers needs the NAME of a variant")
        if as_json:
            print_json(_numbered(name))
        else:
            print_lines(_numbers_of(name))
        return
    if name is not None:
        rules = rules_of(name)
        if as_json:
            print_json(_described(name, rules))
        else:
            print_lines(rejoined(rules.describe.splitlines(), output_width()))
        return
    listed = {each: rules_of(each) for each in variant_names()}
    if as_json:
        print_json([_described(each, rules) for each, rules in listed.items()])
        return
    rows = [
        (each, rules.title, span(rules, rules.seats), span(rules, rules.cards), _sides(rules))
        for each, rules in listed.items()
    ]
    columns = [
        Column("variant"),
        Column("title", wrap=True, drop=1),
        Column("seats", right=True),
        Column("cards", right=True),
        Column("sides"),
    ]
    width = output_width()
    missing = f"Games of the family that are not here: {', '.join(NOT_HERE)}."
    print_lines([*table(columns, rows, width), "", *rejoined([missing], width)])


def _numbers_of(name: str) -> list[str]:
    """Return the tables of action numbers and observation fields under the default options."""
    from bowerbird.harness.features.actions import action_numbers
    from bowerbird.harness.features.layout import layout_of

    numbers, layout = action_numbers(name), layout_of(name)
    tables = (
        (f"Actions of {name} (environments.md)", str(numbers), NUMBERS_INDENT),
        ("Observation", str(layout), MEANINGS_INDENT),
    )
    width = output_width()
    return [
        part
        for title, text, indent in tables
        for line in (title, *text.splitlines(), "")
        for part in (wrap(line, width, subsequent_indent=" " * indent) or [""] if width is not None else [line])
    ][:-1]


def _numbered(name: str) -> dict[str, object]:
    """Return the action numbers and the layout of the observation under the default options."""
    from bowerbird.harness.features.actions import action_numbers
    from bowerbird.harness.features.layout import layout_of

    layout = layout_of(name)
    return {
        "variant": name,
        "actions": [str(action) for action in action_numbers(name).actions],
        "observation": {
            "size": layout.size,
            "block": layout.block,
            "fields": [field._asdict() for field in layout.fields.values()],
        },
    }


def _defaults(rules: Variant) -> dict[str, bool | int | str]:
    return {option: described.default for option, described in rules.options.items()}


def _seats(rules: Variant) -> int:
    return rules.seats(_defaults(rules))


def span(rules: Variant, number: Callable[[Mapping[str, OptionValue]], int]) -> str:
    """Return the number under the default options ("4"), or the range ("4 to 10") if options change it."""
    from bowerbird.engine import InvalidOption, OneOf

    def numbers(*changes: tuple[str, OptionValue]) -> set[int]:
        with suppress(InvalidOption):  # this value needs another option, or contradicts one
            return {number({**_defaults(rules), **dict(changes)})}
        return set()

    found = numbers()
    ways = [
        [(option, value) for value in described.allowed]
        for option, described in rules.options.items()
        if isinstance(described.allowed, OneOf)
    ]
    changing = [values for values in ways if not set().union(*map(numbers, values)) <= found]
    found = found.union(*(numbers(*changes) for changes in product(*changing)))
    return str(min(found)) if len(found) == 1 else f"{min(found)} to {max(found)}"


def _sides(rules: Variant) -> str:
    teams = rules.teams(_defaults(rules))
    if teams is None:
        return "each alone"
    return " - ".join("+".join(str(seat) for seat in team) for team in teams)


def _described(name: str, rules: Variant) -> dict[str, object]:
    return {
        "name": name,
        "title": rules.title,
        "seats": _seats(rules),
        "teams": rules.teams(_defaults(rules)),
        "better": rules.better,
        "options": {
            option: {"default": described.default, "allowed": described.allowed, "help": described.help}
            for option, described in rules.options.items()
        },
        "description": rules.describe,
    }
