"""`bowerbird variants [NAME]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.shared.options import complete_variant, debug_option, examples, json_option
from harness.cli.shared.output import Column, output_width, print_json, print_lines, rejoined, table

if TYPE_CHECKING:
    from engine import Variant


@click.command("variants", epilog=examples("variants", "variants buck"))
@click.argument("name", required=False, shell_complete=complete_variant)
@json_option
@debug_option
def command(name: str | None, as_json: bool) -> None:
    """List the variants, or describe the variant NAME: seats, pack, order of play, every option."""
    from engine import rules_of, variant_names

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
    rows = [(each, rules.title, str(_seats(rules)), _sides(rules)) for each, rules in listed.items()]
    columns = [Column("variant"), Column("title", wrap=True, drop=1), Column("seats", right=True), Column("sides")]
    print_lines(table(columns, rows, output_width()))


def _defaults(rules: Variant) -> dict[str, bool | int | str]:
    return {option: described.default for option, described in rules.options.items()}


def _seats(rules: Variant) -> int:
    return rules.seats(_defaults(rules))


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
