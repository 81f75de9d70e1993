"""The report of a run: one file that can be sent alone, and beside it the games that its cells open.

The report itself is small and needs nothing else. Beside `report.html` lies a folder `report-games`: for each pair of
bots and for each bot a page that lists the games, and a replay page for the games that were chosen (`chosen_games`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from pathlib import Path

from markupsafe import Markup

from engine import EngineError
from harness.records.rows import GameRow, RunRow
from harness.records.store import Store
from harness.report.replay_page import shared_replay_page
from harness.report.report_data import report_data
from harness.report.templating import render_page, source

Progress = Callable[[int, int], None]
"""Told (replay pages written, replay pages to write)."""

FOR_FAULTS = 100
"""How many games get a replay page for their faults, if nothing is said."""

LEAST = 200
"""How many games get a replay page at least, if nothing is said."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the report's size in bytes, the folder beside it, how many replays are in it."""

    size: int
    folder: Path
    replays: int


def write_report(
    store: Store, run: RunRow, path: Path, *, replays: int | None = None, progress: Progress | None = None
) -> Written:
    """Write the report of a run to `path`, and beside it the replays of `chosen_games`, at most so many.

    Raises OSError where a file cannot be written, StoreError where the run cannot be read.
    """
    games = store.games(run.fingerprint)
    folder = path.with_name(f"{path.stem}-games")
    folder.mkdir(parents=True, exist_ok=True)
    chosen = chosen_games(games, replays)
    names = {game: f"game-{place:05}.html" for place, game in enumerate(row.id for row in games) if game in chosen}
    pairs, bots = pair_files(games), bot_files(games)
    for those, file in [*pairs.items(), *bots.items()]:
        _write(folder / file, _games_page(run, those, games, names, path.name))
    for asset in ("page.css", "replay.css", "layout.js", "replay.js"):
        _write(folder / asset, str(source(asset)))
    for number, (game, name) in enumerate(names.items(), 1):
        _write(folder / name, _replay(store, game))
        if progress is not None:
            progress(number, len(names))
    data = {**report_data(store, run), **_links(store, run, names, pairs, bots), "folder": folder.name}
    style = source("page.css") + source("report.css")
    page = render_page("report.html", data=data, style=style, script=source("report.js"))
    _write(path, page)
    return Written(len(page.encode()), folder, len(names))


def chosen_games(games: Sequence[GameRow], most: int | None = None) -> frozenset[str]:
    """The games that get a replay page: games with faults, one of each line-up and variant, then more of each in turn.

    At most half of `most` are there for their faults. None stands for as many as it takes for a game behind every cell
    of the report, with 100 for their faults, and for 200 at least.
    """
    lineups: dict[tuple[str, str], list[str]] = {}
    for game in games:
        lineups.setdefault((game.entry, game.lineup), []).append(game.id)
    faulty = [game.id for game in games if game.faults][: FOR_FAULTS if most is None else most // 2]
    number = max(LEAST, len(faulty) + len(lineups)) if most is None else most
    in_turn = [game for turn in zip_longest(*lineups.values()) for game in turn if game is not None]
    return frozenset(list(dict.fromkeys([*faulty, *in_turn]))[:number])


def pair_files(games: Sequence[GameRow]) -> dict[tuple[str, ...], str]:
    """The page of each pair of bots that met."""
    met = sorted({pair for game in games for pair in combinations(sorted(set(game.bots)), 2)})
    return {pair: f"pair-{number:03}.html" for number, pair in enumerate(met)}


def bot_files(games: Sequence[GameRow]) -> dict[tuple[str, ...], str]:
    """The page of each bot that played."""
    played = sorted({bot for game in games for bot in game.bots})
    return {(bot,): f"bot-{number:03}.html" for number, bot in enumerate(played)}


def _links(
    store: Store,
    run: RunRow,
    names: Mapping[str, str],
    pairs: Mapping[tuple[str, ...], str],
    bots: Mapping[tuple[str, ...], str],
) -> dict[str, object]:
    """What the report opens: the pages of each pair and each bot, by their numbers, and the replays of its faults."""
    number = {bot.name: place for place, bot in enumerate(store.bots(run.fingerprint))}
    told = {fault.game for fault in store.faults(run.fingerprint)}
    return {
        "pairs": [[number[one], number[other], file] for (one, other), file in pairs.items()],
        "games": {number[bot]: file for (bot,), file in bots.items()},
        "replays": {game: name for game, name in names.items() if game in told},
    }


def _replay(store: Store, game: str) -> str:
    try:
        return shared_replay_page(store.record(game), store.faults_of(game))
    except EngineError as error:
        return render_page("unreadable.html", game=game, sentence=str(error))


@dataclass(frozen=True, slots=True)
class _Row:
    """A game in the list of a pair, or of a bot."""

    game: GameRow
    replay: str
    seats: Markup


def _games_page(
    run: RunRow, bots: tuple[str, ...], games: Sequence[GameRow], names: Mapping[str, str], report: str
) -> str:
    return render_page("games.html", run=run, title=" and ".join(bots), report=report, rows=_rows(bots, games, names))


def _rows(bots: tuple[str, ...], games: Sequence[GameRow], names: Mapping[str, str]) -> list[_Row]:
    """The games in which all of these bots played, those with a replay first."""
    found = [_row(game, names.get(game.id, "")) for game in games if set(bots) <= set(game.bots)]
    return sorted(found, key=lambda row: not row.replay)


def _row(game: GameRow, replay: str) -> _Row:
    parts = []
    for bot, score, rank in zip(game.bots, game.scores, game.ranks, strict=True):
        mark = Markup("<b>{}</b>") if rank == 1 else Markup("{}")
        parts.append(mark.format(f"{bot} {score}"))
    return _Row(game, replay, Markup(" · ").join(parts))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
