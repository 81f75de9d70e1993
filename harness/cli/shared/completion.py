"""Completes ids of runs and games on the command line. Reading the database changes nothing on disk.

After an error, completion offers nothing, because a message would appear in the middle of the line that the user is
typing. It leaves out ids with characters that a shell interprets, because a database can be untrusted.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

MOST = 200
"""The most ids to offer at once."""

BUSY_SECONDS = 0.2

LABEL_VERSION = 4
"""The first database version in which a run can be renamed."""

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+,/-]*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def complete_run(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a run, or its name once a letter is typed. Show the other one and the date beside it."""
    return _from_database(ctx, lambda database: _runs(database, incomplete))


def complete_game(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a game part by part, or a file."""
    return [_file(incomplete), *_from_database(ctx, lambda database: _games(database, incomplete))]


def complete_run_or_game(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a run, or of a game once there is a "/"."""
    find = _games if "/" in incomplete else _runs
    return _from_database(ctx, lambda database: find(database, incomplete))


def complete_game_of_run(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete, part by part, the id of a game of the run named earlier on the command line."""
    return _from_database(ctx, lambda database: _games_of_run(database, ctx.params.get("run"), incomplete))


def complete_bot_of_run(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a bot of the run named earlier on the command line."""
    return _from_database(ctx, lambda database: _bots_of_run(database, ctx.params.get("run"), incomplete))


def complete_run_or_file(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a run, or a file."""
    return [_file(incomplete), *complete_run(ctx, parameter, incomplete)]


def _file(incomplete: str) -> CompletionItem:
    """Return the item that lets the shell complete files. It must come first, since bash drops the items before it."""
    from click.shell_completion import CompletionItem

    return CompletionItem(incomplete, type="file")


def _from_database(
    ctx: click.Context, find: Callable[[sqlite3.Connection], Iterator[CompletionItem]]
) -> list[CompletionItem]:
    try:
        db = _database_of(ctx)
        with closing(_opened(db)) as database:
            return list(find(database))
    except (OSError, sqlite3.Error, UnicodeError, ValueError):
        return []


def _database_of(ctx: click.Context) -> Path:
    """Return the path of --db, which can also come before a command of a group. Raises ValueError if it is missing."""
    typed = click.core.ParameterSource.COMMANDLINE
    for each in (ctx, ctx.parent):
        if each is not None and each.get_parameter_source("db") is typed and each.params["db"] is not None:
            return Path(each.params["db"])
    if ctx.params.get("db") is None:
        raise ValueError("this command has no --db")
    return Path(ctx.params["db"])


def _opened(path: Path) -> sqlite3.Connection:
    """Open a Bowerbird database for reading. Raises ValueError for any other file, and SQLite's errors.

    If no log is pending, open it as immutable; otherwise SQLite would create files beside it.
    """
    from bowerbird.harness.records.store import access
    from bowerbird.harness.records.store.file_header import read_header

    if not path.is_file():
        raise ValueError(f"{path} is not a file")  # opening a pipe would block for ever
    header = read_header(path)
    if header is None or not header.is_ours:
        raise ValueError(f"{path} is not a database of Bowerbird")
    mode = access.WITH_LOG if access.has_log(path) else access.IMMUTABLE
    return sqlite3.connect(access.uri(path, mode), uri=True, timeout=BUSY_SECONDS)


def _runs(database: sqlite3.Connection, incomplete: str) -> Iterator[CompletionItem]:
    from click.shell_completion import CompletionItem

    [version] = database.execute("PRAGMA user_version").fetchone()
    name = "COALESCE(label, name)" if version >= LABEL_VERSION else "name"
    sql = f"SELECT fingerprint, {name}, started FROM run ORDER BY started DESC, fingerprint"
    rows = database.execute(sql).fetchall()
    ids = [CompletionItem(run, help=_help(named, started)) for run, named, started in rows if _fits(run, incomplete)]
    names = [
        CompletionItem(named, help=_help(run, started)) for run, named, started in rows if _fits(named, incomplete)
    ]
    yield from (names + ids if incomplete else ids)[:MOST]


def _fits(word: object, incomplete: str) -> bool:
    return _is_word(word) and str(word).startswith(incomplete)


def _run_named(database: sqlite3.Connection, ref: object) -> str | None:
    """Return the id of the run that a command names by id, start of an id, or name; None if there is no such run."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    name = "COALESCE(label, name)" if version >= LABEL_VERSION else "name"
    sql = (
        f"SELECT fingerprint FROM run WHERE {name} = :ref OR substr(fingerprint, 1, length(:ref)) = :ref "
        "ORDER BY fingerprint <> :ref, started DESC LIMIT 1"
    )
    found = database.execute(sql, {"ref": ref}).fetchone() if _is_word(ref) else None
    return str(found[0]) if found is not None and _is_word(found[0]) else None


def _games_of_run(database: sqlite3.Connection, ref: object, incomplete: str) -> Iterator[CompletionItem]:
    run = _run_named(database, ref)
    if run is not None:
        yield from _games(database, incomplete or f"{run}/")


def _bots_of_run(database: sqlite3.Connection, ref: object, incomplete: str) -> Iterator[CompletionItem]:
    from click.shell_completion import CompletionItem

    rows = database.execute(
        "SELECT name FROM bot WHERE run = ? ORDER BY place LIMIT ?", [_run_named(database, ref), MOST]
    )
    yield from (CompletionItem(name) for (name,) in rows if _is_word(name) and name.startswith(incomplete))


def _help(name: object, started: object) -> str | None:
    shown = [str(name)] if _is_word(name) else []
    shown += [started[:10]] if isinstance(started, str) and _DATE.match(started) else []
    return " ".join(shown) or None


def _games(database: sqlite3.Connection, incomplete: str) -> Iterator[CompletionItem]:
    """Yield the continuations up to the next "/", and beyond it while there is only one.

    A single offer is therefore always a whole id.
    """
    from click.shell_completion import CompletionItem

    if incomplete and not _is_word(incomplete):
        return
    begun, parts = incomplete, _parts(database, incomplete)
    while len(parts) == 1 and parts[0].endswith("/") and parts[0] != begun:
        begun = parts[0]
        parts = _parts(database, begun)
    yield from (CompletionItem(part) for part in parts if _is_word(part))


def _parts(database: sqlite3.Connection, begun: str) -> list[str]:
    """Return the prefixes of ids, up to the next "/", that start with `begun`. Each costs one index lookup."""
    parts: set[str] = set()
    for table in ("game", "single"):
        sql = f"SELECT id FROM {table} WHERE id >= ? AND id < ? ORDER BY id LIMIT 1"
        at, end = begun, _after(begun)
        while len(parts) < MOST:
            row = database.execute(sql, [at, end]).fetchone()
            if row is None:
                break
            slash = str(row[0]).find("/", len(begun))
            part = str(row[0]) if slash < 0 else str(row[0])[: slash + 1]
            parts.add(part)
            at = _after(part) if slash >= 0 else f"{part} "  # "/1" comes before "/10"
    return sorted(parts)


def _after(text: str) -> str:
    """Return the smallest string that sorts after every string that starts with `text`."""
    return f"{text}\U0010ffff"


def _is_word(value: object) -> bool:
    """Return True if this word has no special meaning to a shell."""
    return isinstance(value, str) and _WORD.fullmatch(value) is not None
