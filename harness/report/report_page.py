"""Writes the report of a run: one self-contained file, and a folder with the games to which its cells link.

Beside `report.html`, the folder `report-games` contains a list of games for each bot and each pair of bots, and a
replay page for each of the `chosen_games`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from pathlib import Path

from markupsafe import Markup

from bowerbird.engine import EngineError
from bowerbird.harness.ratings.standings.head_to_head import HeadToHead, HeadToHeads
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.text.cells import (
    COMMON_COLUMNS,
    COMPARISON_COLUMNS,
    common_cells,
    comparison_cells,
)
from bowerbird.harness.ratings.standings.text.sentences import mean_text
from bowerbird.harness.ratings.standings.text.words import WORDS
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.query_results import GameRow
from bowerbird.harness.report.links import file_links
from bowerbird.harness.report.marks import NO_MARKS, GameMarks, MarksOf, ReportSection
from bowerbird.harness.report.replay_page import replay_page
from bowerbird.harness.report.report_data import report_data
from bowerbird.harness.report.templating import render_page

Progress = Callable[[int, int], None]
"""A function called with (replay pages written, replay pages to write)."""

FOR_FAULTS = 100
"""Default for the most replay pages written because of faults."""

LEAST = 200
"""Default for the least number of replay pages."""


@dataclass(frozen=True, slots=True)
class Written:
    """The written report: its size in bytes, the folder beside it, and the number of replay pages in the folder."""

    size: int
    folder: Path
    replays: int


def _no_marks(_record: GameRecord) -> GameMarks:
    return NO_MARKS


def write_report(
    run: StoredRun,
    path: Path,
    *,
    replays: int | None = None,
    progress: Progress | None = None,
    sections: Sequence[ReportSection] = (),
    marks_of: MarksOf = _no_marks,
    played: str = "",
) -> Written:
    """Write the report of a run to `path`, and beside it at most `replays` replay pages (see `chosen_games`).

    `sections` go below the other sections, and the replay pages show the marks from `marks_of`. `played` is as for
    `report_data`.

    Raises OSError if a file cannot be written, StoreError if the run cannot be read.
    """
    games = run.games()
    found = overview([run])
    heads = HeadToHeads(found)
    folder = path.with_name(f"{path.stem}-games")
    folder.mkdir(parents=True, exist_ok=True)
    linked = list(dict.fromkeys(game for one in sections for table in one.tables for game, _, _ in table.games))
    chosen = chosen_games(games, replays, linked)
    names = {game: f"game-{place:05}.html" for place, game in enumerate(row.id for row in games) if game in chosen}
    pairs, bots = pair_files(games), bot_files(games)
    for those, file in [*pairs.items(), *bots.items()]:
        compared = heads.between(*those) if len(those) == 2 else None
        _write(folder / file, _games_page(run, those, games, names, path.name, compared))
    for number, (game, name) in enumerate(names.items(), 1):
        _write(folder / name, _replay(run.store, game, marks_of))
        if progress is not None:
            progress(number, len(names))
    page = render_page(
        "report.html",
        data=report_data(run, found, played),
        sections=sections,
        links=file_links(folder.name, [bot.name for bot in run.bots()], {**pairs, **bots}, names),
        styles=("page.css", "report.css"),
        scripts=("page.js", "report.js"),
    )
    _write(path, page)
    return Written(len(page.encode()), folder, len(names))


def chosen_games(games: Sequence[GameRow], most: int | None = None, linked: Sequence[str] = ()) -> frozenset[str]:
    """Return the games that get a replay page.

    Games to which sections link (`linked`) come first, then games with faults, then games of each variant entry and
    line-up in turn. `most` limits their number; at most half of it are chosen for faults. By default (None), all linked
    games are chosen, up to FOR_FAULTS games with faults, at least one game for every cell of the report, and at least
    LEAST games.
    """
    lineups: dict[tuple[str, str], list[str]] = {}
    for game in games:
        lineups.setdefault((game.entry, game.lineup), []).append(game.id)
    faulty = [game.id for game in games if game.faults][: FOR_FAULTS if most is None else most // 2]
    number = max(LEAST, len(linked) + len(faulty) + len(lineups)) if most is None else most
    in_turn = [game for turn in zip_longest(*lineups.values()) for game in turn if game is not None]
    return frozenset(list(dict.fromkeys([*linked, *faulty, *in_turn]))[:number])


def pair_files(games: Sequence[GameRow]) -> dict[tuple[str, ...], str]:
    """Return the file name of the page for each pair of bots that met. The keys are pairs in alphabetical order."""
    met = sorted({pair for game in games for pair in combinations(sorted(set(game.bots)), 2)})
    return {pair: f"pair-{number:03}.html" for number, pair in enumerate(met)}


def bot_files(games: Sequence[GameRow]) -> dict[tuple[str, ...], str]:
    """Return the file name of the page for each bot that played. The keys are tuples (bot,)."""
    played = sorted({bot for game in games for bot in game.bots})
    return {(bot,): f"bot-{number:03}.html" for number, bot in enumerate(played)}


def _replay(store: Store, game: str, marks_of: MarksOf) -> str:
    try:
        record = store.record(game)
        return replay_page(record, stories=store.faults_of(game), notes=store.notes(game), marks=marks_of(record))
    except EngineError as error:
        return render_page("unreadable.html", game=game, sentence=str(error), styles=("page.css",))


@dataclass(frozen=True, slots=True)
class _Row:
    """A game in the list of a pair or of a bot."""

    game: GameRow
    replay: str
    seats: Markup


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of text: titles with their meanings, and rows of cells. The first `words` columns contain text."""

    titles: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[str]]
    words: int


def _games_page(  # noqa: PLR0917 (one value for each part of the page)
    run: StoredRun,
    bots: tuple[str, ...],
    games: Sequence[GameRow],
    names: Mapping[str, str],
    report: str,
    compared: HeadToHead | None,
) -> str:
    return render_page(
        "games.html",
        run=run.row,
        title=" and ".join(bots),
        report=report,
        rows=_rows(bots, games, names),
        compared=None if compared is None or not compared.comparisons else _comparison(compared),
        common=None if compared is None else _common(compared),
        mean="" if compared is None else mean_text(compared),
        bots=bots,
        styles=("page.css", "games.css"),
    )


def _comparison(compared: HeadToHead) -> _Table:
    """Return the comparison of two bots, scope by scope."""
    rows = [comparison_cells(one) for one in compared.comparisons]
    titles = [(title, WORDS.get(title, "")) for title in COMPARISON_COLUMNS]
    return _Table(titles, rows, 1)


def _common(compared: HeadToHead) -> _Table | None:
    """Return the results of two bots against the opponents that both met; None if there are none."""
    rows = [common_cells(one.title, each) for one in compared.comparisons for each in one.common]
    titles = [(title.format(bot=compared.bot, other=compared.other), WORDS.get(title, "")) for title in COMMON_COLUMNS]
    return _Table(titles, rows, 2) if rows else None


def _rows(bots: tuple[str, ...], games: Sequence[GameRow], names: Mapping[str, str]) -> list[_Row]:
    """Return the games in which all of `bots` played; those with a replay come first."""
    found = [_row(game, names.get(game.id, "")) for game in games if set(bots) <= set(game.bots)]
    return sorted(found, key=lambda row: not row.replay)


def _row(game: GameRow, replay: str) -> _Row:
    parts = []
    for bot, score, rank in zip(game.bots, game.scores, game.ranks, strict=True):
        mark = Markup("<b>{}</b>") if rank == 1 else Markup("{}")
        parts.append(mark.format(f"{shown(bot)} {score}"))
    return _Row(game, replay, Markup(" · ").join(parts))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
