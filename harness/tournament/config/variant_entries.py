"""The `[[variant]]` tables of a tournament file: a variant with its options, and the line-ups that play it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bowerbird.engine import EngineError, UnknownVariant, resolve_options, rules_of, variant_named
from bowerbird.harness.records.values.faults import FORFEIT, SUBSTITUTE
from bowerbird.harness.records.values.game_record import OptionValue
from bowerbird.harness.referee.spec import OPTION_NUMBERS, BotSpec
from bowerbird.harness.tournament import lineups as seating
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.bot_file import plays
from bowerbird.harness.tournament.config.schema import DEALS, PAIRED
from bowerbird.harness.tournament.config.toml.table import TomlTable
from bowerbird.harness.tournament.errors import ConfigError
from bowerbird.harness.tournament.lineups import Lineup, MeetingRules, SeatingError, Sides

MAX_HANDS = schema.MAX_HANDS.name
SINGLE_HANDS = "unit 'deals' plays single hands; leave out max_hands"


@dataclass(frozen=True, slots=True)
class VariantEntry:
    """One `[[variant]]` of a tournament.

    id: the variant and the entry's index among those of the same variant: "buck-0".
    options: every option, resolved.
    sides: the seats of each fixed side; None if each bot plays for itself.
    on_fault: forfeit or substitute.
    weight: the weight of the variant in the mean over variants, equal in all of its entries.
    """

    id: str
    variant: str
    options: Mapping[str, OptionValue]
    seats: int
    sides: Sides | None
    lineups: tuple[Lineup, ...]
    on_fault: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class EntryTerms:
    """The terms that the rest of the file sets for every entry.

    `lineup`, `on_fault` and `max_hands` are defaults for the entries; "" leaves the default to each variant. `meetings`
    has the rules for which bots may meet.
    """

    bots: Sequence[BotSpec]
    meetings: MeetingRules
    format: str
    lineup: str
    on_fault: str
    unit: str
    max_hands: int


def read_variant_entries(top: TomlTable, terms: EntryTerms) -> tuple[VariantEntry, ...]:
    """Read every `[[variant]]`.

    Raises ConfigError, for example if a bot does not play a variant or a line-up cannot be seated.
    """
    entries: list[VariantEntry] = []
    counts: Counter[str] = Counter()
    for table in top.tables(schema.VARIANT):
        variant = _variant(table)
        _reject_unknown_keys(table, variant)
        options = _options(table, variant, terms)
        lineup = table.choice(schema.VARIANT_LINEUP, terms.lineup)
        on_fault = table.choice(schema.VARIANT_ON_FAULT, terms.on_fault)
        _check_bots(table, variant, terms.bots)
        rules = rules_of(variant)
        seats, sides = rules.seats(options), rules.teams(options)
        kind = lineup or seating.default_kind(sides)
        try:
            lineups = seating.lineups(kind, terms.meetings, seats, sides)
        except SeatingError as error:
            raise _seating_error(top, table, terms, variant, error) from None
        if terms.format in PAIRED and seating.entrants(kind, seats, sides) != 2:
            raise top.error(
                f"{terms.format!r} is for two entrants per table, but {variant} with lineup {kind!r} seats {seats}; "
                "use 'round-robin' or 'gauntlet'",
                schema.TOURNAMENT,
                schema.FORMAT,
            )
        entries.append(
            VariantEntry(
                id=f"{variant}-{counts[variant]}",
                variant=variant,
                options=options,
                seats=seats,
                sides=sides,
                lineups=lineups,
                on_fault=on_fault or default_policy(seats, sides),
                weight=_weight(table, variant, entries),
            )
        )
        counts[variant] += 1
    if not entries:
        raise top.error("no variant is listed; add at least one table [[variant]]", schema.VARIANT)
    return tuple(entries)


def _weight(table: TomlTable, variant: str, entries: Sequence[VariantEntry]) -> float:
    """Read the weight of a variant, by default that of its first entry. `entries` are those above it."""
    first = next((entry.weight for entry in entries if entry.variant == variant), None)
    weight = table.number(schema.VARIANT_WEIGHT, first)
    if first is not None and weight != first:
        raise table.error(
            f"{variant} has the weight {first:g} above; a variant has one weight, so leave it out here",
            schema.VARIANT_WEIGHT,
        )
    return weight


def default_policy(seats: int, sides: Sides | None) -> str:
    """Return forfeit if two sides meet, so no third side is hurt; else substitute (protocol.md, Faults at a table)."""
    return FORFEIT if (seats if sides is None else len(sides)) == 2 else SUBSTITUTE


def _variant(table: TomlTable) -> str:
    """Return the id of the variant that an entry names. Raises ConfigError."""
    try:
        return variant_named(table.string(schema.VARIANT_NAME))
    except UnknownVariant as error:
        raise table.error(str(error), schema.VARIANT_NAME) from None


def _reject_unknown_keys(table: TomlTable, variant: str) -> None:
    """Raise ConfigError for an unknown key. For an option of the variant, the error says where options go."""
    for name in table.written():
        if schema.VARIANT_TABLE.key(name) is None and name in rules_of(variant).options:
            raise table.error(f"{name!r} is an option of {variant}; write options = {{ {name} = ... }}", name)
    table.reject_unknown_keys([schema.TOURNAMENT_TABLE, schema.TIME_TABLE])


def _options(table: TomlTable, variant: str, terms: EntryTerms) -> Mapping[str, OptionValue]:
    """Return every option, resolved. An error names the line of the option that causes it."""
    written = table.mapping(schema.VARIANT_OPTIONS)
    if terms.unit == DEALS and written.get(MAX_HANDS, 1) != 1:
        raise table.error(SINGLE_HANDS, "options", MAX_HANDS)
    keys: tuple[str, ...] = ("name",)
    try:
        for name, value in written.items():
            keys = ("options", name)
            resolve_options(variant, {name: value})
        keys = ("options" if table.has(schema.VARIANT_OPTIONS) else "name",)
        options = dict(resolve_options(variant, {MAX_HANDS: terms.max_hands, **written}))
    except EngineError as error:
        raise table.error(str(error.args[0]), *keys) from None
    for name, value in options.items():
        if not isinstance(value, (bool, str)) and value not in OPTION_NUMBERS:
            limits = f"the protocol carries {OPTION_NUMBERS[0]} to {OPTION_NUMBERS[-1]}"
            raise table.error(f"got {name} = {value}; {limits}", "options", name)
    if not options[MAX_HANDS]:
        raise table.error(
            "got 0; must be a whole number of at least 1, or a game might never end",
            "options",
            MAX_HANDS,
        )
    return options


def _check_bots(table: TomlTable, variant: str, bots: Sequence[BotSpec]) -> None:
    for bot in bots:
        if not plays(bot, variant):
            raise table.error(
                f"bot {bot.name!r} does not play {variant!r} ({bot.source}, key 'variants': {', '.join(bot.variants)})",
                schema.VARIANT_NAME,
            )


def _seating_error(
    top: TomlTable, table: TomlTable, terms: EntryTerms, variant: str, error: SeatingError
) -> ConfigError:
    """Return an error at the key of `[tournament]` that forbids the line-up, or else at the key that sets it."""
    message = f"{variant}: {error}"
    if error.key:
        return top.error(message, schema.TOURNAMENT, error.key)
    own = table.has(schema.VARIANT_LINEUP)
    if terms.lineup and not own:
        return top.error(message, schema.TOURNAMENT, schema.LINEUP)
    return table.error(message, schema.VARIANT_LINEUP if own else schema.VARIANT_NAME)
