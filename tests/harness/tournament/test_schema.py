"""The schema and the readers of tournament.toml and bot.toml agree (tournament-file.md, bot-file.md)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bowerbird.harness.records.quoting import toml_text
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.toml.document import TomlDocument
from bowerbird.harness.tournament.config.toml.keys import (
    DAY_MS,
    BooleanKey,
    ChoiceKey,
    DurationKey,
    IntegerKey,
    Key,
    NumberKey,
    StringKey,
    StringsKey,
    TableKey,
    TableSchema,
    duration_text,
)
from bowerbird.harness.tournament.config.toml.table import TomlTable
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, parse_tournament
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.tournament.bot_folders import Yard

TABLES = (
    schema.TOURNAMENT_TABLE,
    schema.STOP_TABLE,
    schema.SPRT_TABLE,
    schema.TIME_TABLE,
    schema.VARIANT_TABLE,
    schema.LOCAL_BOT_TABLE,
    schema.REMOTE_BOT_TABLE,
)
"""The tables of a tournament file."""

KEYS = [(table, key) for table in TABLES for key in table.keys]
BOT_KEYS = [(table, key) for table in (schema.BOT_FILE, schema.SANDBOX_TABLE) for key in table.keys]


def named(value: object) -> str:
    """Return the id of a parameter."""
    if isinstance(value, TableSchema):
        return f"{value.title}{'-remote' if value is schema.REMOTE_BOT_TABLE else ''}"
    return value.name if isinstance(value, Key) else str(value)


@pytest.fixture
def wide(yard: Yard) -> Yard:
    """Return a yard with three bots that play many tables, and the files that the examples of bot.toml name."""
    for name in ("greedy", "random", "guest"):
        yard.bot(name, "tables = 1024", '[sandbox]\nnetwork = "*"')
    for folder in ("bots/tables", "bots/model", "bots/greedy/src"):
        (yard.folder / folder).mkdir()
    yard.write("bots/tables/openings.bin", "")
    return yard


def tournament_text(table: TableSchema, key: Key, value: str | None) -> str:
    """Return a tournament file in which `key` of `table` has this value in TOML; with None it is left out.

    The variant has two sides, so that every format can play it.
    """
    lines: dict[str, list[str]] = {
        "[tournament]": [],
        "[time]": [],
        "[[variant]]": ['name = "euchre"'],
        "[[bot]]": ['path = "./bots/greedy"'],
        "remote": ["remote = true", 'name = "guest"'],
        "stop": ["settled = 0.9"],
        "sprt": [],
    }
    place = "remote" if table is schema.REMOTE_BOT_TABLE else table.title
    if value is not None:
        lines[place] = [line for line in lines[place] if not line.startswith(f"{key.name} =")]
        lines[place].append(f"{key.name} = {value}")
    main = lines["[tournament]"]
    if key.formats and key.name != "stop":
        main.append(f'format = "{key.formats[0]}"')
    if table is schema.STOP_TABLE:
        main.append(f"stop = {{ {', '.join(lines['stop'])} }}")
    if table is schema.SPRT_TABLE:
        main.append(f"stop = {{ sprt = {{ {', '.join(lines['sprt'])} }} }}")
    if key in (schema.SPRT_MEASURE, schema.SPRT_SCALE, schema.MAX_HANDS):
        main.append('unit = "games"')
    bots = [lines["[[bot]]"], ['path = "./bots/random"'], lines["remote"]]
    parts = ["[tournament]", *main, "[time]", *lines["[time]"], "[[variant]]", *lines["[[variant]]"]]
    for bot in bots:
        parts += ["[[bot]]", *bot]
    return "\n".join(parts) + "\n"


def read_with(yard: Yard, table: TableSchema, key: Key, value: str | None) -> TournamentFile:
    return parse_tournament(tournament_text(table, key, value), yard.folder / "cup.toml")


def test_every_key_of_the_schema_is_read_and_no_other(wide: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[tuple[str, str]] = set()
    value_of = TomlTable._value

    def noted(table: TomlTable, key: Key, default: object) -> object:
        read.add((named(table._schema), key.name))
        return value_of(table, key, default)

    monkeypatch.setattr(TomlTable, "_value", noted)
    for table, key in KEYS:
        read_with(wide, table, key, key.example)
    for table, key in BOT_KEYS:
        load_bot(wide.write("bots/greedy/bot.toml", bot_text(table, key, key.example)))
    declared = {(named(table), key.name) for table, key in [*KEYS, *BOT_KEYS]}
    for whole in (schema.TOURNAMENT_FILE, schema.STAGE_TABLE, schema.ENTRY_TIME_TABLE):
        declared |= {(whole.title, key.name) for key in whole.keys}
    assert read == declared


@pytest.mark.parametrize(("table", "key"), KEYS, ids=named)
def test_a_sentence_about_a_key_has_no_gap(table: TableSchema, key: Key) -> None:
    for text in (key.value_text, key.default_text, key.text):
        assert text == text.strip()
        assert not {"  ", " ,", " ."} & {text[at : at + 2] for at in range(len(text))}


def test_a_key_that_is_not_declared_cannot_be_read() -> None:
    table = TomlTable(TomlDocument("x.toml", {"sets": 3}, {}), (), {"sets": 3}, schema.TIME_TABLE)
    with pytest.raises(AssertionError, match="does not declare 'sets'"):
        table.integer(schema.SETS)


@pytest.mark.parametrize(("table", "key"), KEYS, ids=named)
def test_an_example_is_accepted(wide: Yard, table: TableSchema, key: Key) -> None:
    assert read_with(wide, table, key, key.example)


@pytest.mark.parametrize(("table", "key"), KEYS, ids=named)
def test_a_default_is_that_of_the_reader(wide: Yard, table: TableSchema, key: Key) -> None:
    assert (key.default_value is None or key.required or bool(key.otherwise)) or read_with(
        wide, table, key, None
    ) == read_with(wide, table, key, toml_text(key.default_value))


def limits_of(key: Key) -> Iterator[tuple[str, bool]]:
    """Yield values in TOML at the limits of a key, each with whether the schema allows it."""
    match key:
        case ChoiceKey():
            yield from ((f'"{word}"', True) for word in key.allowed)
            yield from (('"none of these"', False), ("1", False))
        case BooleanKey():
            yield from (("true", True), ("false", True), ("1", False), ('"true"', False))
        case IntegerKey():
            yield from ((str(key.low), True), (str(key.low - 1), False), (f"{key.low + 1}.0", False), ("true", False))
            if key.high is not None:
                yield from ((str(key.high), True), (str(key.high + 1), False))
        case NumberKey():
            yield from (("nan", False), ("inf", False), ("true", False), ("9" * 400, False))
            if key.above is not None and key.below is not None:
                middle = (key.above + key.below) / 2
                yield from ((repr(key.above), False), (repr(key.below), False), (repr(middle), True))
        case DurationKey():
            yield from ((f'"{key.low_ms}ms"', True), (f'"{DAY_MS}ms"', True), (f'"{DAY_MS + 1}ms"', False))
            yield from ((f'"{key.low_ms - 1}ms"', False), ("5", False), (f'"{"9" * 400}h"', False), ('"٣s"', False))
        case StringsKey():
            yield from (('"a"', False), ("[1]", False))
        case StringKey():
            yield from (("1", False), ("[]", False))
        case TableKey():
            yield ("1", False)
        case _:
            pytest.fail(f"a kind of key without limits: {key}")


LIMITS = [(table, key, value, allowed) for table, key in KEYS for value, allowed in limits_of(key)]


@pytest.mark.parametrize(("table", "key", "value", "allowed"), LIMITS, ids=named)
def test_the_reader_accepts_what_the_schema_allows_and_nothing_else(
    wide: Yard, table: TableSchema, key: Key, value: str, allowed: bool
) -> None:
    """A value that is refused because of the rest of the file, such as a line-up that cannot be seated, is allowed."""
    assert refused_at(key, wide, tournament_text(table, key, value)) != allowed


def refused_at(key: Key, yard: Yard, text: str) -> bool:
    """Return whether the value of a key is refused for itself, not because of the rest of the file."""
    try:
        parse_tournament(text, yard.folder / "cup.toml")
    except ConfigError as error:
        sentence = str(error)
        wrong = "; must be " in sentence
        return f"key '{key.name}': " in sentence and wrong
    return False


def bot_text(table: TableSchema, key: Key, value: str | None) -> str:
    """Return a bot.toml in which `key` of `table` has this value in TOML; with None it is left out."""
    lines = {"name": 'name = "greedy"', "command": 'command = ["{python}"]'}
    if table is schema.SANDBOX_TABLE:
        return "\n".join([*lines.values(), "[sandbox]", *([f"{key.name} = {value}"] if value is not None else [])])
    if value is not None:
        lines[key.name] = f"{key.name} = {value}"
    return "\n".join(lines.values())


def bot_limits() -> Iterator[tuple[TableSchema, Key, str, bool]]:
    for table, key in BOT_KEYS:
        yield table, key, key.example, True
        for value, allowed in limits_of(key):
            yield table, key, value, allowed


@pytest.mark.parametrize(("table", "key", "value", "allowed"), list(bot_limits()), ids=named)
def test_a_bot_file_is_read_as_the_schema_says(
    wide: Yard, table: TableSchema, key: Key, value: str, allowed: bool
) -> None:
    path = wide.write("bots/greedy/bot.toml", bot_text(table, key, value))
    if allowed:
        load_bot(path)
        return
    with pytest.raises(ConfigError, match=rf"key '{key.name}': got .*; must be "):
        load_bot(path)


@pytest.mark.parametrize(("table", "key"), [(table, key) for table, key in BOT_KEYS if not key.required], ids=named)
def test_a_default_of_a_bot_file_is_that_of_the_reader(wide: Yard, table: TableSchema, key: Key) -> None:
    path = wide.folder / "bots/greedy/bot.toml"
    found = []
    for value in (None, toml_text(key.default_value)):
        path.write_text(bot_text(table, key, value))
        bot = load_bot(path)
        found.append({name: getattr(bot, name) for name in bot.__slots__ if name != "fingerprint"})
    assert found[0] == found[1]


@pytest.mark.parametrize(("ms", "text"), [(0, "0ms"), (20, "20ms"), (1000, "1s"), (90_000, "90s"), (DAY_MS, "24h")])
def test_a_duration_is_written_in_the_largest_unit(ms: int, text: str) -> None:
    assert duration_text(ms) == text


def test_every_key_says_what_it_does() -> None:
    for _, key in [*KEYS, *BOT_KEYS]:
        assert key.text.endswith("."), key
        assert key.required or key.otherwise or key.default_value is not None, f"{key.name} has no default"
