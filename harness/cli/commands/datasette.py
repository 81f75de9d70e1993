"""`bowerbird datasette DB`, and the metadata it prints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from bowerbird.harness.cli.shared.doc_pages import find_page
from bowerbird.harness.cli.shared.options import debug_option, examples

FACETS: Mapping[str, Sequence[str]] = {
    "run": ("packs", "practice", "rules"),
    "bot": ("name", "version"),
    "game": ("variant", "ended", "run"),
    "seat": ("bot", "rank", "penalised"),
    "fault": ("kind", "seat"),
    "note": ("seat",),
    "incident": ("bot", "kind"),
    "record_rating": ("scope", "bot"),
    "match_result": ("round", "decided_by"),
    "void": ("run",),
    "runs": ("packs", "practice"),
    "matches": ("variant", "ended"),
    "standings": ("scope", "bot"),
    "faults": ("kind", "bot"),
    "crosstable": ("scope", "bot"),
}
"""The columns that Datasette offers as facets of a table or view, with row counts."""

LABELS: Mapping[str, str] = {"run": "name", "game": "id", "machine": "cpu"}
"""The column that represents a row when another table refers to it."""

HIDDEN = ("scoped_game",)
"""A view that exists only for other views to use."""

_RUN = "coalesce(nullif(:run, ''), (SELECT fingerprint FROM runs ORDER BY started DESC LIMIT 1))"

QUERIES: Mapping[str, tuple[str, str]] = {
    "ratings": (
        "Ratings of record of a run, with their 95% intervals",
        "SELECT rank, bot, round(elo) AS elo, round(low) AS low, round(high) AS high FROM record_rating "
        f"WHERE run = {_RUN} AND scope = '' ORDER BY rank, elo DESC",
    ),
    "points_by_variant": (
        "Mean points of a game by variant and bot",
        "SELECT game.variant, seat.bot, count(*) AS seats, round(avg(seat.points), 3) AS points, "
        "round(avg(seat.rank = 1), 3) AS first FROM seat JOIN game ON game.id = seat.game "
        f"WHERE seat.run = {_RUN} GROUP BY game.variant, seat.bot ORDER BY game.variant, points DESC",
    ),
    "points_by_seat": (
        "Mean points of a game by variant and seat, over all bots",
        "SELECT game.variant, seat.seat, count(*) AS games, round(avg(seat.points), 3) AS points "
        "FROM seat JOIN game ON game.id = seat.game "
        f"WHERE seat.run = {_RUN} GROUP BY game.variant, seat.seat ORDER BY game.variant, seat.seat",
    ),
    "faults_by_bot": (
        "Faults of a run by bot and kind",
        f"SELECT bot, kind, count(*) AS faults FROM faults WHERE run = {_RUN} GROUP BY bot, kind ORDER BY faults DESC",
    ),
    "time_by_bot": (
        "Milliseconds of a decision by bot: mean and longest",
        "SELECT bot, sum(decisions) AS decisions, round(1.0 * sum(ms * decisions) / sum(decisions), 2) AS mean_ms, "
        f"max(ms) AS longest_ms FROM decision_time WHERE run = {_RUN} AND scope = '' "
        "GROUP BY bot ORDER BY mean_ms DESC",
    ),
    "games_of_a_bot": (
        "Games of a bot in a run; empty means every bot",
        "SELECT seat.game, seat.seat, seat.bot, game.variant, seat.rank, seat.score, seat.points, game.ended "
        "FROM seat JOIN game ON game.id = seat.game "
        f"WHERE seat.run = {_RUN} AND (:bot = '' OR seat.bot = :bot) ORDER BY seat.game, seat.seat LIMIT 1000",
    ),
}
"""The canned queries by name: a title, and SQL. An empty `run` means the newest."""

_TABLE = re.compile(r"^### (?:View )?(\w+)\n(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\| (`.*?) \|(?: .*? \|)?? ([^|]*) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_FENCES = re.compile(r"^```.*?^```\n", re.DOTALL | re.MULTILINE)


def metadata(database: str) -> dict[str, object]:
    """Return the metadata for a database file whose name without its ending is `database`."""
    page = _FENCES.sub("", find_page("database").text())
    tables = {name: _table(name, text) for name, text in _TABLE.findall(page)}
    queries = {name: {"title": title, "sql": sql} for name, (title, sql) in QUERIES.items()}
    return {
        "title": "Bowerbird",
        "description": "Recorded runs of bots that play the Euchre family of card games",
        "databases": {database: {"tables": tables, "queries": queries}},
    }


def _table(name: str, text: str) -> dict[str, object]:
    """Return Datasette's description of a table, taken from its section of the page."""
    columns: dict[str, str] = {}
    for names, says in _ROW.findall(text):
        columns |= dict.fromkeys(re.findall(r"`(\w+)`", names), _plain(says))
    shown: dict[str, object] = {"columns": columns}
    if description := _plain(re.split(r"\n\n(?=\||Columns:|Primary key:|\()", text.strip())[0]):
        shown["description"] = description
    if name in FACETS:
        shown["facets"] = list(FACETS[name])
    if name in LABELS:
        shown["label_column"] = LABELS[name]
    if name in HIDDEN:
        shown["hidden"] = True
    return shown


def _plain(markdown: str) -> str:
    """Return text from the page without links, code marks or line breaks."""
    return " ".join(_LINK.sub(r"\1", markdown).replace("`", "").split())


@click.command("datasette", epilog=examples("datasette results/bowerbird.db", "datasette other.db"))
@click.argument("db", metavar="DB", type=click.Path(path_type=Path, dir_okay=False))
@debug_option
def command(db: Path) -> None:
    """Print metadata for browsing the database DB with Datasette.

    The metadata describes every table and column, and adds facets and canned queries. Datasette is a separate program:
    install it, save the output as metadata.json, and run 'datasette -i DB -m metadata.json'.
    """
    from bowerbird.harness.cli.shared.output import print_json
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        store.runs()  # refuse a file that is not a Bowerbird database
    print_json(metadata(db.stem))
