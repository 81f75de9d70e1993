"""The rows of the store's tables and views as the values that it answers with."""

from __future__ import annotations

import json
import os
import sqlite3
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.records.errors import StoreError
from harness.records.quoting import shown
from harness.records.record import FAULT_KINDS
from harness.records.rows import FaultRow, GameResult, GameRow, Pairing, RunRow, Standing
from harness.records.run import GameId
from harness.records.story import NO_LOG, FaultStory


def run_row(row: sqlite3.Row) -> RunRow:
    """A row of the view `runs`."""
    return RunRow(
        fingerprint=row["fingerprint"],
        name=row["name"],
        commitment=row["commitment"],
        seed=None if row["seed"] is None else _seed(row["seed"]),
        practice=bool(row["practice"]),
        packs=row["packs"],
        config=row["config"],
        engine=row["engine"],
        rules=row["rules"],
        started=row["started"],
        ended=row["ended"],
        games=row["games"],
        sets=row["sets"],
        bots=row["bots"],
        beacon=row["beacon"],
        sets_after_seed=row["sets_after_seed"],
    )


def _seed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise StoreError(f"{shown(text)!r} stands in the database where the seed of a run must be") from error


def game_row(row: sqlite3.Row) -> GameRow:
    """A row of the view `matches`."""
    return GameRow(
        id=row["id"],
        run=row["run"],
        entry=row["entry"],
        variant=row["variant"],
        lineup=row["lineup"],
        set_number=row["set_number"],
        rotation=row["rotation"],
        ended=row["ended"],
        hands=row["hands"],
        decisions=row["decisions"],
        bots=_values(row["bots"]),
        scores=_values(row["scores"]),
        ranks=_values(row["ranks"]),
        faults=row["faults"],
    )


def game_result(row: sqlite3.Row) -> GameResult:
    """A row of the view `matches`, for ratings."""
    return GameResult(
        id=GameId.parse(row["id"]),
        variant=row["variant"],
        bots=_values(row["bots"]),
        sides=_values(row["sides"]),
        ranks=_values(row["ranks"]),
        scores=_values(row["scores"]),
        offenders=_values(row["offenders"]),
        rated=row["ended"] != "withdrawn",
        decisions=row["decisions"],
        hands=row["hands"],
    )


def standing(row: sqlite3.Row) -> Standing:
    """A row of the view `standings`."""
    return Standing(
        bot=row["bot"],
        version=row["version"],
        rating=row["rating"],
        rated_games=row["rated_games"],
        games=row["games"],
        wins=row["wins"],
        draws=row["draws"],
        losses=row["losses"],
        score=row["score"],
        points_per_deal=row["points_per_deal"],
        faults={kind: row[kind.lower()] for kind in FAULT_KINDS},
        decisions=row["decisions"],
        p50_ms=row["p50_ms"],
        p99_ms=row["p99_ms"],
    )


def pairing(row: sqlite3.Row) -> Pairing:
    """A row of the view `crosstable`."""
    return Pairing(row["bot"], row["opponent"], row["games"], row["wins"], row["draws"], row["losses"], row["score"])


def fault_row(row: sqlite3.Row, folder: Path) -> FaultRow:
    """A row of the view `faults`; `folder` is the database's."""
    log = row["log"]
    is_here = os.path.exists(folder / log)  # unlike Path.exists, no path can make it raise
    return FaultRow(
        game=row["game"],
        hand=row["hand"],
        action=row["action"],
        seat=row["seat"],
        bot=row["bot"],
        kind=row["kind"],
        limit_ms=row["limit_ms"],
        elapsed_ms=row["elapsed_ms"],
        detail=row["detail"],
        saved=row["saved"],
        legal=_values(row["legal"]),
        how_ended=row["how_ended"],
        stderr=row["stderr"],
        log=log if is_here else "",
        no_log="" if is_here else NO_LOG,
    )


def fault_story(row: sqlite3.Row) -> FaultStory:
    """A row of the table `story`, with the `bot` of its seat."""
    return FaultStory(
        game=row["game"],
        seat=row["seat"],
        bot=row["bot"],
        legal=_values(row["legal"]),
        how_ended=row["how_ended"],
        stderr=row["stderr"],
        log=row["log"],
    )


@lru_cache(maxsize=4096)
def _values(text: str) -> tuple[Any, ...]:
    try:
        return tuple(json.loads(text))
    except (TypeError, ValueError) as error:  # no list, no JSON: only another program can have written it
        raise StoreError(f"{shown(text)!r} stands in the database where a list in JSON must be") from error
