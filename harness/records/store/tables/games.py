"""Games and their seats: tables `game`, `seat`, `fault` and `single`, view `matches`."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bowerbird.engine import rules_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.tables import table
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.outcome import WITHDRAWN, opening_scores, sides_of
from bowerbird.harness.records.values.query_results import GameRow, SeatResult
from bowerbird.harness.records.values.run import OWN, GameId
from bowerbird.harness.records.values.set_keys import Block


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows of one game in the tables `game`, `seat` and `fault`, all computed from its record."""

    game: table.Row
    seats: tuple[table.Row, ...]
    faults: tuple[table.Row, ...]


def rows_of_record(record: GameRecord, text: str) -> TableRows:
    """Return the rows of a record. `text` is its canonical form.

    Raises ValueError for a malformed id, bowerbird.engine.EngineError for an unknown variant or option.
    """
    place = GameId.parse(record.id)
    game: table.Row = {
        "id": record.id,
        **table.set_columns(place.run, place.set_key),
        "rotation": place.rotation,
        "variant": record.variant,
        "ended": record.result.ended,
        "hands": sum(bool(hand.scores) for hand in record.hands),
        "decisions": sum(len(hand.actions) for hand in record.hands),
        "record": text,
    }
    faults = tuple(
        {"game": record.id, "place": number, **table.columns_of(fault)} for number, fault in enumerate(record.faults)
    )
    return TableRows(game, _seat_rows(record, place.run), faults)


def _seat_rows(record: GameRecord, run: str) -> tuple[table.Row, ...]:
    opening = opening_scores(record.variant, record.options)
    sides = sides_of(record.variant, record.options)
    scores = record.scores or opening
    better = 1 if rules_of(record.variant).better == "high" else -1
    guilty = {sides[fault.seat] for fault in record.faults}
    charged, times = _times(record)
    return tuple(
        {
            "game": record.id,
            "seat": seat,
            "run": run,
            "bot": who.bot,
            "side": sides[seat],
            "rank": record.result.ranks[seat],
            "score": scores[seat],
            "points": None if record.result.games else better * (scores[seat] - opening[seat]),
            "penalised": sides[seat] in guilty,
            "decisions": times[seat].total(),
            "time_ms": charged[seat],
            "times": json.dumps({str(ms): times[seat][ms] for ms in sorted(times[seat])}),
        }
        for seat, who in enumerate(record.seats)
    )


def _times(record: GameRecord) -> tuple[list[int], list[Counter[int]]]:
    """Return, by seat, the total time charged, and how many of the bot's own decisions took each number of ms."""
    every: Counter[tuple[int, int]] = Counter()
    not_its_own: Counter[tuple[int, int]] = Counter()
    for hand in record.hands:  # counted in C, because a record has hundreds of decisions but few different times
        made = list(zip(map(_seat_of, hand.actions), hand.ms, strict=True))
        every.update(made)
        not_its_own.update([made[index] for index in {*hand.forced, *hand.substituted}])
    charged = [0] * len(record.seats)
    times: list[Counter[int]] = [Counter() for _ in record.seats]
    for (seat, ms), count in every.items():
        charged[seat] += ms * count
        if own := count - not_its_own[seat, ms]:
            times[seat][ms] = own
    return charged, times


@lru_cache(maxsize=4096)
def _seat_of(action: str) -> int:
    return int(action.partition(" ")[0])


def game_from(row: sqlite3.Row) -> GameRow:
    """Return the game in a row of `matches`, for lists."""
    return table.value_of(
        GameRow,
        row,
        bots=table.tuple_from(row["bots"]),
        scores=table.tuple_from(row["scores"]),
        ranks=table.tuple_from(row["ranks"]),
    )


def seat_result_from(row: sqlite3.Row | table.Row) -> SeatResult:
    """Return the seat of a row of `seat` joined with the columns of its `game`."""
    values: Any = {name: row[name] for name in SeatResult._fields}
    return SeatResult(**{**values, "penalised": bool(row["penalised"])})


def seat_results_of(record: GameRecord) -> tuple[SeatResult, ...]:
    """Return the rows of a record, one for each seat.

    Raises ValueError for a malformed id, EngineError for an unknown variant or option.
    """
    rows = rows_of_record(record, "")
    return tuple(seat_result_from({**rows.game, **seat}) for seat in rows.seats)


def _result_from(row: sqlite3.Row, *, own_packs: bool) -> GameResult:
    """Return the result in a row of `matches`, for ratings."""
    return GameResult(
        id=GameId.parse(row["id"]),
        variant=row["variant"],
        bots=table.tuple_from(row["bots"]),
        sides=table.tuple_from(row["sides"]),
        ranks=table.tuple_from(row["ranks"]),
        scores=table.tuple_from(row["scores"]),
        offenders=table.tuple_from(row["offenders"]),
        rated=row["ended"] != WITHDRAWN,
        decisions=row["decisions"],
        hands=row["hands"],
        thinking_ms=tuple(map(int, json.loads(row["thinking_ms"]))),  # not by `tuple_from`: nearly all differ
        own_packs=own_packs,
    )


def results_in(
    connection: sqlite3.Connection, run: str, block: Block | None = None, *, with_times: bool = False
) -> list[GameResult]:
    """Return the results of a run, or of one block of it, in the order of the games' ids.

    with_times: also read `thinking_ms`, which takes time and memory.

    Raises StoreError if another program removed rows.
    """
    where = "run = ?"
    parameters: list[str | int] = [run]
    if block is not None:
        where += " AND entry = ? AND lineup = ? AND set_number BETWEEN ? AND ?"
        parameters += [block.entry, block.lineup, block.sets[0], block.sets[-1]]
    columns = f"*, {_TIMES} AS thinking_ms" if with_times else "*, '[]' AS thinking_ms"
    rows = connection.execute(f"SELECT {columns} FROM matches WHERE {where} ORDER BY {table.GAME_ORDER}", parameters)
    packs = connection.execute("SELECT packs FROM run WHERE fingerprint = ?", [run]).fetchone()
    own_packs = packs is not None and packs["packs"] == OWN
    try:
        results = [_result_from(row, own_packs=own_packs) for row in rows]
    except ValueError as error:
        raise StoreError(_damaged(run, str(error))) from error
    for result in results:
        if not result.bots or (result.offenders and result.offenders[-1] >= len(result.bots)):
            raise StoreError(_damaged(run, f"game {result.id} has lost a seat"))
    entered = {row["name"] for row in connection.execute("SELECT name FROM bot WHERE run = ?", [run])}
    strangers = {bot for bots in {result.bots for result in results} for bot in bots} - entered
    if strangers:
        raise StoreError(_damaged(run, f"bot {min(strangers)!r} plays in it but is not one of its bots"))
    return results


_TIMES = "(SELECT json_group_array(time_ms) FROM (SELECT time_ms FROM seat WHERE seat.game = matches.id ORDER BY seat))"
"""The time charged to each seat of a game of the view `matches`."""


def _damaged(run: str, what: str) -> str:
    return f"run {run} is damaged: {what}; bowerbird verify lists everything that is wrong"


def insert_game(connection: sqlite3.Connection, rows: TableRows) -> None:
    """Insert a game with its seats and faults."""
    table.insert(connection, "game", [rows.game])
    table.insert(connection, "seat", rows.seats)
    table.insert(connection, "fault", rows.faults)


def insert_single(connection: sqlite3.Connection, game: str, text: str) -> None:
    """Insert the record of a game without its run."""
    table.insert(connection, "single", [{"id": game, "record": text}])
