"""tournament.toml, read strictly into plain values (CLI.md, tournament.toml).

Everything that can be wrong with a tournament and is known before a game is found here: unknown keys, options,
variants and bots, line-ups that cannot be seated. Whoever plays a `TournamentFile` need not check it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.records.names import LONGEST_NAME
from harness.records.record import TimeControl
from harness.records.run import PACKS
from harness.referee.isolation import TIERS
from harness.referee.keeping import PROCESSES
from harness.referee.spec import BotSpec, FaultLimits
from harness.tournament import seating
from harness.tournament.bot_file import check_command, check_name, load_bot
from harness.tournament.entries import (
    DEALS,
    GAMES,
    MAX_HANDS,
    POLICIES,
    SINGLE_HANDS,
    EntryTerms,
    VariantEntry,
    read_entries,
)
from harness.tournament.errors import ConfigError
from harness.tournament.format_file import read_sets, read_terms
from harness.tournament.format_terms import FORMATS, ROUND_ROBIN, FormatTerms, StopRules
from harness.tournament.remote_bot import read_remote
from harness.tournament.section import Section
from harness.tournament.source import KeyPath, Source, read_source

__all__ = ["ConfigError", "TournamentFile", "VariantEntry", "load_bot", "load_tournament", "quick_match"]

UNITS = (GAMES, DEALS)
INSTANCES = ("seat", "shared")
DEFAULT_TABLES = 16
DEFAULT_MAX_HANDS = 100


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One `[[bot]]` as it was written: the path as typed, the name it is entered under, further arguments.

    `rating` is what it is seeded by, where its organiser gave one. A remote one has no path and no arguments.
    """

    path: str
    name: str
    arguments: tuple[str, ...]
    rating: int | None = None


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it, with every default filled in.

    `seed` is what was typed, "" where the seed is to be drawn. `slots` is 0 for as many as the machine has cores.
    `processes` may be alive at once to keep tables full from one line-up to the next.
    `beacon` is None without one, "" while it is not known.
    `entered` says how each of `bots` was written. `sets` are the most there can be where `stop` ends the tournament.
    `isolation` is "" for the best tier that works.
    """

    name: str
    terms: FormatTerms
    stop: StopRules | None
    seed: str
    unit: str
    sets: int
    instances: str
    packs: str
    isolation: str
    tables: int
    slots: int
    processes: int
    time: TimeControl
    variants: tuple[VariantEntry, ...]
    bots: tuple[BotSpec, ...]
    entered: tuple[BotEntry, ...]
    limits: FaultLimits
    copies: bool
    beacon: str | None

    @property
    def format(self) -> str:
        """The name of the format."""
        return self.terms.name


def load_tournament(path: Path) -> TournamentFile:
    """Read a tournament file and the bots it names; their paths are relative to its folder.

    Raises ConfigError: one sentence with the file, the line, the key and what is allowed.
    """
    return _tournament(read_source(path), path.parent, path.stem)


def quick_match(
    bots: Sequence[str | Path],
    variants: Mapping[str, Mapping[str, object]],
    *,
    sets: int,
    unit: str = "games",
    seed: str = "",
    name: str = "",
    settings: Mapping[str, object] | None = None,
) -> TournamentFile:
    """A tournament without a file, as `bowerbird match` plays one.

    `bots` are paths relative to the working folder; the second of one name enters with "-2" behind it. Without a
    `name` the run is called after its variants and bots, so that one seed serves for matches of different bots.
    `variants` maps names to options. `settings` are further keys of `[tournament]`. Raises ConfigError.
    """
    entries: list[dict[str, object]] = []
    named = [load_bot(Path(path)).name for path in bots]
    name = name or "-".join(("match", *variants, *named))[:LONGEST_NAME]
    for path, bot, own in zip(bots, entered_names(bots), named, strict=True):
        entries.append({"path": str(path), **({"name": bot} if bot != own else {})})
    tournament = {"name": name, "sets": sets, "unit": unit, **(settings or {})}
    if seed:
        tournament["seed"] = seed
    data = {
        "tournament": tournament,
        "variant": [{"name": variant, "options": options} for variant, options in variants.items()],
        "bot": entries,
    }
    return _tournament(Source(name, data, {}), Path(), name)


def entered_names(bots: Sequence[str | Path]) -> list[str]:
    """Under which names `quick_match` enters these bots. Raises ConfigError for one that cannot be read."""
    counted: Counter[str] = Counter()
    names: list[str] = []
    for path in bots:
        bot = load_bot(Path(path)).name
        counted[bot] += 1
        names.append(f"{bot}-{counted[bot]}" if counted[bot] > 1 else bot)
    return names


def _tournament(source: Source, folder: Path, default_name: str) -> TournamentFile:
    top = Section(source, (), source.data, "the tournament file")
    main = top.section("tournament", "[tournament]")
    name = main.text("name", default_name)
    check_name(source, main.where("name"), name)
    lineup = main.choice("lineup", seating.KINDS, "")
    format_ = main.choice("format", FORMATS, ROUND_ROBIN)
    unit = main.choice("unit", UNITS, UNITS[0])
    on_fault = main.choice("on_fault", POLICIES, "")
    max_hands = _max_hands(source, main, unit)
    seed = main.text("seed", "")
    if main.has("seed") and not seed:
        raise source.error(main.where("seed"), "an empty seed is not allowed, leave it out to have one drawn")
    instances = main.choice("instances", INSTANCES, INSTANCES[0])
    packs = main.choice("packs", PACKS, PACKS[0])
    isolation = main.choice("isolation", TIERS, "")
    slots = main.integer("slots", 0, low=1)
    processes = main.integer("processes", PROCESSES, low=1)
    bots, entered = _bots(source, top, folder)
    tables = _tables(source, main, bots)
    names = [bot.name for bot in bots]
    terms = read_terms(source, main, format_, names, [entry.rating for entry in entered])
    sets, stop = read_sets(source, main, terms, names, unit)
    limits = _limits(main)
    company = seating.Company(tuple(names), terms.challengers, main.flag("copies", True))
    beacon = _beacon(source, main)
    main.done()
    time = _time(top.section("time", "[time]"))
    variants = read_entries(source, top, EntryTerms(bots, company, format_, lineup, on_fault, unit, max_hands))
    top.done()
    return TournamentFile(
        name=name,
        terms=terms,
        stop=stop,
        seed=seed,
        unit=unit,
        sets=sets,
        instances=instances,
        packs=packs,
        isolation=isolation,
        tables=tables,
        slots=slots,
        processes=processes,
        time=time,
        variants=variants,
        bots=bots,
        entered=entered,
        limits=limits,
        copies=company.copies,
        beacon=beacon,
    )


def _beacon(source: Source, main: Section) -> str | None:
    """A value that nobody can know when the run commits to its seed (RATINGS.md, Deal sets); "" until it is known."""
    if not main.has("beacon"):
        return None
    if main.has("seed"):
        raise source.error(main.where("beacon"), "a beacon is for a seed that is drawn, leave seed or beacon out")
    return main.text("beacon").strip()


def _max_hands(source: Source, main: Section, unit: str) -> int:
    """How many hands a game has at most (RULES.md A15; PROTOCOL.md, Clocks). A deal is one hand."""
    hands = main.integer(MAX_HANDS, DEFAULT_MAX_HANDS, low=1)
    if unit != DEALS:
        return hands
    if main.has(MAX_HANDS) and hands > 1:
        raise source.error(main.where(MAX_HANDS), SINGLE_HANDS)
    return 1


def _limits(main: Section) -> FaultLimits:
    """How many faults a bot may have (PROTOCOL.md, Faults at a table)."""
    usual = FaultLimits()
    return FaultLimits(
        max_restarts=main.integer("max_restarts", usual.max_restarts, low=0),
        max_faults=main.integer("max_faults", usual.max_faults, low=0),
    )


def _time(section: Section) -> TimeControl:
    default = TimeControl()
    time = TimeControl(
        per_decision_ms=section.duration("per_decision", default.per_decision_ms, low=1),
        bank_ms=section.duration("bank", default.bank_ms),
        increment_ms=section.duration("increment", default.increment_ms),
        startup_ms=section.duration("startup", default.startup_ms, low=1),
        margin_ms=section.duration("margin", default.margin_ms),
    )
    section.done()
    return time


def _bots(source: Source, top: Section, folder: Path) -> tuple[tuple[BotSpec, ...], tuple[BotEntry, ...]]:
    bots: list[BotSpec] = []
    entered: list[BotEntry] = []
    for section in top.sections("bot", "[[bot]]"):
        rating = section.integer("rating", None, low=-10_000, high=10_000) if section.has("rating") else None
        if section.flag("remote"):
            bot = read_remote(source, section)
            entry = BotEntry("", bot.name, ())
        else:
            bot, entry = _local(source, section, folder)
        if bot.name in (other.name for other in bots):
            raise source.error(
                section.where("name" if section.has("name") else "path"),
                f"two bots are named {bot.name!r}, give one of them a name of its own with [[bot]] name",
            )
        bots.append(bot)
        entered.append(replace(entry, rating=rating))
    if len(bots) < 2:
        found = "no bot is" if not bots else "only one bot is"
        raise source.error(("bot",), f"{found} entered, at least 2 tables [[bot]] are needed")
    return tuple(bots), tuple(entered)


def _local(source: Source, section: Section, folder: Path) -> tuple[BotSpec, BotEntry]:
    """A bot that the referee starts itself."""
    path = section.text("path")
    name = section.text("name", "")
    arguments = section.texts("arguments", ())
    section.done()
    if section.has("name"):
        check_name(source, section.where("name"), name)
    bot = _entered(source, section.where("path"), folder / path, name or None, arguments)
    return bot, BotEntry(path, bot.name, arguments)


def _entered(source: Source, where: KeyPath, path: Path, name: str | None, arguments: Sequence[str]) -> BotSpec:
    """A bot of the file. One without a build must be ready to start; the others are checked when they are built."""
    if not path.exists():
        try:
            return load_bot(path, name, arguments)
        except ConfigError as error:
            raise source.error(where, str(error)) from None
    bot = load_bot(path, name, arguments)
    return bot if bot.build else check_command(bot)


def _tables(source: Source, main: Section, bots: Sequence[BotSpec]) -> int:
    """Tables at once for each process, equal for all: what was asked for, or what every bot can do."""
    least = min(bots, key=lambda bot: bot.tables)
    if not main.has("tables"):
        return min(main.integer("tables", DEFAULT_TABLES, low=1), least.tables)
    tables = main.integer("tables", None, low=1)
    if tables > least.tables:
        raise source.error(
            main.where("tables"),
            f"bot {least.name!r} plays at most {least.tables} at once ({least.source}, key 'tables'), "
            f"a whole number from 1 to {least.tables} is allowed",
        )
    return tables
