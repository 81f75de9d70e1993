"""The keys of `[tournament]` for pairings and stop rules (tournament-file.md).

They are `format`, `challengers`, `rounds` and `seeding` (`FormatTerms`), and `sets` and `stop` (`StopRules`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bowerbird.engine import did_you_mean, known_are, listed
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.sequential.set_values import POINTS, SCORE
from bowerbird.harness.ratings.sequential.sprt import Hypotheses
from bowerbird.harness.records.values.placements import SHARED_PLACE
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.toml.table import TomlTable


@dataclass(frozen=True, slots=True)
class FormatTerms:
    """The format and its own keys.

    `challengers` are the bots that meet the others in a gauntlet. `rounds` is the number of rounds of a Swiss
    tournament. `seeds` lists all bots of a paired format from best to worst; it is empty if they are drawn by lot.
    `total_sets` is the number of deal sets of an adaptive run, and `round_sets` the smallest number in a round.
    `schedule` is the version of the rules for pairing and order. `equal_places` is how bots with equal results are
    placed.
    """

    name: str = schema.ROUND_ROBIN
    challengers: tuple[str, ...] = ()
    rounds: int = 0
    seeding: str = schema.FILE
    seeds: tuple[str, ...] = ()
    total_sets: int = 0
    round_sets: int = 0
    schedule: int = schema.LATEST_SCHEDULE
    equal_places: str = SHARED_PLACE


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
    """The stop rules of a tournament. The first one that applies ends it.

    The rules are checked each time all line-ups have played `every` more sets. `time_ms` limits the playing time, and
    `decisions` the number of actions in all games. `settled` is the confidence, over all pairs and checks together,
    with which every pair of bots must be told apart. A rule of 0 or None is off.
    """

    every: int
    time_ms: int = 0
    decisions: int = 0
    settled: float = 0.0
    sprt: Sprt | None = None


def read_terms(main: TomlTable, name: str, bots: Sequence[str], ratings: Sequence[int | None]) -> FormatTerms:
    """Read the keys of the format `name`. Raises ConfigError, for example for a key that belongs to another format.

    main: `[tournament]`.
    bots: the names, in the order of the file.
    ratings: for each of `bots`, its `rating` in the file.
    """
    for key in schema.TOURNAMENT_TABLE.keys:
        if key.formats and key is not schema.STOP and main.has(key) and name not in key.formats:
            raise main.error(f"{key.name} belongs to {listed(key.formats)}, not to {name!r}", key)
    seeding = main.choice(schema.SEEDING)
    return FormatTerms(
        name=name,
        challengers=_challengers(main, bots) if name == schema.GAUNTLET else (),
        rounds=_rounds(main, len(bots)) if name == schema.SWISS else 0,
        seeding=seeding,
        seeds=_seeds(main, seeding, bots, ratings) if name in schema.PAIRED else (),
        total_sets=main.integer(schema.TOTAL_SETS) if name == schema.ADAPTIVE else 0,
        round_sets=main.integer(schema.ROUND_SETS_KEY) if name == schema.ADAPTIVE else 0,
        schedule=main.integer(schema.SCHEDULE),
        equal_places=main.choice(schema.EQUAL_PLACES),
    )


def _challengers(main: TomlTable, bots: Sequence[str]) -> tuple[str, ...]:
    """Return the challengers in the order of the file; the default is the first bot."""
    key = schema.CHALLENGERS
    named = main.strings(key, bots[:1])
    for bot in named:
        if bot not in bots:
            hint = did_you_mean(bot, bots) or known_are(bots)
            raise main.error(f"no bot {bot!r} is entered{hint}", key)
    if not named:
        raise main.error("got an empty list; leave out the key to make the first bot the challenger", key)
    if len(set(named)) < len(named):
        raise main.error("a challenger is listed twice", key)
    if len(named) == len(bots):
        raise main.error("every bot is a challenger, so there are no opponents; use 'round-robin'", key)
    return tuple(bot for bot in bots if bot in named)


def _rounds(main: TomlTable, bots: int) -> int:
    return main.integer(schema.ROUNDS, usual_rounds(bots), high=most_rounds(bots))


def most_rounds(bots: int) -> int:
    """Return how many Swiss rounds can be paired without repeating a pair or a bye, whatever the results.

    After r rounds each bot has `bots` - 1 - r opponents left (including the bye, if the number is odd). While these are
    at least half of all bots, a perfect matching exists (Dirac).
    """
    return max(1, (bots + 1) // 2)


def usual_rounds(bots: int) -> int:
    """Return the default number of Swiss rounds: as many as a knockout of `bots` has, at most `most_rounds`."""
    return min(most_rounds(bots), max(1, (bots - 1).bit_length()))


def _seeds(main: TomlTable, seeding: str, bots: Sequence[str], ratings: Sequence[int | None]) -> tuple[str, ...]:
    if seeding == schema.DRAW:
        return ()
    if seeding != schema.RATING:
        return tuple(bots)
    known = [rating for rating in ratings if rating is not None]
    if len(known) < len(bots):
        unrated = bots[list(ratings).index(None)]
        raise main.error(f"bot {unrated!r} has no rating; give each [[bot]] one", schema.SEEDING)
    return by_rating(bots, known)


def by_rating(bots: Sequence[str], ratings: Sequence[int]) -> tuple[str, ...]:
    """Return the bots from the highest rating to the lowest; bots with equal ratings are in the order of the file."""
    order = sorted(range(len(bots)), key=lambda place: (-ratings[place], place))
    return tuple(bots[place] for place in order)


def read_sets(main: TomlTable, terms: FormatTerms, bots: Sequence[str], unit: str) -> tuple[int, StopRules | None]:
    """Return the maximum number of deal sets per line-up, and the stop rules or None. Raises ConfigError."""
    if terms.name == schema.ADAPTIVE:
        return terms.total_sets, _time_limit(main)
    if not main.has(schema.STOP):
        return main.integer(schema.SETS), None
    if terms.name in schema.PAIRED:
        raise main.error(f"{terms.name!r} has no stop rules: it ends after its last round", schema.STOP)
    stop = main.table(schema.STOP)
    stop.reject_unknown_keys([schema.SPRT_TABLE, schema.TOURNAMENT_TABLE])
    sets = stop.integer(schema.STOP_SETS, 0)
    rules = StopRules(
        every=stop.integer(schema.STOP_EVERY),
        time_ms=stop.duration_ms(schema.STOP_TIME, 0),
        decisions=stop.integer(schema.STOP_DECISIONS, 0),
        settled=stop.number(schema.STOP_SETTLED, 0.0),
        sprt=_sprt(stop.table(schema.STOP_SPRT), bots, unit) if stop.has(schema.STOP_SPRT) else None,
    )
    most = main.integer(schema.SETS, sets or schema.MOST_SETS)
    if not (rules.time_ms or rules.decisions or rules.settled or rules.sprt):
        if not sets:
            raise main.error("no rule is given; add sets, time, decisions, sprt or settled", schema.STOP)
        return min(most, sets), None
    return min(most, sets or most), rules


def _time_limit(main: TomlTable) -> StopRules | None:
    """Return the stop rules of an adaptive run, which can limit only its time."""
    if not main.has(schema.STOP):
        return None
    stop = main.table(schema.STOP)
    stop.reject_unknown_keys([schema.SPRT_TABLE, schema.TOURNAMENT_TABLE])
    for key in schema.STOP_TABLE.keys:
        if key is not schema.STOP_TIME and stop.has(key) and not (key is schema.STOP_EVERY and stop.integer(key) == 1):
            raise stop.error(f"{key.name} does not work with {schema.ADAPTIVE!r}; use time", key)
    time_ms = stop.duration_ms(schema.STOP_TIME, 0)
    if not time_ms:
        raise main.error("no rule is given; add time", schema.STOP)
    return StopRules(every=1, time_ms=time_ms)


def _sprt(table: TomlTable, bots: Sequence[str], unit: str) -> Sprt:
    table.reject_unknown_keys([schema.STOP_TABLE])
    named = table.strings(schema.SPRT_BOTS, bots[:2])
    for bot in named:
        if bot not in bots:
            raise table.error(f"no bot {bot!r} is entered{did_you_mean(bot, bots)}", schema.SPRT_BOTS)
    if len(set(named)) != 2 or len(named) != 2:
        raise table.error("needs two bots: the first is tested against the second", schema.SPRT_BOTS)
    sprt = Sprt(
        bots=(named[0], named[1]),
        elo0=table.number(schema.SPRT_ELO0),
        elo1=table.number(schema.SPRT_ELO1),
        alpha=table.number(schema.SPRT_ALPHA),
        beta=table.number(schema.SPRT_BETA),
        scale=table.choice(schema.SPRT_SCALE),
        measure=table.choice(schema.SPRT_MEASURE),
    )
    if sprt.measure == POINTS and (unit != schema.DEALS or sprt.scale != schema.NORMALISED):
        raise table.error(
            "'points' are scored per hand and have no logistic Elo; they need unit 'deals' and scale 'normalised'",
            schema.SPRT_MEASURE,
        )
    try:
        Hypotheses(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta)
    except RatingError as error:
        raise table.error(str(error), schema.SPRT_ELO1) from None
    return sprt
