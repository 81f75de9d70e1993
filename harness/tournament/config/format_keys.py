"""The keys of `[tournament]` that say who meets whom and until when (tournament-file.md).

`format` with `challengers`, `rounds` and `seeding` (`FormatTerms`); `sets` and `stop` (`StopRules`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine import did_you_mean, listed
from harness.ratings.sequential.set_values import MEASURES, POINTS, SCORE
from harness.tournament.config.toml_table import TomlTable

ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT = "round-robin", "gauntlet", "swiss", "knockout"
FORMATS = (ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT)
PAIRED = (SWISS, KNOCKOUT)
"""The formats that pair two entrants for a match by the results of earlier rounds."""

FILE, DRAW, RATING = "file", "draw", "rating"
SEEDINGS = (FILE, DRAW, RATING)

GAMES, DEALS = "games", "deals"
UNITS = (GAMES, DEALS)
"""What a deal set is made of: whole games, or single hands."""

LOGISTIC, NORMALISED = "logistic", "normalised"
SCALES = (LOGISTIC, NORMALISED)

DEFAULT_SETS = 50
MOST_SETS = 100_000
"""The most deal sets that a line-up can have, also with a stop rule."""

DEFAULT_EVERY = 16


@dataclass(frozen=True, slots=True)
class FormatTerms:
    """The format and its own keys.

    `challengers` are the bots that meet the others in a gauntlet. `rounds` is the number of rounds of a Swiss
    tournament. `seeds` are all bots from the best to the last in a paired format; empty if they are drawn by lot.
    """

    name: str = ROUND_ROBIN
    challengers: tuple[str, ...] = ()
    rounds: int = 0
    seeding: str = FILE
    seeds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test (ratings.md, Sequential test): is the first of two bots better by `elo0` or by `elo1`?

    `measure` is the value of a deal set in the test: the share of games won, or points.
    """

    bots: tuple[str, str]
    elo0: float
    elo1: float
    alpha: float
    beta: float
    scale: str
    measure: str = SCORE


@dataclass(frozen=True, slots=True)
class StopRules:
    """The stop rules of a tournament, checked after every `every` sets of all line-ups; the first to hold ends it.

    `time_ms` limits the playing time, `decisions` the actions in all games. `settled` is the confidence with which
    every pair of bots must be told apart. 0 or None means that the rule is not given.
    """

    every: int
    time_ms: int = 0
    decisions: int = 0
    settled: float = 0.0
    sprt: Sprt | None = None


def read_terms(main: TomlTable, name: str, bots: Sequence[str], ratings: Sequence[int | None]) -> FormatTerms:
    """Read the keys of the format `name`. Raises ConfigError, also for a key that belongs to another format.

    main: `[tournament]`.
    bots: the names, in the order of the file.
    ratings: for each of `bots`, its `rating` in the file.
    """
    for key, formats in (("challengers", (GAUNTLET,)), ("rounds", (SWISS,)), ("seeding", PAIRED)):
        if main.has(key) and name not in formats:
            raise main.error(f"{key} belongs to {listed(formats)}, not to {name!r}", key)
    seeding = main.choice("seeding", SEEDINGS, FILE)
    return FormatTerms(
        name=name,
        challengers=_challengers(main, bots) if name == GAUNTLET else main.strings("challengers", ()),
        rounds=_rounds(main, name, len(bots)),
        seeding=seeding,
        seeds=_seeds(main, seeding, bots, ratings) if name in PAIRED else (),
    )


def _challengers(main: TomlTable, bots: Sequence[str]) -> tuple[str, ...]:
    """Return the challengers in the order of the file; the default is the first bot."""
    key = "challengers"
    named = main.strings(key, bots[:1])
    for bot in named:
        if bot not in bots:
            hint = did_you_mean(bot, bots) or f", {listed(bots)} is allowed"
            raise main.error(f"no bot {bot!r} is entered{hint}", key)
    if not named:
        raise main.error("an empty list is not allowed, leave it out for the first bot to be the challenger", key)
    if len(set(named)) < len(named):
        raise main.error("a challenger is named twice", key)
    if len(named) == len(bots):
        raise main.error("all bots are challengers and nobody is left to meet them, 'round-robin' is allowed", key)
    return tuple(bot for bot in bots if bot in named)


def _rounds(main: TomlTable, name: str, bots: int) -> int:
    if name != SWISS:
        return main.integer("rounds", 0, low=1)
    return main.integer("rounds", usual_rounds(bots), low=1, high=most_rounds(bots))


def most_rounds(bots: int) -> int:
    """Return how many Swiss rounds can be paired without a repeated pair or bye, whatever the results.

    After r rounds each bot has `bots` - 1 - r opponents left (one of them the bye, if the number is odd). While these
    are at least half of all bots, a perfect matching exists (Dirac).
    """
    return max(1, (bots + 1) // 2)


def usual_rounds(bots: int) -> int:
    """Return the default number of Swiss rounds: the rounds of a knockout of `bots`, at most `most_rounds`."""
    return min(most_rounds(bots), max(1, (bots - 1).bit_length()))


def _seeds(main: TomlTable, seeding: str, bots: Sequence[str], ratings: Sequence[int | None]) -> tuple[str, ...]:
    if seeding == DRAW:
        return ()
    if seeding != RATING:
        return tuple(bots)
    known = [rating for rating in ratings if rating is not None]
    if len(known) < len(bots):
        unrated = bots[list(ratings).index(None)]
        raise main.error(f"bot {unrated!r} has no rating, give each [[bot]] one", "seeding")
    return by_rating(bots, known)


def by_rating(bots: Sequence[str], ratings: Sequence[int]) -> tuple[str, ...]:
    """Return the bots from the highest rating to the lowest; equal ones in the order of the file."""
    order = sorted(range(len(bots)), key=lambda place: (-ratings[place], place))
    return tuple(bots[place] for place in order)


def read_sets(main: TomlTable, terms: FormatTerms, bots: Sequence[str], unit: str) -> tuple[int, StopRules | None]:
    """Return the most deal sets of a line-up, and the stop rules or None. Raises ConfigError."""
    if not main.has("stop"):
        return main.integer("sets", DEFAULT_SETS, low=1, high=MOST_SETS), None
    if terms.name in PAIRED:
        raise main.error(f"stop is not for {terms.name!r}, which ends after its last round", "stop")
    stop = main.table("stop", "stop")
    sets = stop.integer("sets", 0, low=1, high=MOST_SETS)
    rules = StopRules(
        every=stop.integer("every", DEFAULT_EVERY, low=1, high=MOST_SETS),
        time_ms=stop.duration_ms("time", 0, low_ms=1),
        decisions=stop.integer("decisions", 0, low=1),
        settled=stop.number("settled", 0.0, above=0.5, below=1.0),
        sprt=_sprt(stop.table("sprt", "sprt"), bots, unit) if stop.has("sprt") else None,
    )
    stop.reject_unknown_keys()
    most = main.integer("sets", sets or MOST_SETS, low=1, high=MOST_SETS)
    if not (rules.time_ms or rules.decisions or rules.settled or rules.sprt):
        if not sets:
            raise main.error("no rule is given, sets, time, decisions, sprt or settled is needed", "stop")
        return min(most, sets), None
    return min(most, sets or most), rules


def _sprt(table: TomlTable, bots: Sequence[str], unit: str) -> Sprt:
    named = table.strings("bots", bots[:2])
    for bot in named:
        if bot not in bots:
            raise table.error(f"no bot {bot!r} is entered{did_you_mean(bot, bots)}", "bots")
    if len(set(named)) != 2 or len(named) != 2:
        raise table.error("two bots are needed, the first is tested against the second", "bots")
    sprt = Sprt(
        bots=(named[0], named[1]),
        elo0=table.number("elo0", 0.0),
        elo1=table.number("elo1", 10.0),
        alpha=table.number("alpha", 0.05, above=0.0, below=0.5),
        beta=table.number("beta", 0.05, above=0.0, below=0.5),
        scale=table.choice("scale", SCALES, LOGISTIC),
        measure=table.choice("measure", MEASURES, SCORE),
    )
    if sprt.measure == POINTS and (unit != DEALS or sprt.scale != NORMALISED):
        raise table.error(
            "'points' are of single hands and have no logistic Elo, unit 'deals' and scale 'normalised' are needed",
            "measure",
        )
    table.reject_unknown_keys()
    if sprt.elo0 >= sprt.elo1:
        raise table.error(f"elo0 = {sprt.elo0:g} must be less than elo1 = {sprt.elo1:g}", "bots")
    return sprt
