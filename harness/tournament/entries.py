"""The `[[variant]]` tables of a tournament file: what is played, by whom, at which tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine import EngineError, resolve_options, rules_of, variant_names
from engine.wording import unknown
from harness.records.record import OptionValue
from harness.referee.spec import OPTION_NUMBERS, BotSpec
from harness.tournament import seating
from harness.tournament.bot_file import plays
from harness.tournament.format_terms import PAIRED
from harness.tournament.seating import Company, Lineup, SeatingError, Sides
from harness.tournament.section import Section
from harness.tournament.source import KeyPath, Source

GAMES, DEALS = "games", "deals"
FORFEIT, SUBSTITUTE = "forfeit", "substitute"
POLICIES = (FORFEIT, SUBSTITUTE)
MAX_HANDS = "max_hands"
SINGLE_HANDS = "unit 'deals' plays single hands, leave max_hands out"


@dataclass(frozen=True, slots=True)
class VariantEntry:
    """One `[[variant]]` of a tournament.

    `id` is the variant and its index among the entries of the same variant: "buck-0". `options` are all of them,
    resolved. `sides` are the fixed ones, or None. `on_fault` is forfeit or substitute.
    """

    id: str
    variant: str
    options: Mapping[str, OptionValue]
    seats: int
    sides: Sides | None
    lineups: tuple[Lineup, ...]
    on_fault: str


@dataclass(frozen=True, slots=True)
class EntryTerms:
    """What the rest of the file says about every entry.

    `lineup` and `on_fault` are "" where each variant has its own default. They and `max_hands` hold where an entry does
    not say otherwise. `company` says who may meet.
    """

    bots: Sequence[BotSpec]
    company: Company
    format: str
    lineup: str
    on_fault: str
    unit: str
    max_hands: int


def read_entries(source: Source, top: Section, terms: EntryTerms) -> tuple[VariantEntry, ...]:
    """Read every `[[variant]]`. Raises ConfigError, also where a bot does not play it or it cannot be seated."""
    entries: list[VariantEntry] = []
    counts: Counter[str] = Counter()
    for section in top.sections("variant", "[[variant]]"):
        variant = section.text("name")
        options = _options(source, section, variant, terms)
        lineup = section.choice("lineup", seating.KINDS, terms.lineup)
        on_fault = section.choice("on_fault", POLICIES, terms.on_fault)
        section.done()
        _check_bots(source, section, variant, terms.bots)
        rules = rules_of(variant)
        seats, sides = rules.seats(options), rules.teams(options)
        kind = lineup or seating.default_kind(sides)
        try:
            lineups = seating.lineups(kind, terms.company, seats, sides)
        except SeatingError as error:
            raise source.error(_seating_place(section, terms, error), f"{variant}: {error}") from None
        if terms.format in PAIRED and seating.entrants(kind, seats, sides) != 2:
            raise source.error(
                ("tournament", "format"),
                f"{terms.format!r} is for two entrants a table, {variant} by {kind!r} seats {seats}, "
                "'round-robin' or 'gauntlet' is allowed",
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
            )
        )
        counts[variant] += 1
    if not entries:
        raise source.error(("variant",), "no variant is listed, at least one table [[variant]] is needed")
    return tuple(entries)


def default_policy(seats: int, sides: Sides | None) -> str:
    """Forfeit where two sides meet, substitute where a stranger would be hurt (PROTOCOL.md, Faults)."""
    return FORFEIT if (seats if sides is None else len(sides)) == 2 else SUBSTITUTE


def _options(source: Source, section: Section, variant: str, terms: EntryTerms) -> Mapping[str, OptionValue]:
    """Every option, resolved; an error is laid at the line of the option that causes it."""
    if variant not in variant_names():
        raise source.error(section.where("name"), unknown("variant", variant, variant_names()))
    written = section.table("options")
    if terms.unit == DEALS and MAX_HANDS in written:
        raise source.error((*section.where("options"), MAX_HANDS), SINGLE_HANDS)
    where: KeyPath = section.where("name")
    try:
        for name, value in written.items():
            where = (*section.where("options"), name)
            resolve_options(variant, {name: value})
        where = section.where("options" if section.has("options") else "name")
        options = dict(resolve_options(variant, {MAX_HANDS: terms.max_hands, **written}))
    except EngineError as error:
        raise source.error(where, str(error.args[0])) from None
    for name, value in options.items():
        if not isinstance(value, (bool, str)) and value not in OPTION_NUMBERS:
            limits = f"the protocol carries {OPTION_NUMBERS[0]} to {OPTION_NUMBERS[-1]}"
            raise source.error((*section.where("options"), name), f"{name} = {value} is out of range, {limits}")
    if not options[MAX_HANDS]:
        where = (*section.where("options"), MAX_HANDS)
        raise source.error(where, "0 would let a game go on for ever, a whole number of at least 1 is allowed")
    return options


def _check_bots(source: Source, section: Section, variant: str, bots: Sequence[BotSpec]) -> None:
    for bot in bots:
        if not plays(bot, variant):
            raise source.error(
                section.where("name"),
                f"bot {bot.name!r} does not play {variant!r} ({bot.source}, key 'variants': {', '.join(bot.variants)})",
            )


def _seating_place(section: Section, terms: EntryTerms, error: SeatingError) -> KeyPath:
    """Where the line-up of an entry was asked for, or the key of the tournament that forbids it."""
    if error.key:
        return ("tournament", error.key)
    if terms.lineup and not section.has("lineup"):
        return ("tournament", "lineup")
    return section.where("lineup" if section.has("lineup") else "name")
