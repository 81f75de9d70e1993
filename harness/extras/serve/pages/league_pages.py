"""The contents of a league's pages: a season's tables, bots, epochs and events, and the deal sets of an epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from bowerbird.engine import unknown
from bowerbird.harness.extras.serve.pages.reports import Values
from bowerbird.harness.extras.serve.pages.run_pages import Content, Context, progress
from bowerbird.harness.extras.serve.pages.season_view import SeasonView, season_view, without_paths
from bowerbird.harness.ratings.standings.text.cells import NOTHING
from bowerbird.harness.ratings.standings.text.sentences import leaders_text
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.league import PLAYING, LeagueBot
from bowerbird.harness.records.values.run import BLOCK_SETS, GameId, SetKey

MOST_ROWS = 100
"""The maximum number of bots in a list of a season."""

MOST_CROSSED = 25
"""The maximum number of bots in a season's crosstable and in its table of variants."""

MOST_CURVES = 10
"""The maximum number of curves, which is the number of colours."""

TIMES = ("p50 ms", "p99 ms")
"""The columns that are left out if no bot has a value."""

EPOCHS_ON_A_PAGE = 25
EVENTS = 30
SETS_ON_A_PAGE = 100


def league_summary(context: Context, league: str) -> Values:
    """Return the entry of a league in the list of leagues."""
    view = season_view(context, league)
    epoch = view.season.open_epoch
    board = view.report.overview.overall
    return {
        "league": view.name,
        "season": view.number,
        "state": view.state,
        "started": view.started,
        "epoch": None if epoch is None else epoch.number,
        "epochs": sum(one.ended is not None for one in view.season.epochs),
        "bots": len(view.players),
        "games": sum(run.row.games for run in view.runs.values()),
        "leader": leaders_text(board.rating_list) if board.rating_list.lines else "",
        "progress": _progress(view),
        "address": context.addresses.league(league),
    }


def season_page(context: Context, view: SeasonView, variant: str, page: int) -> Content:
    """Return the page of a season: all its parts, or the tables of one variant alone.

    variant: the id of the variant in the tables; "" for all variants.
    page: the page of the list of epochs.

    Raises StoreError for a variant that nobody played.
    """
    season, addresses = view.season, context.addresses
    epochs = season.epochs[::-1]
    pages = max(1, -(-len(epochs) // EPOCHS_ON_A_PAGE))
    page = min(max(1, page), pages)
    shown_epochs = epochs[(page - 1) * EPOCHS_ON_A_PAGE : page * EPOCHS_ON_A_PAGE]
    idle = [bot for bot in reversed(season.bots) if bot.status != PLAYING]
    data = {
        **_tables(view, variant),
        "variant": variant,
        "started": view.started,
        "complete": sum(epoch.ended is not None for epoch in season.epochs),
        "games": sum(run.row.games for run in view.runs.values()),
        "players": len(view.players),
        "waiting": [bot.name for bot in view.players if not view.has_played(bot.name)],
        "apart": [
            {"title": scope["title"], "games": scope["games"], "address": view.links.scope(scope["id"])}
            for scope in view.report.tables["scopes"]
            if scope["apart"]
        ],
        "progress": _progress(view),
        "idle": [_idle(view, bot) for bot in idle[:MOST_ROWS]],
        "idle_more": max(0, len(idle) - MOST_ROWS),
        "epochs": [view.epoch_values(epoch) for epoch in shown_epochs],
        "page": page,
        "pages": pages,
        "events": view.events(context.store.league_events(view.name, EVENTS, season=view.number)),
    }
    turns = _turns(page, pages, lambda number: addresses.league(view.name, view.wanted, variant, number))
    seasons = [
        (number, addresses.league(view.name, None if number == season.league.season else number))
        for number in _near(view.number, season.league.season)
    ]
    title = f"League {view.name}, season {view.number}"
    return view.page("league.html", title, data, links=view.links, turns=turns, seasons=seasons)


def _near(number: int, present: int) -> list[int]:
    """Return the seasons to link to: those around `number`, the first, and the present one."""
    return sorted({1, present, *range(max(1, number - 4), min(present, number + 4) + 1)})


def _progress(view: SeasonView) -> Values | None:
    epoch = view.season.open_epoch
    run = None if epoch is None else view.runs.get(epoch.run)
    return None if run is None else progress(run, view.live)


def _tables(view: SeasonView, variant: str) -> Values:
    """Return the tables of a season, which stay small however many bots it has.

    crossed, drawn: the numbers of the bots in the crosstable and in the curves.
    rows_more: how many rows of the standings are left out.
    """
    tables = view.report.tables
    ids = [scope["id"] for scope in tables["scopes"]]
    if variant and variant not in ids:
        raise StoreError(unknown("variant", variant, filter(None, ids)))
    shown = tables["scopes"][ids.index(variant) : ids.index(variant) + 1] if variant else tables["scopes"]
    first = shown[0]["rows"] if shown else []
    crossed = _chosen(view, first, MOST_CROSSED)
    small = [
        _small(scope, crossed, whole=place == 0, rows=MOST_ROWS if place == 0 else MOST_CROSSED)
        for place, scope in enumerate(shown)
    ]
    kept = filled_columns(tables["titles"]["playing"], [row["playing"] for scope in small[:1] for row in scope["rows"]])
    for scope in small:
        scope["rows"] = [{**row, "playing": [row["playing"][at] for at in kept]} for row in scope["rows"]]
    return {
        **tables,
        "titles": {**tables["titles"], "playing": [tables["titles"]["playing"][at] for at in kept]},
        "scopes": small,
        "pooled": None if variant or not tables["pooled"] else _cut(tables["pooled"]),
        "crossed": crossed,
        "drawn": _chosen(view, first, MOST_CURVES),
        "rows_more": max(0, len(first) - MOST_ROWS),
        "cpu": [],
        "claims": [],
    }


def filled_columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the indices of the columns to show: all except columns of times without a time in any row.

    The percentiles of several runs together are unknown.
    """
    return [at for at, title in enumerate(titles) if title not in TIMES or any(row[at] != NOTHING for row in rows)]


def _chosen(view: SeasonView, rows: Sequence[Values], most: int) -> list[int]:
    """Return the numbers of at most `most` bots of these rows, in the order of the rows.

    Bots that still play take precedence.
    """
    playing = {view.report.number(bot.name) for bot in view.players}
    bots = [row["bot"] for row in rows]
    chosen = sorted(bots, key=lambda bot: bot not in playing)[:most]
    return [bot for bot in bots if bot in chosen]


def _cut(pooled: Values) -> Values:
    return {**pooled, "rows": pooled["rows"][:MOST_ROWS]}


def _small(scope: Values, crossed: list[int], *, whole: bool, rows: int) -> Values:
    """Return a scope with the results of these bots against each other. Unless `whole`, it has only their rows."""
    among = set(crossed)
    kept = scope["rows"] if whole else [row for row in scope["rows"] if row["bot"] in among]
    cross = [one for one in scope["cross"] if one[0] in among and one[1] in among] if whole else []
    return {**scope, "rows": kept[:rows], "cross": cross}


def _idle(view: SeasonView, bot: LeagueBot) -> Values:
    figures = view.figures(bot.name)
    return {
        "bot": bot.name,
        "version": bot.version,
        "author": bot.author,
        "since": bot.since,
        "status": bot.status,
        "why": without_paths(bot.why),
        "elo": figures["elo"],
        "games": figures["games"],
        "address": view.bot_address(bot.name),
    }


def _turns(page: int, pages: int, address: Callable[[int], str]) -> list[tuple[str, str]]:
    """Return the links to the previous and next pages. The newest entries are on the first page."""
    return [(text, address(to)) for text, to in (("‹ later", page - 1), ("earlier ›", page + 1)) if 1 <= to <= pages]


def schedule_page(context: Context, view: SeasonView, number: int | None, page: int) -> Content:
    """Return the deal sets of an epoch: those at the tables now, and the stored ones by time.

    number: the number of the epoch; None for the one in play, or else the latest.
    Raises StoreError if the season has no such epoch.
    """
    wanted = view.season.last_number if number is None else number
    epoch = next((one for one in view.season.epochs if one.number == wanted), None)
    if number is not None and epoch is None:
        raise StoreError(f"season {view.number} of league {view.name} has no epoch {number}")
    run = None if epoch is None else view.runs.get(epoch.run)
    stored = _stored(context, run) if run is not None else []
    pages = max(1, -(-len(stored) // SETS_ON_A_PAGE))
    page = min(max(1, page), pages)
    data = {
        "of": None if epoch is None else view.epoch_values(epoch),
        "is_open": epoch is not None and epoch.ended is None,
        "number": len(stored),
        "reasons": any(one["why"] for one in stored),
        "at_tables": _at_tables(view) if epoch is not None and epoch.ended is None else [],
        "sets": stored[(page - 1) * SETS_ON_A_PAGE : page * SETS_ON_A_PAGE],
        "page": page,
        "pages": pages,
        "progress": _progress(view) if epoch is not None and epoch.ended is None else None,
    }
    address = partial(context.addresses.schedule, view.name, view.wanted, number)
    title = f"Schedule of league {view.name}"
    return view.page("schedule.html", title, data, turns=_turns(page, pages, address), json=f"{address()}.json")


def _stored(context: Context, run: StoredRun) -> list[Values]:
    """Return the stored deal sets of a run, newest first."""
    played = run.played_ms()
    reasons = context.reports.reasons(run)
    latest = sorted(played, key=lambda key: (-played[key], key.entry, key.lineup, key.number))
    return [
        {
            **_set_values(key),
            "why": reasons.get(key, ""),
            "after": str(timedelta(seconds=played[key] // 1000)),
            "address": context.addresses.game(str(GameId(run.fingerprint, key.entry, key.lineup, key.number, 0))),
        }
        for key in latest
    ]


def _at_tables(view: SeasonView) -> list[Values]:
    """Return the deal sets of the tables that are open now."""
    tables = view.live.tables if view.live is not None else ()
    counts = Counter(GameId.parse(table.game).set_key for table in tables)
    return [{**_set_values(key), "tables": number} for key, number in counts.items()]


def _set_values(key: SetKey) -> Values:
    return {
        "entry": key.entry,
        "variant": key.entry.rpartition("-")[0] or key.entry,
        "lineup": key.lineup,
        "bots": [{"bot": bot, "seats": seats} for bot, seats in Counter(key.lineup.split("+")).items()],
        "number": key.number,
        "round": key.number // BLOCK_SETS + 1,
    }
