"""What a run stored, in a form in which two runs of the same games are equal."""

from __future__ import annotations

import re
from pathlib import Path

from harness.records.canonical import canonical
from harness.records.record import GameRecord
from harness.records.store import Store


def untimed(game: GameRecord) -> str:
    """A record as text without the time that was charged, which no two runs have alike."""
    lines = canonical(game).splitlines()
    return "\n".join(line for line in lines if not re.match(r"ms = |sha256 = ", line))


def untimed_games(db: Path) -> dict[str, str]:
    """Every record of the only run in a database, times apart, by game."""
    with Store.open(db) as store:
        (run,) = store.runs()
        assert run.ended is not None, f"{db} is not complete"
        return {str(game.id): untimed(store.record(str(game.id))) for game in store.games()}


def actions(db: Path) -> dict[str, list[tuple[str, ...]]]:
    """What was played, by game; who played it, and how fast, is left out."""
    with Store.open(db) as store:
        return {game.id: [hand.actions for hand in store.record(game.id).hands] for game in store.games()}
