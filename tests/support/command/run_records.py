"""The content of a store in a form that is equal for two runs of the same games."""

from __future__ import annotations

import re
from pathlib import Path

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.records.every_game import every_game


def untimed(game: GameRecord) -> str:
    """Return a record as text, without the charged times, which differ in each run."""
    lines = canonical(game).splitlines()
    return "\n".join(line for line in lines if not re.match(r"ms = |sha256 = ", line))


def untimed_games(db: Path) -> dict[str, str]:
    """Return every record of the only run in a database, by game, without the charged times."""
    with Store.open(db) as store:
        (run,) = store.runs()
        assert run.row.ended is not None, f"{db} is not complete"
        return {str(game.id): untimed(store.record(str(game.id))) for game in every_game(store)}


def actions(db: Path) -> dict[str, list[tuple[str, ...]]]:
    """Return the actions of each hand, by game, without bots and times."""
    with Store.open(db) as store:
        return {game.id: [hand.actions for hand in store.record(game.id).hands] for game in every_game(store)}
