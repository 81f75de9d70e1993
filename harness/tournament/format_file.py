"""The keys of a tournament file that say who meets whom, and until when (CLI.md, tournament.toml)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.wording import did_you_mean, listed
from harness.ratings.measures import MEASURES, POINTS, SCORE
from harness.tournament.entries import DEALS
from harness.tournament.format_terms import (
    DRAW,
    FILE,
    GAUNTLET,
    LOGISTIC,
    MOST_SETS,
    NORMALISED,
    PAIRED,
    RATING,
    SCALES,
    SEEDINGS,
    SWISS,
    FormatTerms,
    Sprt,
    StopRules,
    by_rating,
)
from harness.tournament.section import Section
from harness.tournament.source import Source
from harness.tournament.swiss_rounds import most_rounds, usual_rounds

DEFAULT_SETS = 50
DEFAULT_EVERY = 16


def read_terms(
    source: Source, main: Section, name: str, bots: Sequence[str], ratings: Sequence[int | None]
) -> FormatTerms:
    """The format's own keys; one that another format has is an error. Raises ConfigError."""
    for key, formats in (("challengers", (GAUNTLET,)), ("rounds", (SWISS,)), ("seeding", PAIRED)):
        if main.has(key) and name not in formats:
            raise source.error(main.where(key), f"{key} belongs to {listed(formats)}, not to {name!r}")
    seeding = main.choice("seeding", SEEDINGS, FILE)
    return FormatTerms(
        name=name,
        challengers=_challengers(source, main, bots) if name == GAUNTLET else main.texts("challengers", ()),
        rounds=_rounds(main, name, len(bots)),
        seeding=seeding,
        seeds=_seeds(source, main, seeding, bots, ratings) if name in PAIRED else (),
    )


def _challengers(source: Source, main: Section, bots: Sequence[str]) -> tuple[str, ...]:
    """Who meets the others: the first bot, where nobody is named."""
    named = main.texts("challengers", bots[:1])
    where = main.where("challengers")
    for bot in named:
        if bot not in bots:
            hint = did_you_mean(bot, bots) or f", {listed(bots)} is allowed"
            raise source.error(where, f"no bot {bot!r} is entered{hint}")
    if not named:
        raise source.error(where, "an empty list is not allowed, leave it out for the first bot to be the challenger")
    if len(set(named)) < len(named):
        raise source.error(where, "a challenger is named twice")
    if len(named) == len(bots):
        raise source.error(where, "all bots are challengers and nobody is left to meet them, 'round-robin' is allowed")
    return tuple(bot for bot in bots if bot in named)


def _rounds(main: Section, name: str, bots: int) -> int:
    if name != SWISS:
        return main.integer("rounds", 0, low=1)
    return main.integer("rounds", usual_rounds(bots), low=1, high=most_rounds(bots))


def _seeds(
    source: Source, main: Section, seeding: str, bots: Sequence[str], ratings: Sequence[int | None]
) -> tuple[str, ...]:
    if seeding == DRAW:
        return ()
    if seeding != RATING:
        return tuple(bots)
    known = [rating for rating in ratings if rating is not None]
    if len(known) < len(bots):
        unrated = bots[list(ratings).index(None)]
        raise source.error(main.where("seeding"), f"bot {unrated!r} has no rating, give each [[bot]] one")
    return by_rating(bots, known)


def read_sets(
    source: Source, main: Section, terms: FormatTerms, bots: Sequence[str], unit: str
) -> tuple[int, StopRules | None]:
    """How many deal sets there are at most, and what else stops the tournament. Raises ConfigError."""
    if not main.has("stop"):
        return main.integer("sets", DEFAULT_SETS, low=1, high=MOST_SETS), None
    if terms.name in PAIRED:
        raise source.error(main.where("stop"), f"stop is not for {terms.name!r}, which ends after its last round")
    section = main.section("stop", "stop")
    sets = section.integer("sets", 0, low=1, high=MOST_SETS)
    rules = StopRules(
        every=section.integer("every", DEFAULT_EVERY, low=1, high=MOST_SETS),
        time_ms=section.duration("time", 0, low=1),
        decisions=section.integer("decisions", 0, low=1),
        settled=section.number("settled", 0.0, above=0.5, below=1.0),
        sprt=_sprt(source, section.section("sprt", "sprt"), bots, unit) if section.has("sprt") else None,
    )
    section.done()
    most = main.integer("sets", sets or MOST_SETS, low=1, high=MOST_SETS)
    if not (rules.time_ms or rules.decisions or rules.settled or rules.sprt):
        if not sets:
            raise source.error(main.where("stop"), "no rule is given, sets, time, decisions, sprt or settled is needed")
        return min(most, sets), None
    return min(most, sets or most), rules


def _sprt(source: Source, section: Section, bots: Sequence[str], unit: str) -> Sprt:
    named = section.texts("bots", bots[:2])
    where = section.where("bots")
    for bot in named:
        if bot not in bots:
            raise source.error(where, f"no bot {bot!r} is entered{did_you_mean(bot, bots)}")
    if len(set(named)) != 2 or len(named) != 2:
        raise source.error(where, "two bots are needed, the first is tested against the second")
    sprt = Sprt(
        bots=(named[0], named[1]),
        elo0=section.number("elo0", 0.0),
        elo1=section.number("elo1", 10.0),
        alpha=section.number("alpha", 0.05, above=0.0, below=0.5),
        beta=section.number("beta", 0.05, above=0.0, below=0.5),
        scale=section.choice("scale", SCALES, LOGISTIC),
        measure=section.choice("measure", MEASURES, SCORE),
    )
    if sprt.measure == POINTS and (unit != DEALS or sprt.scale != NORMALISED):
        where = section.where("measure")
        raise source.error(
            where,
            "'points' are of single hands and have no logistic Elo, unit 'deals' and scale 'normalised' are needed",
        )
    section.done()
    if sprt.elo0 >= sprt.elo1:
        raise source.error(where, f"elo0 = {sprt.elo0:g} must be less than elo1 = {sprt.elo1:g}")
    return sprt
