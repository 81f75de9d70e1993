"""When something is played for an agent, and when it is over."""

from __future__ import annotations

import pytest

from bowerbird.harness.extras.mcp import place as places_module
from bowerbird.harness.extras.mcp.place import open_places
from bowerbird.harness.extras.mcp.runs import Invited, Order

INVITATION = {"BOWERBIRD_ADDRESS": "play.example.org:4711", "BOWERBIRD_TOKEN": "t"}


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[Order]:
    """Return the processes that were started. Each ends at once."""
    started: list[Order] = []

    async def play(order: Order) -> str:
        started.append(order)
        return "turned away"

    monkeypatch.setattr(places_module, "play", play)
    return started


@pytest.mark.mock_clock
async def test_an_invited_agent_dials_before_it_is_asked_and_once(dialled: list[Order]) -> None:
    async with open_places(Invited(INVITATION, again=False)) as [place]:
        assert await place.next_decision(5) is None
        assert await place.next_decision(5) is None
        assert place.is_over
        assert place.desk.problem == "turned away"
        assert [order.environment["BOWERBIRD_TOKEN"] for order in dialled] == ["t"]


@pytest.mark.mock_clock
async def test_with_again_it_dials_after_each_run_when_it_is_asked(dialled: list[Order]) -> None:
    async with open_places(Invited(INVITATION, again=True)) as [place]:
        for number in range(1, 4):
            assert await place.next_decision(5) is None
            assert not place.is_over
            assert len(dialled) == number
            assert place.desk.problem == "turned away"
