"""Writes a new tournament file: a small, playable file with every key of the schema as a comment."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bowerbird.engine import resolve_options, rules_of
from bowerbird.harness.records.quoting import quote, toml_text
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.toml.keys import ChoiceKey, IntegerKey, Key, TableSchema
from bowerbird.harness.tournament.config.variant_entries import default_policy
from bowerbird.harness.tournament.lineups import default_kind

WIDTH = 78
"""Columns of a comment."""

EXAMPLE = "  # example"
"""The comment after a key without a fixed default."""

HEAD = """
Play it with `bowerbird tournament FILE`. `bowerbird docs tournament-file` explains all of it.

"#key = value" shows a key with its default: removing the "#" changes nothing. At the end of a line, "# example" means
that the key has no fixed default, and "# swiss" that only this format has the key.
"""


@dataclass(frozen=True, slots=True)
class NewBot:
    """A bot of a new file: its path, its name, and whether the name must be written because it is taken."""

    path: str
    name: str
    is_renamed: bool
    tables: int


def template(name: str | None, variants: Sequence[str], bots: Sequence[NewBot], default: str) -> str:
    """Return the text of a new tournament file.

    name: the tournament's name; None for the file's own default, `default`.
    variants: names of variants, at least one.
    bots: at least two.
    """
    return "\n".join(_lines(name, variants, bots, default)) + "\n"


def _lines(name: str | None, variants: Sequence[str], bots: Sequence[NewBot], default: str) -> Iterator[str]:
    yield "# A tournament file."
    for paragraph in HEAD.strip().split("\n\n"):
        yield "#"
        yield from _comment(" ".join(paragraph.split()))
    yield from ("", "[tournament]")
    names = [bot.name for bot in bots]
    tables = min(schema.TABLES.default or 0, *(bot.tables for bot in bots))
    written: dict[Key, str] = {} if name is None else {schema.NAME: quote(name)}
    defaults: dict[Key, str] = {schema.NAME: quote(default), schema.TABLES: str(tables)}
    examples: dict[Key, str] = {schema.CHALLENGERS: toml_text(names[:1])}
    for key in schema.TOURNAMENT_TABLE.keys:
        yield from _stop(names) if key is schema.STOP else _key(key, written, defaults, examples)
    yield from ("", "[time]")
    for key in schema.TIME_TABLE.keys:
        yield from _key(key, {}, {}, {})
    for number, variant in enumerate(variants):
        yield from ("", "[[variant]]")
        yield from _variant(variant, is_first=number == 0)
    for number, bot in enumerate(bots):
        yield from ("", "[[bot]]")
        yield from _bot(bot, is_first=number == 0)
    yield from ("", *_comment("A bot on another machine, which connects to `bowerbird host`, has these keys."))
    yield f"#[[bot]]{EXAMPLE}"
    for key in schema.REMOTE_BOT_TABLE.keys:
        yield from _comment(key.text)
        yield f"#{key.name} = {key.example}{EXAMPLE}"


def _key(
    key: Key, written: Mapping[Key, str], defaults: Mapping[Key, str], examples: Mapping[Key, str]
) -> Iterator[str]:
    """Yield the key's explanation and its line: as `written`, else commented out with its default or an example."""
    yield from _comment(_facts(key))
    if key in written:
        yield f"{key.name} = {written[key]}"
    elif key in defaults:
        yield f"#{key.name} = {defaults[key]}"
    elif key.otherwise or key.default_value is None:
        yield f"#{key.name} = {examples.get(key, key.example)}{EXAMPLE}"
    else:
        others = f"  # {', '.join(key.formats)}" if key.formats and schema.FORMAT.default not in key.formats else ""
        yield f"#{key.name} = {toml_text(key.default_value)}{others}"


def _stop(names: Sequence[str]) -> Iterator[str]:
    """Yield the stop rules, each with an example, and the sequential test with all its keys."""
    yield from _comment(_facts(schema.STOP))
    rules = [key for key in schema.STOP_TABLE.keys if key is not schema.STOP_SPRT]
    for key in rules:
        yield from _comment(f"{key.name}: {_facts(key)}", "  ")
    yield f"#stop = {{ {', '.join(f'{key.name} = {key.example}' for key in rules)} }}{EXAMPLE}"
    yield from _comment(f"{schema.STOP_SPRT.name}: {_facts(schema.STOP_SPRT)}", "  ")
    for key in schema.SPRT_TABLE.keys:
        yield from _comment(f"{key.name}: {_facts(key)}", "    ")
    test = {
        key.name: toml_text(names[:2]) if key is schema.SPRT_BOTS else toml_text(key.default_value)
        for key in schema.SPRT_TABLE.keys
    }
    yield f"#stop = {{ sprt = {{ {', '.join(f'{key} = {value}' for key, value in test.items())} }} }}{EXAMPLE}"


def _variant(variant: str, *, is_first: bool) -> Iterator[str]:
    rules, options = rules_of(variant), resolve_options(variant, {})
    seats, sides = rules.seats(options), rules.teams(options)
    defaults = {
        schema.VARIANT_OPTIONS: "{}",
        schema.VARIANT_LINEUP: quote(default_kind(sides)),
        schema.VARIANT_ON_FAULT: quote(default_policy(seats, sides)),
    }
    yield from _entry(schema.VARIANT_TABLE, {schema.VARIANT_NAME: quote(variant)}, defaults, is_first=is_first)


def _bot(bot: NewBot, *, is_first: bool) -> Iterator[str]:
    written: dict[Key, str] = {schema.ENTRY_PATH: quote(bot.path)}
    if bot.is_renamed:
        written[schema.ENTRY_NAME] = quote(bot.name)
    yield from _entry(schema.LOCAL_BOT_TABLE, written, {schema.ENTRY_NAME: quote(bot.name)}, is_first=is_first)


def _entry(
    table: TableSchema, written: Mapping[Key, str], defaults: Mapping[Key, str], *, is_first: bool
) -> Iterator[str]:
    """Yield the keys of an entry: all of them for the first of its kind, only the required ones for the others."""
    for key in table.keys:
        if is_first:
            yield from _key(key, written, defaults, {})
        elif key in written:
            yield f"{key.name} = {written[key]}"


def _facts(key: Key) -> str:
    """Return the explanation of a key: its meaning, allowed values, default, and the formats that have it."""
    facts = [key.text]
    if isinstance(key, (ChoiceKey, IntegerKey)):
        facts.append(f"{key.value_text[0].upper()}{key.value_text[1:]}.")
    if key.otherwise:
        facts.append(f"Default: {key.otherwise}.")
    if key.formats:
        facts.append(f"Only if the format is {' or '.join(key.formats)}.")
    return " ".join(facts)


def _comment(text: str, indent: str = "") -> list[str]:
    """Return a comment on lines of at most WIDTH columns, without the backquotes of code."""
    begin = f"# {indent}"
    return textwrap.wrap(
        text.replace("`", ""),
        WIDTH,
        initial_indent=begin,
        subsequent_indent=begin,
        break_long_words=False,
        break_on_hyphens=False,
    )
