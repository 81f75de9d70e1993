"""tournament.toml, read strictly into plain values (tournament-file.md).

Its keys are read in four places: `[tournament]` and `[time]` here, the format and stop keys of `[tournament]` in
`format_keys`, each `[[variant]]` in `variant_entries`, each `[[bot]]` in `bot_entries`.

Every error that can be found before the first game is found here: unknown keys, options, variants and bots, and
line-ups that cannot be seated. Users of a `TournamentFile` need not check it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bowerbird.engine import did_you_mean, known_are
from bowerbird.harness.records.quoting import toml_text
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.text.run_text import schedule_of
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.run import COMMON, LONGEST_NAME, MATCH, OWN
from bowerbird.harness.records.verify.beacons import known_source
from bowerbird.harness.referee.spec import BotSpec, FaultLimits
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.bot_entries import BotEntry, entered_names, read_bots
from bowerbird.harness.tournament.config.bot_file import check_name, load_bot
from bowerbird.harness.tournament.config.format_keys import FormatTerms, StopRules, read_sets, read_terms
from bowerbird.harness.tournament.config.schema import (
    ADAPTIVE,
    BY_POINTS,
    DEALS,
    ELO,
    GAMES,
    PAIRED,
)
from bowerbird.harness.tournament.config.toml.document import TomlDocument, parse_toml, read_toml
from bowerbird.harness.tournament.config.toml.misplaced import single_brackets
from bowerbird.harness.tournament.config.toml.table import TomlTable
from bowerbird.harness.tournament.config.variant_entries import (
    SINGLE_HANDS,
    EntryTerms,
    VariantEntry,
    read_variant_entries,
)
from bowerbird.harness.tournament.errors import ConfigError
from bowerbird.harness.tournament.lineups import FIXED, MeetingRules


@dataclass(frozen=True, slots=True)
class Stage:
    """A final of the `best` bots of an earlier `run`, given by its name or id."""

    run: str
    best: int


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A tournament as its file describes it, with every default filled in.

    name: the tournament's name, by default the file's name.
    terms: the format and its keys.
    stop: the rules that may stop it early, or None.
    seed: as given; "" to have one drawn.
    unit: what a deal set is made of, games or deals.
    rank_by: what ranks the bots in the standings, elo or points.
    sets: the number of deal sets of each line-up; a maximum with a stop rule or in an adaptive run.
    instances: "seat" or "shared".
    packs: "common" or "own".
    isolation: the tier; "" for the best tier that works.
    tables: how many tables each process plays at once.
    slots: how many requests the bots of the run may work on at once; 0 for one per core.
    processes: how many processes may be alive at once, so that tables stay full between two jobs.
    max_share: the share of all thinking time beyond which the games of a bot are put last.
    ponder: whether local bots run while they have no open decision.
    time: the clock of every bot without its own.
    variants: each `[[variant]]`.
    bots, bot_entries: for each `[[bot]]`, the bot and the entry as written.
    limits: the faults that a bot may have before it is withdrawn.
    copies: whether a bot may sit more than once at a table.
    beacon: None without one, "" until it is known.
    beacon_source: where the beacon comes from; "" if not given.
    folder: the folder that the bots' paths are relative to.
    rated: whether the run has ratings.
    on_end: the command that runs when the run has ended; () for none. The resolved copy does not have it.
    max_faults_share: `max_faults` if it was given as a share of games; else 0. The resolved copy has the resulting
        number.
    anchors: the bots with given ratings that set the scale of the standings; {} for the usual scale.
    stage: which of the bots take part; None for all (`tournament.stage`).
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
    max_share: float
    ponder: bool
    time: TimeControl
    variants: tuple[VariantEntry, ...]
    bots: tuple[BotSpec, ...]
    bot_entries: tuple[BotEntry, ...]
    limits: FaultLimits
    copies: bool
    beacon: str | None
    folder: Path = Path()
    rank_by: str = ELO
    rated: bool = True
    beacon_source: str = ""
    on_end: tuple[str, ...] = ()
    max_faults_share: float = 0.0
    anchors: Mapping[str, float] = field(default_factory=dict)
    stage: Stage | None = None

    @property
    def format(self) -> str:
        """The name of the format."""
        return self.terms.name

    def clock_of(self, bot: str) -> TimeControl:
        """Return the clock of a bot of this tournament."""
        return next(spec.time for spec in self.bots if spec.name == bot) or self.time


def load_tournament(path: Path, only: Collection[str] | None = None) -> TournamentFile:
    """Read a tournament file and the bots it names; their paths are relative to its folder.

    only: the names of the bots that take part; None for all.

    Raises ConfigError: one sentence with the file, the line, the key and what is allowed.
    """
    return _tournament(read_toml(path, _explain), path.parent, path.stem, only)


def parse_tournament(text: str, path: Path) -> TournamentFile:
    """Return the tournament that a file at `path` with this text describes. Raises ConfigError."""
    return _tournament(parse_toml(text, str(path), _explain), path.parent, path.stem)


def _explain(text: str) -> tuple[int, str] | None:
    return single_brackets(text, schema.TOURNAMENT_FILE)


def stored_tournament(config: str, folder: Path, label: str) -> TournamentFile:
    """Read the resolved copy of a tournament file that is stored with its run, and the bots it names.

    config: text that `resolved_text` wrote.
    folder: the folder that the bots' paths are relative to.
    label: names the text in messages.

    A command for the end of the run is ignored: a stranger may have written it into an archive.

    Raises ConfigError, as `load_tournament` does.
    """
    try:
        data = load_toml(config)
        main = data.get("tournament")
        if isinstance(main, dict):
            main["schedule"] = schedule_of(main)  # older copies have none
    except ValueError as error:
        raise ConfigError(f"{label}: {error}") from None
    return replace(tournament_of(TomlDocument(label, data, {}), folder), on_end=())


def tournament_of(document: TomlDocument, folder: Path) -> TournamentFile:
    """Return the tournament of a document that is not a file; the paths of its bots are relative to `folder`.

    Raises ConfigError, as `load_tournament` does.
    """
    return _tournament(document, folder, "")


def quick_match(
    bots: Sequence[str | Path],
    variants: Mapping[str, Mapping[str, object]],
    *,
    sets: int,
    unit: str = GAMES,
    seed: str = "",
    name: str = "",
    settings: Mapping[str, object] | None = None,
    startup_s: float | None = None,
) -> TournamentFile:
    """Return a tournament without a file, as played by `bowerbird match`. Raises ConfigError.

    bots: paths relative to the working folder; repeated bots get "-2", "-3" … after their names.
    variants: the options of each variant, by its name.
    name: by default "match" plus the variants and bots, so that one seed can be used for matches of different bots.
    settings: further keys of `[tournament]`.
    startup_s: how long a bot may take to start, in seconds; by default as in a tournament file.
    """
    entries: list[dict[str, object]] = []
    loaded = [load_bot(Path(path)) for path in bots]
    name = name or "-".join((MATCH, *variants, *(bot.name for bot in loaded)))[:LONGEST_NAME]
    for bot, entered in zip(loaded, entered_names(loaded), strict=True):
        entries.append({"path": str(bot.source), **({"name": entered} if entered != bot.name else {})})
    tournament = {"name": name, "sets": sets, "unit": unit, **(settings or {})}
    if seed:
        tournament["seed"] = seed
    data: dict[str, object] = {
        "tournament": tournament,
        "variant": [{"name": variant, "options": options} for variant, options in variants.items()],
        "bot": entries,
    }
    if startup_s is not None:
        data["time"] = {"startup": f"{round(startup_s * 1000)}ms"}
    return _tournament(TomlDocument(name, data, {}), Path(), name)


def _tournament(
    document: TomlDocument, folder: Path, default_name: str, only: Collection[str] | None = None
) -> TournamentFile:
    top = TomlTable.root(document, schema.TOURNAMENT_FILE)
    main = top.table(schema.TOURNAMENT)
    clock = top.table(schema.TIME)
    main.reject_unknown_keys([schema.TOURNAMENT_FILE, schema.BOT_FILE])
    clock.reject_unknown_keys([schema.TOURNAMENT_TABLE])
    name = main.string(schema.NAME, default_name)
    check_name(main, schema.NAME, name)
    lineup = main.choice(schema.LINEUP, "")
    format_ = main.choice(schema.FORMAT)
    unit = main.choice(schema.UNIT)
    rank_by = _rank_by(main, unit)
    on_fault = main.choice(schema.ON_FAULT, "")
    max_hands = _max_hands(main, unit)
    seed = main.string(schema.SEED, "")
    if main.has(schema.SEED) and not seed:
        raise main.error("got an empty seed; leave out the key to have one drawn", schema.SEED)
    instances = main.choice(schema.INSTANCES)
    isolation = main.choice(schema.ISOLATION, "")
    slots = main.integer(schema.SLOTS, 0)
    processes = main.integer(schema.PROCESSES)
    time = _time(clock)
    bots, bot_entries = _taking_part(*read_bots(top, folder, time), only)
    packs = _packs(main, format_, bots)
    tables = _tables(main, bots)
    names = [bot.name for bot in bots]
    terms = read_terms(main, format_, names, [entry.rating for entry in bot_entries])
    sets, stop = read_sets(main, terms, names, unit)
    meetings = MeetingRules(tuple(names), terms.challengers, main.boolean(schema.COPIES))
    beacon, beacon_source = _beacon(main)
    variants = read_variant_entries(top, EntryTerms(bots, meetings, format_, lineup, on_fault, unit, max_hands))
    share, limits = _limits(main, variants, terms, sets, is_open=stop is not None)
    if format_ == ADAPTIVE and (fixed := next((entry for entry in variants if entry.lineups[0].kind == FIXED), None)):
        raise main.error(f"{fixed.variant} at fixed seats is one game; use 'round-robin'", schema.FORMAT)
    if sets != 1 and (fixed := next((entry for entry in variants if entry.lineups[0].kind == FIXED), None)):
        raise main.error(f"{fixed.variant} at fixed seats is one game; use sets = 1", schema.SETS)
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
        max_share=main.number(schema.MAX_SHARE),
        ponder=main.boolean(schema.PONDER),
        time=time,
        variants=variants,
        bots=bots,
        bot_entries=bot_entries,
        limits=limits,
        copies=meetings.copies,
        beacon=beacon,
        folder=folder,
        rank_by=rank_by,
        rated=main.boolean(schema.RATED),
        beacon_source=beacon_source,
        on_end=_on_end(main),
        max_faults_share=share,
        anchors=_anchors(main, names),
        stage=_stage(main),
    )


def _taking_part(
    bots: tuple[BotSpec, ...], entries: tuple[BotEntry, ...], only: Collection[str] | None
) -> tuple[tuple[BotSpec, ...], tuple[BotEntry, ...]]:
    """Return the bots that take part, and their entries as written."""
    if only is None:
        return bots, entries
    return tuple(bot for bot in bots if bot.name in only), tuple(entry for entry in entries if entry.name in only)


def _stage(main: TomlTable) -> Stage | None:
    """Read the earlier run that decides who takes part; None if all bots do."""
    if not main.has(schema.STAGE):
        return None
    table = main.table(schema.STAGE)
    table.reject_unknown_keys([schema.TOURNAMENT_TABLE])
    return Stage(table.string(schema.STAGE_RUN), table.integer(schema.STAGE_BEST))


def _anchors(main: TomlTable, bots: Sequence[str]) -> dict[str, float]:
    """Read the anchors, in the order of the file."""
    key, given = schema.ANCHORS, dict[str, float]()
    for bot, rating in main.mapping(key).items():
        if bot not in bots:
            raise main.error(f"no bot {bot!r} is entered{did_you_mean(bot, bots) or known_are(bots)}", key, bot)
        if isinstance(rating, bool) or not isinstance(rating, (int, float)) or not abs(rating) <= schema.HIGHEST_RATING:
            raise main.error(
                f"got {toml_text(rating)}; must be a rating from -{schema.HIGHEST_RATING} to {schema.HIGHEST_RATING}",
                key,
                bot,
            )
        given[bot] = float(rating)
    return {bot: given[bot] for bot in bots if bot in given}


def _on_end(main: TomlTable) -> tuple[str, ...]:
    """Read the command that runs when the run has ended."""
    words = main.strings(schema.ON_END)
    if words and not words[0]:
        raise main.error("its first word is empty; must be a program", schema.ON_END)
    return words


def _rank_by(main: TomlTable, unit: str) -> str:
    """Read what ranks the bots.

    Points of whole games depend on when a game ends, so only single hands can be ranked by points.
    """
    rank_by = main.choice(schema.RANK_BY)
    if rank_by == BY_POINTS and unit != DEALS:
        raise main.error("points are scored per hand; they need unit 'deals'", schema.RANK_BY)
    return rank_by


def _packs(main: TomlTable, format_: str, bots: Sequence[BotSpec]) -> str:
    """Read the packs.

    In an adaptive run it is not known which line-ups will play a set, so common packs could never be shown.
    """
    is_own = format_ == ADAPTIVE or any(bot.remote or bot.network for bot in bots)
    packs = main.choice(schema.PACKS_KEY, OWN if is_own else COMMON)
    if format_ == ADAPTIVE and packs != OWN:
        raise main.error(
            f"{packs!r} does not work with 'adaptive', which chooses line-ups one by one; use 'own'", schema.PACKS_KEY
        )
    return packs


def _beacon(main: TomlTable) -> tuple[str | None, str]:
    """Read the beacon, a value that cannot be known when the run commits to its seed (ratings.md, Deal sets).

    Return it with its source; None means no beacon, and "" one that is not known yet.
    """
    written = [key for key in (schema.BEACON, schema.BEACON_SOURCE) if main.has(key)]
    if not written:
        return None, ""
    if main.has(schema.SEED):
        raise main.error("a beacon needs a seed that is drawn; leave out seed or beacon", written[0])
    beacon, source = main.string(schema.BEACON, "").strip(), main.string(schema.BEACON_SOURCE, "").strip()
    if known_source(beacon) is not None:
        raise main.error(
            f"{beacon!r} is a source, not the value of a beacon; write it as beacon_source, and enter the value later",
            schema.BEACON,
        )
    known = known_source(source)
    if known is not None:
        try:
            known.in_words(source)
            wrong = known.wrong_value(source, beacon) if beacon else ""
        except ValueError as error:
            raise main.error(f"got {source!r}; {error}", schema.BEACON_SOURCE) from None
        if wrong:
            raise main.error(f"{beacon!r} {wrong}", schema.BEACON)
    return beacon, source


def _max_hands(main: TomlTable, unit: str) -> int:
    """Read the largest number of hands of a game (rules.md A15; protocol.md, The clock). A deal is one hand."""
    hands = main.integer(schema.MAX_HANDS)
    if unit != DEALS:
        return hands
    if main.has(schema.MAX_HANDS) and hands > 1:
        raise main.error(SINGLE_HANDS, schema.MAX_HANDS)
    return 1


def _limits(
    main: TomlTable, variants: Sequence[VariantEntry], terms: FormatTerms, sets: int, *, is_open: bool
) -> tuple[float, FaultLimits]:
    """Return the share of faults as given (0 for none), and all limits of a bot (protocol.md, Faults at a table).

    is_open: whether a stop rule decides how much is played.
    """
    found, share = main.count_or_share(schema.MAX_FAULTS), 0.0
    if isinstance(found, float):
        if is_open or terms.name == ADAPTIVE:
            raise main.error(
                "a share needs a number of games that is known in advance; use a whole number here",
                schema.MAX_FAULTS,
            )
        share = found
        found = int(share * max(schema.FEWEST_GAMES, _fewest_games(variants, terms, sets)))
    return share, FaultLimits(
        max_restarts=main.integer(schema.MAX_RESTARTS),
        max_faults=found,
        reconnect_ms=main.duration_ms(schema.RECONNECT),
    )


def _fewest_games(variants: Sequence[VariantEntry], terms: FormatTerms, sets: int) -> int:
    """Return the fewest games that any bot plays, if no other bot is withdrawn."""
    if terms.name in PAIRED:
        matches = max(1, terms.rounds)
        return matches * sets * sum(len(entry.lineups[0].rotations) for entry in variants)
    games: Counter[str] = Counter()
    for lineup in (lineup for entry in variants for lineup in entry.lineups):
        games.update(dict.fromkeys(lineup.positions, len(lineup.rotations) * sets))
    return min(games.values())


def _time(table: TomlTable) -> TimeControl:
    return TimeControl(
        per_decision_ms=table.duration_ms(schema.PER_DECISION),
        bank_ms=table.duration_ms(schema.BANK),
        increment_ms=table.duration_ms(schema.INCREMENT),
        game_ms=table.duration_ms(schema.GAME_TIME),
        startup_ms=table.duration_ms(schema.STARTUP),
        margin_ms=table.duration_ms(schema.MARGIN),
    )


def _tables(main: TomlTable, bots: Sequence[BotSpec]) -> int:
    """Read how many tables each process plays at once: the same for all bots, and no more than each bot can play."""
    least = min(bots, key=lambda bot: bot.tables)
    tables = main.integer(schema.TABLES)
    if tables > least.tables and main.has(schema.TABLES):
        raise main.error(
            f"got {tables}; must be a whole number from 1 to {least.tables}, since bot {least.name!r} can play "
            f"no more than that at once ({least.source}, key 'tables')",
            schema.TABLES,
        )
    return min(tables, least.tables)
