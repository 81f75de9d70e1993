"""Plays the games of `check-bot` with a scripted referee and keeps the bot's choices."""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.harness.extras.compliance.driver.game import SeatGame, SeatSettings
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.wire import encode
from tests.support.referee.seat_referee import SeatReferee

PATIENT = SeatSettings(budget_ms=60000)


def open_table(referee: SeatReferee, table_id: str, deal: Scenario) -> SeatGame:
    """Open a new table for the bot; return its game."""
    game = SeatGame(table_id, deal, PATIENT)
    referee.say(game.table_opened())
    return game


def play_tables(referee: SeatReferee, tables: Sequence[SeatGame], batch: int) -> list[list[str]]:
    """Play all tables to their ends, at most `batch` decisions in a message, and check each answer.

    Return the bot's choices as tokens, by table.
    """
    made: dict[str, list[str]] = {table.table_id: [] for table in tables}
    waiting = [table for table in tables if table.advance()]
    while waiting:
        due = {table.table_id: table for table in waiting[:batch]}
        referee.say(encode.decision_requests([table.request() for table in due.values()], deadline_ms=60000))
        while due:
            for decision in referee.hear_a("decisions").decisions.decisions:
                table = due.pop(decision.table_id)
                assert decision.decision_id == table.number
                assert decision.HasField("action_index")
                action = table.game.legal_actions()[decision.action_index]
                made[table.table_id].append(action.token)
                table.answer(action)
        waiting = [table for table in waiting[batch:] + waiting[:batch] if table.advance()]
    for table in tables:
        referee.say(table.table_closed())
    return list(made.values())
