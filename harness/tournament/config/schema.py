"""Declares every key of tournament.toml and bot.toml (tournament-file.md, bot-file.md).

The readers take defaults, limits and allowed words from here, and so do the template of `bowerbird new-tournament`, the
key tables of the two pages, and errors that say where a misplaced key belongs.
"""

from __future__ import annotations

from bowerbird.harness.ratings.sequential.set_values import MEASURES, SCORE
from bowerbird.harness.ratings.sequential.sprt import MOST_ELO, MOST_ERROR
from bowerbird.harness.records.values.faults import POLICIES
from bowerbird.harness.records.values.game_record import ISOLATION_TIERS, PER_SEAT, SHARED, TimeControl
from bowerbird.harness.records.values.placements import LOT, SHARED_PLACE
from bowerbird.harness.records.values.run import LONGEST_NAME, PACKS
from bowerbird.harness.referee.spec import MAX_PROCESSES, FaultLimits
from bowerbird.harness.referee.spec import MAX_SHARE as MAX_TIME_SHARE
from bowerbird.harness.tournament.config.toml.keys import (
    BooleanKey,
    ChoiceKey,
    CountOrShareKey,
    DurationKey,
    IntegerKey,
    NumberKey,
    StringKey,
    StringsKey,
    TableKey,
    TableSchema,
)
from bowerbird.harness.tournament.lineups import KINDS

ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT = "round-robin", "gauntlet", "swiss", "knockout"
ADAPTIVE = "adaptive"
FORMATS = (ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT, ADAPTIVE)
PAIRED = (SWISS, KNOCKOUT)
"""The formats that pair two entrants for a match by the results of earlier rounds."""

BY_RESULTS = (*PAIRED, ADAPTIVE)
"""The formats in which results choose who meets."""

PLAYED_ONLY = 2
"""From this version of the rules on, `PAIRED` formats count only played games and drop withdrawn bots."""
BY_LOT = 3
"""From this version of the rules on, only deal sets drawn by lot influence the pairs of an adaptive run."""
INTERLEAVED = 3
"""From this version of the rules on, all variants and line-ups take turns (`tournament.schedule`)."""
LATEST_SCHEDULE = 3

FILE, DRAW, RATING = "file", "draw", "rating"
SEEDINGS = (FILE, DRAW, RATING)

GAMES, DEALS = "games", "deals"
UNITS = (GAMES, DEALS)
"""What a deal set is made of: whole games, or single hands."""

ELO, BY_POINTS = "elo", "points"
RANKINGS = (ELO, BY_POINTS)
"""What ranks the bots in the standings."""

LOGISTIC, NORMALISED = "logistic", "normalised"
SCALES = (LOGISTIC, NORMALISED)

MOST_SETS = 100_000
"""The most deal sets that a line-up can have, with or without a stop rule."""

MOST_TOTAL_SETS = 10_000_000
"""The most deal sets of an adaptive run."""

MOST_TABLES = 1024
"""The most tables that a bot may offer to play at once."""

_NAME_SYNTAX = f"1 to {LONGEST_NAME} letters, digits, `.`, `-` or `_`, the first a letter or digit"
_TIME = TimeControl()
_LIMITS = FaultLimits()

# [tournament] stop and its sprt

SPRT_BOTS = StringsKey(
    name="bots",
    of="two names of bots",
    otherwise="the first two bots",
    example='["greedy", "random"]',
    text="The two bots of the test. The first is tested against the second.",
)
SPRT_ELO0 = NumberKey(
    name="elo0",
    default=0.0,
    above=-MOST_ELO,
    below=MOST_ELO,
    unit="Elo",
    example="0.0",
    text="The hypothesis that the first bot is stronger by this much. It must be less than `elo1`.",
)
SPRT_ELO1 = NumberKey(
    name="elo1",
    default=10.0,
    above=-MOST_ELO,
    below=MOST_ELO,
    unit="Elo",
    example="30.0",
    text="The other hypothesis, that the first bot is stronger by this much.",
)
SPRT_ALPHA = NumberKey(
    name="alpha",
    default=0.05,
    above=0.0,
    below=MOST_ERROR,
    example="0.01",
    text="The bound on the probability of accepting `elo1` if `elo0` is true.",
)
SPRT_BETA = NumberKey(
    name="beta",
    default=0.05,
    above=0.0,
    below=MOST_ERROR,
    example="0.01",
    text="The bound on the probability of accepting `elo0` if `elo1` is true.",
)
SPRT_SCALE = ChoiceKey(
    name="scale",
    allowed=SCALES,
    default=LOGISTIC,
    example='"normalised"',
    text="The Elo scale of `elo0` and `elo1`.",
)
SPRT_MEASURE = ChoiceKey(
    name="measure",
    allowed=MEASURES,
    default=SCORE,
    example='"score"',
    text="The value of a deal set in the test: the share of games won, or points. "
    'Points need `unit = "deals"` and `scale = "normalised"`.',
)
SPRT_TABLE = TableSchema("sprt", (SPRT_BOTS, SPRT_ELO0, SPRT_ELO1, SPRT_ALPHA, SPRT_BETA, SPRT_SCALE, SPRT_MEASURE))

STOP_SETS = IntegerKey(
    name="sets",
    low=1,
    high=MOST_SETS,
    otherwise="no limit other than `sets` of `[tournament]`",
    example="200",
    text="Stop after this many deal sets of each line-up.",
)
STOP_TIME = DurationKey(
    name="time",
    low_ms=1,
    otherwise="no limit",
    example='"2h"',
    text="Stop after this much playing time. A resumed run continues counting from the time its stored deal sets took.",
)
STOP_DECISIONS = IntegerKey(
    name="decisions",
    low=1,
    otherwise="no limit",
    example="1000000",
    text="Stop after this many actions in all games together.",
)
STOP_SETTLED = NumberKey(
    name="settled",
    above=0.5,
    below=1.0,
    otherwise="no such rule",
    example="0.95",
    text="Stop when every pair of bots is told apart by Elo (in a gauntlet, every challenger from every opponent). "
    "If bots are equally strong, the probability that any of them are ever told apart is at most 1 minus this "
    "number, over all pairs and however often the rule is checked.",
)
STOP_SPRT = TableKey(
    name="sprt",
    table=SPRT_TABLE,
    otherwise="no such rule",
    example="{ elo0 = 0, elo1 = 10 }",
    text="Stop when a sequential probability ratio test has accepted one of two hypotheses. The test bounds the "
    "probability of each kind of error.",
)
STOP_EVERY = IntegerKey(
    name="every",
    default=16,
    low=1,
    high=MOST_SETS,
    unit="deal sets of each line-up",
    example="64",
    text="How often the rules are checked. Tables stand empty before each check, so a larger value is faster.",
)
STOP_TABLE = TableSchema("stop", (STOP_SETS, STOP_TIME, STOP_DECISIONS, STOP_SETTLED, STOP_SPRT, STOP_EVERY))

HIGHEST_RATING = 10_000
"""The largest absolute value of a given rating, in Elo."""

# [tournament]

NAME = StringKey(
    name="name",
    syntax=_NAME_SYNTAX,
    otherwise="the file's name without `.toml`",
    example='"autumn"',
    text="The name of the run in standings and lists. Name and seed together identify a run.",
)
FORMAT = ChoiceKey(name="format", allowed=FORMATS, default=ROUND_ROBIN, example='"swiss"', text="Who meets whom.")
CHALLENGERS = StringsKey(
    name="challengers",
    of="names of bots",
    otherwise="the first bot",
    formats=(GAUNTLET,),
    example='["greedy"]',
    text="The bots that meet each of the others.",
)
ROUNDS = IntegerKey(
    name="rounds",
    low=1,
    otherwise="as many as a knockout of these bots has, at most half the number of bots",
    formats=(SWISS,),
    example="1",
    text="The number of rounds. It is at most half the number of bots, rounded up, so that no pair meets twice.",
)
SEEDING = ChoiceKey(
    name="seeding",
    allowed=SEEDINGS,
    default=FILE,
    formats=PAIRED,
    example='"draw"',
    text="The order of the seeds: as in the file, by lot, or by the `rating` of each `[[bot]]`.",
)
SCHEDULE = IntegerKey(
    name="schedule",
    default=LATEST_SCHEDULE,
    low=1,
    high=LATEST_SCHEDULE,
    example="1",
    text="The version of the rules for pairing and order. A run keeps the version it began with. Version 1 pairs "
    "withdrawn bots and counts the games they miss as lost, as databases before version 12 did. In versions 1 "
    "and 2, all deal sets of an adaptive run influence its pairs, so it has no ranks, and other formats finish "
    "one line-up and variant before they start the next.",
)
TOTAL_SETS = IntegerKey(
    name="total_sets",
    default=1000,
    low=1,
    high=MOST_TOTAL_SETS,
    formats=(ADAPTIVE,),
    unit="deal sets",
    example="500",
    text="The total number of deal sets, over all line-ups and variants. The results decide which line-ups play them.",
)
ROUND_SETS_KEY = IntegerKey(
    name="round_sets",
    default=32,
    low=1,
    high=1024,
    formats=(ADAPTIVE,),
    unit="deal sets",
    example="16",
    text="How many deal sets are chosen at a time. A round has more while a slow bot's set is being played, so that "
    "nobody waits. A smaller number follows the results more closely; a larger one keeps tables full.",
)
EQUAL_PLACES = ChoiceKey(
    name="equal_places",
    allowed=(SHARED_PLACE, LOT),
    default=SHARED_PLACE,
    formats=(ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT),
    example='"lot"',
    text="How bots with equal results are placed, for prizes: they share a place, or a lot derived from the seed "
    "orders them when the run is complete. Nobody knows the lot in advance, and anyone can check it later.",
)
UNIT = ChoiceKey(
    name="unit",
    allowed=UNITS,
    default=GAMES,
    example='"deals"',
    text="Whether a deal set consists of whole games or single hands.",
)
RANK_BY = ChoiceKey(
    name="rank_by",
    allowed=RANKINGS,
    default=ELO,
    example='"elo"',
    text="What ranks the bots of a variant in the standings: Elo, or points per deal. Both are shown. Points need "
    '`unit = "deals"`. The choice cannot change once the run has begun.',
)
SETS = IntegerKey(
    name="sets",
    default=50,
    low=1,
    high=MOST_SETS,
    formats=(ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT),
    example="200",
    text="The number of deal sets per line-up and variant. The cards of a set are played in every rotation of the "
    f"seats. With `stop` this is the maximum, by default {MOST_SETS}.",
)
STOP = TableKey(
    name="stop",
    table=STOP_TABLE,
    otherwise="all `sets` are played",
    formats=(ROUND_ROBIN, GAUNTLET, ADAPTIVE),
    example="{ settled = 0.95 }",
    text="Rules that end the run early. The first rule that applies ends it. An adaptive run can have only `time`, "
    "which is checked after each round.",
)
ANCHORS = TableKey(
    name="anchors",
    otherwise="`random` at 0, if it plays",
    example="{ random = 0, greedy = 400 }",
    text="Bots of this file with given ratings in Elo. In the standings, the mean of these bots is fixed at the "
    "mean of the given ratings. A bot that wins or loses everything is left out of the mean.",
)
STAGE_RUN = StringKey(
    name="run",
    required=True,
    syntax="the name or id of a run",
    example='"qualifier"',
    text="The earlier run. It must be complete and in the same database.",
)
STAGE_BEST = IntegerKey(
    name="best",
    required=True,
    low=2,
    example="4",
    text="How many of its bots take part. If several share the last place, all of them do.",
)
STAGE_TABLE = TableSchema("stage", (STAGE_RUN, STAGE_BEST))
STAGE = TableKey(
    name="stage",
    table=STAGE_TABLE,
    otherwise="every `[[bot]]` takes part",
    example='{ run = "qualifier", best = 4 }',
    text="A final: only the `best` bots of an earlier `run` take part. Bots that were withdrawn there are skipped, "
    "and if several share the last place, all of them take part. The bots of the final are fixed once it has "
    "begun.",
)
LINEUP = ChoiceKey(
    name="lineup",
    allowed=KINDS,
    otherwise='`"teams"` in variants with partners, else `"free-for-all"`',
    example='"teams"',
    text="Which bots share a table. A `[[variant]]` can override it.",
)
RATED = BooleanKey(
    name="rated",
    default=True,
    example="false",
    text="Whether the run is rated. `bowerbird standings` skips unrated runs. `bowerbird play` sets this to `false`.",
)
COPIES = BooleanKey(
    name="copies",
    default=True,
    example="false",
    text="Whether a bot may have more than one seat at a table if there are fewer bots than seats.",
)
SEED = StringKey(
    name="seed",
    syntax="text, or 64 hexadecimal digits",
    otherwise="drawn from the system's randomness",
    example='"autumn leaves"',
    text="The seed of all deals. A run with a given seed is a practice run, since anyone may know its cards.",
)
BEACON = StringKey(
    name="beacon",
    otherwise="no beacon",
    example='""',
    text="A public value that nobody can know when the run commits to its seed. "
    "Begin with an empty one, publish the commitment, then enter the value and use `--resume`.",
)
BEACON_SOURCE = StringKey(
    name="beacon_source",
    otherwise="not said",
    example='"the lottery of 5 December 2026"',
    text="Where the value of the beacon will come from, as announced with the commitment. It cannot change later. "
    "With a source but no `beacon`, the run waits for its beacon. `drand quicknet` followed by the number of a "
    "round means a round of drand, which `bowerbird verify` checks.",
)
ON_FAULT = ChoiceKey(
    name="on_fault",
    allowed=POLICIES,
    otherwise='`"forfeit"` if two sides meet, else `"substitute"`',
    example='"forfeit"',
    text="What follows a fault: the side at fault loses the game, or the referee plays the seat to the end. A "
    "`[[variant]]` can override it.",
)
MAX_HANDS = IntegerKey(
    name="max_hands",
    default=100,
    low=1,
    example="40",
    text="The most hands in a game. The option `max_hands` of a variant overrides it. A deal is one hand.",
)
MAX_RESTARTS = IntegerKey(
    name="max_restarts",
    default=_LIMITS.max_restarts,
    low=0,
    example="0",
    text="How often each instance of a bot may be restarted after failures. One more failure withdraws the bot.",
)
FEWEST_GAMES = 20
"""A `max_faults` given as a share is a share of at least this many games."""

MAX_FAULTS = CountOrShareKey(
    name="max_faults",
    default=_LIMITS.max_faults,
    low=0,
    example="0.05",
    text="How many faults a bot may cause during the run. One more withdraws it. A crash is one fault. "
    "A share refers to the games that each bot plays under this file (in a knockout, those of one match), "
    f"but at least {FEWEST_GAMES}; the run stores the resulting number.",
)
RECONNECT = DurationKey(
    name="reconnect",
    default_ms=_LIMITS.reconnect_ms,
    example='"1m"',
    text="How long a disconnected remote bot keeps its seats while it has no open decision.",
)
INSTANCES = ChoiceKey(
    name="instances",
    allowed=(PER_SEAT, SHARED),
    default=PER_SEAT,
    example='"shared"',
    text="Whether each seat of a table gets its own process, or one process may play several seats. A shared "
    "process can use at one seat what it saw at another.",
)
PACKS_KEY = ChoiceKey(
    name="packs",
    allowed=PACKS,
    otherwise='`"common"`, and `"own"` if a bot is remote or has a network or `format` is `"adaptive"`',
    example='"own"',
    text="Whether all line-ups play the same packs, or each line-up its own. Spectators see a game once its packs "
    "will not be dealt again: with own packs, after its deal set.",
)
ISOLATION = ChoiceKey(
    name="isolation",
    allowed=ISOLATION_TIERS,
    otherwise='`"sandbox"` if it works for every bot, else `"limits"`',
    example='"limits"',
    text="How bot processes are isolated. The record of each game shows it.",
)
TABLES = IntegerKey(
    name="tables",
    default=16,
    low=1,
    example="4",
    text="How many tables each process plays at once. If a bot plays fewer (`tables` in its bot.toml), that is both "
    "the default and the maximum.",
)
MAX_SHARE = NumberKey(
    name="max_share",
    default=MAX_TIME_SHARE,
    above=0.0,
    below=1.0,
    example="0.25",
    text="The share of all thinking time that one bot may use. If a bot uses more, its games are put last.",
)
SLOTS = IntegerKey(
    name="slots",
    low=1,
    otherwise="the number of processor cores",
    example="2",
    text="How many requests bots work on at the same time.",
)
PROCESSES = IntegerKey(
    name="processes",
    default=MAX_PROCESSES,
    low=1,
    example="64",
    text="How many bot processes may be alive at once. A line-up that needs more is played alone; from then on as many "
    "as it needed may stay alive. By default, as long as half of the memory is free, up to 64 stay alive for later "
    "line-ups.",
)
PONDER = BooleanKey(
    name="ponder",
    default=False,
    example="true",
    text="Whether bots may think in their opponents' time. Otherwise a local bot without an open decision is "
    "frozen, if the system supports that.",
)
ON_END = StringsKey(
    name="on_end",
    default=(),
    of="words",
    example='["sh", "publish.sh"]',
    text="A command to run in this file's folder when the run has ended, for at most 60 s. `BOWERBIRD_RUN`, "
    "`BOWERBIRD_RUN_NAME` and `BOWERBIRD_DB` hold the run's id, its name and the database. The command is kept "
    "beside the database for `bowerbird runs resume`, but never in an archive.",
)
TOURNAMENT_TABLE = TableSchema(
    "[tournament]",
    (
        NAME,
        STAGE,
        FORMAT,
        CHALLENGERS,
        ROUNDS,
        SCHEDULE,
        SEEDING,
        EQUAL_PLACES,
        TOTAL_SETS,
        ROUND_SETS_KEY,
        UNIT,
        RANK_BY,
        ANCHORS,
        SETS,
        STOP,
        LINEUP,
        RATED,
        COPIES,
        SEED,
        BEACON,
        BEACON_SOURCE,
        ON_FAULT,
        MAX_HANDS,
        MAX_RESTARTS,
        MAX_FAULTS,
        RECONNECT,
        INSTANCES,
        PACKS_KEY,
        ISOLATION,
        TABLES,
        SLOTS,
        PROCESSES,
        MAX_SHARE,
        PONDER,
        ON_END,
    ),
)

# [time]

PER_DECISION = DurationKey(
    name="per_decision",
    default_ms=_TIME.per_decision_ms,
    low_ms=1,
    example='"250ms"',
    text="The budget of each decision.",
)
BANK = DurationKey(
    name="bank",
    default_ms=_TIME.bank_ms,
    example='"2m"',
    text="The time that a seat may use in a game beyond the budgets of its decisions.",
)
INCREMENT = DurationKey(
    name="increment",
    default_ms=_TIME.increment_ms,
    example='"1s"',
    text="Added to the bank at the start of each hand.",
)
GAME_TIME = DurationKey(
    name="game",
    default_ms=_TIME.game_ms,
    example='"5m"',
    text='The longest time for all decisions of a seat in a game. Bots are told this limit. `"0ms"` means no limit.',
)
STARTUP = DurationKey(
    name="startup",
    default_ms=_TIME.startup_ms,
    low_ms=1,
    example='"1m"',
    text="The longest time from the start of a process to its Ready.",
)
MARGIN = DurationKey(
    name="margin",
    default_ms=_TIME.margin_ms,
    example='"50ms"',
    text="Grace before the referee calls a timeout.",
)
TIME_TABLE = TableSchema("[time]", (PER_DECISION, BANK, INCREMENT, GAME_TIME, STARTUP, MARGIN))

# [[variant]]

VARIANT_NAME = StringKey(
    name="name",
    required=True,
    syntax="the name of a variant",
    example='"euchre"',
    text="The variant. `bowerbird variants` lists them.",
)
VARIANT_OPTIONS = TableKey(
    name="options",
    example="{ max_hands = 40 }",
    text="Options of the variant. `bowerbird variants NAME` lists them with their defaults.",
)
VARIANT_LINEUP = ChoiceKey(
    name="lineup",
    allowed=KINDS,
    otherwise="`lineup` of `[tournament]`",
    example='"teams"',
    text="Which bots share a table in this variant.",
)
VARIANT_ON_FAULT = ChoiceKey(
    name="on_fault",
    allowed=POLICIES,
    otherwise="`on_fault` of `[tournament]`",
    example='"substitute"',
    text="What follows a fault in this variant.",
)
VARIANT_WEIGHT = NumberKey(
    name="weight",
    default=1.0,
    above=0.0,
    example="2",
    text="The variant's weight in the overall mean, which ranks the bots. All entries of a variant share one weight.",
)
VARIANT_TABLE = TableSchema(
    "[[variant]]", (VARIANT_NAME, VARIANT_OPTIONS, VARIANT_LINEUP, VARIANT_ON_FAULT, VARIANT_WEIGHT)
)

# [[bot]]

ENTRY_REMOTE = BooleanKey(
    name="remote",
    default=False,
    example="false",
    text="Whether the bot runs elsewhere and connects to `bowerbird host`. A remote bot has other keys, see below.",
)
ENTRY_RATING = IntegerKey(
    name="rating",
    low=-10_000,
    high=10_000,
    otherwise="no rating",
    unit="Elo",
    example="1500",
    text='Its rating, for `seeding = "rating"` and as the starting point of an adaptive run.',
)
ENTRY_DEVIATION = IntegerKey(
    name="deviation",
    low=1,
    high=10_000,
    otherwise="350",
    unit="Elo",
    example="60",
    text="The standard deviation of its `rating`, for an adaptive run. If it is large, the bot is a newcomer and is "
    "placed first.",
)
ENTRY_PATH = StringKey(
    name="path",
    required=True,
    syntax="a bundled bot's name, a folder, or a bot.toml",
    example='"greedy"',
    text="The bot. A bundled bot takes precedence over a folder of the same name; write `./NAME` for the folder. "
    "Paths are relative to the tournament file.",
)
ENTRY_NAME = StringKey(
    name="name",
    syntax=_NAME_SYNTAX,
    otherwise="the name in its bot.toml",
    example='"greedy-b"',
    text="The name under which the bot is entered. It must be unique in the tournament.",
)
ENTRY_ARGUMENTS = StringsKey(
    name="arguments",
    default=(),
    example='["--seconds", "0.05"]',
    text="Appended to its command.",
)
ENTRY_NETWORK = StringKey(
    name="network",
    default="",
    syntax="a host and a port",
    otherwise="no network in a sandbox",
    example='"models.example.org:443"',
    text="The host that the bot may reach from its sandbox. Its bot.toml must request it. The bot's games are shown "
    "as unprotected.",
)
ENTRY_SECRETS = StringsKey(
    name="secrets",
    default=(),
    of="names of variables",
    example='["OPENAI_API_KEY"]',
    text="Environment variables that Bowerbird passes on to the bot, such as keys. Their values are never stored.",
)
ENTRY_TIME_TABLE = TableSchema("time", (PER_DECISION, BANK, INCREMENT, GAME_TIME))
ENTRY_TIME = TableKey(
    name="time",
    table=ENTRY_TIME_TABLE,
    otherwise="the clock of `[time]`",
    example='{ per_decision = "250ms", bank = "2s" }',
    text="The bot's own clock, for time odds: `per_decision`, `bank`, `increment` and `game` as in `[time]`. Keys "
    "that are left out are taken from `[time]`. Records and results show it.",
)
LOCAL_BOT_TABLE = TableSchema(
    "[[bot]]",
    (
        ENTRY_PATH,
        ENTRY_NAME,
        ENTRY_ARGUMENTS,
        ENTRY_TIME,
        ENTRY_RATING,
        ENTRY_DEVIATION,
        ENTRY_NETWORK,
        ENTRY_SECRETS,
        ENTRY_REMOTE,
    ),
)

BOT_VERSION = StringKey(name="version", default="0", example='"1.2"', text="Its version, shown in records.")
BOT_AUTHOR = StringKey(name="author", default="", example='"Ada Example"', text="Its author, shown in records.")
BOT_VARIANTS = StringsKey(
    name="variants",
    default=("*",),
    of='names of variants, or `["*"]` for all',
    example='["euchre", "buck"]',
    text="The variants that it plays.",
)
REMOTE_REMOTE = BooleanKey(
    name="remote",
    required=True,
    default=False,
    example="true",
    text="`true` for a bot that runs elsewhere and connects to `bowerbird host`.",
)
REMOTE_NAME = StringKey(
    name="name",
    required=True,
    syntax=_NAME_SYNTAX,
    example='"guest"',
    text="The name under which the bot is entered.",
)
REMOTE_TABLES = IntegerKey(
    name="tables",
    default=16,
    low=1,
    high=MOST_TABLES,
    example="64",
    text="The most tables it plays at once. It may ask for fewer when it connects.",
)
REMOTE_BOT_TABLE = TableSchema(
    "[[bot]]",
    (
        REMOTE_REMOTE,
        REMOTE_NAME,
        BOT_VERSION,
        BOT_AUTHOR,
        BOT_VARIANTS,
        REMOTE_TABLES,
        ENTRY_TIME,
        ENTRY_RATING,
        ENTRY_DEVIATION,
    ),
)

# A tournament file

TOURNAMENT = TableKey(
    name="tournament", table=TOURNAMENT_TABLE, example="{}", text="What to play, and the terms of the run."
)
TIME = TableKey(name="time", table=TIME_TABLE, example="{}", text="The clock.")
VARIANT = TableKey(
    name="variant",
    table=VARIANT_TABLE,
    many=True,
    required=True,
    example='[{ name = "euchre" }]',
    text="A variant to play. At least one is required.",
)
BOT = TableKey(
    name="bot",
    table=LOCAL_BOT_TABLE,
    many=True,
    required=True,
    example='[{ path = "greedy" }, { path = "random" }]',
    text="A bot that takes part. At least two are required.",
)
TOURNAMENT_FILE = TableSchema("the tournament file", (TOURNAMENT, TIME, VARIANT, BOT))

# bot.toml

BOT_NAME = StringKey(
    name="name", required=True, syntax=_NAME_SYNTAX, example='"ada"', text="The name of the bot in standings."
)
BOT_COMMAND = StringsKey(
    name="command",
    required=True,
    of="words",
    example='["{python}", "bot.py"]',
    text="The command that starts it. A program without a slash is looked up on the PATH; any other path is "
    "relative to `cwd`. `{python}` stands for the interpreter that runs Bowerbird.",
)
BOT_CWD = StringKey(
    name="cwd",
    syntax="a folder",
    default=".",
    example='"src"',
    text="The working folder of its processes, relative to the bot.toml.",
)
BOT_BUILD = StringsKey(
    name="build",
    default=(),
    of="words",
    example='["sh", "build.sh"]',
    text="The command that builds it, before the first game and again whenever its files have changed.",
)
BOT_FILES = StringsKey(
    name="files",
    default=(),
    of="files and folders",
    example='["../tables/openings.bin"]',
    text="Parts of the bot outside its folder, relative to the bot.toml. They are part of its fingerprint, and the "
    "bot can read them in a sandbox.",
)
BOT_TABLES = IntegerKey(
    name="tables",
    default=1,
    low=1,
    high=MOST_TABLES,
    example="64",
    text="How many tables a process can play at once.",
)
BOT_MEMORY = IntegerKey(
    name="memory_mb",
    default=512,
    low=16,
    unit="MiB",
    example="1024",
    text="The memory of a process. A process that uses more is killed.",
)
SANDBOX_READ = StringsKey(
    name="read",
    default=(),
    of="files and folders",
    example='["../model"]',
    text="What else the bot may read in a sandbox, relative to the bot.toml.",
)
SANDBOX_NETWORK = StringKey(
    name="network",
    default="",
    syntax='a host and a port, or "*"',
    otherwise="no network",
    example='"models.example.org:443"',
    text="The host that the bot needs to reach; `*` leaves the choice to the organiser. `[[bot]]` must grant it.",
)
SANDBOX_TABLE = TableSchema("[sandbox]", (SANDBOX_READ, SANDBOX_NETWORK))
BOT_ENVIRONMENT = TableKey(
    name="environment",
    example='{ OMP_NUM_THREADS = "1" }',
    text="Environment variables of its processes, all strings. Names that begin with `BOWERBIRD_` are reserved.",
)
BOT_SANDBOX = TableKey(name="sandbox", table=SANDBOX_TABLE, example="{}", text="What a sandbox adds for this bot.")
BOT_FILE = TableSchema(
    "bot.toml",
    (
        BOT_NAME,
        BOT_VERSION,
        BOT_AUTHOR,
        BOT_COMMAND,
        BOT_CWD,
        BOT_BUILD,
        BOT_FILES,
        BOT_VARIANTS,
        BOT_TABLES,
        BOT_MEMORY,
        BOT_ENVIRONMENT,
        BOT_SANDBOX,
    ),
)
