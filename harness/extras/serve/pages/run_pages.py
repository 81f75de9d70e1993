"""The contents of a run's pages: values for people, through a template, and for programs, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.marks import marks_of
from bowerbird.harness.extras.serve.addresses import Addresses, RunLinks
from bowerbird.harness.extras.serve.openness import open_hands, shown_record
from bowerbird.harness.extras.serve.pages.reports import Reports, Values
from bowerbird.harness.ratings.standings.head_to_head import HeadToHeads
from bowerbird.harness.ratings.standings.text.cells import (
    COMMON_COLUMNS,
    COMPARISON_COLUMNS,
    common_cells,
    comparison_cells,
)
from bowerbird.harness.ratings.standings.text.sentences import mean_text
from bowerbird.harness.ratings.standings.text.words import WORDS
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.query_results import GameRow
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.report.replay_data import replay_data
from bowerbird.harness.tournament.playing.open_hands import OpenHands
from bowerbird.harness.watch.values import RunInfo, TableInfo

GAMES_ON_A_PAGE = 100
LATEST_GAMES = 20
LONGEST_THOUGHTS = 10


@dataclass(frozen=True, slots=True)
class Live:
    """A run that is being played now, and its tables."""

    info: RunInfo
    tables: tuple[TableInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """A page before it is rendered.

    values: what the template needs besides `data`. data: the same for programs, ready for JSON.
    moves: the run whose changes the page follows; "*" for all runs, "" for a page that does not change.
    """

    template: str
    title: str
    data: Values
    values: Values = field(default_factory=dict)
    moves: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class Context:
    """The inputs of every page: an open store, the runs that are being played, addresses, computed values."""

    store: Store
    live: Mapping[str, Live]
    addresses: Addresses
    reports: Reports

    def of_run(self, run: StoredRun) -> Live | None:
        """Return a run that is being played now, or None."""
        return self.live.get(run.fingerprint)


def state_of(run: StoredRun, live: Live | None) -> str:
    """Return the state of a run: "playing", "complete" or "unfinished"."""
    if live is not None:
        return "playing"
    return "complete" if run.row.ended is not None else "unfinished"


def progress(run: StoredRun, live: Live | None) -> Values | None:
    """Return the progress of a run that is being played (deal sets, a share, and a forecast in seconds), or else None.

    share and seconds: None if they are not known.
    """
    if live is None:
        return None
    info = live.info
    total = info.sets_total if info.sets_bound == "exactly" else None
    played_ms = max(run.played_ms().values(), default=0)
    left = None if not total or not info.sets_stored else max(0, total - info.sets_stored)
    return {
        "stored": info.sets_stored,
        "total": info.sets_total,
        "bound": info.sets_bound,
        "games": info.games_played,
        "round": info.round,
        "share": None if not total else round(min(1.0, info.sets_stored / total), 4),
        "seconds_left": None if left is None or not played_ms else round(played_ms / 1000 / info.sets_stored * left),
    }


def epoch_of(context: Context, run: StoredRun) -> Values | None:
    """Return the league, season and epoch of a run, with the league's address, or None if the run is not an epoch."""
    found = context.store.epochs().get(run.fingerprint)
    if found is None:
        return None
    league, season, number = found
    address = context.addresses.league(league, season)
    return {"league": league, "season": season, "epoch": number, "address": address}


def shared_values(context: Context, run: StoredRun) -> Values:
    """Return the values that the template of every page of a run needs (of_run.html)."""
    return {"name": run.row.name, "fingerprint": run.fingerprint, "epoch": epoch_of(context, run)}


@dataclass(frozen=True, slots=True)
class _Run:
    """A run, with the values that several of its pages need."""

    context: Context
    run: StoredRun

    def page(self, template: str, title: str, data: Values, **values: Any) -> Content:
        """Return a page of this run."""
        data = {"run": self.run.fingerprint, "name": self.run.row.name, **data}
        state = state_of(self.run, self.context.of_run(self.run))
        shared = {**shared_values(self.context, self.run), "state": state}
        return Content(
            template, title, data, {**shared, **values}, moves="" if state == "complete" else self.run.fingerprint
        )

    @property
    def links(self) -> RunLinks:
        """The links of its tables."""
        names = [bot.name for bot in self.run.bots()]
        return RunLinks(self.context.addresses, self.run.fingerprint, names)

    @property
    def report(self) -> Values:
        """The values of its report, without the hands that may not be shown yet."""
        _, data = self.context.reports.of(self.run)
        hands = open_hands(self.run)
        return {**data, "faults": [open_story(story, hands) for story in data["faults"]]}


def run_of(store: Store, ref: str) -> StoredRun:
    """Return a run by its whole fingerprint or name. Raises StoreError if there is none."""
    run = store.run(ref)
    if ref not in (run.fingerprint, run.row.name):
        raise StoreError(f"there is no run {ref!r} here")
    return run


def open_story(story: Values, hands: OpenHands) -> Values:
    """Return the story of a fault, without its hand until the hand's packs are open, and without paths."""
    if hands.is_open(GameId.parse(story["game"]).set_key):
        return {**story, "log": ""}
    return {**story, "detail": "", "legal": [], "words": [], "ended": "", "log": ""}


def run_page(context: Context, run: StoredRun) -> Content:
    """Return the page of a run: its report and its progress."""
    one = _Run(context, run)
    live = context.of_run(run)
    data = {
        **one.report,
        "epoch": epoch_of(context, run),
        "progress": progress(run, live),
        "state": state_of(run, live),
    }
    return one.page("run.html", run.row.name, data, links=one.links, tables=len(live.tables) if live is not None else 0)


def faults_page(context: Context, run: StoredRun) -> Content:
    """Return the page of a run's faults."""
    one = _Run(context, run)
    report = one.report
    shown = {"faults": report["faults"], "kinds": report["kinds"], "bots": report["bots"]}
    return one.page("faults.html", f"Faults in {run.row.name}", shown, links=one.links, report=report)


def tables_page(context: Context, run: StoredRun) -> Content:
    """Return the page of the tables in play."""
    one, live, addresses = _Run(context, run), context.of_run(run), context.addresses
    tables = [
        {
            "game": table.game,
            "variant": table.variant,
            "seats": [bot.name for bot in table.seats],
            "hand": table.hand,
            "scores": list(table.scores),
            "shown": table.is_shown,
            "address": addresses.table(table.game),
        }
        for table in (live.tables if live is not None else ())
    ]
    why = live.info.why_hidden if live is not None else ""
    return one.page("tables.html", f"Tables of {run.row.name}", {"tables": tables, "why_hidden": why})


def games_page(context: Context, run: StoredRun, variant: str, bot: str, page: int) -> Content:
    """Return one page of the list of games, optionally of one variant and of one bot.

    Raises StoreError if the run has no such variant or bot.
    """
    addresses = context.addresses
    run.require_variant(variant or None)
    run.require_bot(bot or None)
    one = _Run(context, run)
    games = run.games(variant=variant or None, bot=bot or None)
    pages = max(1, -(-len(games) // GAMES_ON_A_PAGE))
    page = min(max(1, page), pages)
    shown = games[(page - 1) * GAMES_ON_A_PAGE : page * GAMES_ON_A_PAGE]
    data = {
        "variant": variant,
        "bot": bot,
        "number": len(games),
        "page": page,
        "pages": pages,
        "games": _game_rows(shown, open_hands(run), addresses),
    }
    turns = [
        (text, addresses.games(run.fingerprint, variant, bot, number))
        for text, number in (("‹ before", page - 1), ("after ›", page + 1))
        if 1 <= number <= pages
    ]
    variants = [(name, addresses.games(run.fingerprint, name, bot)) for name in run.variants()]
    bots = [(each.name, addresses.games(run.fingerprint, variant, each.name)) for each in run.bots()]
    everything = addresses.games(run.fingerprint)
    title = f"Games of {run.row.name}"
    return one.page("games_list.html", title, data, turns=turns, variants=variants, bots=bots, everything=everything)


def _game_rows(games: Sequence[GameRow], hands: OpenHands, addresses: Addresses) -> list[Values]:
    return [
        {
            "game": game.id,
            "variant": game.variant,
            "seats": [
                {"bot": bot, "score": score, "rank": rank}
                for bot, score, rank in zip(game.bots, game.scores, game.ranks, strict=True)
            ],
            "ended": game.ended,
            "hands": game.hands,
            "faults": game.faults,
            "shown": hands.is_open(GameId.parse(game.id).set_key),
            "address": addresses.game(game.id),
        }
        for game in games
    ]


BOT_COLUMNS = ("#", "Elo", "95%", "LOS", "points/deal")
"""The columns of a bot's table that come from the ratings of a variant. The others come from its results."""


def bot_page(context: Context, run: StoredRun, bot: str) -> Content:
    """Return the page of a bot. Raises StoreError if the run has no bot of this name."""
    addresses = context.addresses
    run.require_bot(bot)
    one = _Run(context, run)
    report: Any = one.report
    number = [each["name"] for each in report["bots"]].index(bot)
    hands = open_hands(run)
    variants = [
        bot_row(scope, row, report["titles"]["playing"], addresses.games(run.fingerprint, scope["variant"], bot))
        for scope in report["scopes"]
        for row in scope["rows"]
        if row["bot"] == number
    ]
    overall = report["scopes"][0]["cross"] if report["scopes"] else []
    opponents = [
        {
            "bot": report["bots"][other]["name"],
            "score": round((won + drawn / 2) / (won + drawn + lost), 4),
            "results": f"{won}-{drawn}-{lost}",
            "address": addresses.pair(run.fingerprint, bot, report["bots"][other]["name"]),
        }
        for this, other, won, drawn, lost in overall
        if this == number
    ]
    games = run.games(bot=bot)[-LATEST_GAMES:][::-1]
    thoughts = [
        {"game": game, "ms": ms, "address": addresses.game(game)}
        for game, ms in run.longest_decisions(bot, LONGEST_THOUGHTS)
    ]
    data = {
        "bot": report["bots"][number],
        "variants": variants,
        "opponents": opponents,
        "thoughts": thoughts,
        "faults": [story for story in report["faults"] if story["bot"] == number],
        "games": _game_rows(games, hands, addresses),
    }
    every_game = addresses.games(run.fingerprint, bot=bot)
    title = f"{bot} in {run.row.name}"
    return one.page("bot.html", title, data, links=one.links, report=report, number=number, every_game=every_game)


def bot_row(scope: Values, row: Values, playing: Sequence[str], address: str) -> Values:
    """Return a bot's row of a scope (`report_data`) for the bot's page; `playing` are the titles of its results."""
    rated = dict(zip(scope["titles"], row["rating"], strict=True))
    played = dict(zip(playing, row["playing"], strict=True))
    return {
        "variant": scope["variant"],
        "title": scope["title"] + (", rated apart" if scope["apart"] else ""),
        "cells": {**{name: rated.get(name, "-") for name in BOT_COLUMNS}, **played},
        "span": row["span"],
        "address": address,
    }


def pair_page(context: Context, run: StoredRun, bot: str, other: str) -> Content:
    """Return the page that compares two bots. Raises StoreError if the run does not have both."""
    addresses = context.addresses
    for name in (bot, other):
        run.require_bot(name)
    if bot == other:
        raise StoreError(f"a bot cannot be compared with itself ({bot})")
    one = _Run(context, run)
    found = HeadToHeads(context.reports.of(run)[0]).between(bot, other)
    games = [game for game in run.games(bot=bot) if other in game.bots]
    titles = [title.format(bot=bot, other=other) for title in COMMON_COLUMNS]
    data = {
        "bots": [bot, other],
        "columns": list(COMPARISON_COLUMNS),
        "comparisons": [list(comparison_cells(each)) for each in found.comparisons],
        "common_columns": titles,
        "common": [list(common_cells(each.title, seen)) for each in found.comparisons for seen in each.common],
        "mean": mean_text(found),
        "number": len(games),
        "games": _game_rows(games[-GAMES_ON_A_PAGE:][::-1], open_hands(run), addresses),
    }
    names = [(name, addresses.bot(run.fingerprint, name)) for name in (bot, other)]
    return one.page("pair.html", f"{bot} and {other}", data, words=WORDS, names=names)


def game_page(context: Context, run: StoredRun, game: GameId) -> Content:
    """Return the replay of a game, or a sentence while its cards may not be shown.

    Raises StoreError if there is no such game, RecordError if its record breaks the rules.
    """
    one, store = _Run(context, run), context.store
    record, why = shown_record(run, game)
    back = context.addresses.games(run.fingerprint)
    if record is None:
        if str(game) not in run.game_ids():
            raise StoreError(f"there is no game {game}")
        content = one.page("hidden.html", str(game), {"game": str(game), "shown": False, "why": why}, back=back)
        return Content(content.template, content.title, content.data, content.values, content.moves, 403)
    stories = [replace(story, log="", no_log="") for story in store.faults_of(str(game))]
    with marks_of(store.path) as marks:
        replay = replay_data(record, None, stories, store.notes(str(game)), marks(record))
    document = {"game": str(game), "shown": True, "record": store.record_text(str(game))}
    return Content("replay.html", str(game), document, {"replay": replay, "remark": "", "back": back})


def left_text(seconds: int | None) -> str:
    """Return a forecast in words, such as "about 3 minutes left", or "" if it is not known."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"about {counted(max(1, round(seconds)), 'second')} left"
    if seconds < 5400:
        return f"about {counted(round(seconds / 60), 'minute')} left"
    return f"about {counted(round(seconds / 3600), 'hour')} left"
