"""tournament.toml, read strictly into plain values (tournament-file.md).

Its keys are read in four places: `[tournament]` and `[time]` here, the format and stop keys of `[tournament]` in
`format_keys`, each `[[variant]]` in `variant_entries`, each `[[bot]]` in `bot_entries`.

Every error that can be known before the first game is found here: unknown keys, options, variants and bots, line-ups
that cannot be seated. Users of a `TournamentFile` need not check it again.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.records.values.faults import POLICIES
from harness.records.values.game_record import ISOLATION_TIERS, PER_SEAT, SHARED, TimeControl
from harness.records.values.run import LONGEST_NAME, PACKS
from harness.referee.spec import MAX_PROCESSES, BotSpec, FaultLimits
from harness.tournament import lineups as seating
from harness.tournament.config.bot_entries import BotEntry, read_bots
from harness.tournament.config.bot_file import check_name, load_bot
from harness.tournament.config.format_keys import (
    DEALS,
    FORMATS,
    GAMES,
    ROUND_ROBIN,
    UNITS,
    FormatTerms,
    StopRules,
    read_sets,
    read_terms,
)
from harness.tournament.config.toml_document import TomlDocument, read_toml
from harness.tournament.config.toml_table import TomlTable
from harness.tournament.config.variant_entries import (
    MAX_HANDS,
    SINGLE_HANDS,
    EntryTerms,
    VariantEntry,
    read_variant_entries,
)

DEFAULT_TABLES = 16
DEFAULT_MAX_HANDS = 100


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it, with every default filled in.

    name: the tournament's name, by default the file's.
    terms: the format and its keys.
    stop: the rules that may stop it early, or None.
    seed: as typed; "" to have one drawn.
    unit: what a deal set is made of, games or deals.
    sets: the number of deal sets of each line-up; the most if there is a stop rule.
    instances: "seat" or "shared".
    packs: "common" or "own".
    isolation: the tier; "" for the best one that works.
    tables: how many tables each process plays at once.
    slots: how many requests bots work on at once in the run; 0 for as many as the machine has cores.
    processes: how many processes may be alive at once to keep tables full between two jobs.
    time: the clock.
    variants: each `[[variant]]`.
    bots, bot_entries: each `[[bot]]`: the bot, and how it was written.
    limits: the faults that a bot may have before it is withdrawn.
    copies: whether a bot may sit more than once at a table.
    beacon: None without one, "" until it is known.
    folder: the folder that the bots' paths are relative to.
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
    bot_entries: tuple[BotEntry, ...]
    limits: FaultLimits
    copies: bool
    beacon: str | None
    folder: Path = Path()

    @property
    def format(self) -> str:
        """The name of the format."""
        return self.terms.name


def load_tournament(path: Path) -> TournamentFile:
    """Read a tournament file and the bots it names; their paths are relative to its folder.

    Raises ConfigError: one sentence with the file, the line, the key and what is allowed.
    """
    return _tournament(read_toml(path), path.parent, path.stem)


def stored_tournament(config: str, folder: Path, label: str) -> TournamentFile:
    """Read the resolved copy of a tournament file that is stored with its run, and the bots it names.

    config: text that `resolved_text` wrote.
    folder: the folder that the bots' paths are relative to.
    label: names the text in messages.

    Raises ConfigError, as `load_tournament` does.
    """
    return _tournament(TomlDocument(label, tomllib.loads(config), {}), folder, "")


def quick_match(
    bots: Sequence[str | Path],
    variants: Mapping[str, Mapping[str, object]],
    *,
    sets: int,
    unit: str = GAMES,
    seed: str = "",
    name: str = "",
    settings: Mapping[str, object] | None = None,
) -> TournamentFile:
    """Return a tournament that has no file, as `bowerbird match` plays one. Raises ConfigError.

    bots: paths relative to the working folder; a bot that is listed again gets "-2", "-3" … after its name.
    variants: the options of each variant, by its name.
    name: by default "match" with the variants and bots, so that one seed serves for matches of different bots.
    settings: further keys of `[tournament]`.
    """
    entries: list[dict[str, object]] = []
    own_names = [load_bot(Path(path)).name for path in bots]
    name = name or "-".join(("match", *variants, *own_names))[:LONGEST_NAME]
    for path, bot, own in zip(bots, entered_names(bots), own_names, strict=True):
        entries.append({"path": str(path), **({"name": bot} if bot != own else {})})
    tournament = {"name": name, "sets": sets, "unit": unit, **(settings or {})}
    if seed:
        tournament["seed"] = seed
    data = {
        "tournament": tournament,
        "variant": [{"name": variant, "options": options} for variant, options in variants.items()],
        "bot": entries,
    }
    return _tournament(TomlDocument(name, data, {}), Path(), name)


def entered_names(bots: Sequence[str | Path]) -> list[str]:
    """Return the names under which `quick_match` enters these bots. Raises ConfigError if one cannot be read."""
    counted: Counter[str] = Counter()
    names: list[str] = []
    for path in bots:
        bot = load_bot(Path(path)).name
        counted[bot] += 1
        names.append(f"{bot}-{counted[bot]}" if counted[bot] > 1 else bot)
    return names


def _tournament(document: TomlDocument, folder: Path, default_name: str) -> TournamentFile:
    top = TomlTable.root(document, "the tournament file")
    main = top.table("tournament", "[tournament]")
    name = main.string("name", default_name)
    check_name(main, name)
    lineup = main.choice("lineup", seating.KINDS, "")
    format_ = main.choice("format", FORMATS, ROUND_ROBIN)
    unit = main.choice("unit", UNITS, UNITS[0])
    on_fault = main.choice("on_fault", POLICIES, "")
    max_hands = _max_hands(main, unit)
    seed = main.string("seed", "")
    if main.has("seed") and not seed:
        raise main.error("an empty seed is not allowed, leave it out to have one drawn", "seed")
    instances = main.choice("instances", (PER_SEAT, SHARED), PER_SEAT)
    packs = main.choice("packs", PACKS, PACKS[0])
    isolation = main.choice("isolation", ISOLATION_TIERS, "")
    slots = main.integer("slots", 0, low=1)
    processes = main.integer("processes", MAX_PROCESSES, low=1)
    bots, bot_entries = read_bots(top, folder)
    tables = _tables(main, bots)
    names = [bot.name for bot in bots]
    terms = read_terms(main, format_, names, [entry.rating for entry in bot_entries])
    sets, stop = read_sets(main, terms, names, unit)
    limits = _limits(main)
    meetings = seating.MeetingRules(tuple(names), terms.challengers, main.boolean("copies", True))
    beacon = _beacon(main)
    main.reject_unknown_keys()
    time = _time(top.table("time", "[time]"))
    variants = read_variant_entries(top, EntryTerms(bots, meetings, format_, lineup, on_fault, unit, max_hands))
    top.reject_unknown_keys()
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
        bot_entries=bot_entries,
        limits=limits,
        copies=meetings.copies,
        beacon=beacon,
        folder=folder,
    )


def _beacon(main: TomlTable) -> str | None:
    """Read the beacon, a value that nobody can know when the run commits to its seed (ratings.md, Deal sets)."""
    if not main.has("beacon"):
        return None
    if main.has("seed"):
        raise main.error("a beacon is for a seed that is drawn, leave seed or beacon out", "beacon")
    return main.string("beacon").strip()


def _max_hands(main: TomlTable, unit: str) -> int:
    """Read how many hands a game has at most (rules.md A15; protocol.md, Clocks). A deal is one hand."""
    hands = main.integer(MAX_HANDS, DEFAULT_MAX_HANDS, low=1)
    if unit != DEALS:
        return hands
    if main.has(MAX_HANDS) and hands > 1:
        raise main.error(SINGLE_HANDS, MAX_HANDS)
    return 1


def _limits(main: TomlTable) -> FaultLimits:
    """Read how many faults a bot may have (protocol.md, Faults at a table)."""
    default = FaultLimits()
    return FaultLimits(
        max_restarts=main.integer("max_restarts", default.max_restarts, low=0),
        max_faults=main.integer("max_faults", default.max_faults, low=0),
        reconnect_ms=main.duration_ms("reconnect", default.reconnect_ms),
    )


def _time(table: TomlTable) -> TimeControl:
    default = TimeControl()
    time = TimeControl(
        per_decision_ms=table.duration_ms("per_decision", default.per_decision_ms, low_ms=1),
        bank_ms=table.duration_ms("bank", default.bank_ms),
        increment_ms=table.duration_ms("increment", default.increment_ms),
        startup_ms=table.duration_ms("startup", default.startup_ms, low_ms=1),
        margin_ms=table.duration_ms("margin", default.margin_ms),
    )
    table.reject_unknown_keys()
    return time


def _tables(main: TomlTable, bots: Sequence[BotSpec]) -> int:
    """Read the tables at once of each process, equal for all bots; at most what every bot can play."""
    least = min(bots, key=lambda bot: bot.tables)
    if not main.has("tables"):
        return min(main.integer("tables", DEFAULT_TABLES, low=1), least.tables)
    tables = main.integer("tables", None, low=1)
    if tables > least.tables:
        raise main.error(
            f"bot {least.name!r} plays at most {least.tables} at once ({least.source}, key 'tables'), "
            f"a whole number from 1 to {least.tables} is allowed",
            "tables",
        )
    return tables
