"""Who gets which seat of a table."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bowerbird.harness.extras.mcp.desk import Desk
from bowerbird.harness.extras.mcp.seating import Seating

CLOSED = {"type": "table_closed", "ranks": [1, 2, 1, 2], "scores": [1, 0, 1, 0], "ended": "limit", "faults": []}


def _opened(table: str, seat: int) -> Mapping[str, object]:
    return {
        "type": "table_opened",
        "table": table,
        "variant": "euchre",
        "options": {},
        "seat": seat,
        "players": 4,
        "per_decision_ms": 1000,
        "bank_ms": 9000,
        "on_fault": "forfeit",
    }


def _asked(table: str) -> Mapping[str, object]:
    return {
        "type": "decision",
        "table": table,
        "id": 7,
        "legal": ["pass"],
        "remaining_ms": 9000,
        "events": [],
        "view": {},
    }


def _seats(desk: Desk) -> list[int]:
    return [table.seat for table in desk.tables]


class Line:
    """Plays games in which the agent has these seats, and keeps the answers given at once."""

    def __init__(self, clients: int) -> None:
        self.desks = [Desk() for _ in range(clients)]
        self.seating = Seating(self.desks)
        self.answers: list[Mapping[str, object]] = []

    def game(self, *seats: int) -> list[list[int]]:
        """Return the seats that each desk has."""
        for seat in seats:
            self.seating.take(0, _opened(f"t{seat}", seat), self.answers.append)
        for seat in seats:
            self.seating.take(0, _asked(f"t{seat}"), self.answers.append)
        had = [_seats(desk) for desk in self.desks]
        for seat in seats:
            self.seating.take(0, {**CLOSED, "table": f"t{seat}"}, self.answers.append)
        assert [_seats(desk) for desk in self.desks] == [[]] * len(self.desks)
        return had


@pytest.mark.mock_clock
async def test_a_single_client_has_one_seat_in_turn_and_the_partner_is_asked_for_the_others() -> None:
    line = Line(1)
    assert [line.game(0, 2), line.game(1, 3), line.game(0, 2)] == [[[0]], [[3]], [[0]]]
    assert line.answers == [{"id": 7, "action": "(partner)"}] * 3


@pytest.mark.mock_clock
async def test_clients_never_have_a_seat_together_and_leave_none_to_the_partner() -> None:
    line = Line(2)
    assert [line.game(0, 2), line.game(1, 3), line.game(2)] == [[[0], [2]], [[3], [1]], [[2], []]]
    assert line.answers == []


@pytest.mark.mock_clock
async def test_with_a_client_for_each_player_each_keeps_its_seat() -> None:
    line = Line(4)
    assert line.game(2, 0) == [[0], [], [2], []]
    assert line.game(3, 1) == [[], [1], [], [3]]


@pytest.mark.mock_clock
async def test_a_line_that_is_lost_frees_its_seats() -> None:
    line = Line(1)
    line.seating.take(0, _opened("t", 2), line.answers.append)
    line.seating.line_lost(0)
    assert line.game(0) == [[0]]
