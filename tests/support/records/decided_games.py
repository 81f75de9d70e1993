"""Records of games in which players of this process decide, at the referee's own table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bowerbird.engine import Action, Game
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import RunHeader
from tests.support.records.played_games import SEED, seated, set_specs

Player = Callable[[Game], Action]
"""Returns an action of the seat to decide. It does not change the game."""


def decided_set(
    variant: str, number: int, run: RunHeader, players: Mapping[str, Player], *, hands: int = 1
) -> tuple[GameRecord, ...]:
    """Return a deal set of two players at alternate seats."""
    options = {"max_hands": hands}
    records = []
    for spec in set_specs(variant, number, run, seed=SEED, options=options, bots=tuple(players)):
        table = seated(spec)
        table.start()
        while table.record is None:
            due = table.due
            assert due is not None
            table.answer(due.legal.index(players[spec.seats[due.seat].bot](table.game)), 0)
        records.append(table.record)
    return tuple(records)
