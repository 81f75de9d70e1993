"""The headline of results: one or two plain sentences about who won, how certain that is, and what is still open.

Input: the standings of runs, and a run's places if its format has them. Output: the text above standings, reports, live
pages and JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.ratings.standings.scopes import sets_of
from bowerbird.harness.ratings.standings.text.sentences import MOST_TOLD, more_text
from bowerbird.harness.records.values.run import MATCH

if TYPE_CHECKING:
    from bowerbird.harness.ratings.standings.overview import Overview
    from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.placements import Placement

MS_OF_HOUR = 3_600_000
TENS = 10
FEWEST_BOTS = 2
NAMED = 3
"""The most bots that share a place, and the most variants, that are named; the others are counted."""


def headline_of(overview: Overview, runs: Sequence[StoredRun]) -> str:
    """Return who won these runs, or leads them, how certain that is, and what is open; "" before the first result.

    A run is won once it is complete. If its format has places (`places`), they decide; otherwise a bot wins if its
    rating is settled above the next one.
    """
    ended = len(runs) == 1 and runs[0].row.ended is not None
    places = runs[0].placements() if ended else []
    listed = overview.overall.rating_list
    parts = [*_by_places(places, listed), *_differing(overview)] if places else [*_by_ratings(overview, ended=ended)]
    return " ".join([*parts, *_forecast(listed, runs)])


def _forecast(listed: RatingList, runs: Sequence[StoredRun]) -> Iterator[str]:
    """Yield how many deal sets would settle the first open place, and roughly how long that takes.

    Deal sets added after the seed is published are practice, so a new run is then needed.
    """
    pair = next((pair for pair in listed.undecided if pair.bot in [line.bot for line in listed.staying[:2]]), None)
    if len(runs) != 1 or pair is None or pair.times is None or pair.more_sets is None or pair.more_sets > MOST_TOLD:
        return
    written = sets_of(runs[0].row.config)
    if written is not None:
        run, (key, sets) = runs[0], written
        is_new = run.row.seed is not None and not run.row.practice
        hours = max(run.played_ms().values(), default=0) * (pair.times - (not is_new)) / MS_OF_HOUR
        time = _hours_text(hours, "" if is_new else " more")
        new = "a new run (the seed of this one is published) " if is_new else ""
        number = _sets_text(run, key, sets, math.ceil(sets * pair.times))
        yield f"For that, play {new}with {number}{time}."


def _sets_text(run: StoredRun, key: str, sets: int, wanted: int) -> str:
    """Return `sets = 75 instead of 12 for each of the 3 line-ups`, or the option of a match that has no file."""
    if run.row.original_name.startswith(f"{MATCH}-"):
        return f"--sets {wanted} instead of {sets}"
    lineups = len({(stored.entry, stored.lineup) for stored in run.stored_sets()})
    each = f" for each of the {lineups} line-ups" if key == "sets" and lineups > 1 else ""
    return f"{key} = {wanted} instead of {sets}{each}"


def _hours_text(hours: float, more: str) -> str:
    """Return `, about 1.5 hours more`, or the same without `more`; "" if the time is unknown."""
    if hours <= 0:
        return ""
    if hours < 1:
        minutes = math.ceil(60 * hours)
        return f", about {counted(minutes, 'minute')}{more}"
    return f", about {hours:.1f} hours{more}" if hours < TENS else f", about {round(hours):,} hours{more}"


def _by_places(places: Sequence[Placement], listed: RatingList) -> Iterator[str]:
    first = [place.bot for place in places if place.place == places[0].place]
    yield f"{_all(first)} {'wins' if len(first) == 1 else 'share first place'}, by the matches."
    if len(listed.staying) < FEWEST_BOTS or listed.no_ranks:
        return
    if not _is_open(listed, 0):
        yield f"By the ratings {listed.staying[0].bot} is the strongest (settled)."
    else:
        yield f"The ratings leave it open{_between(listed, 0)}."


def _by_ratings(overview: Overview, *, ended: bool) -> Iterator[str]:
    listed, overall = overview.overall.rating_list, overview.overall
    does = "wins" if ended else "leads"
    best = [bot for bot in overall.bots if overall.places.get(bot) == 1 and overall.games]
    named = [f"{bot} (withdrawn)" if bot in listed.withdrawn else bot for bot in best]
    by_score = f"{_all(named)} {'has' if len(best) == 1 else 'have'} the best score" if best else ""
    lines = listed.staying
    if len(listed.lines) < FEWEST_BOTS:
        if by_score:
            yield f"{by_score}; no rating shows how certain that is."
        return
    if len(lines) < FEWEST_BOTS:
        yield f"{lines[0].bot} is the only bot that was not withdrawn." if lines else "All rated bots were withdrawn."
        return
    if listed.no_ranks:
        if overall.places:
            yield f"{by_score}; the ratings settle nothing, since results choose who meets whom."
        else:
            yield f"{lines[0].bot} has the highest rating, which settles nothing, since results choose who meets whom."
    elif _is_open(listed, 0):
        highest = "" if not best or lines[0].bot in best else f", {lines[0].bot} the highest rating"
        score = f"{by_score}{highest}{', and' if highest else ', but'} first" if best else "First"
        yield f"{score} place is open{_between(listed, 0)}."
    else:
        yield f"{lines[0].bot} {does} (settled)."
        if len(lines) > 2:  # with two bots, the loser is second
            second = f"Second place is open{_between(listed, 1)}." if _is_open(listed, 1) else ""
            yield second or f"{lines[1].bot} is second (settled)."
    yield from _differing(overview)


def _is_open(listed: RatingList, place: int) -> bool:
    """Return True if a bot is not settled above the next one. `place` is its place among the bots that stay."""
    return any(pair.bot == listed.staying[place].bot for pair in listed.undecided)


def _between(listed: RatingList, place: int) -> str:
    """Return ` between jay and magpie: about 280 more deal sets`: the bots on a line and on lines that share its rank.

    At least the next bot is named. The number applies to the first two bots. Withdrawn bots are left out.
    """
    lines = listed.staying
    sharing = [line.bot for at, line in enumerate(lines) if at in (place, place + 1) or _shares(line, lines, place, at)]
    sets = next(pair.more_sets for pair in listed.undecided if pair.bot == lines[place].bot)
    return f" between {_all(sharing)}: {more_text(sets)}"


def _shares(line: RatedBot, lines: Sequence[RatedBot], place: int, at: int) -> bool:
    return at > place and line.rank == lines[place].rank


def _differing(overview: Overview) -> Iterator[str]:
    """Yield the variants in which the overall leader does not lead."""
    lines = overview.overall.rating_list.staying
    if not lines or len(overview.variants) < 2:
        return
    others = [
        f"{staying[0].bot} leads {board.variant}"
        for board in overview.variants
        if (staying := board.rating_list.staying) and staying[0].bot != lines[0].bot
    ]
    if others:
        more = f", and other bots {len(others) - NAMED} more variants" if len(others) > NAMED else ""
        yield f"{', '.join(others[:NAMED])}{more}."


def _all(names: Sequence[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`, `a, b, c and 2 more`."""
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
