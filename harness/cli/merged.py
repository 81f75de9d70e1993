"""Several runs rated together: the rating of record of a database (RATINGS.md, Ratings kept, 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.cli.errors import InputError
from harness.cli.output import Column, print_json, print_lines, table
from harness.cli.rated import pooled_document, pooled_text, rated_document
from harness.ratings.figures import elo, interval, percent, points

if TYPE_CHECKING:
    from harness.ratings.league import League, Rated
    from harness.records.rows import GameResult, RunRow
    from harness.records.run import Entrant
    from harness.records.store import Store


def show_merged(store: Store, runs: Sequence[RunRow], *, variant: str | None, as_json: bool) -> None:
    """Print the ratings from all games of some runs; each game counts once. Raises InputError for a wrong variant."""
    from harness.ratings.league import pooled

    results = merged_results(store, runs)
    known = sorted({result.variant for result in results})
    if variant is not None and variant not in known:
        from engine.wording import unknown

        raise InputError(unknown("variant", variant, known))
    variants = [variant] if variant is not None else known
    if as_json:
        print_json(
            {
                "runs": [run.fingerprint for run in runs],
                "variants": {each: _document(_league_of(results, each)) for each in variants},
                **({} if variant else {"overall": _document(_league_of(results, None))}),
                **({} if variant else {"pooled": {bot: pooled_document(one) for bot, one in pooled(results).items()}}),
            }
        )
        return
    names = ", ".join(f"{run.fingerprint} ({run.name})" for run in runs)
    lines = [f"{len(runs)} {'run' if len(runs) == 1 else 'runs'} together: {names}", ""]
    for each in variants:
        lines += [each, *_text(_league_of(results, each)), ""]
    if variant is None and len(known) > 1:
        overall = _league_of(results, None)
        lines += ["all variants", *_text(overall), "", *pooled_text(results, overall)]
    print_lines(lines)


def merged_results(store: Store, runs: Iterable[RunRow]) -> list[GameResult]:
    """The results of some runs, their bots under names that mean the same bot everywhere.

    A name that several versions or states of the files bear gets the version, and the fingerprint where that is not
    enough.
    """
    results: dict[str, list[GameResult]] = {}
    entrants: dict[str, dict[str, Entrant]] = {}
    for run in runs:
        results[run.fingerprint] = store.results(run.fingerprint)
        entrants[run.fingerprint] = {bot.name: bot for bot in store.bots(run.fingerprint)}
    labels = _labels({bot for bots in entrants.values() for bot in bots.values()})
    return [
        replace(game, bots=tuple(labels[_identity(entrants[run][bot])] for bot in game.bots))
        for run, games in results.items()
        for game in games
    ]


_Identity = tuple[str, str, str]


def _identity(bot: Entrant) -> _Identity:
    return bot.name, bot.version, bot.fingerprint


def _labels(bots: Iterable[Entrant]) -> Mapping[_Identity, str]:
    """By bot, the shortest of its name, name and version, or all three that no other bot has."""
    identities = {_identity(bot) for bot in bots}
    labels: dict[_Identity, str] = {}
    for name, version, files in identities:
        same = [other for other in identities if other[0] == name]
        if len(same) == 1:
            labels[name, version, files] = name
        elif sum(other[1] == version for other in same) == 1:
            labels[name, version, files] = f"{name} {version}"
        else:
            labels[name, version, files] = f"{name} {version} {files.removeprefix('sha256:')[:6]}"
    return labels


_COLUMNS = (
    Column("#", right=True),
    Column("bot"),
    Column("Elo", right=True),
    Column("95%", right=True),
    Column("LOS", right=True),
    Column("points/deal", right=True),
)


def _text(league: League) -> list[str]:
    return [*table(_COLUMNS, [_row(line) for line in league.lines]), league.sentence]


def _row(line: Rated) -> tuple[str, ...]:
    return str(line.rank), line.bot, elo(line.rating), interval(line.rating), percent(line.ahead), points(line)


def _league_of(results: Sequence[GameResult], variant: str | None) -> League:
    """The league of a variant, or of all games."""
    from harness.ratings.league import league
    from harness.records.rows import of_variant

    return league(of_variant(results, variant))


def _document(league: League) -> dict[str, object]:
    return {
        "standings": [{"bot": line.bot, **rated_document(line)} for line in league.lines],
        "basis": league.sentence,
    }
