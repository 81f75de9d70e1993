"""The standings of several runs rated together: the rating of record of a database (ratings.md, Ratings kept, 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine import counted
from harness.cli.display.standings import pooled_document, pooled_text, rated_document
from harness.cli.shared.errors import InputError
from harness.cli.shared.output import Column, output_width, print_json, print_lines, table
from harness.ratings.standings.cells import elo_text, interval_text, percent_text, points_text

if TYPE_CHECKING:
    from harness.ratings.standings.rating_list import RatedBot, RatingList
    from harness.records.store.store import Store
    from harness.records.values.game_result import GameResult
    from harness.records.values.query_results import RunRow
    from harness.records.values.run import Entrant


def print_combined_standings(store: Store, runs: Sequence[RunRow], *, variant: str | None, as_json: bool) -> None:
    """Print the ratings from all games of `runs`; each game counts once.

    variant: only this one; None for all. Raises InputError if the runs have no game of it.
    """
    from harness.ratings.standings.pool import pooled_ratings

    results = combined_results(store, runs)
    known = sorted({result.variant for result in results})
    if variant is not None and variant not in known:
        from engine import unknown

        raise InputError(unknown("variant", variant, known))
    variants = [variant] if variant is not None else known
    if as_json:
        print_json(
            {
                "runs": [run.fingerprint for run in runs],
                "variants": {each: _document(_rating_list_of(results, each)) for each in variants},
                **({} if variant else {"overall": _document(_rating_list_of(results, None))}),
                **(
                    {}
                    if variant
                    else {"pooled": {bot: pooled_document(one) for bot, one in pooled_ratings(results).items()}}
                ),
            }
        )
        return
    width = output_width()
    names = ", ".join(f"{run.fingerprint} ({run.name})" for run in runs)
    lines = [f"{counted(len(runs), 'run')} together: {names}", ""]
    for each in variants:
        lines += [each, *_text(_rating_list_of(results, each), width), ""]
    if variant is None and len(known) > 1:
        overall = _rating_list_of(results, None)
        lines += ["all variants", *_text(overall, width), "", *pooled_text(results, overall, width)]
    print_lines(lines)


def combined_results(store: Store, runs: Iterable[RunRow]) -> list[GameResult]:
    """Return the results of several runs, in which a name means the same bot in every run.

    If several bots share a name, each gets its version behind it, and its fingerprint if versions are equal, too.
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
"""Name, version, fingerprint."""


def _identity(bot: Entrant) -> _Identity:
    return bot.name, bot.version, bot.fingerprint


def _labels(bots: Iterable[Entrant]) -> Mapping[_Identity, str]:
    """Return the shortest unique label of each bot: name, name and version, or these and a part of the fingerprint."""
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
    Column("bot", cut=True),
    Column("Elo", right=True),
    Column("95%", right=True),
    Column("LOS", right=True, drop=2),
    Column("points/deal", right=True, drop=1),
)


def _text(rating_list: RatingList, width: int | None) -> list[str]:
    return [*table(_COLUMNS, [_row(line) for line in rating_list.lines], width), rating_list.sentence]


def _row(line: RatedBot) -> tuple[str, ...]:
    return (
        str(line.rank),
        line.bot,
        elo_text(line.rating),
        interval_text(line.rating),
        percent_text(line.ahead),
        points_text(line),
    )


def _rating_list_of(results: Sequence[GameResult], variant: str | None) -> RatingList:
    """Return the rating list of a variant, or of all games for None."""
    from harness.ratings.standings.rating_list import rating_list
    from harness.records.values.game_result import of_variant

    return rating_list(of_variant(results, variant))


def _document(rating_list: RatingList) -> dict[str, object]:
    return {
        "standings": [{"bot": line.bot, **rated_document(line)} for line in rating_list.lines],
        "basis": rating_list.sentence,
    }
